"""UDPipe's REST interface: the requests of its documentation, and malformed ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import HTTP
from urllib.parse import quote

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

import dodona
from dodona.server.app import make_app
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from support import small
from support.server_lab import columns, conllu, models, sentences, text, whole_parser

PREFIXES = ("", "/services/udpipe/api")
TAG_AND_PARSE = {"tagger": "", "parser": ""}


def parse(given: list[dodona.Sentence]) -> list[list[str]]:
    """Return the sentences as the parser itself annotates them."""
    return columns(b"".join(map(bytes, whole_parser().pipe(given, retag=True))).decode())


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_models_are_listed_with_their_parts(client: TestClient, prefix: str, method: str) -> None:
    answer = client.request(method, f"{prefix}/models")
    assert answer.json() == {
        "models": {
            "en-whole-251115": ["tokenizer", "tagger", "parser"],
            "bare": ["parser"],
        },
        "default_model": "en-whole-251115",
    }


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_address_of_the_documentation(client: TestClient, prefix: str) -> None:
    """…/process?tokenizer&tagger&parser&data=Text in UTF-8."""
    answer = client.get(f"{prefix}/process?tokenizer&tagger&parser&data={quote(text())}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert list(found) == ["model", "acknowledgements", "result"]
    assert found["model"] == "en-whole-251115"
    assert found["acknowledgements"] == []
    words = columns(found["result"])
    assert " ".join(word[1] for word in words) == text()
    assert all(word[3] != "_" and word[6].isdigit() and word[7] != "_" for word in words)


def test_curl_data(client: TestClient) -> None:
    """curl --data 'tokenizer=&tagger=&parser=&data=Text as it is typed, UTF-8 and all'"""
    body = "tokenizer=&tagger=&parser=&data=Děti šly. Ano."
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/process", content=body.encode(), headers=kind)
    assert [word[1] for word in columns(answer.json()["result"])] == [
        "Děti", "šly", ".", "Ano", ".",
    ]  # fmt: skip


def test_curl_file_with_more_parameters(client: TestClient) -> None:
    """curl -F 'data=@input_file' -F 'model=en' -F parser= …/process"""
    files = {
        "data": ("input_file", conllu().encode(), "application/octet-stream"),
        "model": (None, "en"),
        "parser": (None, ""),
    }
    answer = client.post("/process", files=files)
    expected = whole_parser().pipe(sentences(), keep_tags=True)
    assert columns(answer.json()["result"]) == columns(b"".join(map(bytes, expected)).decode())


def test_curl_file_alone_comes_back_as_it_is(client: TestClient) -> None:
    """curl -F 'data=@input_file' …/process"""
    answer = client.post("/process", files={"data": ("input_file", conllu().encode())})
    result = answer.json()["result"]
    assert result.startswith("# generator = Dodona ")
    assert "\n# udpipe_model = en-whole-251115\n" in result
    assert result.endswith(conllu())


def test_parameters_of_address_and_form_are_one(client: TestClient) -> None:
    answer = client.post("/process?tagger&parser&input=horizontal", data={"data": "Ano šly"})
    words = columns(answer.json()["result"])
    assert [word[1] for word in words] == ["Ano", "šly"]
    assert all(word[7] != "_" for word in words)


def test_tagger_replaces_tags_and_parser_alone_uses_them(client: TestClient) -> None:
    both = client.post("/process", data={"data": conllu(), "tagger": "", "parser": ""}).json()
    assert columns(both["result"]) == parse(sentences())
    tagged = client.post("/process", data={"data": conllu(), "tagger": ""}).json()
    old, new = columns(conllu()), columns(tagged["result"])
    assert [word[6:8] for word in new] == [word[6:8] for word in old]
    assert [word[3] for word in new] == [word[3] for word in columns(both["result"])]


def test_none_counts_as_missing(client: TestClient) -> None:
    data = {"data": conllu(), "tagger": "none", "parser": "none"}
    assert columns(client.post("/process", data=data).json()["result"]) == columns(conllu())


def test_horizontal_and_vertical_input(client: TestClient) -> None:
    across = client.post("/process", data={"input": "horizontal", "data": "a b\xa0c\n\nd\n"})
    down = client.post("/process", data={"input": "vertical", "data": "a\nb c\tX\n\n\nd\n"})
    assert across.json()["result"] == down.json()["result"]
    assert across.json()["result"].split("\n", 2)[2].splitlines() == [
        "# newdoc",
        "# newpar",
        "# sent_id = 1",
        "1\ta" + 8 * "\t_",
        "2\tb c" + 8 * "\t_",
        "",
        "# newpar",
        "# sent_id = 2",
        "1\td" + 8 * "\t_",
        "",
    ]


def test_output_formats(client: TestClient) -> None:
    def result(output: str, **more: str) -> str:
        data = {"data": "Ask  it. Now\n", "output": output, "tokenizer": "", **more}
        return str(client.post("/process", data=data).json()["result"])

    assert result("horizontal") == "Ask it .\nNow\n"
    assert result("vertical") == "Ask\nit\n.\n\nNow\n\n"
    assert result("plaintext") == "Ask  it. Now\n"
    assert result("plaintext=normalized_spaces") == "Ask it.\nNow\n"
    tree = result("matxin", tagger="", parser="")
    assert tree.startswith("<corpus>\n<SENTENCE ord=")
    assert tree.count("<NODE") == 4
    assert tree.endswith("</SENTENCE>\n</corpus>\n")


def test_paragraphs_are_separated_by_a_blank_line(client: TestClient) -> None:
    data = "# newdoc\n# newpar\n1\tOne\n\n1\tTwo\n\n# newpar\n1\tThree\n\n# newdoc\n1\tFour\n\n"
    data = data.replace("\n\n", "" + 8 * "\t_" + "\n\n")

    def result(output: str) -> str:
        return str(client.post("/process", data={"data": data, "output": output}).json()["result"])

    assert result("horizontal=paragraphs") == "One\nTwo\n\nThree\n\nFour\n"
    assert result("vertical=paragraphs") == "One\n\nTwo\n\n\nThree\n\n\nFour\n\n"
    assert result("plaintext=normalized_spaces") == "One\nTwo\n\nThree\n\nFour\n"
    assert result("horizontal") == "One\nTwo\nThree\nFour\n"


def test_epe_has_a_sentence_a_line_with_nodes_and_edges(client: TestClient) -> None:
    data = {"data": "Ask it. Now", "tokenizer": "ranges", "output": "epe"}
    data |= {"tagger": "", "parser": ""}
    lines = client.post("/process", data=data).json()["result"].splitlines()
    first, second = map(json.loads, lines)
    assert (first["id"], second["id"]) == (1, 2)
    assert [node["form"] for node in first["nodes"]] == ["Ask", "it", "."]
    assert (first["nodes"][1]["start"], first["nodes"][1]["end"]) == (4, 6)
    assert sum(node.get("top", False) for node in first["nodes"]) >= 1
    n_edges = sum(len(node.get("edges", [])) for node in first["nodes"])
    assert n_edges + sum(node.get("top", False) for node in first["nodes"]) == 3
    for node in first["nodes"]:
        assert {"lemma", "upos", "xpos"} <= set(node["properties"])
    again = client.post("/process", data=data | {"tokenizer": ""}).json()["result"]
    assert "start" not in json.loads(again.splitlines()[0])["nodes"][0]


def test_text_is_normalised_on_request(client: TestClient) -> None:
    data = {"data": "Cafe\u0301", "tokenizer": "ranges", "output": "horizontal"}
    assert client.post("/process", data=data).json()["result"].startswith("Cafe")
    composed = client.post("/process", data=data | {"normalize": "NFC"}).json()["result"]
    assert composed == "Caf\u00e9\n"


def test_the_default_model_is_found_by_the_names_of_its_treebank() -> None:
    found = Models(
        [Model("en", small.parser(), other_name="en_ewt"), Model("fr_gsd", small.parser())]
    )
    for name in ("en", "english", "english-ewt", "en_ewt"):
        assert found.find(name).name == "en"
    for name in ("french", "french-gsd", "fr_gsd"):
        assert found.find(name).name == "fr_gsd"


SPACES = ["SpacesAfter=\\n", "SpaceAfter=No", ""]
NORMALIZED = ["", "SpaceAfter=No", ""]
RANGES = ["TokenRange=0:3", "TokenRange=4:7", "TokenRange=7:8"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [SPACES]),
        ("ranges", [SPACES, RANGES]),
        ("normalized_spaces", [NORMALIZED]),
        ("ranges;normalized_spaces", [NORMALIZED, RANGES]),
    ],
)
def test_options_of_the_tokenizer(
    client: TestClient, options: str, expected: list[list[str]]
) -> None:
    answer = client.post("/process", data={"data": "Ask\nhim. Now", "tokenizer": options})
    misc = ["|".join(filter(None, parts)) or "_" for parts in zip(*expected, strict=True)]
    assert [word[9] for word in columns(answer.json()["result"])][:3] == misc


def test_presegmented_text_has_a_sentence_a_line(client: TestClient) -> None:
    data = {"data": "One. Two.\nThree", "tokenizer": "presegmented", "output": "horizontal"}
    assert client.post("/process", data=data).json()["result"] == "One . Two .\nThree\n"


@pytest.mark.parametrize(
    "name",
    ["en-whole-251115", "en-whole", "en", "", "bare", "english", "english-whole"],
)
def test_models_are_found_by_their_first_words(client: TestClient, name: str) -> None:
    answer = client.post("/process", data={"data": conllu(1), "model": name})
    assert answer.json()["model"] == ("bare" if name == "bare" else "en-whole-251115")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({}, "'data' is required"),
        ({"data": "x", "model": "klingon"}, "no model 'klingon'"),
        ({"data": "x", "model": "bare", "tokenizer": ""}, "does not contain a tokenizer"),
        ({"data": "x", "model": "bare", "tagger": ""}, "does not contain a tagger"),
        ({"data": "x", "input": "sgml"}, "Unknown input format 'sgml'"),
        (
            {"data": "x", "output": "folia"},
            "there are: conllu, epe, horizontal, vertical, plaintext",
        ),
        ({"data": "x", "output": "plaintext_normalized"}, "Unknown output format"),
        (
            {"data": "x", "output": "horizontal=pages"},
            "option 'pages' of horizontal; there is: par",
        ),
        ({"data": "x", "output": "matxin=v1"}, "option 'v1' of matxin; it has none"),
        ({"data": "x", "tokenizer": "range"}, "option 'range' of tokenizer; there is: ranges, pre"),
        ({"data": "x", "input": "conllu=v1"}, "Unknown option 'v1' of conllu"),
        ({"data": "x", "parser": "beam=5"}, "Unknown option 'beam=5' of parser"),
        ({"data": "x", "normalize": "nfkc"}, "normalize must be one of none, nfc"),
        ({"data": conllu(2) + "1\tOak\n"}, "expected 10 tab-separated columns, found 2"),
    ],
)
def test_errors_are_reported_in_a_line_of_text(
    client: TestClient, data: dict[str, str], why: str
) -> None:
    answer = client.post("/process", data=data)
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/plain")
    assert why in answer.text
    assert answer.text.count("\n") == 1


def test_a_bad_line_is_named(client: TestClient) -> None:
    line = conllu(2).count("\n") + 1
    answer = client.post("/process", data={"data": conllu(2) + "1\tOak\n", "parser": ""})
    assert answer.text.startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("application/x-www-form-urlencoded", b"data=\xff", "not in UTF-8"),
        ("application/x-www-form-urlencoded", b"data=%ff", "not in UTF-8"),
        ("application/x-www-form-urlencoded", b"&a=" * 200, "more than 100 fields"),
        ("multipart/form-data", b"data", "has no boundary"),
        ("multipart/form-data; boundary=x", b"data", "malformed multipart form"),
        ("multipart/form-data; boundary=x", b"--x\r\n", "malformed multipart form"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n\xff\r\n--x--\r\n',
            "data is not in UTF-8",
        ),
    ],
)
def test_broken_forms(client: TestClient, kind: str, body: bytes, why: str) -> None:
    answer = client.post("/process", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 400
    assert why in answer.text


def test_other_bodies_are_not_forms(client: TestClient) -> None:
    answer = client.post("/process", json={"data": "x"})
    assert answer.status_code == 415
    assert "application/json" in answer.text


def test_a_form_over_the_limit() -> None:
    with TestClient(make_app(models(), Limits(max_size=1000))) as client:
        answer = client.post("/process", data={"data": "x" * 1000})
    assert answer.status_code == 413
    assert "1,000 bytes" in answer.text


def test_no_data_is_no_error(client: TestClient) -> None:
    for more in (
        {},
        {"tokenizer": "", **TAG_AND_PARSE},
        {"input": "horizontal"},
        {"input": "vertical"},
    ):
        answer = client.post("/process", data={"data": "", **more})
        assert answer.json()["result"] == ""


def test_many_turns_give_the_same_answer_as_one(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer streamed slice by slice is complete JSON."""
    data = {"data": conllu(400), "tagger": "", "parser": ""}
    at_once = client.post("/process", data=data)
    monkeypatch.setattr("dodona.server.workers.TURN", 0.0)
    in_turns = client.post("/process", data=data)
    assert "content-length" not in in_turns.headers
    assert json.loads(in_turns.text) == at_once.json()
    assert columns(at_once.json()["result"]) == parse(sentences(400))


@pytest.mark.parametrize("short", [0, 1 << 16])
def test_long_requests_are_read_one_at_a_time(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    """Short requests wait neither for each other nor for long ones."""
    n_alone = 0

    @contextmanager
    def alone() -> Iterator[None]:
        nonlocal n_alone
        n_alone += 1
        yield

    data = {"data": "Oaks whisper", "input": "horizontal", "parser": ""}
    expected = client.post("/process", data=data).json()
    monkeypatch.setattr("dodona.server.answers.responses.SHORT", short)
    monkeypatch.setattr("dodona.server.answers.responses._READING", alone())
    assert client.post("/process", data=data).json() == expected
    assert n_alone == (short == 0)


@pytest.mark.parametrize(
    "disposition",
    [
        'form-data; name="data"',
        "form-data; name=data",
        'form-data; name="data"; filename="oaks.txt"',
        'form-data; filename="a;b.txt"; name="data"',
        'Form-Data;name="data"',
    ],
)
def test_multipart_names_in_any_notation(client: TestClient, disposition: str) -> None:
    part = f"--x\r\nContent-Disposition: {disposition}\r\n\r\nOaks whisper\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = client.post("/process?input=horizontal&parser", content=part, headers=kind)
    assert [word[1] for word in columns(answer.json()["result"])] == ["Oaks", "whisper"]


def test_parts_as_the_email_package_writes_them(client: TestClient) -> None:
    """As in UDPipe's own client, every part has a type, a charset and an encoding."""
    message = MIMEMultipart("form-data", policy=HTTP)
    for name, value in {"data": "Děti šly .", "input": "horizontal", "parser": ""}.items():
        part = MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().partition(b"\r\n\r\n")[2]
    answer = client.post(
        "/process", content=body, headers={"Content-Type": message["Content-Type"]}
    )
    assert [word[1] for word in columns(answer.json()["result"])] == ["Děti", "šly", "."]


def test_a_model_for_raw_text_answers_as_it_does_itself() -> None:
    """All components of the model are trained."""
    parser = small.train(small.treebank(60, 1), small.treebank(20, 2), pipeline="text")
    data = "\n\n".join([text(4), text(4)])
    with TestClient(make_app(Models([Model("whole", parser)]))) as client:
        answer = client.post(
            "/process", data={"data": data, "tokenizer": "ranges", **TAG_AND_PARSE}
        )
        streamed = client.post("/api/parse.conllu", content=data.encode())
        in_json = client.post("/api/parse", json={"text": data})
    expected = parser(data).to_conllu()
    assert answer.json()["result"].split("\n", 2)[2] == expected
    assert streamed.text == in_json.json()["conllu"] == expected
