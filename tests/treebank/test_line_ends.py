"""Characters that end a line for Python, and not in CoNLL-U, survive wherever words go."""

from __future__ import annotations

import io
import pickle

import pytest

import dodona
from dodona.evaluation import evaluate_graphs
from dodona.explorer.typed import read_typed
from dodona.treebank.conllu.writer import to_conllu, to_conllx
from dodona.treebank.graphs.empty_nodes import with_empty_nodes
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.raw_text import gold_text, original_text, raw_text

ENDS = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


def sentence_with(end: str) -> dodona.Sentence:
    """The character within a form, and in the columns beside it."""
    odd = f"o{end}k"
    rows = [
        f"# text = {odd} speaks",
        f"1\t{odd}\t{odd}\tX\t{odd}\tA={odd}\t2\tl:{odd}\t2:l:{odd}\tB={odd}",
        f"2\tspeaks\tspeak\tVERB\t_\t_\t0\troot\t0:root|2.1:l:{odd}\t_",
        f"2.1\t{odd}\t_\t_\t_\t_\t_\t_\t1:{odd}\t_",
    ]
    file = io.BytesIO("\n".join([*rows, "", ""]).encode())
    [sentence] = dodona.read(file, name="own.conllu")
    return sentence


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_sentences_keep_it(end: str) -> None:
    sentence, odd = sentence_with(end), f"o{end}k"
    assert sentence.forms == [odd, "speaks"] and sentence.misc[0] == f"B={odd}"
    assert [word.form for word in sentence] == [odd, "speaks"]
    assert [token.form for token in sentence.tokens] == [odd, "speaks"]
    assert sentence.comments == [f"# text = {odd} speaks"] and sentence.text == f"{odd} speaks"
    assert bytes(pickle.loads(pickle.dumps(sentence))) == bytes(sentence)
    assert to_conllu(to_conllx(sentence)).forms == sentence.forms
    assert [one.forms for one in read_typed(bytes(sentence).decode())] == [sentence.forms]
    assert sentence.tree().count("\n") == 1
    assert sentence.to_svg().count('class="word"') == 2


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_graphs_keep_it(end: str) -> None:
    sentence, odd = sentence_with(end), f"o{end}k"
    arcs = {(2, f"l:{odd}", 1), (0, "root", 2), (1, f"{odd}>l:{odd}", 2)}
    assert enhanced_graph(sentence) == arcs
    flat = sentence.replace(deps=[f"2:l:{odd}", f"0:root|1:{odd}>l:{odd}"])
    made = with_empty_nodes(flat)
    assert made.forms == sentence.forms and enhanced_graph(made) == arcs
    assert evaluate_graphs([sentence], [made]).elas == 100


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_texts_and_scores_keep_it(end: str) -> None:
    sentence, odd = sentence_with(end), f"o{end}k"
    assert "".join(raw_text([sentence])) == f"{odd} speaks"
    assert original_text([sentence]) == f"{odd} speaks "
    assert gold_text([sentence]).words == [(odd,), ("speaks",)]
    scores = dodona.evaluate([sentence], [sentence])
    assert scores.las == 100 and scores.table(details=True).count("\n") > 10
    assert dodona.evaluate_text([sentence], [sentence]).words.n_correct == 2


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_an_error_behind_it_names_the_right_line(end: str) -> None:
    sentence = sentence_with(end)
    wrong = sentence.replace(deps=[sentence.deps[0], "7:obj"])
    with pytest.raises(ValueError, match=r"own\.conllu:3: word 2 has enhanced head 7"):
        enhanced_graph(wrong)
