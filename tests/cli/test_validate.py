"""`dodona validate`: all errors at once, and --fix."""

import json
from pathlib import Path

from support.shell import Shell

BAD = (
    "# sent_id = 1\n# text = Oaks speak\n"
    "1\tOaks\t_\tFOO\t_\tCase\t0\troot\t_\t_\n2\tspeak\t_\tVERB\t_\t_\t0\t_\t_\t_\n\n"
)
UNTIDY = "1\tOak\t\tNOUN\t_\tNumber=Sing|Case=Nom\t0\troot\t_\t_\r\n"


def test_what_was_once_accepted_is_told(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bad.conllu"
    file.write_text(BAD)
    result = shell("validate", file)
    assert result.code == 1
    lines = result.out.splitlines()
    assert [line.split(": ", 2)[:2] for line in lines] == [
        [f"{file}:3", "error [2 upos] UPOS is 'FOO'; universal tags"],
        [f"{file}:3", "error [2 feats] FEATS has 'Case'; expected Name=Value, such as Number=Sing"],
        [f"{file}:4", "error [2 deprel] DEPREL is '_'; expected a relation"],
        [f"{file}:4", "error [2 root] HEAD is 0, but DEPREL is _; expected root"],
        [f"{file}:4", "error [2 root] word 2 is another root, beside word 1"],
    ] or lines
    assert result.err == "5 errors, 0 warnings in 1 file\n"


def test_fix_mends_in_place_and_tells_what_is_left(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "untidy.conllu"
    file.write_bytes(UNTIDY.encode())
    before = shell("validate", file)
    assert before.code == 1 and "--fix can repair" in before.err
    fixed = shell("validate", "--fix", file)
    assert fixed.code == 0 and "problems fixed" in fixed.err
    assert file.read_text() == (
        "# sent_id = s1\n# text = Oak\n1\tOak\t_\tNOUN\t_\tCase=Nom|Number=Sing\t0\troot\t_\t_\n\n"
    )
    assert shell("validate", file).code == 0


def test_fix_from_stdin_to_stdout(shell: Shell) -> None:
    result = shell("validate", "--fix", stdin=UNTIDY.encode())
    assert result.code == 0
    assert result.out.startswith("# sent_id = s1\n")


def test_folders_and_json(shell: Shell, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_text(BAD)
    result = shell("validate", tmp_path, "--json", "--level", "2")
    found = [json.loads(line) for line in result.out.splitlines()]
    assert len(found) == 10
    assert {problem["source"] for problem in found} == {
        str(tmp_path / "a.conllu"),
        str(tmp_path / "b.conllu"),
    }
    assert shell("validate", tmp_path, "--level", "1").code == 0


def test_misuse(shell: Shell) -> None:
    assert shell("validate", "--level", "7").code == 2
    assert shell("validate", "-o", "x").code == 2


def sentence(text: str, deps: str = "0:root") -> str:
    return (
        f"# sent_id = 1\n# text = {text}\n"
        f"1\tOaks\t_\tNOUN\t_\t_\t0\troot\t{deps}\tSpaceAfter=No\n"
        "2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_\n\n"
    )


def test_one_error_is_singular(shell: Shell) -> None:
    found = shell("validate", stdin=sentence("Oak!").encode())
    assert found.err == "1 error, 0 warnings in 1 file\n"


def test_texts_that_differ_in_spaces_look_different(shell: Shell) -> None:
    found = shell("validate", stdin=sentence("Oaks !").encode())
    assert "text is 'Oaks␣!', but the tokens form 'Oaks!' (from character 5 on)" in found.out
    invisible = shell("validate", stdin=sentence("Oaks\u200b!").encode())
    assert "text is 'Oaks<U+200B>!'" in invisible.out
    long = "Long " * 30
    words = "".join(
        f"{i}\tLong\t_\tX\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n"
        for i in range(1, 31)
    )
    text = f"# sent_id = 1\n# text = {long.strip()}er\n{words}\n"
    assert "Long'" in shell("validate", stdin=text.encode()).out
    assert "…" in shell("validate", stdin=text.encode()).out


def test_any_white_space_between_tokens_is_valid(shell: Shell) -> None:
    text = sentence("Oaks!").replace("\tSpaceAfter=No", "\t_").replace("Oaks!", "Oaks\u00a0  !")
    assert shell("validate", stdin=text.encode()).code == 0


def test_marks_are_letters_in_enhanced_relations(shell: Shell) -> None:
    for relation in ("acl:போது", "nmod:என்:nom", "obl:के_साथ", "conj:и"):
        text = sentence("Oaks!").replace("1:punct", f"1:{relation}")
        assert shell("validate", stdin=text.encode()).code == 0, relation
    for relation in ("Acl", "acl:a b", "acl:"):
        text = sentence("Oaks!").replace("1:punct", f"1:{relation}")
        assert shell("validate", stdin=text.encode()).code == 1, relation
