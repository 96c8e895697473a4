"""WebAnno TSV 3.3, which WebAnno and INCEpTION read: a token per line, arcs by position.

Tags, lemmas, features and dependencies are in DKPro's layers, as these programs have them. Tokens
do not overlap there, so a multiword token becomes its words. Offsets count UTF-16 code units, as
Java does; the root depends on itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import tokens

_LEXICAL = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type"
_POS = f"{_LEXICAL}.pos.POS"
_LEMMA = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Lemma"
_DEPENDENCY = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"
HEADER = f"""#FORMAT=WebAnno TSV 3.3
#T_SP={_LEXICAL}.morph.MorphologicalFeatures|value
#T_SP={_POS}|coarseValue|PosValue
#T_SP={_LEMMA}|value
#T_RL={_DEPENDENCY}|DependencyType|flavor|BT_{_POS}

"""
BASIC = "basic"
_RESERVED = re.compile(r"\\|\[|\]|\||_|->|;|\t|\n|\*")


class WebAnnoLines:
    """The lines of a document, sentence by sentence."""

    def __init__(self) -> None:
        self._n_sentences = self._n_units = 0

    def add(self, sentence: Sentence) -> str:
        """Return the lines of the next sentence."""
        self._n_sentences += 1
        forms = list(sentence.forms)
        after = [" "] * len(forms)
        for token in tokens(sentence):
            after[token.last - 1] = " " if token.space_after else ""
        after[-1] = ""
        text = "".join(form + space for form, space in zip(forms, after, strict=True))
        lines, start = [f"\n#Text={_escape_text(text)}\n"], self._n_units
        for i, (form, space) in enumerate(zip(forms, after, strict=True)):
            end = start + _units(form)
            columns = (sentence.feats, sentence.upos, sentence.xpos, sentence.lemmas)
            values = [_value(column[i]) for column in columns]
            arc = self._arc(i + 1, sentence.heads[i], sentence.deprels[i])
            cells = (f"{self._n_sentences}-{i + 1}", f"{start}-{end}", form, *values, *arc)
            lines.append("\t".join([*cells, "\n"]))
            start = end + len(space)
        self._n_units = start + 1  # a line break separates sentences
        return "".join(lines)

    def _arc(self, word: int, head: int | None, label: str) -> tuple[str, str, str]:
        if head is None:
            return "_", "_", "_"
        return _value(label), BASIC, f"{self._n_sentences}-{head or word}"


def to_webanno(sentences: Iterable[Sentence]) -> str:
    """Return sentences in WebAnno TSV 3.3.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> to_webanno([oaks]).splitlines()[-1].split()
    ['1-2', '5-10', 'speak', '*', '*', '*', '*', 'root', 'basic', '1-2']
    """
    lines = WebAnnoLines()
    return HEADER + "".join(map(lines.add, sentences))


def _value(value: str) -> str:
    """Return a value of an annotation; "*" is one without a value."""
    return "*" if value == "_" else _RESERVED.sub(lambda found: f"\\{found[0]}", value)


def _escape_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\r", "\\r")


def _units(form: str) -> int:
    return len(form.encode("utf-16-le")) // 2
