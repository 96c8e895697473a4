"""Scores: by hand, against a slow twin, and against the official evaluation."""

import doctest
import json
import random
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona.evaluation.score_counts
import dodona.evaluation.scores
import dodona.evaluation.tally
from dodona.evaluation import Attachment, EvaluationError, count_attachment, evaluate
from support.official import TREEBANKS, dev_set, official_evaluation


@dataclass
class Sentence:
    """The columns of a sentence that evaluation reads."""

    forms: list
    lemmas: list
    upos: list
    xpos: list
    feats: list
    heads: list
    deprels: list
    source: str
    line: int
    text: str

    def __str__(self):
        return self.text


def parse(text, source="gold.conllu"):
    sentences, line = [], 1
    for block in text.removesuffix("\n\n").split("\n\n"):
        rows = [row.split("\t") for row in block.split("\n")]
        columns = list(zip(*(row for row in rows if row[0].isdigit()), strict=True))
        heads = [None if head == "_" else int(head) for head in columns[6]]
        others = [list(column) for column in columns[1:6]]
        sentences.append(Sentence(*others, heads, list(columns[7]), source, line, block + "\n\n"))
        line += len(rows) + 1
    return sentences


def conllu(*sentences):
    """CoNLL-U from lines of `form UPOS head label`."""
    blocks = []
    for sentence in sentences:
        rows = []
        for number, row in enumerate(sentence.strip().split("\n"), start=1):
            form, tag, head, label = row.split()
            rows.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n")
        blocks.append("# text\n" + "".join(rows) + "\n")
    return "".join(blocks)


GOLD = conllu(
    """The DET 2 det
    oak NOUN 5 nsubj
    near ADP 4 case
    Dodona PROPN 2 nmod
    speaks VERB 0 root
    . PUNCT 5 punct""",
    """Whom PRON 6 obj
    did AUX 4 aux
    they PRON 4 nsubj
    say VERB 0 root
    Zeus PROPN 6 nsubj
    loves VERB 4 ccomp
    ? PUNCT 4 punct""",
    "Yes INTJ 0 root",
)
SYSTEM = conllu(
    """The DET 2 det
    oak NOUN 5 nsubj:outer
    near ADP 4 case
    Dodona PROPN 5 obl
    speaks VERB 0 root
    . PUNCT 4 punct""",
    """Whom PRON 6 obj
    did AUX 4 aux
    they NOUN 4 nsubj
    say VERB 0 root
    Zeus PROPN 6 nsubj
    loves VERB 4 ccomp
    ? PUNCT 6 punct""",
    "Yes INTJ 0 root",
)


def scores(system=SYSTEM, gold=GOLD, **options):
    return evaluate(parse(gold), parse(system, "system.conllu"), **options)


def counts(arcs):
    return arcs.n_gold, arcs.n_system, arcs.n_recovered, arcs.n_correct


def test_scores_are_those_computed_by_hand():
    found = scores()
    assert (found.n_sentences, found.n_words, found.n_unannotated) == (3, 14, 0)
    assert found.uas == 100 * (11 / 14)
    assert found.las == 100 * (10 / 14)
    assert found.label_accuracy == 100 * (12 / 14)
    assert found.uem == found.lem == 100 * (1 / 3)
    assert found.clas == 100 * (7 / 9)
    assert found.upos == 100 * (13 / 14)


def test_universal_labels_forgive_the_subtype():
    found = scores(labels="universal")
    assert found.uas == 100 * (11 / 14)
    assert found.las == 100 * (11 / 14)
    assert found.label_accuracy == 100 * (13 / 14)
    assert found.clas == 100 * (8 / 9)
    assert counts(found.by_label["nsubj"]) == (3, 3, 3, 3)


def test_punctuation_is_left_out_by_gold_tag():
    found = scores(punctuation=False)
    assert found.n_words == 12
    assert found.uas == 100 * (11 / 12)
    assert (found.uem, found.lem) == (100 * (2 / 3), 100 * (2 / 3))
    assert "punct" not in found.by_label


def test_punctuation_is_known_by_form_only_where_no_word_has_a_tag():
    words = "well _ 0 root\n?! _ 1 punct\n«a» _ 1 dep\n$ _ 1 dep"
    assert scores(conllu(words), conllu(words), punctuation=False).n_words == 3
    tagged = words.replace("well _", "well ADV")
    assert scores(conllu(tagged), conllu(tagged), punctuation=False).n_words == 4


def test_labels_count_head_and_label():
    found = scores().by_label
    assert counts(found["nsubj"]) == (3, 2, 2, 2)
    assert counts(found["nsubj:outer"]) == (0, 1, 0, 0)
    assert counts(found["punct"]) == (2, 2, 0, 0)
    nsubj = found["nsubj"]
    assert (nsubj.precision, nsubj.recall, nsubj.f1) == (100, 100 * (2 / 3), 100 * (4 / 5))
    assert (found["punct"].f1, found["obl"].recall, found["nmod"].precision) == (0, 0, 0)
    assert list(found)[:2] == ["nsubj", "root"]


def test_distances_count_heads():
    found = {name: counts(arcs) for name, arcs in scores().by_distance.items()}
    assert found == {
        "root": (3, 3, 3, 3),
        "1": (5, 6, 4, 4),
        "2": (3, 3, 2, 2),
        "3-6": (3, 2, 2, 2),
    }


@pytest.mark.parametrize(
    ("n", "expected"), [(1, "1-10"), (10, "1-10"), (11, "11-20"), (50, "41-50"), (51, "51+")]
)
def test_sentences_fall_into_bins_of_ten_words(n, expected):
    text = conllu("\n".join(["la X 0 root"] * n))
    found = scores(text, text).by_length
    assert {name: part.n_words for name, part in found.items()} == {expected: n}


def test_distances_fall_into_five_bins():
    text = conllu("\n".join(f"la X {head} dep" for head in (0, 1, 1, 1, 1, 1, 1, 1)))
    found = scores(text, text).by_distance
    assert {name: arcs.n_gold for name, arcs in found.items()} == {
        "root": 1, "1": 1, "2": 1, "3-6": 4, "7+": 1,
    }  # fmt: skip


def test_quarters_are_of_the_sentence_length():
    found = {name: (q.n_words, q.n_attached) for name, q in scores().by_quarter.items()}
    assert found == {"1st": (2, 2), "2nd": (4, 4), "3rd": (3, 2), "4th": (5, 3)}


def test_nonprojective_arcs_have_precision_and_recall():
    found = scores().nonprojective
    assert counts(found) == (1, 2, 1, 1)
    assert (found.precision, found.recall, found.f1) == (50, 100, 100 * (2 / 3))


def test_an_arc_may_be_nonprojective_in_one_tree_only():
    gold = conllu("a X 3 dep\nb X 4 dep\nc X 0 root\nd X 3 dep\ne X 3 dep")
    system = conllu("a X 5 dep\nb X 4 dep\nc X 4 dep\nd X 0 root\ne X 3 dep")
    # gold: 4→2 over 3. System: 5→1 over 4, wrong; 3→5 over 4, right but projective in gold.
    found = scores(system, gold).nonprojective
    assert counts(found) == (1, 2, 1, 1)
    assert counts(scores(gold, system).nonprojective) == (2, 1, 1, 1)
    system = conllu("a X 3 dep\nb X 4 dep\nc X 4 dep\nd X 0 root\ne X 4 dep")
    # system: 3→1 over 2 is in the gold tree; 4→2 is projective now, and still found
    assert counts(scores(system, gold).nonprojective) == (1, 1, 1, 1)


def test_gold_words_without_a_head_are_not_scored():
    gold = GOLD.replace("4\tDodona\t_\tPROPN\t_\t_\t2", "4\tDodona\t_\tPROPN\t_\t_\t_")
    found = scores(gold=gold)
    assert (found.n_words, found.n_unannotated) == (13, 1)
    assert found.uas == 100 * (11 / 13)
    assert "nmod" not in found.by_label
    assert "obl" not in found.by_label


def test_a_system_word_without_a_head_is_wrong_and_no_arc():
    system = SYSTEM.replace("5\tspeaks\t_\tVERB\t_\t_\t0", "5\tspeaks\t_\tVERB\t_\t_\t_")
    found = scores(system)
    assert found.n_words == 14
    assert found.uas == 100 * (10 / 14)
    assert found.label_accuracy == 100 * (11 / 14)
    assert counts(found.by_label["root"]) == (3, 2, 2, 2)
    assert counts(found.by_distance["root"]) == (3, 2, 2, 2)
    assert found.clas == 100 * (2 * 6 / (9 + 8))


def test_tags_are_scored_where_both_treebanks_have_them():
    gold = (
        "1\tdas\tder\tDET\tART\tCase=Nom|Typo=Yes\t2\tdet\t_\t_\n"
        "2\tIst\t_\tVERB\tV\t_\t0\troot\t_\t_\n\n"
    )
    system = (
        "1\tdas\tder\tPRON\t_\tCase=Nom\t2\tdet\t_\t_\n2\tIst\tsein\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    found = scores(system, gold)
    assert (found.upos, found.xpos, found.feats, found.lemma) == (50, None, 50, 100)
    assert scores(system, gold, labels="universal").feats == 100


def test_unlike_words_are_named_with_their_files_and_lines():
    system = SYSTEM.replace("Zeus", "Hera")
    with pytest.raises(EvaluationError) as error:
        scores(system)
    assert str(error.value).startswith(
        "gold.conllu:14 has word 5 'Zeus', but system.conllu:14 has word 5 'Hera'"
    )


def test_lines_are_right_after_a_multiword_token():
    range_line = "1-2\tTheoak" + "\t_" * 8 + "\n"
    system = SYSTEM.replace("1\tThe", range_line + "1\tThe").replace("\tnear\t", "\tby\t")
    with pytest.raises(EvaluationError, match=r"gold.conllu:4 .* system.conllu:5 has word 3 'by'"):
        scores(system)


def test_a_missing_word_is_named():
    with pytest.raises(EvaluationError, match=r"gold.conllu:3 has word 2 'b', .* has no word 2"):
        scores(conllu("a X 0 root"), conllu("a X 0 root\nb X 1 dep"))


def test_a_missing_sentence_is_named():
    with pytest.raises(EvaluationError) as error:
        scores(SYSTEM[: SYSTEM.index("1\tYes") - len("# text\n")])
    assert str(error.value) == (
        "system.conllu ends after 2 sentences, but gold.conllu has 3: "
        "the first one missing starts at gold.conllu:19, word 1 'Yes'"
    )
    with pytest.raises(EvaluationError, match=r"^gold.conllu ends after 2 sentences"):
        evaluate(parse(GOLD)[:2], parse(SYSTEM, "system.conllu"))
    with pytest.raises(EvaluationError, match="system ends after 0 sentences"):
        evaluate(parse(GOLD), [])


def test_nothing_to_score_is_an_error():
    with pytest.raises(EvaluationError, match="no sentences"):
        evaluate([], [])
    unannotated = conllu("a X _ _")
    with pytest.raises(EvaluationError, match="no gold word to score"):
        scores(unannotated, unannotated)


def test_a_head_outside_the_sentence_is_named():
    with pytest.raises(EvaluationError, match=r"system.conllu:2: word 1 has head 9, but .* 1 word"):
        scores(conllu("a X 9 root"), conllu("a X 0 root"))


def test_unknown_labels_option_lists_what_exists():
    with pytest.raises(ValueError, match="labels='coarse': expected one of 'exact', 'universal'"):
        scores(labels="coarse")


def test_table_is_plain_text_and_details_add_breakdowns():
    text = scores().table()
    assert "\x1b" not in text
    assert "78.57" in text
    assert "14 words in 3 sentences, with punctuation, exact labels" in text
    assert "non-projective" not in text
    details = scores().table(details=True)
    for word in ("non-projective", "1-10", "4th", "nsubj:outer"):
        assert word in details


def test_dictionary_survives_json():
    found = scores()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain == found.to_dict()
    assert plain["las"] == found.las
    assert plain["by_label"]["nsubj"]["f1"] == found.by_label["nsubj"].f1
    assert plain["by_quarter"]["3rd"]["uas"] == found.by_quarter["3rd"].uas


def test_paths_are_read(tmp_path):
    pytest.importorskip("dodona.treebank.conllu.reader", reason="the reader is not built yet")
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(GOLD, encoding="utf-8")
    system.write_text(SYSTEM, encoding="utf-8")
    assert evaluate(gold, str(system)) == scores()
    partial = GOLD.replace("\t2\tnmod", "\t_\t_")
    gold.write_text(partial, encoding="utf-8")
    assert evaluate(gold, system) == scores(gold=partial)
    assert evaluate(gold, system).n_unannotated == 1


heads_of = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.one_of(st.none(), st.integers(0, n)), min_size=n, max_size=n)
)


@pytest.mark.thorough
@given(st.data(), st.lists(heads_of, min_size=1, max_size=4))
def test_counts_equal_those_of_a_slow_twin(data, gold_heads):
    gold, system = [], []
    label = st.sampled_from(["nsubj", "nsubj:pass", "case", "root"])
    for heads in gold_heads:
        n = len(heads)
        words = dict.fromkeys(("lemmas", "xpos", "feats"), ["_"] * n)
        words |= {"forms": ["la"] * n, "upos": ["X"] * n, "source": "s", "line": 1, "text": ""}
        columns = st.lists(label, min_size=n, max_size=n)
        gold.append(Sentence(heads=heads, deprels=data.draw(columns), **words))
        guess = st.one_of(st.none(), st.integers(0, n), st.integers(0, n))
        guesses = data.draw(st.lists(guess, min_size=n, max_size=n))
        system.append(Sentence(heads=guesses, deprels=data.draw(columns), **words))
    # (sentence, word, head, label) of gold and of system
    arcs, found = (
        {
            (s, d, h, sentence.deprels[d])
            for s, sentence in enumerate(sentences)
            for d, h in enumerate(sentence.heads)
            if h is not None and gold[s].heads[d] is not None
        }
        for sentences in (gold, system)
    )
    if not arcs:
        return
    bare, bare_found = {a[:3] for a in arcs}, {a[:3] for a in found}
    got = evaluate(gold, system)
    assert got.las == 100 * (len(arcs & found) / len(arcs))
    assert got.uas == 100 * (len(bare & bare_found) / len(arcs))
    right = len(bare & bare_found), len(arcs & found)
    assert count_attachment(gold, system) == Attachment(len(arcs), *right)
    for name, part in got.by_label.items():
        with_label, found_label = ({a for a in x if a[3] == name} for x in (arcs, found))
        n_right = len(with_label & found_label)
        assert counts(part) == (len(with_label), len(found_label), n_right, n_right)
    crossing, found_crossing = (
        {(s, d, h) for s, d, h in x if d + 1 in crossing_words(sentences[s].heads)}
        for sentences, x in ((gold, bare), (system, bare_found))
    )
    assert counts(got.nonprojective) == (
        len(crossing),
        len(found_crossing),
        len(crossing & bare_found),
        len(found_crossing & bare),
    )


def crossing_words(heads):
    heads = [head or 0 for head in heads]
    below = {word: {word} for word in range(len(heads) + 1)}
    for _ in heads:
        for word, head in enumerate(heads, start=1):
            below[head] |= below[word]
    if len(below[0]) <= len(heads):  # a cycle
        return []
    return [
        word
        for word, head in enumerate(heads, start=1)
        if not set(range(min(word, head) + 1, max(word, head))) <= below[head]
    ]


def test_a_cycle_is_scored_but_has_no_nonprojective_arcs():
    tree = conllu("a X 4 dep\nb X 0 root\nc X 4 dep\nd X 2 dep")
    cycle = conllu("a X 4 dep\nb X 0 root\nc X 4 dep\nd X 1 dep")
    found = scores(cycle, tree)
    assert found.uas == 75
    assert counts(found.nonprojective) == (1, 0, 1, 0)


@pytest.mark.parametrize(
    "module",
    [
        dodona.evaluation.tally,
        dodona.evaluation.score_counts,
        dodona.evaluation.scores,
        dodona.evaluation.tally,
    ],
)
def test_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def corrupted(sentence, rng, labels):
    """The sentence with some heads, labels and tags changed, still a tree with one root."""
    heads, n = list(sentence.heads), len(sentence.heads)
    for word in range(1, n + 1):
        if heads[word - 1] and rng.random() < 0.2:
            head = rng.randint(1, n)
            if word not in path_to_root(heads, head):
                heads[word - 1] = head
    root = heads.index(0) + 1
    children = [word for word in range(1, n + 1) if heads[word - 1] == root]
    if children and rng.random() < 0.2:
        child = rng.choice(children)
        heads[root - 1], heads[child - 1] = child, 0
    columns = {
        name: [rng.choice(values) if rng.random() < 0.1 else value for value in values]
        for name in ("lemmas", "upos", "xpos", "feats")
        if (values := getattr(sentence, name))
    }
    deprels = [rng.choice(labels) if rng.random() < 0.15 else x for x in sentence.deprels]
    return replace(sentence, heads=heads, deprels=deprels, **columns)


def path_to_root(heads, word):
    while word:
        yield word
        word = heads[word - 1]


def as_conllu(sentence):
    rows = [row.split("\t") for row in sentence.text.strip("\n").split("\n")]
    for row in rows:
        if row[0].isdigit():
            i = int(row[0]) - 1
            columns = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
            row[2:6] = [column[i] for column in columns]
            row[6:8] = [str(sentence.heads[i]), sentence.deprels[i]]
    return "".join("\t".join(row) + "\n" for row in rows) + "\n"


@pytest.mark.parametrize("treebank", TREEBANKS or ["none"])
def test_agrees_with_the_official_evaluation_to_the_last_digit(treebank, tmp_path):
    official = official_evaluation()
    path = dev_set(treebank)
    gold = parse(path.read_text(encoding="utf-8"))
    labels = sorted({label for sentence in gold for label in sentence.deprels})
    rng = random.Random(treebank)
    system = [corrupted(sentence, rng, labels) for sentence in gold]
    written = tmp_path / "system.conllu"
    written.write_text("".join(map(as_conllu, system)), encoding="utf-8")
    expected = official.evaluate(
        official.load_conllu_file(str(path)), official.load_conllu_file(str(written))
    )
    found = evaluate(gold, system, labels="universal")
    assert 50 < found.las < found.uas < 100
    assert found.uas == 100 * expected["UAS"].f1
    assert found.las == 100 * expected["LAS"].f1
    assert found.clas == 100 * expected["CLAS"].f1
    assert found.upos == 100 * expected["UPOS"].f1
    for ours, theirs in ("xpos", "XPOS"), ("feats", "UFeats"), ("lemma", "Lemmas"):
        # the official evaluation scores columns that are empty throughout; we do not
        assert getattr(found, ours) in (None, 100 * expected[theirs].f1)
