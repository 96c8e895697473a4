"""Enhanced dependencies: reading, writing, transformation for parsers, and scores."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.evaluation import EvaluationError, evaluate_graphs
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.graphs.empty_nodes import with_empty_nodes
from dodona.treebank.graphs.enhanced import GraphArc, Heads, enhanced_graph, paths_up, with_graph
from dodona.treebank.graphs.graphs import deplanarise, planarise, remove_cycles
from reference import lifting
from reference.graph import cross, is_acyclic
from support.treebanks import DATA

# "Oaks promised rain and elms sun": the second verb is an empty node
GAPPING = """\
# sent_id = gapping
1	Oaks	oak	NOUN	_	_	2	nsubj	2:nsubj	_
2	promised	promise	VERB	_	_	0	root	0:root	_
3	rain	rain	NOUN	_	_	2	obj	2:obj	_
4	and	and	CCONJ	_	_	5	cc	5.1:cc	_
5	elms	elm	NOUN	_	_	2	conj	5.1:nsubj	_
5.1	promised	promise	VERB	_	_	_	_	2:conj:and	_
6	sun	sun	NOUN	_	_	5	orphan	5.1:obj	_

"""


def read_one(text: str) -> dodona.Sentence:
    [sentence] = dodona.read(io.BytesIO(text.encode()), name="own.conllu")
    return sentence


def sentence(*deps: str) -> dodona.Sentence:
    return dodona.Sentence.from_columns(["oak"] * len(deps), deps=deps)


# --- reading and writing


def test_an_arc_for_each_head_of_a_word() -> None:
    found = enhanced_graph(sentence("2:nsubj|4:nsubj:xsubj", "0:root", "_", "2:xcomp"))
    assert found == {(2, "nsubj", 1), (4, "nsubj:xsubj", 1), (0, "root", 2), (2, "xcomp", 4)}


def test_a_path_through_an_empty_node_is_one_arc() -> None:
    assert enhanced_graph(read_one(GAPPING)) == {
        (2, "nsubj", 1),
        (0, "root", 2),
        (2, "obj", 3),
        (2, "conj:and>cc", 4),
        (2, "conj:and>nsubj", 5),
        (2, "conj:and>obj", 6),
    }


def test_empty_nodes_in_a_chain_and_in_a_circle() -> None:
    """Each path up passes no node twice; an arc from a word to itself is kept."""
    text = "1\ta\t_\t_\t_\t_\t0\troot\t1.1:x|0:root\t_\n"
    text += "1.1\tb\t_\t_\t_\t_\t_\t_\t1.2:y|1:u\t_\n1.2\tc\t_\t_\t_\t_\t_\t_\t1.1:z|0:w\t_\n\n"
    assert enhanced_graph(read_one(text)) == {(0, "root", 1), (0, "w>y>x", 1), (1, "u>x", 1)}


def chained(n_nodes: int, n_heads: int = 1) -> str:
    """Return a word below rows of `n_heads` empty nodes, each below all nodes of the next row."""
    lines = ["1\ta\t_\t_\t_\t_\t0\troot\t1.1:x\t_"]
    for node in range(1, n_nodes + 1):
        row = (node - 1) // n_heads + 1
        above = [row * n_heads + i + 1 for i in range(n_heads)]
        heads = [f"1.{head}:l{i}" for i, head in enumerate(above) if head <= n_nodes]
        lines.append(f"1.{node}" + "\t_" * 7 + f"\t{'|'.join(heads) or '0:top'}\t_")
    return "\n".join([*lines, "", ""])


def test_a_chain_of_empty_nodes_may_be_of_any_length() -> None:
    [(head, label, word)] = enhanced_graph(read_one(chained(20_000)))
    assert (head, word) == (0, 1)
    assert label == "top>" + "l0>" * 19_999 + "x"


def test_paths_with_the_same_labels_are_one() -> None:
    """Sixteen pairs of nodes have 65,536 paths with the same labels."""
    text = chained(32, 2).replace(":l1", ":l0")
    assert enhanced_graph(read_one(text)) == {(0, "top>" + "l0>" * 15 + "x", 1)}


def test_too_many_paths_are_refused() -> None:
    assert len(enhanced_graph(read_one(chained(12, 2)))) == 32
    with pytest.raises(TreebankError, match=r"own\.conllu:\d+: word 1\.\d+ has too many .* paths"):
        enhanced_graph(read_one(chained(32, 2)))


def test_a_search_of_a_dense_cycle_of_empty_nodes_ends() -> None:
    """Twelve nodes that are all heads of each other have millions of paths."""
    lines = ["1\ta\t_\t_\t_\t_\t0\troot\t1.1:x\t_"]
    for node in range(1, 13):
        others = "|".join(f"1.{other}:l" for other in range(1, 13) if other != node)
        lines.append(f"1.{node}" + "\t_" * 7 + f"\t{others}\t_")
    with pytest.raises(TreebankError, match="too many or too long paths"):
        enhanced_graph(read_one("\n".join([*lines, "", ""])))


def slow_paths(heads: Heads, node: str, passed: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield every path up that passes no empty node twice."""
    for head, label in heads[node]:
        if "." not in head:
            yield int(head), label
        elif head not in passed:
            for top, above in slow_paths(heads, head, (*passed, head)):
                yield top, f"{above}>{label}"


@st.composite
def nodes_with_heads(draw: st.DrawFn) -> tuple[Heads, list[str]]:
    words = [str(i + 1) for i in range(draw(st.integers(1, 4)))]
    nodes = [f"1.{i + 1}" for i in range(draw(st.integers(0, 5)))]
    arcs = st.tuples(st.sampled_from(["0", *words, *nodes, *nodes]), st.sampled_from("ab"))
    heads = {node: draw(st.lists(arcs, max_size=3)) for node in [*words, *nodes]}
    return heads, words


@given(nodes_with_heads())
def test_paths_up_equal_the_definition(made: tuple[Heads, list[str]]) -> None:
    heads, words = made
    expected = {(int(word), *path) for word in words for path in slow_paths(heads, word, ())}
    assert set(paths_up(heads, words)) == expected


def test_empty_nodes_behind_the_first_word_of_a_file_with_a_byte_order_mark() -> None:
    line = "1\ta\t_\t_\t_\t_\t0\troot\t0:x>y\t_\n\n"
    [sentence] = dodona.read(io.BytesIO(b"\xef\xbb\xbf" + line.encode()))
    made = with_empty_nodes(sentence)
    assert made.deps == ["1.1:y"] and enhanced_graph(made) == {(0, "x>y", 1)}


def test_what_is_written_is_read_again() -> None:
    arcs = {(2, "nsubj", 1), (0, "root", 2), (2, "conj:and>obj", 4), (1, "obj", 4)}
    written = with_graph(sentence("_", "9:x", "_", "_"), arcs)
    assert written.deps == ["2:nsubj", "0:root", "_", "1:obj|2:conj:and>obj"]
    assert enhanced_graph(written) == arcs


def test_only_the_deps_column_changes() -> None:
    before = read_one(GAPPING)
    after = bytes(with_graph(before, enhanced_graph(before))).decode()
    changed = [
        (old.split("\t"), new.split("\t"))
        for old, new in zip(GAPPING.split("\n"), after.split("\n"), strict=True)
        if old != new
    ]
    assert [new[0] for _, new in changed] == ["4", "5", "6"]
    assert all(old[:8] + old[9:] == new[:8] + new[9:] for old, new in changed)


@pytest.mark.parametrize(
    ("deps", "why"),
    [
        ("2", r"own.conllu:6: word 5 has DEPS '2'; expected head:label"),
        ("x:nsubj", r"own.conllu:6: word 5 has DEPS 'x:nsubj'"),
        ("2:", r"own.conllu:6: word 5 has DEPS '2:'"),
        ("5.:obj", r"own.conllu:6: word 5 has DEPS '5.:obj'"),
        ("2:conj|", r"own.conllu:6: word 5 has DEPS '2:conj|'"),
        ("9:nsubj", r"own.conllu:6: word 5 has enhanced head 9, which does not exist"),
        ("5.2:nsubj", r"own.conllu:6: word 5 has enhanced head 5.2, which does not exist"),
    ],
)
def test_errors_in_deps_name_the_line(deps: str, why: str) -> None:
    with pytest.raises(TreebankError, match=why.replace("|", r"\|")):
        enhanced_graph(read_one(GAPPING.replace("5.1:nsubj", deps)))


@pytest.mark.parametrize("arc", [(3, "obj", 1), (-1, "obj", 1), (1, "obj", 0), (1, "obj", 3)])
def test_an_arc_outside_the_sentence_is_refused(arc: GraphArc) -> None:
    with pytest.raises(ValueError, match=f"from {arc[0]} to {arc[2]}, but the sentence has 2"):
        with_graph(sentence("_", "_"), [arc])


# --- cycles


@st.composite
def graphs(draw: st.DrawFn) -> frozenset[GraphArc]:
    """Any graph of up to nine words, cycles and crossing arcs included."""
    n = draw(st.integers(1, 9))
    word = st.integers(1, n)
    arcs = st.tuples(st.integers(0, n), st.sampled_from(["a", "b", "c"]), word)
    return frozenset(arc for arc in draw(st.frozensets(arcs)) if arc[0] != arc[2])


@st.composite
def marked_graphs(draw: st.DrawFn) -> frozenset[GraphArc]:
    """Graphs with labels that a parser might give: marks of lifted and shared arcs at random."""
    marks = st.sampled_from(["", "↑a", "↑b", "|b", "⇄a", "|c↑b⇄a↑b"])
    return frozenset((head, label + draw(marks), word) for head, label, word in draw(graphs()))


def links(arcs: frozenset[GraphArc]) -> tuple[tuple[int, int], ...]:
    return tuple((head, word) for head, _, word in arcs)


@given(graphs())
def test_cycles_are_removed_from_every_graph(arcs: frozenset[GraphArc]) -> None:
    """The counts of reversed and dropped arcs are right, and 0 without a cycle."""
    result = remove_cycles(arcs)
    assert is_acyclic(links(result.arcs))
    assert (result.n_turned + result.n_dropped == 0) == is_acyclic(links(arcs))
    assert len(result.arcs - arcs) <= result.n_turned
    assert len(result.arcs) == len(arcs) - result.n_dropped
    pairs = {frozenset(link) for link in links(arcs)}
    assert {frozenset(link) for link in links(result.arcs)} <= pairs


def test_the_shortest_arc_of_a_cycle_is_turned() -> None:
    arcs = [(0, "root", 1), (1, "a", 3), (3, "b", 4), (4, "c", 1)]
    assert remove_cycles(arcs).arcs == {(0, "root", 1), (1, "a", 3), (4, "b", 3), (4, "c", 1)}


def test_reversal_that_would_never_end_drops_an_arc() -> None:
    """The arc between 1 and 2 is reversed for ever unless it is dropped the second time."""
    arcs = [(1, "x", 2), (1, "x", 3), (2, "x", 4), (3, "x", 2), (4, "x", 1)]
    result = remove_cycles(arcs)
    assert is_acyclic(links(result.arcs)) and result.n_dropped > 0


def test_of_two_arcs_against_each_other_one_is_dropped() -> None:
    assert remove_cycles([(1, "a", 2), (2, "b", 1)])[1:] == (0, 1)


@given(graphs())
def test_cycles_are_removed_as_by_the_reference(arcs: frozenset[GraphArc]) -> None:
    assert tuple(remove_cycles(arcs)) == lifting.remove_cycles(arcs)


def test_cycles_that_would_take_too_long_are_refused() -> None:
    arcs = [(i, "a", i + 1) for i in range(1, 4000)] + [(i + 2, "b", i) for i in range(1, 3998)]
    with pytest.raises(ValueError, match="7,995 arcs between 3,999 words that all lead to each"):
        remove_cycles(arcs)


# --- crossing arcs


@pytest.mark.parametrize("joined", ["label", "drop"])
@given(arcs=graphs())
def test_arcs_are_lifted_as_by_the_reference(joined: str, arcs: frozenset[GraphArc]) -> None:
    found = planarise(arcs, joined=joined)  # type: ignore[arg-type]
    assert tuple(found) == lifting.planarise(arcs, joined)
    assert deplanarise(found.arcs) == lifting.deplanarise(found.arcs)


@pytest.mark.thorough
@given(arcs=marked_graphs())
def test_any_labels_are_restored_as_by_the_reference(
    arcs: frozenset[GraphArc],
) -> None:
    assert deplanarise(arcs) == lifting.deplanarise(arcs)


@pytest.mark.thorough
def test_arcs_that_would_be_lifted_without_end_are_refused() -> None:
    """A chain, and above each of its words an arc that crosses all others."""
    arcs = [(0, "root", 1), *((i, "a", i + 1) for i in range(1, 300))]
    arcs += [(150 + i, "x", i) for i in range(1, 150)]
    with pytest.raises(ValueError, match=r"lifted 13,\d\d\d times, 30 times as often as there are"):
        planarise(arcs)


@pytest.mark.thorough
@pytest.mark.parametrize("joined", ["label", "drop"])
@given(arcs=graphs())
def test_arcs_are_lifted_until_none_cross(joined: str, arcs: frozenset[GraphArc]) -> None:
    """One arc at most from a word to another; what does not cross stays as it is."""
    result = planarise(arcs, joined=joined)  # type: ignore[arg-type]
    found = links(result.arcs)
    assert not any(cross(one, other) for one in found for other in found)
    assert len({frozenset(link) for link in found}) == len(found) or joined == "drop"
    if not any(cross(one, other) for one in links(arcs) for other in links(arcs)):
        assert (result.n_lifted, result.n_dropped) == (0, 0)
        assert deplanarise(result.arcs) == arcs
    if not result.n_dropped:
        labels = [label.replace("⇄", "|") for _, label, _ in result.arcs]
        assert sum(label.count("|") + 1 for label in labels) == len(arcs)


@given(graphs())
def test_any_graph_can_be_restored(arcs: frozenset[GraphArc]) -> None:
    """Words keep their labels, whatever was lifted; marks are gone; no word heads itself."""
    result = planarise(arcs)
    restored = deplanarise(result.arcs)
    assert not any(mark in label for _, label, _ in restored for mark in "↑|⇄")
    assert all(head != word for head, _, word in restored)
    assert {arc[1:] for arc in restored} <= {arc[1:] for arc in arcs}
    if not result.n_dropped:
        assert {arc[1:] for arc in restored} == {arc[1:] for arc in arcs}


def test_a_lifted_arc_names_the_head_it_left() -> None:
    arcs = {(0, "root", 2), (2, "obj", 3), (4, "nmod", 1), (3, "acl", 4)}
    planar = planarise(arcs)
    assert planar.arcs == {(0, "root", 2), (2, "obj", 3), (2, "nmod↑acl", 1), (3, "acl", 4)}
    assert (planar.n_lifted, planar.n_dropped) == (2, 0)  # from 4 to 3, from 3 to 2
    assert deplanarise(planar.arcs) == arcs


def test_an_arc_between_joined_words_shares_the_label_or_is_dropped() -> None:
    arcs = {(0, "root", 2), (2, "nsubj", 1), (2, "xcomp", 3), (3, "nsubj:xsubj", 1)}
    shared = planarise(arcs)
    assert (2, "nsubj|nsubj:xsubj↑xcomp", 1) in shared.arcs
    assert deplanarise(shared.arcs) == arcs
    dropped = planarise(arcs, joined="drop")
    assert (dropped.n_lifted, dropped.n_dropped) == (0, 1)
    assert dropped.arcs == arcs - {(3, "nsubj:xsubj", 1)}


def test_two_arcs_between_two_words_become_one_and_two_again() -> None:
    arcs = {(0, "root", 1), (1, "obj", 2), (1, "obl", 2)}
    assert planarise(arcs).arcs == {(0, "root", 1), (1, "obj|obl", 2)}
    assert deplanarise(planarise(arcs).arcs) == arcs


def test_an_arc_from_a_word_to_itself_is_dropped() -> None:
    arcs = {(0, "root", 1), (1, "conj>nsubj", 1)}
    assert planarise(arcs) == (frozenset({(0, "root", 1)}), 0, 1)
    assert remove_cycles(arcs).arcs == {(0, "root", 1)}


def test_arcs_in_both_directions_are_merged_into_the_word_with_fewer_heads() -> None:
    arcs = {(0, "root", 1), (1, "acl:relcl", 2), (2, "nsubj", 1), (2, "obj", 1)}
    assert planarise(arcs).arcs == {(0, "root", 1), (1, "acl:relcl⇄nsubj|obj", 2)}
    assert deplanarise(planarise(arcs).arcs) == arcs


def test_a_cycle_is_broken_where_no_word_loses_its_only_head() -> None:
    arcs = {(0, "root", 1), (1, "acl:relcl", 2), (2, "nsubj", 1)}
    assert remove_cycles(arcs).arcs == arcs - {(2, "nsubj", 1)}


@pytest.mark.parametrize("label", ["nmod↑obj", "nmod|obj", "nmod⇄obj"])
def test_labels_with_reserved_marks_are_refused(label: str) -> None:
    with pytest.raises(ValueError, match=r"label .* of word 2: ↑ \| ⇄ are reserved for marks"):
        planarise([(0, "root", 1), (1, label, 2)])


def test_an_unknown_choice_is_answered_with_the_choices() -> None:
    with pytest.raises(ValueError, match="'label' or 'drop', not 'keep'"):
        planarise([], joined="keep")  # type: ignore[arg-type]


@given(graphs())
def test_what_is_planar_can_be_derived(arcs: frozenset[GraphArc]) -> None:
    planar = planarise(arcs).arcs
    labels = sorted({label for _, label, _ in planar})
    system = dodona.system("graph-eager", labels=labels)
    state = system.start(9)
    for action in system.derivation(dodona.Gold(arcs=planar, n_words=9)):
        state = system.step(state, action)
    assert state.arcs == planar


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("treebank", "as_in_the_paper", "precision", "recall"),
    [("ta_ttb", True, 99.84, 99.07), ("ta_ttb", False, 99.6, 99.6), ("en_ewt", True, 99.6, 96.44)],
)
def test_most_of_a_treebank_survives(
    treebank: str, as_in_the_paper: bool, precision: float, recall: float
) -> None:
    path = DATA / treebank / "train.conllu"
    if not path.exists():
        pytest.skip(f"no {path}: set DODONA_DATA to a folder of treebanks")
    gold = list(dodona.read(path))
    restored = []
    for one in gold:
        arcs = enhanced_graph(one)
        if as_in_the_paper:
            planar = planarise(remove_cycles(arcs).arcs, joined="drop")
        else:
            planar = planarise(arcs)
        restored.append(with_graph(one, deplanarise(planar.arcs)))
    found = evaluate_graphs(gold, restored).labelled
    assert found.precision >= precision and found.recall >= recall


# --- scores


def test_scores_count_arcs() -> None:
    gold = [sentence("2:nsubj|3:obj", "0:root", "2:obl:in"), sentence("0:root")]
    system = [sentence("2:nsubj", "0:root", "2:obl:of|1:dep"), sentence("0:root")]
    scores = evaluate_graphs(gold, system)
    assert (scores.n_sentences, scores.n_words, scores.n_exact) == (2, 4, 1)
    labelled, unlabelled = scores.labelled, scores.unlabelled
    assert (labelled.n_gold, labelled.n_system, labelled.n_correct) == (5, 5, 3)
    assert (unlabelled.n_gold, unlabelled.n_system, unlabelled.n_correct) == (5, 5, 4)
    assert scores.elas == 60
    assert "60.00" in scores.table() and "1 graphs exactly" in scores.table()
    assert scores.to_dict()["elas"] == 60


def test_heads_that_become_empty_nodes_are_sorted_among_the_others() -> None:
    made = with_empty_nodes(sentence("2:conj>nsubj|2:nsubj|3:obj", "0:root", "2:conj"))
    assert made.deps[0] == "1.1:nsubj|2:nsubj|3:obj"


def test_eulas_compares_universal_parts() -> None:
    gold = [sentence("2:nsubj:pass|3:conj>obl:in", "0:root", "2:obl:in|2:obl:of")]
    system = [sentence("2:nsubj|3:conj:or>obl", "0:root", "2:obl:by")]
    scores = evaluate_graphs(gold, system)
    assert scores.labelled.n_correct == 1
    universal = scores.universal  # of two arcs between the same words, the system has one
    assert (universal.n_gold, universal.n_system, universal.n_correct) == (5, 4, 4)
    assert scores.eulas == scores.to_dict()["eulas"] == pytest.approx(100 * 8 / 9)
    assert "88.89" in scores.table()


def segmented(*words: str, deps: list[str]) -> dodona.Sentence:
    return dodona.Sentence.from_columns(words, deps=deps)


def test_graphs_are_scored_where_words_are_aligned() -> None:
    """A sentence that is cut in two, a word that is joined: arcs of other words are wrong."""
    gold = [
        segmented("Oaks", "can", "not", "lie", deps=["4:nsubj", "4:aux", "4:advmod", "0:root"]),
        segmented("Listen", deps=["0:root"]),
    ]
    assert evaluate_graphs(gold, gold, text=True) == evaluate_graphs(gold, gold)
    system = [
        segmented("Oaks", deps=["0:root"]),
        segmented("cannot", "lie", "Listen", deps=["2:aux", "0:root", "2:parataxis|0:root"]),
    ]
    scores = evaluate_graphs(gold, system, text=True)
    labelled = scores.labelled
    assert (labelled.n_gold, labelled.n_system, labelled.n_correct) == (5, 5, 2)
    assert (scores.n_sentences, scores.n_words, scores.n_exact) == (2, 5, 0)


def test_arcs_through_empty_nodes_count_as_one_each() -> None:
    """The position of empty nodes makes no difference, nor does contraction; another path does."""
    gold = read_one(GAPPING)
    *lines, empty, last = GAPPING.replace("5.1", "6.1").rstrip("\n").split("\n")
    assert evaluate_graphs([gold], [read_one("\n".join([*lines, last, empty, "", ""]))]).elas == 100
    assert evaluate_graphs([gold], [with_graph(gold, enhanced_graph(gold))]).elas == 100
    other = read_one(GAPPING.replace("2:conj:and", "2:conj:or"))
    assert evaluate_graphs([gold], [other]).labelled.n_correct == 3


def test_the_case_of_a_label_counts() -> None:
    assert evaluate_graphs([sentence("0:root")], [sentence("0:ROOT")]).elas == 0


def test_a_treebank_without_graphs_is_refused() -> None:
    with pytest.raises(EvaluationError, match="DEPS"):
        evaluate_graphs([sentence("_")], [sentence("0:root")])


def test_scores_of_files(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(GAPPING, encoding="utf-8")
    assert evaluate_graphs(path, str(path)).elas == 100


def test_empty_nodes_are_made_again_and_say_the_same() -> None:
    sentence = dodona.Sentence.from_columns(
        ["Oaks", "speak", "and", "doves", "coo"],
        deps=["2:nsubj", "0:root", "4:cc", "2:conj>nsubj", "2:conj>obj|2:conj>conj>obl|0:dep"],
    )
    made = with_empty_nodes(sentence)
    assert made.deps == ["2:nsubj", "0:root", "4:cc", "4.1:nsubj", "0:dep|4.1:obj|5.1:obl"]
    rows = [line.split("\t") for line in made.to_conllu().splitlines()]
    assert [(row[0], row[8]) for row in rows if "." in row[0]] == [
        ("4.1", "2:conj"),
        ("5.1", "4.1:conj"),
    ]
    assert enhanced_graph(made) == enhanced_graph(sentence)
    assert bytes(with_empty_nodes(made.replace(deps=sentence.deps))) == bytes(made)
