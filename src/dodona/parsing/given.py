"""What is known of a tree before it is parsed: heads, labels, tags and spans of some words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from dodona.core.base.values import to_int
from dodona.errors import DodonaError
from dodona.records import field, record
from dodona.treebank.sentence import Sentence
from dodona.treebank.word import named_values

MARK = "Given"  # the name in MISC …
HEAD, LABEL, TAG = "Head", "Deprel", "Upos"  # … and its values, separated by commas
SPAN_COMMENT = "# given_span ="


class GivenError(DodonaError, ValueError):
    """Given heads, labels or spans that no tree of the parser can have."""


@record(frozen=True)
class Given:
    """Heads, labels, tags and spans of a sentence that the parser keeps.

    Words are numbered from 1, and the head 0 is the root. `labels` may be given without a head,
    `tags` are UPOS. A span (first, last) is a phrase: the head of one of its words is outside of
    it, and the heads of all others are inside.

    >>> Given(heads={1: 2}, labels={1: "nsubj"}, spans=[(2, 4)])
    Given(heads={1: 2}, labels={1: 'nsubj'}, tags={}, spans=((2, 4),))
    """

    heads: Mapping[int, int] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    tags: Mapping[int, str] = field(default_factory=dict)
    spans: Sequence[tuple[int, int]] = ()

    def __post_init__(self) -> None:
        heads = {to_int(word, "a word"): to_int(self.heads[word], "a head") for word in self.heads}
        spans = tuple((to_int(a, "a word"), to_int(b, "a word")) for a, b in self.spans)
        object.__setattr__(self, "heads", heads)
        object.__setattr__(self, "spans", spans)
        for name in ("labels", "tags"):
            texts: Mapping[int, str] = getattr(self, name)
            plain = {to_int(word, "a word"): str.__str__(texts[word]) for word in texts}
            object.__setattr__(self, name, plain)

    @classmethod
    def from_sentence(cls, sentence: Sentence) -> Given:
        """Return what the columns of a sentence hold; "_" leaves the parser free.

        If MISC marks a word by `Given=Head`, `Given=Deprel`, `Given=Upos` or some of them
        (`Given=Head,Deprel`), only what is marked in the sentence is given. Comments such as
        `# given_span = 2-5` give spans.

        >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, None], deprels=["_", "root"])
        >>> Given.from_sentence(oaks)
        Given(heads={1: 2}, labels={2: 'root'}, tags={}, spans=())
        >>> Given.from_sentence(oaks.replace(misc=["Given=Deprel", "Given=Deprel"])).heads
        {}
        """
        values = [*map(named_values, sentence.misc)] if sentence.format == "conllu" else []
        marks = [{*word[MARK].split(",")} if MARK in word else set() for word in values]
        if not any(marks):
            marks = [{HEAD, LABEL, TAG}] * len(sentence)
        rows = [*enumerate(zip(marks, sentence.heads, sentence.deprels, strict=True), 1)]
        tags = enumerate(zip(marks, sentence.upos, strict=True), 1)
        return cls(
            heads={i: head for i, (mark, head, _) in rows if HEAD in mark and head is not None},
            labels={i: label for i, (mark, _, label) in rows if LABEL in mark and label != "_"},
            tags={i: tag for i, (mark, tag) in tags if TAG in mark and tag != "_"},
            spans=[*_spans(sentence)],
        )


GivenOf = Callable[[Sentence], Given | None]


def _spans(sentence: Sentence) -> Iterator[tuple[int, int]]:
    for comment in sentence.comments:
        if comment.startswith(SPAN_COMMENT):
            first, dash, last = comment.removeprefix(SPAN_COMMENT).partition("-")
            if not (dash and first.strip().isdecimal() and last.strip().isdecimal()):
                raise GivenError(f"{comment!r} is not a span of words, such as {SPAN_COMMENT} 2-5")
            yield int(first), int(last)
