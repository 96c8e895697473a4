"""Tags that sentences bring along: what a parser keeps of them, and what it cannot do without."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

NAMES = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "lemma": "LEMMA"}  # of tag columns
TAG_COLUMNS = ("upos", "xpos", "tag")  # of templates; "tag" joins the first two by a tab


def reads_tags(encoder: Encoder) -> bool:
    """Return whether the features of a model use tags, and it has seen any."""
    columns = zip(encoder.columns, encoder.vocabularies, strict=True)
    seen = (some.strings() for name, some in columns if name in TAG_COLUMNS)
    blank = {UNANNOTATED.encode(), f"{UNANNOTATED}\t{UNANNOTATED}".encode()}
    return any(not blank.issuperset(values) for values in seen)


def require_tags(batch: Sequence[Sentence]) -> None:
    """Raise TreebankError if no sentence of a batch has tags."""
    if batch and all(_is_blank(s.upos) and _is_blank(s.xpos) for s in batch):
        raise TreebankError(
            batch[0].source,
            batch[0].line,
            "no UPOS or XPOS, but the model was trained on gold tags and needs them: add tags "
            "(`dodona tag`), or train a model with --tags predicted, which tags by itself",
        )


def given_tags(sentence: Sentence, columns: Collection[str]) -> list[str]:
    """Return the names of those of some columns that the sentence has values in.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> given_tags(oaks, ["xpos", "upos", "lemma"])
    ['UPOS']
    """
    values = {name: getattr(sentence, "lemmas" if name == "lemma" else name) for name in NAMES}
    return [
        title for name, title in NAMES.items() if name in columns and not _is_blank(values[name])
    ]


def _is_blank(values: Sequence[str]) -> bool:
    return all(value == UNANNOTATED for value in values)
