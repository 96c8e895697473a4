"""Requests to UDPipe's /process: data to be tokenized, tagged and parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dodona.server.errors import bad
from dodona.server.models import Model, Models
from dodona.server.requests.composition import compose
from dodona.server.requests.sentences import (
    cut,
    read_conllu,
    read_horizontal,
    read_text,
    read_vertical,
)
from dodona.treebank.sentence import Sentence

TOKENIZER = "generic_tokenizer"  # as an input format; usually given as tokenizer=
# the formats with their options
INPUTS: dict[str, tuple[str, ...]] = {
    **{"conllu": ("v2",), "horizontal": (), "vertical": ()},
    TOKENIZER: ("ranges", "presegmented", "normalized_spaces"),
}
OUTPUTS: dict[str, tuple[str, ...]] = {
    **{"conllu": ("v2",), "epe": (), "horizontal": ("paragraphs",), "vertical": ("paragraphs",)},
    **{"plaintext": ("normalized_spaces",), "matxin": ()},
}
ON = ("", "1", "on", "yes", "true")  # values of tagger and parser, which have no options here
OFF = "none"
FORMS = ("none", "nfc")  # Unicode normalisation
PARAMETERS = {  # with what they mean
    "data": "The text, in UTF-8; the only required parameter.",
    "model": "Name of a model, its beginning, or a language; else the default.",
    "tokenizer": "If present, `data` is raw text. Options: " + "; ".join(INPUTS[TOKENIZER]) + ".",
    "input": "Without `tokenizer`, the format of `data`: " + ", ".join(INPUTS) + ".",
    "tagger": "If present, tags, features and lemmas are predicted.",
    "parser": "If present, trees are predicted.",
    "output": "The format of the result: " + ", ".join(OUTPUTS) + ".",
    "normalize": "Unicode normalisation of `data`: " + " or ".join(FORMS) + ".",
}


@dataclass(frozen=True)
class ProcessRequest:
    """The data and its format, the steps to run, and the output format."""

    model: Model
    data: bytes
    input: str
    output: str
    tag: bool
    parse: bool
    options: frozenset[str] = frozenset()  # of the input format or tokenizer
    how: frozenset[str] = frozenset()  # options of the output

    @classmethod
    def read(cls, form: Mapping[str, bytes], models: Models) -> ProcessRequest:
        """Read a form; error messages are UDPipe's where it has some."""
        if "data" not in form:
            raise bad("The parameter 'data' is required.")
        fields = {name: value.decode() for name, value in form.items() if name != "data"}
        asked_for = fields.get("input", "conllu")
        if "tokenizer" in fields:
            asked_for = f"{TOKENIZER}={fields['tokenizer']}"
        input_, options = _read_format("input", asked_for, INPUTS)
        output, how = _read_format("output", fields.get("output", "conllu"), OUTPUTS)
        normal_form = fields.get("normalize", FORMS[0]).lower() or FORMS[0]
        if normal_form not in FORMS:
            raise bad(f"normalize must be one of {', '.join(FORMS)}, not '{normal_form}'.")
        # UDPipe 2 always normalises, which changes offsets; here only on request
        data = compose(form["data"]) if normal_form == "nfc" else form["data"]
        asked = cls(
            models.find(fields.get("model")),
            data,
            input_,
            output,
            tag=_is_on("tagger", fields),
            parse=_is_on("parser", fields),
            options=options,
            how=how,
        )
        for part, is_asked_for in {"tokenizer": asked.is_raw, "tagger": asked.tag}.items():
            if is_asked_for and part not in asked.model.parts:
                raise bad(f"The required model '{asked.model.name}' does not contain a {part}!")
        return asked

    @property
    def is_raw(self) -> bool:
        return self.input == TOKENIZER

    def sentences(self) -> Iterator[Sentence]:
        if self.input == "horizontal":
            return read_horizontal(self.data)
        if self.input == "vertical":
            return read_vertical(self.data)
        pieces = () if self.data.isspace() else cut(self.data)
        if self.is_raw:
            return read_text(self.model, pieces, by_lines="presegmented" in self.options)
        return read_conllu(pieces)


def _read_format(
    kind: str, text: str, known: Mapping[str, tuple[str, ...]]
) -> tuple[str, frozenset[str]]:
    """Read the name of a format and its options, as in horizontal=paragraphs.

    >>> _read_format("output", "plaintext=normalised", OUTPUTS)
    Traceback (most recent call last):
    dodona.server.errors.Refused: Unknown option 'normalised' of plaintext; there is: ...
    """
    name, _, rest = text.partition("=")
    if name not in known:
        raise bad(f"Unknown {kind} format '{name}'; there are: {', '.join(known)}.")
    options = frozenset(filter(None, (option.strip() for option in rest.split(";"))))
    for option in sorted(options - set(known[name])):
        public = "tokenizer" if name == TOKENIZER else name
        there = ", ".join(known[name])
        has = f"there is: {there}" if there else "it has none"
        raise bad(f"Unknown option '{option}' of {public}; {has}.")
    return name, options


def _is_on(part: str, fields: Mapping[str, str]) -> bool:
    value = fields.get(part, OFF).strip().lower()
    if value not in (*ON, OFF):
        raise bad(f"Unknown option '{value}' of {part}; it has none.")
    return value != OFF
