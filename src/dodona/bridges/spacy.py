"""Conversion of sentences to and from spaCy documents.

A spaCy token is a word of Universal Dependencies: a multiword token (French *du*) becomes the
tokens *de* and *le* without a space between them. In spaCy, white space other than a single space
is a token; here it is stored in MISC, as UDPipe does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from dodona.extras import require
from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import escape_spaces

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token
    from spacy.vocab import Vocab

SPACE_LABEL = "dep"  # spaCy's label of white space
ROOT = "ROOT"  # spaCy's label of the root
ROOT_LABELS = (ROOT, "root")  # of spaCy and of Universal Dependencies


class _DocRow(NamedTuple):
    """A token as it is given to spaCy's Doc, whose arguments are lists of these fields."""

    words: str
    spaces: bool
    tags: str
    pos: str
    morphs: str
    lemmas: str
    heads: int
    deps: str
    sent_starts: bool


def to_spacy(sentences: Iterable[Sentence], vocab: Vocab | None = None, *, lang: str = "xx") -> Doc:
    """Make a spaCy document: forms, spaces, XPOS (tag_), UPOS (pos_), features, lemmas, trees.

    Sentence boundaries are kept if each sentence has one root: spaCy starts a sentence at every
    root. Without a vocabulary, the document gets one of the language `lang` ("en"; "xx" is any),
    with noun chunks by the relations of UD.
    """
    spacy = require("spacy", "spacy")
    known_pos = require("spacy.parts_of_speech", "spacy").IDS
    rows, has_trees = list[_DocRow](), False
    for sentence in sentences:
        has_trees = has_trees or any(head is not None for head in sentence.heads)
        _add(rows, sentence, known_pos)
    given = {name: [row[i] for row in rows] for i, name in enumerate(_DocRow._fields)}
    if not has_trees:
        del given["heads"], given["deps"]
    if vocab is None:
        vocab = spacy.blank(lang).vocab
        vocab.get_noun_chunks = noun_chunks
    return spacy.tokens.Doc(vocab, **given)


def _add(rows: list[_DocRow], sentence: Sentence, known_pos: dict[str, int]) -> None:
    """Add the words of a sentence, and the white space after them as tokens."""
    white_space = {token.last: token.white_space for token in sentence.tokens}
    rests = [white_space.get(word.id, "").removeprefix(" ") for word in sentence]
    # the position of each word in the document
    position = [*accumulate((1 + bool(rest) for rest in rests), initial=len(rows))]
    for word, here, rest in zip(sentence, position, rests, strict=False):
        row = _DocRow(
            words=word.form,
            spaces=white_space.get(word.id, "").startswith(" "),
            tags=_value(word.xpos),
            pos=word.upos if word.upos in known_pos else _value(word.upos) and "X",
            morphs=_value(word.feats) if word.features and "=" in word.feats else "",
            lemmas=_value(word.lemma),
            heads=position[word.head - 1] if word.head else here,
            deps=ROOT if word.head == 0 else _value(word.deprel),
            sent_starts=word.id == 1,
        )
        rows.append(row)
        if rest:
            is_spaced = len(rest) > 1 and rest.endswith(" ")
            text = rest.removesuffix(" ") if is_spaced else rest
            rows.append(_DocRow(text, is_spaced, "_SP", "SPACE", "", "", here, SPACE_LABEL, False))


def _value(column: str) -> str:
    return "" if column == "_" else column


def is_white_space(token: Token) -> bool:
    """Return whether a token is white space; not every vocabulary has this attribute."""
    return str(token.text).isspace()


def from_spacy(doc: Doc) -> list[Sentence]:
    """Return the sentences of a spaCy document; one if it has no sentence boundaries."""
    return [sentence for sentence, _ in sentences_in(doc)]


def noun_chunks(doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Yield noun phrases (`Sentence.noun_phrases`) as spaCy chunks: start, end, label."""
    doc: Any = doclike.doc
    label = doc.vocab.strings.add("NP")
    for sentence, words in sentences_in(doc):
        for phrase in sentence.noun_phrases():
            first, last = words[phrase[0].id - 1].i, words[phrase[-1].id - 1].i
            if doclike[0].i <= first and last <= doclike[-1].i:
                yield first, last + 1, label


def sentences_in(
    doc: Doc, starts: list[int] | None = None
) -> Iterator[tuple[Sentence, list[Token]]]:
    """Yield each sentence with the tokens of its words; `starts` overrides its boundaries."""
    has_trees = doc.has_annotation("DEP")
    if starts is None:
        spans = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    else:
        # the first token of a sentence is the first that does not start before it
        offsets = [token.idx for token in doc]
        firsts = {0, *(bisect_left(offsets, start) for start in starts[1:]), len(doc)}
        spans = [doc[a:b] for a, b in pairwise(sorted(firsts))]
    for span in spans:
        words = [token for token in span if not is_white_space(token)]
        if words:
            yield _sentence(span, words, has_trees), words


def _sentence(span: Span, words: list[Token], has_trees: bool) -> Sentence:
    ids = {token.i: number for number, token in enumerate(words, start=1)}
    heads = [_head(token, ids) for token in words] if has_trees else None
    return Sentence.from_columns(
        [token.text for token in words],
        lemmas=[token.lemma_ or "_" for token in words],
        upos=[token.pos_ or "_" for token in words],
        xpos=[token.tag_ or "_" for token in words],
        # Universal Dependencies ignores case in the order of features
        feats=["|".join(sorted(str(t.morph).split("|"), key=str.lower)) or "_" for t in words],
        heads=heads,
        deprels=[
            "root" if head == 0 and token.dep_ in ROOT_LABELS else token.dep_ or "_"
            for token, head in zip(words, heads or [None] * len(words), strict=True)
        ],
        misc=[_misc(token) for token in words],
    )


def _head(token: Token, ids: dict[int, int]) -> int | None:
    if not token.dep_ and token.head.i == token.i:
        return None
    head = token.head
    while head.i not in ids:  # white space
        if head.head.i == head.i:
            return 0
        head = head.head
    return 0 if head.i == token.i else ids[head.i]


def _misc(token: Token) -> str:
    """Return MISC: the position of a token in the text, and the white space after it."""
    position = f"TokenRange={token.idx}:{token.idx + len(token)}"
    after = token.whitespace_
    doc: Any = token.doc
    for follower in doc[token.i + 1 :]:
        if not is_white_space(follower):
            break
        after += follower.text_with_ws
    if after == " ":
        return position
    spaces = f"SpacesAfter={escape_spaces(after)}" if after else "SpaceAfter=No"
    return f"{spaces}|{position}"
