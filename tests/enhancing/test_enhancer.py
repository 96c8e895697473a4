"""Enhancers: what they learn from graphs, what they guarantee, how they are kept."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from random import Random

import pytest

import dodona
from dodona import Sentence
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.training import train_enhancer
from dodona.evaluation import evaluate_graphs
from dodona.storage.container import ContainerError
from dodona.synthetic.generator import random_tree
from dodona.treebank.graphs.enhanced import enhanced_graph, with_graph
from dodona.validation.validator import validate_bytes
from support.small import enhanced, parser, treebank

# columns: form, UPOS, FEATS, HEAD, DEPREL, DEPS
RELATIVE = """
the DET _ 2 det 2:det
priest NOUN _ 7 nsubj {verb}:nsubj|7:nsubj
who PRON PronType=Rel 4 nsubj 2:ref
{other} VERB _ 2 acl:relcl 2:acl:relcl
in ADP _ 6 case 6:case
Athens PROPN _ 4 obl 4:obl:in
{main} VERB _ 0 root 0:root
"""
SHARED = """
oaks NOUN _ 2 nsubj 2:nsubj|4:nsubj
{main} VERB _ 0 root 0:root
and CCONJ _ 4 cc 4:cc
{other} VERB _ 2 conj 2:conj:and
to ADP _ 7 case 7:case
wise ADJ _ 7 amod 7:amod
priests NOUN _ 4 obl 4:obl:to
"""
CONTROL = """
Ann PROPN _ 2 nsubj 2:nsubj{subject}
{verb} VERB _ 0 root 0:root
Bob PROPN _ 2 {role} 2:{role}{object}
to PART _ 5 mark 5:mark
{other} VERB _ 2 xcomp 2:xcomp
"""
VERBS = ("sing", "listen", "speak", "answer", "whisper", "sleep", "laugh")
PROMISES, ORDERS = ("promise", "swear"), ("tell", "ask", "force")


def read(text: str) -> Sentence:
    rows = [line.split(" ") for line in text.strip().split("\n")]
    forms, upos, feats, heads, deprels, deps = zip(*rows, strict=True)
    return Sentence.from_columns(
        forms,
        lemmas=forms,
        upos=upos,
        feats=feats,
        heads=[*map(int, heads)],
        deprels=deprels,
        deps=deps,
    )


def relative(other: str, main: str) -> Sentence:
    return read(RELATIVE.format(verb=4, other=other, main=main))


def shared(main: str, other: str) -> Sentence:
    return read(SHARED.format(main=main, other=other))


def control(verb: str, other: str) -> Sentence:
    subject, object_ = ("|5:nsubj:xsubj", "") if verb in PROMISES else ("", "|5:nsubj:xsubj")
    return read(CONTROL.format(verb=verb, other=other, role="obj", subject=subject, object=object_))


@cache
def sentences(*verbs: str) -> list[Sentence]:
    pairs = [(one, two) for one in verbs for two in verbs if one != two]
    found = [made(one, two) for one, two in pairs for made in (relative, shared)]
    return found + [control(v, verb) for v in PROMISES + ORDERS for verb in verbs]


@cache
def learned() -> Enhancer:
    return train_enhancer(sentences(*VERBS[:5]))


@pytest.mark.parametrize("sentence", sentences(*VERBS[5:]))
def test_what_was_seen_in_other_words_is_made_again(sentence: Sentence) -> None:
    """Referents, shared subjects, controlled subjects, prepositions and conjunctions."""
    [made] = learned().enhance([sentence.replace(deps=["_"] * len(sentence))])
    assert made.deps == sentence.deps


def test_the_controller_depends_on_the_verb() -> None:
    promise, order = control("promise", "sleep"), control("tell", "sleep")
    made = learned().enhance([promise, order])
    assert [each.deps[0] for each in made] == ["2:nsubj|5:nsubj:xsubj", "2:nsubj"]
    assert [each.deps[2] for each in made] == ["2:obj", "2:obj|5:nsubj:xsubj"]
    assert learned().inventory.n_rules < len(learned().inventory.patterns)


def test_rules_alone_cannot_tell_controllers_apart() -> None:
    whole = learned()
    rules = Enhancer(whole.inventory.rules_only(), whole.labels, whole.weights)
    gold = sentences(*VERBS[5:])
    assert (
        evaluate_graphs(gold, rules.pipe(gold)).elas < evaluate_graphs(gold, whole.pipe(gold)).elas
    )


def test_words_in_labels_need_not_have_been_seen() -> None:
    sentence = shared("sleep", "laugh")
    forms = ["beside" if form == "to" else form for form in sentence.forms]
    other = Sentence.from_columns(
        forms, lemmas=forms, upos=sentence.upos, heads=sentence.heads, deprels=sentence.deprels
    )
    assert learned().enhance([other])[0].deps[6] == "4:obl:beside"


def test_unknown_relations_keep_the_arcs_of_the_tree() -> None:
    sentence = Sentence.from_columns(
        ["Oaks", "speak", "hm"], heads=[2, 0, 2], deprels=["nsubj:odd", "root", "discourse"]
    )
    assert learned().enhance([sentence])[0].deps == ["2:nsubj:odd", "0:root", "2:discourse"]


def test_a_treebank_of_rules_is_copied_exactly() -> None:
    train, dev = ([enhanced(each) for each in treebank(150, seed)] for seed in (1, 2))
    enhancer = train_enhancer(train)
    assert evaluate_graphs(dev, enhancer.pipe(dev)).elas > 99.9
    assert enhancer.inventory.n_rules > len(enhancer.inventory.patterns) // 2


def test_empty_nodes_are_made_where_they_were_learned() -> None:
    gapping = """
    Oaks NOUN _ 2 nsubj 2:nsubj
    whisper VERB _ 0 root 0:root
    and CCONJ _ 4 cc 2:conj>cc
    doves NOUN _ 2 conj 2:conj>nsubj
    loudly ADV _ 4 orphan 2:conj>advmod
    """
    sentence = read("\n".join(line.strip() for line in gapping.strip().split("\n")))
    enhancer = train_enhancer([sentence] * 5)
    [made] = enhancer.enhance([sentence.replace(deps=["_"] * 5)])
    assert enhanced_graph(made) == enhanced_graph(sentence)
    assert "\n4.1\t" in made.to_conllu() or "\n3.1\t" in made.to_conllu()
    assert ">" not in "".join(made.deps)


# --- guarantees

UD = ("nsubj", "obj", "conj", "xcomp", "acl:relcl", "case", "mark", "obl", "advcl", "cc", "fixed")
WORDS = ("Oak", "vis-à-vis", "&", "In", "ﬁn", "und", "2", "Ärger")


def random_sentence(rng: Random, size: int = 30) -> Sentence:
    n = rng.randrange(1, size)
    heads, labels = random_tree(n, rng, labels=UD)
    forms = rng.choices(WORDS, k=n)
    feats = rng.choices(("_", "PronType=Rel", "Case=Acc"), k=n)
    upos = rng.choices(("NOUN", "VERB", "PRON"), k=n)
    return Sentence.from_columns(
        forms, lemmas=forms, upos=upos, feats=feats, heads=heads, deprels=labels
    )


def random_graph(sentence: Sentence, rng: Random) -> Sentence:
    """A graph of arcs of the tree and others: some words lose theirs."""
    n = len(sentence)
    pairs = enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1)
    arcs = {(head or 0, label, word) for word, (head, label) in pairs if rng.random() < 0.6}
    for word in range(1, n + 1):
        head = rng.randrange(n + 1)
        if head != word:
            arcs.add((head, rng.choice(("root", "ref", "nsubj:xsubj", "obl:&", "dep>x")), word))
    return with_graph(sentence, arcs)


@cache
def confused() -> Enhancer:
    """An enhancer that has learned from nonsense, and makes it."""
    rng = Random(1)
    return train_enhancer([random_graph(random_sentence(rng, 8), rng) for _ in range(400)])


def reachable(sentence: Sentence) -> set[int]:
    found, new = {0}, {0}
    arcs = enhanced_graph(sentence)
    while new:
        new = {word for head, _, word in arcs if head in new} - found
        found |= new
    return found


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", ["learned", "confused"])
def test_graphs_are_connected_and_valid(kind: str, seed: int) -> None:
    """Whatever was learned, all words are reached from the root, and UD's rules for DEPS hold."""
    enhancer = {"learned": learned, "confused": confused}[kind]()
    sentence = random_sentence(Random(seed))
    [made] = enhancer.enhance([sentence])
    assert reachable(made) == set(range(len(sentence) + 1))
    problems = validate_bytes(bytes(made), level=2)
    assert [each for each in problems if each.kind in ("deps", "deps-order", "empty-node")] == []
    assert made.replace(deps=["_"] * len(made)).heads == sentence.heads


@pytest.mark.parametrize("seed", range(20))
def test_arcs_of_the_tree_stay_where_a_rule_keeps_them(seed: int) -> None:
    sentence = random_sentence(Random(seed))
    inventory = learned().inventory
    kept = {
        pattern[1:]
        for pattern, classes in zip(inventory.patterns, inventory.choices, strict=True)
        if pattern[0] == "↑" and " " not in pattern and classes != [0] and len(classes) == 1
    }
    [made] = learned().enhance([sentence])
    assert {"case", "cc", "mark"} <= kept
    arcs = {(head, word) for head, _, word in enhanced_graph(made)}
    for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
        if label.partition(":")[0] in kept:
            assert (head, word) in arcs


def test_the_graph_of_a_star_does_not_grow_quadratically() -> None:
    """Each word has a bounded number of candidates: 5,000 subjects of 5,000 conjuncts."""
    n = 10_000
    labels = ["root", *(["nsubj", "conj"] * (n // 2))][:n]
    sentence = Sentence.from_columns(["oak"] * n, heads=[0, *[1] * (n - 1)], deprels=labels)
    [made] = learned().enhance([sentence])
    assert len(enhanced_graph(made)) < 60 * n


def test_a_sentence_without_a_tree_is_refused() -> None:
    sentence = Sentence.from_columns(["Oaks", "speak"])
    with pytest.raises(ValueError, match="word 1 has no head"):
        learned().enhance([sentence])
    with pytest.raises(ValueError, match="both a tree and a graph"):
        train_enhancer([sentence])


# --- files, parsers


def test_an_enhancer_is_saved_and_loaded(tmp_path: Path) -> None:
    learned().save(tmp_path / "x")
    for restored in (Enhancer.load(tmp_path / "x"), pickle.loads(pickle.dumps(learned()))):
        assert restored.to_bytes() == learned().to_bytes()
        assert [*restored.pipe(sentences(*VERBS))] == [*learned().pipe(sentences(*VERBS))]
    assert len(learned().to_bytes()) < 1_000_000
    assert repr(learned()).startswith("<Enhancer of ")


def test_training_again_gives_the_same_bytes() -> None:
    again = train_enhancer(iter(sentences(*VERBS[:5])))
    assert again.to_bytes() == learned().to_bytes()
    other = train_enhancer(sentences(*VERBS[:5]), seed=2, epochs=1)
    assert other.to_bytes() != learned().to_bytes()


def test_threads_make_the_same_graphs() -> None:
    many = treebank(700, 5)
    assert [*learned().pipe(many, threads=3)] == [*learned().pipe(many)]


@cache
def enhancing_parser() -> dodona.Parser:
    return parser().with_enhancer(train_enhancer([enhanced(each) for each in treebank(60, 1)]))


def test_graphs_are_made_on_demand(tmp_path: Path) -> None:
    made, plain = enhancing_parser(), parser()
    dev = treebank(30, 2)
    assert [*made.pipe(dev)] == [*plain.pipe(dev)]
    with_graphs = [*made.pipe(dev, graph=True)]
    assert [s.heads for s in with_graphs] == [s.heads for s in plain.pipe(dev)]
    assert made.enhancer is not None
    assert with_graphs == made.enhancer.enhance([*plain.pipe(dev)])
    assert made.parse(dev[0], graph=True) == with_graphs[0]
    assert made.has_graphs and not plain.has_graphs
    made.save(tmp_path / "model")
    assert [*dodona.load(tmp_path / "model").pipe(dev, graph=True, threads=2)] == with_graphs
    assert "enhancer" in repr(made)


def test_a_parser_without_an_enhancer_refuses_to_make_graphs() -> None:
    with pytest.raises(ValueError, match="dodona enhance"):
        parser().pipe([], graph=True)


def test_a_parser_into_graphs_takes_no_enhancer() -> None:
    graphs = dodona.train([*map(enhanced, treebank(12, 3))], system="graph-eager", epochs=1)
    assert [*graphs.pipe(treebank(3, 1), graph=True)] == [*graphs.pipe(treebank(3, 1))]
    with pytest.raises(ValueError, match="trained to build graphs"):
        graphs.with_enhancer(learned())


@pytest.mark.parametrize("change", [{"step": "x"}, {"labels": []}, {"patterns": ["↑obj"]}])
def test_a_damaged_part_is_reported(change: dict[str, object], tmp_path: Path) -> None:
    from dodona.storage import container

    about, arrays = enhancing_parser()._with_parts()
    about["enhancer"] |= change
    container.write(tmp_path / "model", "model", 3, about, arrays)
    with pytest.raises(ContainerError, match="part 'enhancer'"):
        dodona.load(tmp_path / "model")
