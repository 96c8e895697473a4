"""Scores from raw text: by hand, as properties, and against the official evaluation."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.evaluation import EvaluationError, Metric, TextScores, alignment, evaluate_text
from dodona.evaluation.alignment import PlacedWord, align, read_text
from support.official import TREEBANKS, dev_set, official_evaluation
from support.segmentations import random_treebank, resegmented

NAMES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "all_tags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}
TAGS = ("upos", "xpos", "ufeats", "all_tags", "lemmas")

GOLD = """# text = Il parle du chêne. Oui
1 Il il PRON P Gender=Masc|Typo=Yes 2 nsubj
2 parle _ VERB V Mood=Ind 0 root
3-4 du _ _ _ _ _ _
3 de de ADP E _ 5 case
4 le le DET D _ 5 det
5 chêne chêne NOUN N _ 2 obl
6 . . PUNCT Z _ 2 punct

1 Oui oui INTJ I _ 0 root
"""
SYSTEM = """1 Il il PRON P Gender=Masc 2 nsubj
2 parle parler VERB X Mood=Sub 0 root
3 du de ADP E _ 4 case
4 chêne chene NOUN N _ 2 obl:arg
5 . . PUNCT Z _ 2 punct
6 Oui oui ADV I _ 2 discourse
"""


def conllu(text: str) -> bytes:
    """CoNLL-U from lines of eight columns, without DEPS and MISC."""
    lines = text.strip("\n").split("\n")
    rows = ["\t".join(line.split(" ")) + "\t_\t_" if line[:1].isdigit() else line for line in lines]
    return ("\n".join(rows) + "\n\n").encode()


def sentences(text: str | bytes, name: str) -> list[dodona.Sentence]:
    data = text if isinstance(text, bytes) else conllu(text)
    return list(dodona.read(io.BytesIO(data), trees="ignored", name=name))


def scores(gold: str | bytes = GOLD, system: str | bytes = SYSTEM) -> TextScores:
    return evaluate_text(sentences(gold, "gold.conllu"), sentences(system, "system.conllu"))


def test_scores_are_those_computed_by_hand() -> None:
    found = scores()
    assert found == TextScores(
        tokens=Metric(6, 6, 6),
        sentences=Metric(2, 1, 0),
        words=Metric(7, 6, 5),
        upos=Metric(7, 6, 4, 5),  # Oui is an adverb
        xpos=Metric(7, 6, 4, 5),
        ufeats=Metric(7, 6, 4, 5),  # Typo is no universal feature
        all_tags=Metric(7, 6, 3, 5),
        lemmas=Metric(7, 6, 4, 5),  # gold has none for "parle": any is right
        uas=Metric(7, 6, 4, 5),
        las=Metric(7, 6, 4, 5),  # without subtypes
        clas=Metric(4, 4, 3, 4),
        mlas=Metric(4, 4, 1, 4),  # parle has another mood, chêne other function words
        blex=Metric(4, 4, 2, 4),
    )
    assert found.las is not None
    assert (found.las.precision, found.las.recall) == (100 * (4 / 6), 100 * (4 / 7))
    assert (found.las.f1, found.las.aligned_accuracy) == (100 * (8 / 13), 80)
    assert found.words.aligned_accuracy is None


def test_a_head_that_gold_does_not_have_is_wrong() -> None:
    gold = "1 Ask ask V _ _ 0 root\n2 oaks oak N _ _ 1 obj"
    system = "1 As as X _ _ 2 dep\n2 k k X _ _ 0 root\n3 oaks oak N _ _ 2 obj"
    found = scores(gold, system)
    assert (found.words, found.upos) == (Metric(2, 3, 1), Metric(2, 3, 1, 1))
    assert (found.uas, found.clas) == (Metric(2, 3, 0, 1), Metric(2, 3, 0, 1))


@pytest.mark.parametrize(
    ("change", "mlas"),
    [
        ((" DET D", " ADP D"), 3),  # the tag of a function word
        ((" 5 det", " 5 case"), 3),
        ((" 5 det", " 5 nmod"), 3),  # no function word any more
        ((" 5 det", " 5 det:def"), 4),
        ((" DET D _", " DET X Typo=Yes"), 4),  # neither is compared
        ((" NOUN N", " PROPN N"), 3),  # counts for the word itself, not for its head
    ],
)
def test_mlas_requires_the_same_function_words(change: tuple[str, str], mlas: int) -> None:
    found = scores(GOLD, GOLD.replace(*change))
    assert found.mlas is not None and found.clas is not None
    assert (found.clas.n_correct, found.mlas.n_correct) == (4, mlas)


def test_mlas_requires_the_same_function_words_even_if_others_are_alike() -> None:
    gold = "1 le le DET _ _ 3 det\n2 le le DET _ _ 3 reparandum\n3 oak oak NOUN _ _ 0 root"
    system = gold.replace("det", "_").replace("reparandum", "det").replace("3 _", "3 reparandum")
    found = scores(gold, system)
    assert (found.clas, found.mlas) == (Metric(2, 2, 1, 2), Metric(2, 2, 0, 2))


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("ab c", "ab c", [(0, 0), (1, 1)]),
        ("ab c", "a bc", []),
        ("ab c d", "a bc d", [(2, 2)]),
        ("du=de+le", "du=de+le", [(0, 0), (1, 1)]),
        ("Du=De+le", "Du=de+LE", [(0, 0), (1, 1)]),
        ("du=de+le", "du", []),
        ("du=de+le", "du=du", []),
        ("cannot=can+not", "can not", [(0, 0), (1, 1)]),
        ("abc=a+b+c", "abc=x+a+c", [(0, 1), (2, 2)]),
        ("abc=a+b+a", "abc=b+a+b", [(1, 0), (2, 1)]),
        ("abc=b+a+b", "abc=a+b+a", [(1, 0), (2, 1)]),
        ("aaa=a+a+a", "aa=a+a a", [(0, 0), (1, 1), (2, 2)]),
        # tokens that overlap a multiword token belong to it, and draw in others
        ("ab=a+b c", "a bc=b+c", [(0, 0), (1, 1), (2, 2)]),
        ("ab=a+b cd=c+d e", "a bc=b+c d e", [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]),
        # … but single words that only stick into it do not
        ("ab=a+b c", "a bc", [(0, 0)]),
        ("ab cd=c+d", "a bc d=c+d", [(1, 2), (2, 3)]),
        ("ab cd=c+d", "a b cd=c+d", [(1, 2), (2, 3)]),
        ("ab=a+bc c", "a bc", [(0, 0)]),
        ("ab cd=a+c", "a b cd", []),
        ("a b cd", "ab cd=b+c", []),
        # … unless they are gold words that begin with it
        ("abcd", "abc=abcd+x d", [(0, 0)]),
        ("abc=abcd+x d", "abcd", []),
    ],
)
def test_words_are_aligned_by_span_or_within_multiword_tokens_by_form(
    gold: str, system: str, expected: list[tuple[int, int]]
) -> None:
    assert align(words(gold), words(system)) == expected


def words(tokens: str) -> Any:
    """The words of tokens like `can`, or `cannot=can+not`."""
    rows: list[str] = []
    n = 0
    for token in tokens.split(" "):
        form, _, expansion = token.partition("=")
        forms = expansion.split("+") if expansion else [form]
        if expansion:
            rows.append(f"{n + 1}-{n + len(forms)} {form} _ _ _ _ _ _")
        rows += [f"{n + i} {word} _ _ _ _ _ _" for i, word in enumerate(forms, start=1)]
        n += len(forms)
    return read_text(sentences("\n".join(rows), "gold.conllu"), "gold").words


def test_white_space_does_not_count() -> None:
    gold = conllu("1 10 _ _ _ _ 2 dep\n2 000 _ _ _ _ 0 root")
    system = conllu("1 10_000 _ _ _ _ 0 root").replace(b"10_000", "10\u00a0 000".encode())
    found = scores(gold, system)
    assert (found.tokens, found.sentences) == (Metric(2, 1, 0), Metric(1, 1, 1))
    assert scores(system, conllu("1 10000 _ _ _ _ 0 root")).tokens == Metric(1, 1, 1)


def test_empty_nodes_and_comments_do_not_count() -> None:
    empty = "2.1 silently _ _ _ _ _ _\n3-4 du"
    more = GOLD.replace("3-4 du", empty).replace("\n1 Oui", "\n# 1\n# 2\n1 Oui")
    assert scores(GOLD, more) == scores(GOLD, GOLD)


def test_files_may_have_a_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_bytes(b"\xef\xbb\xbf" + conllu(GOLD.partition("\n")[2]).replace(b"\n", b"\r\n"))
    system.write_bytes(conllu(SYSTEM))
    assert evaluate_text(gold, str(system)) == scores()


def test_without_trees_only_the_rest_is_scored() -> None:
    bare = SYSTEM
    for arc in ("2 nsubj", "0 root", "4 case", "2 obl:arg", "2 punct", "2 discourse"):
        bare = bare.replace(arc, "_ _")
    for found in (scores(GOLD, bare), scores(bare, bare)):
        assert (found.uas, found.las, found.clas, found.mlas, found.blex) == (None,) * 5
        assert found.to_dict()["las"] is None
        assert "LAS" not in found.table()
    assert scores(GOLD, bare).upos == scores().upos


def error(gold: str | bytes = GOLD, system: str | bytes = SYSTEM) -> str:
    with pytest.raises(EvaluationError) as found:
        scores(gold, system)
    return str(found.value)


def test_different_texts_are_reported_with_line_and_context() -> None:
    assert error(system=SYSTEM.replace(" chêne ", " chère ")) == (
        "gold.conllu:7 has 'êne.Oui' after 'Ilparleduch', but system.conllu:4 has 'ère.Oui': "
        "gold and system must have the same text, white space apart"
    )
    assert error("1 a _ _ _ _ 0 root", "1 b _ _ _ _ 0 root").startswith(
        "gold.conllu:1 has 'a' at the start, but system.conllu:1 has 'b'"
    )


def test_a_difference_in_a_multiword_token_is_reported_with_its_line() -> None:
    assert error(SYSTEM, GOLD.replace("du _", "des _")).startswith(
        "gold.conllu:3 has 'uchêne.Oui' after 'Ilparled', but system.conllu:4 has 'eschêne.Oui'"
    )


def test_a_text_that_ends_early_is_reported() -> None:
    assert error(system=SYSTEM.partition("6 Oui")[0]).startswith(
        "gold.conllu:10 has 'Oui' after 'Ilparleduchêne.', but system.conllu:6 has nothing more"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("_ 2 obl:arg", "_ 3 obl:arg"), "3: expected a tree, found a cycle: 3 ← 4 ← 3"),
        (("_ 2 discourse", "_ 6 discourse"), "6: expected a tree, found a cycle: 6 ← 6"),
        (("_ 2 discourse", "_ 0 discourse"), "6: words 2 and 6 both have head 0; the CoNLL 2018"),
        (("_ 2 discourse", "_ _ _"), "6: word 6 has no head; expected a tree over all words"),
        (("4 chêne", "4 \u00a0"), "4: the form of 4 is white space only"),
    ],
)
def test_what_cannot_be_scored_is_reported_with_its_line(
    change: tuple[str, str], message: str
) -> None:
    assert error(system=SYSTEM.replace(*change)).startswith(f"system.conllu:{message}")


def test_heads_outside_the_sentence_and_missing_sentences_are_reported() -> None:
    oui = sentences("1 Oui oui INTJ I _ 0 root", "gold.conllu")

    class Elsewhere:
        forms, heads, upos, deprels = ["Oui"], [2], ["INTJ"], ["root"]

        def __str__(self) -> str:
            return str(oui[0])

    message = "^system, sentence 2: word 1 has head 2, but the sentence has 1 words"
    with pytest.raises(EvaluationError, match=message):
        evaluate_text(oui, [*oui, Elsewhere()])
    with pytest.raises(EvaluationError, match="the system treebank has no sentences"):
        evaluate_text(sentences(GOLD, "gold.conllu"), [])


def test_sentences_made_in_python_are_named_by_their_number() -> None:
    made = [dodona.Sentence.from_columns([form], heads=[0]) for form in ("Oui", "Non")]
    with pytest.raises(
        EvaluationError, match=r"gold, sentence 2 has 'Non' .* system, sentence 1 h"
    ):
        evaluate_text(made, made[:1])


def test_unlike_words_are_sent_here() -> None:
    gold, system = sentences(GOLD, "gold.conllu"), sentences(SYSTEM, "system.conllu")
    with pytest.raises(EvaluationError, match=r"use dodona.evaluate_text .* evaluate --text"):
        dodona.evaluate(gold, system)


def test_table_and_dictionary_hold_every_metric() -> None:
    found = scores()
    rows = {line.split()[0]: line.split()[1:] for line in found.table().splitlines() if line}
    assert list(rows)[2:-1] == list(NAMES.values())
    assert rows["Tokens"] == ["100.00", "100.00", "100.00"]
    assert rows["LAS"] == ["66.67", "57.14", "61.54", "80.00"]
    assert "7 gold words in 2 sentences, 6 words in 1 sentences of the system" in found.table()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain == found.to_dict()
    assert list(plain) == list(NAMES)
    assert plain["mlas"]["n_correct"] == 1
    assert plain["las"]["aligned_accuracy"] == 80


characters = st.text("abA", min_size=1, max_size=30)
rngs = st.integers(0, 2**32).map(random.Random)


@given(characters, rngs)
def test_gold_against_itself_is_perfect(text: str, rng: random.Random) -> None:
    treebank = random_treebank(text, rng).encode()
    found = scores(treebank, treebank)
    for name in NAMES:
        metric = getattr(found, name)
        assert metric.n_gold == metric.n_system == metric.n_correct
        assert metric.n_aligned in (None, metric.n_gold)


@given(characters, rngs)
def test_swapping_gold_and_system_swaps_precision_and_recall(text: str, rng: Any) -> None:
    one, other = (random_treebank(text, rng, multiword=0).encode() for _ in range(2))
    there, back = scores(one, other), scores(other, one)
    for name in NAMES:
        metric, swapped = getattr(there, name), getattr(back, name)
        assert (metric.precision, metric.recall) == (swapped.recall, swapped.precision)


@given(characters, rngs)
def test_words_are_aligned_in_order_and_have_the_same_form_or_span(text: str, rng: Any) -> None:
    gold, system = (
        read_text(sentences(random_treebank(text, rng).encode(), "x"), "gold").words
        for _ in range(2)
    )
    pairs = align(gold, system)
    for column in zip(*pairs, strict=True):
        assert list(column) == sorted(set(column))
    aligned = dict(pairs)
    for g, s in pairs:
        ours, theirs = gold[g], system[s]
        is_single = not (ours.is_multiword or theirs.is_multiword)
        assert ours.form == theirs.form
        assert not is_single or (ours.start, ours.end) == (theirs.start, theirs.end)
    spans = {(word.start, word.end): s for s, word in enumerate(system) if not word.is_multiword}
    for g, word in enumerate(gold):
        if not word.is_multiword and (word.start, word.end) in spans:
            assert aligned[g] == spans[word.start, word.end]


@given(characters, rngs, st.sampled_from(["upos", "xpos", "feats", "lemmas"]))
def test_tags_touch_the_metrics_of_tags_only(text: str, rng: Any, column: str) -> None:
    gold = sentences(random_treebank(text, rng).encode(), "gold.conllu")
    system = sentences(random_treebank(text, rng).encode(), "system.conllu")
    changed = [x.replace(**{column: ["Case=Loc"] * len(x)}) for x in system]
    before, after = evaluate_text(gold, system), evaluate_text(gold, changed)
    touched = {
        "upos": {"upos", "all_tags", "mlas"},
        "xpos": {"xpos", "all_tags"},
        "feats": {"ufeats", "all_tags", "mlas"},
        "lemmas": {"lemmas", "blex"},
    }[column]
    assert_same(before, after, NAMES.keys() - touched)
    assert all(getattr(after, name).n_correct == 0 for name in touched)


@given(characters, rngs)
def test_trees_touch_the_metrics_of_trees_only(text: str, rng: Any) -> None:
    gold = sentences(random_treebank(text, rng).encode(), "gold.conllu")
    changed = [x.replace(deprels=["dep"] * len(x)) for x in gold]
    before, after = evaluate_text(gold, gold), evaluate_text(gold, changed)
    assert_same(before, after, {"tokens", "sentences", "words", *TAGS, "uas"})
    assert after.las is not None
    assert after.las.n_correct == 0


def assert_same(one: TextScores, other: TextScores, names: Iterable[str]) -> None:
    for name in names:
        assert getattr(one, name) == getattr(other, name), name


def assert_official(official: Any, gold: Path, system: Path) -> TextScores:
    """Every figure is that of the official evaluation, to the last digit."""
    files = [official.load_conllu_file(str(path)) for path in (gold, system)]
    expected = official.evaluate(*files)
    found = evaluate_text(gold, system)
    for name, theirs in NAMES.items():
        metric, score = getattr(found, name), expected[theirs]
        figures = (score.precision, score.recall, score.f1, score.aligned_accuracy)
        assert (metric.precision, metric.recall, metric.f1, metric.aligned_accuracy) == tuple(
            None if figure is None else 100 * figure for figure in figures
        ), name
    return found


@pytest.mark.parametrize("multiword", [0, 0.2, 0.5, 0.9])
def test_random_texts_are_scored_as_by_the_official_evaluation(
    multiword: float, tmp_path: Path
) -> None:
    official = official_evaluation()
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    for seed in range(100):
        rng = random.Random(seed)
        text = "".join(rng.choices("abA", k=rng.randint(1, 40)))
        for path in (gold, system):
            path.write_text(random_treebank(text, rng, multiword=multiword), encoding="utf-8")
        assert_official(official, gold, system)


@pytest.mark.parametrize("treebank", TREEBANKS or ["none"])
def test_treebanks_split_anew_are_scored_as_by_the_official_evaluation(
    treebank: str, tmp_path: Path
) -> None:
    official = official_evaluation()
    gold, system = dev_set(treebank), tmp_path / "system.conllu"
    text = resegmented(gold.read_text(encoding="utf-8"), random.Random(treebank))
    system.write_text(text, encoding="utf-8")
    found = assert_official(official, gold, system)
    assert 10 < found.sentences.f1 < 80 < found.tokens.f1 < 95


def one_token(words: list[str]) -> list[PlacedWord]:
    """Return words that are one multiword token, "all"."""
    heads: list[int | None] = [0] + [1] * (len(words) - 1)
    text = dodona.Sentence.from_columns(words, heads=heads).to_conllu()
    token = f"1-{len(words)}\tall" + "\t_" * 8 + "\n"
    return read_text(dodona.read(io.BytesIO((token + text).encode())), "gold").words


def longest_common(ours: list[str], theirs: list[str]) -> int:
    """Return the length of a longest common subsequence, by trying all of them."""
    subsequences = {sub for n in range(len(ours) + 1) for sub in combinations(ours, n)}
    common = [sub for n in range(len(theirs) + 1) for sub in combinations(theirs, n)]
    return max(len(sub) for sub in subsequences.intersection(common))


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=7),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=7),
)
def test_words_of_a_multiword_token_are_aligned_as_a_longest_common_subsequence(
    ours: list[str], theirs: list[str]
) -> None:
    pairs = align(one_token(ours), one_token(theirs))
    assert len(pairs) == longest_common(ours, theirs)
    assert all(ours[g] == theirs[s] for g, s in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))


def test_multiword_tokens_of_too_many_words_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MOST_PAIRS", 15)
    gold, system = (
        dodona.Sentence.from_columns(forms, heads=[0, 1, 1, 1]) for forms in ("abcd", "efgh")
    )
    whole = "1-4\tall" + "\t_" * 8 + "\n1\t"
    texts = [bytes(one).decode().replace("1\t", whole, 1) for one in (gold, system)]
    read = [list(dodona.read(io.BytesIO(text.encode()))) for text in texts]
    with pytest.raises(EvaluationError, match="a multiword token has 4 words, from character 1 of"):
        dodona.evaluate_text(*read)
