"""What UDPipe's /process is asked: data in one format, tokenized, tagged, parsed, in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dodona.server.errors import bad
from dodona.server.models import Model, Models
from dodona.server.requests.sentences import cut, read_conllu, read_text
from dodona.server.requests.words import read_horizontal, read_vertical
from dodona.treebank.sentence import Sentence

INPUTS = ("conllu", "horizontal", "vertical", "generic_tokenizer")


@dataclass(frozen=True)
class ProcessRequest:
    """Sentences in one format or another, what to do with them, and how to write them."""

    model: Model
    data: bytes
    input: str
    output: str  # a format, by a name that may not exist
    tag: bool
    parse: bool
    options: frozenset[str] = frozenset()  # of the tokenizer

    @classmethod
    def read(cls, fields: Mapping[str, str], models: Models) -> ProcessRequest:
        """From a form; what is wrong with it is told in UDPipe's words, where it has some."""
        if "data" not in fields:
            raise bad("The parameter 'data' is required.")
        input_, _, options = fields.get("input", "conllu").partition("=")
        if "tokenizer" in fields:
            input_, options = "generic_tokenizer", fields["tokenizer"]
        output, _, how = fields.get("output", "conllu").partition("=")
        if output == "plaintext" and how == "normalized_spaces":
            output = "plaintext_normalized"
        if input_ not in INPUTS:
            raise bad(f"Unknown input format '{input_}'; there are: {', '.join(INPUTS)}.")
        asked = cls(
            models.find(fields.get("model")),
            fields["data"].encode(),  # shorter than a string, whatever is in it
            input_,
            output,
            tag=fields.get("tagger", "none") != "none",
            parse=fields.get("parser", "none") != "none",
            options=frozenset(options.split(";")),
        )
        asked._check_parts()
        return asked

    @property
    def is_raw(self) -> bool:
        """Whether the data is raw text."""
        return self.input == "generic_tokenizer"

    def sentences(self) -> Iterator[Sentence]:
        """The sentences of the data."""
        if self.input == "horizontal":
            return read_horizontal(self.data)
        if self.input == "vertical":
            return read_vertical(self.data)
        pieces = () if self.data.isspace() else cut(self.data)
        if self.is_raw:
            return read_text(self.model, pieces, by_lines="presegmented" in self.options)
        return read_conllu(pieces)

    def _check_parts(self) -> None:
        for part, is_asked_for in {"tokenizer": self.is_raw, "tagger": self.tag}.items():
            if is_asked_for and part not in self.model.parts:
                raise bad(f"The required model '{self.model.name}' does not contain a {part}!")
