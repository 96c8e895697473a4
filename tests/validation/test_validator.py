"""Every problem is found once, at its line; safe fixes are applied, and nothing else changes."""

from __future__ import annotations

import io
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.synthetic.generator import write_treebank
from dodona.validation.validator import fix_bytes, validate, validate_bytes

GOOD = """\
# sent_id = dodona-1
# text = Allez au chêne!
1\tAllez\taller\tVERB\t_\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2-3\tau\t_\t_\t_\t_\t_\t_\t_\t_
2\tà\tà\tADP\t_\t_\t4\tcase\t4:case\t_
3\tle\tle\tDET\t_\tDefinite=Def\t4\tdet\t4:det\t_
4\tchêne\tchêne\tNOUN\t_\tGender=Masc\t1\tobl\t1:obl\tSpaceAfter=No
5\t!\t!\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""


def kinds(text: str | bytes, level: int = 3) -> list[tuple[int, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(problem.line, problem.kind) for problem in validate_bytes(data, level=level)]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_good_file_has_no_problems() -> None:
    assert kinds(GOOD) == []
    assert fix_bytes(GOOD.encode()) == GOOD.encode()


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("VERB", "FOO", [(3, "upos")]),
        ("Mood=Imp|Number=Plur", "Case", [(3, "feats")]),
        ("Mood=Imp|Number=Plur", "Number=Plur|Mood=Imp", [(3, "feats-order")]),
        ("Mood=Imp|Number=Plur", "Number=Plur|Number=Sing", [(3, "feats-twice")]),
        ("Mood=Imp", "Mood=Imp,Cnd", [(3, "feats-values")]),
        ("\tobl\t1:obl", "\t_\t1:obl", [(7, "deprel")]),
        ("\tobl\t1:obl", "\tdobj\t1:obl", [(7, "deprel")]),
        ("\tobl\t1:obl", "\tObl\t1:obl", [(7, "deprel")]),
        ("1\tobl", "0\troot", [(7, "root")]),
        ("1\tobl", "0\tobl", [(7, "root"), (7, "root")]),
        ("1\tobl", "9\tobl", [(7, "head")]),
        ("1\tobl", "_\tobl", [(7, "head")]),
        ("0\troot\t", "4\tdep\t", [(1, "root"), (3, "cycle")]),
        ("1:obl", "1:obl|1:obl", [(7, "deps-order")]),
        ("1:obl", "9:obl", [(7, "deps")]),
        ("2-3\t", "2-9\t", [(4, "id"), (2, "text")]),
        ("2-3\t", "3-2\t", [(2, "text"), (4, "id")]),
        ("4\tchêne", "7\tchêne", [(5, "deps"), (6, "deps"), (7, "id"), (8, "id")]),
        ("# sent_id = dodona-1\n", "", [(1, "sent_id")]),
        ("# text = Allez au chêne!\n", "", [(1, "text")]),
        ("# text = Allez au chêne!", "# text = Allez au chêne !", [(2, "text")]),
        ("SpaceAfter=No", "SpaceAfter=No|", [(7, "misc")]),
        ("\tau\t_\t_", "\tau\tau\t_", [(4, "range")]),
        ("\tDET\t", "\t\t", [(6, "empty"), (6, "upos")]),
        ("\tDET\t", "\tDET \t", [(6, "white-space"), (6, "upos")]),
        ("5\t!\t!\tPUNCT", "5\t!\t!\tSYM", [(8, "punct")]),
    ],
)
def test_a_problem_is_found_at_its_line(old: str, new: str, found: list[tuple[int, str]]) -> None:
    assert sorted(set(kinds(changed(old, new)))) == sorted(set(found))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GOOD.replace("\n", "\r\n"), [(1, "line-end")]),
        ("\ufeff" + GOOD, [(1, "mark")]),
        (GOOD.removesuffix("\n"), [(8, "blank")]),
        (GOOD.removesuffix("\n\n"), [(8, "blank"), (8, "end")]),
        (GOOD + "\n", [(10, "blank")]),
        (GOOD.replace("chêne", "che\u0302ne"), [(2, "nfc"), (7, "nfc")]),
        (GOOD + "# only this\n\n", [(10, "no-words")]),
        (GOOD + GOOD, [(10, "sent_id")]),
    ],
)
def test_a_problem_of_the_whole_file(text: str, found: list[tuple[int, str]]) -> None:
    assert sorted(kinds(text)) == found


def test_all_are_found_at_once() -> None:
    text = (
        changed("VERB", "FOO").replace("Mood=Imp|Number=Plur", "Case").replace("1\tobl", "0\troot")
    )
    assert kinds(text) == [(3, "upos"), (3, "feats"), (7, "root")]


def test_only_problems_up_to_the_level_are_reported() -> None:
    text = changed("VERB", "FOO").replace("5\t!\t!\tPUNCT", "5\t!\t!\tSYM")
    assert [kinds(text, level) for level in (1, 2, 3)] == [
        [],
        [(3, "upos")],
        [(3, "upos"), (8, "punct")],
    ]
    with pytest.raises(ValueError, match="expected 1, 2 or 3"):
        validate(io.BytesIO(b""), level=4)


def test_invalid_utf8_is_reported_and_not_changed() -> None:
    data = GOOD.encode().replace(b"\xc3\xaa", b"\xea", 1)
    assert (2, "utf-8") in kinds(data)
    assert fix_bytes(data) == data


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("NOUN 2 nsubj, VERB 0 root, NOUN 2 obj", []),
        ("NOUN 2 nsubj, VERB 0 root, NOUN 2 nsubj", [(3, "subjects")]),
        ("NOUN 2 nsubj:outer, VERB 0 root, NOUN 2 csubj", []),
        ("VERB 0 root, NOUN 1 obj, NOUN 1 obj", [(3, "objects")]),
        ("NOUN 2 conj, VERB 0 root", [(1, "direction")]),
        ("NOUN 2 aux, VERB 0 root", [(1, "relation-upos")]),
        ("NOUN_ExtPos=AUX 2 aux, VERB 0 root", []),
        ("AUX_ExtPos=ADV 2 aux, VERB 0 root", [(1, "relation-upos")]),
        ("NOUN 2 advmod, VERB 0 root", [(1, "relation-upos")]),
        ("NOUN 3 advmod, X 1 goeswith, VERB 0 root", []),
        ("PROPN 0 root, NOUN 1 fixed", [(2, "relation-upos")]),
        ("PUNCT 2 obj, VERB 0 root", [(1, "punct")]),
        ("SYM 2 punct, VERB 0 root", [(1, "punct")]),
        ("AUX 2 aux, VERB 0 root, ADV 1 advmod", [(3, "leaf")]),
        ("AUX 2 aux, VERB 0 root, PART_Polarity=Neg 1 advmod", []),
        ("DET 2 det, NOUN 0 root, NOUN 1 nmod", [(3, "leaf")]),
        ("DET_Poss=Yes 2 det, NOUN 0 root, NOUN 1 nmod", []),
        ("VERB 0 root, NOUN 1 obj, NOUN 2 obl", [(3, "obl")]),
        ("VERB 0 root, NOUN 1 ccomp, NOUN 2 obl", []),
        ("NOUN 0 root, X 1 goeswith, X 1 goeswith", []),
        ("NOUN 0 root, VERB 1 acl, X 1 goeswith", [(3, "goeswith")]),
        ("NOUN 0 root SpaceAfter=No, X 1 goeswith", [(2, "goeswith")]),
        ("VERB 0 root, NOUN 1 conj, ADV 2 orphan", []),
        ("VERB 0 root, NOUN 1 obj, ADV 2 orphan", [(3, "orphan")]),
        ("ADP 4 case, PUNCT 1 punct, ADP 1 fixed, NOUN 0 root", []),
        ("ADP 4 case, DET 4 det, ADP 1 fixed, NOUN 0 root", [(3, "fixed")]),
        ("VERB 0 root, NOUN 4 obj, PUNCT 1 punct, VERB 1 xcomp", [(3, "punct-nonprojective")]),
        ("VERB 0 root, NOUN 4 obj, PUNCT 2 punct, VERB 1 xcomp", []),
        ("PUNCT 0 root, NOUN 1 nmod", []),
    ],
)
def test_guidelines(words: str, found: list[tuple[int, str]]) -> None:
    """Rules of the official validator for trees; here the line of a word is its number."""
    lines = []
    for i, word in enumerate(words.split(", "), start=1):
        tag, head, relation, *misc = word.split()
        upos, _, feats = tag.partition("_")
        columns = (i, "x", "x", upos, "_", feats or "_", head, relation, "_", *(misc or "_"))
        lines.append("\t".join(map(str, columns)) + "\n")
    problems = [p for p in validate_bytes("".join([*lines, "\n"]).encode()) if p.level == 3]
    assert [(p.line, p.kind) for p in problems] == found
    assert all(p.is_warning for p in problems)


def test_punctuation_that_crosses_others_is_a_warning() -> None:
    lines = ["a\tX\t2\tdep", "b\tX\t0\troot", ",\tPUNCT\t1\tpunct", "c\tX\t2\tdep"]
    text = "# sent_id = 1\n# text = a b , c\n"
    for i, line in enumerate(lines, start=1):
        form, upos, head, deprel = line.split("\t")
        text += f"{i}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n"
    (problem,) = validate_bytes(text.encode() + b"\n")
    assert (problem.line, problem.kind, problem.is_warning) == (5, "punct-nonprojective", True)


SPOILED = [
    GOOD.replace("\n", "\r\n"),
    "\ufeff" + GOOD,
    GOOD.rstrip("\n"),
    GOOD + "\n\n" + GOOD.replace("dodona-1", "dodona-2"),
    changed("Mood=Imp|Number=Plur", "Number=Plur|Mood=Imp|Mood=Imp"),
    changed("\tDET\t", "\t DET \t"),
    changed("\tle\tle\t", "\tle\t\t"),
    changed("1:obl", "4:conj|1:obl"),
    changed("SpaceAfter=No", "|SpaceAfter=No"),
    GOOD.replace("chêne", "che\u0302ne"),
    changed("# sent_id = dodona-1\n# text = Allez au chêne!\n", ""),
]


@pytest.mark.parametrize("text", SPOILED)
def test_fixed_problems_are_gone(text: str) -> None:
    before = validate_bytes(text.encode(), level=2)
    fixed = fix_bytes(text.encode())
    assert any(problem.can_fix for problem in before)
    assert not [p for p in validate_bytes(fixed, level=2) if p.can_fix]
    assert fix_bytes(fixed) == fixed


def forms_in(data: bytes) -> list[str]:
    lines = normalize("NFC", data.decode()).replace("\r", "").split("\n")
    return [line.split("\t")[1].strip() for line in lines if line.count("\t") == 9]


@given(st.lists(st.sampled_from([*SPOILED, GOOD, "x", "1\t2", "# y"]), max_size=4))
def test_fixing_loses_no_form_and_is_idempotent(texts: list[str]) -> None:
    data = "\n\n".join(texts).encode()
    fixed = fix_bytes(data)
    assert forms_in(fixed) == forms_in(data)
    assert fix_bytes(fixed) == fixed


def test_generated_treebanks_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "made.conllu"
    write_treebank(path, 40, seed=3, nonprojective=0.2)
    errors = [p for p in validate(path) if not p.is_warning]
    assert {problem.kind for problem in errors} <= {"sent_id", "text"}
