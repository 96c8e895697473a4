"""The parser follows: guesses around decisions, their marks, and how sure the parser is."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.annotate import Workbench
from dodona.annotate.changes import ClearArc, Confirm, SetArc, SetComment, SetField
from dodona.annotate.errors import AnnotateError, ConflictError
from dodona.annotate.views import SentenceView
from support.annotating import LINES, change, gold, model, stripped, write
from support.small import train, treebank


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path, stripped(gold(20)))


def heads(view: SentenceView) -> list[int | None]:
    return [word.head for word in view.words]


def test_a_sentence_is_shown_with_guesses_and_the_file_stays_as_it_is(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        view = bench.sentence(0)
        parsed = dodona.load(model()).parse(dodona.Sentence.from_columns(gold(20)[0].forms))
        assert heads(view) == parsed.heads
        assert [word.upos for word in view.words] == parsed.upos
        assert {(word.arc, word.tags) for word in view.words} == {("guessed", "guessed")}
        assert all(0 <= (word.confidence or 0) <= 1 for word in view.words)
        assert view.state == "untouched"
    assert path.read_bytes() == stripped(gold(20))


def test_what_is_decided_is_kept_and_the_rest_follows(path: Path) -> None:
    """Gold arcs are set one by one: all stay, guesses around them change, and are reported."""
    n_changed = 0
    with Workbench(path, model=model()) as bench:
        for index, sentence in enumerate(gold(20)[:8]):
            view = bench.sentence(index)
            for word, head in enumerate(sentence.heads[:6], 1):
                assert head is not None
                before = view
                arc = SetArc(word, head, sentence.deprels[word - 1])
                view = bench.change(index, view.revision, arc)
                assert heads(view)[:word] == sentence.heads[:word]
                changed = [
                    new.id
                    for old, new in zip(before.words, view.words, strict=True)
                    if (old.head, old.deprel) != (new.head, new.deprel) and new.id > word
                ]
                assert [*view.changed] == changed
                n_changed += len(changed)
            assert [word.arc for word in view.words[:6]] == ["set"] * min(6, len(sentence))
            assert view.state == ("partial" if len(sentence) > 6 else view.state)
    assert n_changed > 0
    assert path.read_bytes().count(b"Arc=Set") == sum(min(6, len(s)) for s in gold(20)[:8])


def test_a_decided_arc_has_no_confidence(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        view = change(bench, 0, SetArc(1, 2, "det"))
        assert view.words[0].confidence is None
        everything = [SetArc(i, head) for i, head in enumerate(heads(view), 1) if head is not None]
        view = change(bench, 0, *everything)
        assert [word.arc for word in view.words] == ["set"] * len(view.words)
        view = change(bench, 0, Confirm())
        assert {word.confidence for word in view.words} == {None}


def test_a_head_without_a_label_gets_a_guessed_one(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        view = change(bench, 0, SetArc(2, 1))
        assert (view.words[1].head, view.words[1].arc) == (1, "set")
        assert view.words[1].deprel != "_"
        view = change(bench, 0, Confirm((2,)))
        assert view.words[1].arc == "confirmed"


def test_tags_that_are_set_stay_and_those_around_them_are_guessed_anew(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        view = change(bench, 0, SetField(2, "upos", "X"), SetField(2, "lemma", "oak"))
        assert (view.words[1].upos, view.words[1].lemma, view.words[1].tags) == ("X", "oak", "set")
        view = change(bench, 0, SetArc(1, 2, "det"), SetField(1, "feats", "_"))
        assert (view.words[1].upos, view.words[1].lemma) == ("X", "oak")
        assert view.words[0].feats == "_"
        guessed = bench.sentence(0).words[1].feats
        view = change(bench, 0, SetField(2, "feats", "A=B"), SetField(2, "feats", ""))
        assert view.words[1].feats == guessed
    assert b"Tags=Lemma,Upos" in path.read_bytes()


def test_consent_finishes_a_sentence_as_it_was_shown(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        shown = bench.sentence(3)
        view = bench.change(3, shown.revision, Confirm())
        assert [(w.head, w.deprel, w.upos) for w in view.words] == [
            (w.head, w.deprel, w.upos) for w in shown.words
        ]
        assert (view.state, bench.overview().n_done) == ("done", 1)
        assert bench.learning.corrections == (0,)
        change(bench, 4, SetArc(1, 2, "x"), SetArc(2, 0), Confirm())
        assert bench.learning.corrections == (0, 2)
        bench.undo()
        assert bench.learning.corrections == (0,)


def test_a_comment_writes_no_guesses(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        view = change(bench, 0, SetComment(("# note",)), SetField(1, "misc", "Gloss=x"))
        assert view.words[1].arc == "guessed"
    assert b"Guessed" not in path.read_bytes()


def test_an_arc_that_is_taken_back_is_guessed_again(path: Path) -> None:
    with Workbench(path, model=model()) as bench:
        before = bench.sentence(0)
        view = change(bench, 0, SetArc(1, len(before.words), "dep"), ClearArc(1))
        assert heads(view) == heads(before)


@pytest.mark.parametrize("system", ["arc-eager", "swap"])
def test_crossing_arcs_are_kept_also_by_projective_models(tmp_path: Path, system: str) -> None:
    crossing = [s for s in treebank(200, 9, 0.9) if not is_projective(s)][:3]
    assert crossing
    path = write(tmp_path, stripped(crossing))
    with Workbench(path, model=model(system)) as bench:
        for index, sentence in enumerate(crossing):
            view = bench.sentence(index)
            for word in sorted(range(1, len(sentence) + 1), key=lambda i: i * 7 % 5):
                head = sentence.heads[word - 1]
                assert head is not None
                arc = SetArc(word, head, sentence.deprels[word - 1])
                view = bench.change(index, view.revision, arc)
                assert is_tree(view)
            assert heads(view) == sentence.heads


def is_projective(sentence: dodona.Sentence) -> bool:
    arcs = [sorted((i, head or 0)) for i, head in enumerate(sentence.heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def is_tree(view: SentenceView) -> bool:
    """Whether every word leads to the one root."""
    tree = heads(view)
    for start in range(1, len(tree) + 1):
        word, n_steps = start, 0
        while word and n_steps <= len(tree):
            word, n_steps = tree[word - 1] or 0, n_steps + 1
        if word:
            return False
    return tree.count(0) == 1


def test_a_newer_parser_does_not_change_what_a_person_agrees_with(path: Path) -> None:
    """Guesses stay as they are shown until they are shown again, under another revision."""
    with Workbench(path, model=model()) as bench:
        shown = bench.sentence(0)
        bench._desk.use(train(treebank(3, 77), tags="predicted", epochs=1))
        view = bench.change(0, shown.revision, Confirm())
        assert heads(view) == heads(shown)
        old = bench.sentence(1)
        bench._desk.use(dodona.load(model()))
        assert heads(bench.sentence(1)) != heads(old)
        with pytest.raises(ConflictError):
            bench.change(1, old.revision, Confirm())


def test_gold_trees_count_as_confirmed_and_others_as_open(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        arcs = [{word.arc for word in bench.sentence(i).words} for i in range(3)]
        assert arcs == [{"confirmed"}, {"open"}, {"confirmed"}]
        about = bench.overview()
        assert (about.n_done, about.n_partial, about.n_untouched) == (2, 0, 1)
    assert (tmp_path / "corpus.conllu").read_bytes() == LINES


def test_rules_of_ud_that_are_broken_are_shown_with_their_words(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        assert not [one for one in bench.sentence(1).problems if one.word]  # nothing is decided yet
        view = change(bench, 2, SetField(1, "upos", "PRN"), SetField(3, "deprel", "obj"))
        found = {(problem.word, problem.kind, problem.level) for problem in view.problems}
        assert {(1, "upos", 2), (3, "punct", 3)} <= found


def test_right_to_left_sentences_are_known(tmp_path: Path) -> None:
    words = "1\t\u05e9\u05dc\u05d5\u05dd\t_\t_\t_\t_\t_\t_\t_\t_\n2\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    with Workbench(write(tmp_path, words.encode() + LINES[3:])) as bench:
        assert (bench.sentence(0).is_rtl, bench.sentence(1).is_rtl) == (True, False)


def test_a_model_that_cannot_tag_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "gold.dodona"
    train(treebank(20, 1), tags="gold").save(target)
    with pytest.raises(AnnotateError, match="trained on gold tags"):
        Workbench(write(tmp_path), model=str(target))
