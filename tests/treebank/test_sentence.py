"""A sentence keeps its input, and replacing a column changes nothing else."""

import io
from operator import attrgetter

import pytest

from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence, with_tree

ORACLE = b"""\
# sent_id = 1
# text = L'oak's voice spoke.
1-2\tL'oak\t_\t_\t_\t_\t_\t_\t_\t_
1\tL'\tle\tDET\tD\tDefinite=Def\t2\tdet\t2:det\t_
2\toak\toak\tNOUN\tN\t_\t4\tnmod\t4:nmod\tSpaceAfter=No
3\t's\t's\tPART\tP\t_\t2\tcase\t2:case\t_
4\tvoice of old\tvoice\tNOUN\tN\tNumber=Sing\t5\tnsubj\t5:nsubj\t_
5\tspoke\tspeak\tVERB\tV\tTense=Past\t0\troot\t0:root\t_
5.1\tspoke\tspeak\tVERB\tV\t_\t_\t_\t5:conj\t_
6\t.\t.\tPUNCT\t.\t_\t5\tpunct\t5:punct\t_

"""


def only(text: bytes) -> Sentence:
    (found,) = read(io.BytesIO(text), name="x.conllu")
    return found


def test_columns_come_as_they_stand_and_only_words_count():
    s = only(ORACLE)
    assert len(s) == 6
    assert s.forms == ["L'", "oak", "'s", "voice of old", "spoke", "."]
    assert s.lemmas == ["le", "oak", "'s", "voice", "speak", "."]
    assert s.upos == ["DET", "NOUN", "PART", "NOUN", "VERB", "PUNCT"]
    assert s.xpos == ["D", "N", "P", "N", "V", "."]
    assert s.feats == ["Definite=Def", "_", "_", "Number=Sing", "Tense=Past", "_"]
    assert s.heads == [2, 4, 2, 5, 0, 5]
    assert s.deprels == ["det", "nmod", "case", "nsubj", "root", "punct"]
    assert s.deps[0] == "2:det" and s.misc[1] == "SpaceAfter=No"
    assert s.comments == ["# sent_id = 1", "# text = L'oak's voice spoke."]
    assert (s.source, s.line, s.format) == ("x.conllu", 1, "conllu")
    assert bytes(s) == ORACLE and s.to_conllu() == ORACLE.decode()


def test_a_sentence_cannot_be_made_or_changed_by_hand():
    with pytest.raises(TypeError, match="from_columns"):
        Sentence()
    s = only(ORACLE)
    with pytest.raises(AttributeError):
        s.line = 3
    s.forms.clear()
    assert len(s.forms) == 6


def test_replace_changes_its_columns_and_no_other_byte():
    crlf = b"\xef\xbb\xbf" + ORACLE.replace(b"\n", b"\r\n")
    s = only(crlf)
    t = s.replace(heads=[0, 1, 1, 1, 1, 10 - 4], deprels=["δ"] * 6, lemmas=[b"x"] * 6)
    expected = []
    for line in crlf.split(b"\r\n"):
        fields = line.split(b"\t")
        if fields[0].isdigit():
            fields[2], fields[7] = b"x", "δ".encode()
            fields[6] = {b"1": b"0", b"6": b"6"}.get(fields[0], b"1")
        expected.append(b"\t".join(fields))
    assert bytes(t) == b"\r\n".join(expected)
    assert t.heads == [0, 1, 1, 1, 1, 6] and t.misc == s.misc and t.comments == s.comments
    assert bytes(t.replace(heads=s.heads, deprels=s.deprels, lemmas=s.lemmas)) == crlf
    assert bytes(s.replace()) == crlf


def test_with_tree_is_replace_by_label_ids():
    s = only(ORACLE)
    labels = [b"root", b"dep"]
    heads = [2, 0, 2, 2, -1, 2]
    t = with_tree(s, heads, labels, [1, 0, 1, 1, 1, 1])
    u = s.replace(heads=[2, 0, 2, 2, None, 2], deprels=["dep", "root", "dep", "dep", "dep", "dep"])
    assert bytes(t) == bytes(u) and t.heads == u.heads == [2, 0, 2, 2, None, 2]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"heads": [1]}, "expected 2 values of head, found 1"),
        ({"heads": [3, 0]}, "expected a head from 0 to 2, found 3"),
        ({"heads": [-1, 0]}, "expected a head from 0 to 2, found -1"),
        ({"heads": ["1", 0]}, "expected a head from 0 to 2, found '1'"),
        ({"upos": ["A", ""]}, "upos 2 is ''"),
        ({"lemmas": ["a\tb", "c"]}, "lemma 1 is 'a\\tb'"),
        ({"xpos": ["a\n", "c"]}, "xpos 1 is 'a\\n'"),
        ({"misc": ["a\r", "c"]}, "misc 1 is 'a\\r'"),
        ({"comments": ["no hash"]}, "starts with '#', found 'no hash'"),
        ({"comments": ["# a\nb"]}, "starts with '#', found '# a\\nb'"),
        ({"format": "xml"}, "format is 'conllu' or 'conllx', found 'xml'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns, message):
    with pytest.raises(ValueError) as caught:
        Sentence.from_columns(["a", "b"], **columns)
    assert message in str(caught.value)


def test_no_words_make_no_sentence():
    with pytest.raises(ValueError, match="at least one word"):
        Sentence.from_columns([])


def test_long_sentences_made_in_python_read_back():
    forms = [f"w{i}" for i in range(1234)]
    s = Sentence.from_columns(forms, heads=range(1234), comments=["# long"])
    t = only(bytes(s))
    assert t.forms == forms == s.forms and t.heads == s.heads == list(range(1234))
    assert t.comments == ["# long"] == s.comments


def test_a_sentence_prints_as_its_text_and_shows_where_it_is_from() -> None:
    read = only(ORACLE)
    assert str(read) == read.text == "L'oak's voice spoke."
    assert repr(read) == "<Sentence of 6 words, x.conllu:1: \"L'oak's voice spoke.\">"
    made = Sentence.from_columns(["Speak\x1b", "!"], misc=["SpaceAfter=No", "_"])
    assert (str(made), repr(made)) == ("Speak\x1b!", "<Sentence of 2 words: 'Speak\\x1b!'>")
    assert repr(Sentence.from_columns(["Speak"])) == "<Sentence of 1 word: 'Speak'>"
    assert len(repr(Sentence.from_columns(["oak"] * 1000))) < 80


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("noun_chunks", "noun_phrases()"),
        ("ents", "no named entities"),
        ("dependencies", "heads and deprels"),
        ("print_dependencies", "print(sentence.tree())"),
        ("metadata", "comments"),
        ("form", "forms"),
        ("deprel", "deprels"),
        ("pos_", "upos"),
        ("start_char", "start"),
    ],
)
def test_habits_from_other_libraries_are_answered(name: str, ours: str) -> None:
    sentence = Sentence.from_columns(["Speak"])
    with pytest.raises(AttributeError) as caught:
        getattr(sentence, name)
    assert str(caught.value).startswith(f"a sentence has no attribute {name!r}; here that is ")
    assert ours in str(caught.value)


def test_other_attributes_do_not_exist() -> None:
    with pytest.raises(AttributeError, match=r"^a sentence has no attribute 'oak'$"):
        attrgetter("oak")(Sentence.from_columns(["Speak"]))
    assert not hasattr(Sentence.from_columns(["Speak"]), "__deepcopy__")
