"""Documents: sequences of sentences with their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, overload

from dodona.core.base.values import plural, to_str
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import PICTURE_WIDTH, Sentence

if TYPE_CHECKING:
    import pyarrow
    import spacy.tokens
    import spacy.vocab

    from dodona.facts.extraction import Clause, Triple, VerbPhrase
    from dodona.query.match import Match
    from dodona.query.pattern import Pattern
    from dodona.treebank.span import Span
    from dodona.treebank.word import Word
    from dodona.treebank.word_index import Alignment, WordIndex


MAX_SHOWN = 20  # sentences in a notebook


class Doc(Sequence[Sentence]):
    """An immutable sequence of sentences.

    >>> doc = Doc([Sentence.from_columns(["Oaks", "speak"]), Sentence.from_columns(["Listen"])])
    >>> doc
    <Doc of 2 sentences, 3 words>
    >>> str(doc), [word.form for word in doc.words], len(doc[:1])
    ('Oaks speak Listen', ['Oaks', 'speak', 'Listen'], 1)
    """

    __slots__ = ("_index", "_is_strange", "_language", "_sentences", "_text")

    def __init__(
        self,
        sentences: Iterable[Sentence],
        text: str | None = None,
        *,
        is_strange: bool = False,
        language: str | None = None,
    ) -> None:
        self._sentences = tuple(sentences)
        self._text = None if text is None else to_str(text, "text")
        self._is_strange, self._language = is_strange, language
        self._index: WordIndex | None = None  # made on demand
        for sentence in self._sentences:
            if not isinstance(sentence, Sentence):
                raise TypeError(f"a document consists of sentences, not of {sentence!r}")

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self._sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Doc: ...
    def __getitem__(self, index: int | slice) -> Sentence | Doc:
        if isinstance(index, slice):
            return Doc(self._sentences[index])
        return self._sentences[index]

    def __eq__(self, other: object) -> bool:
        """Return whether sentences and text are equal."""
        if not isinstance(other, Doc):
            return NotImplemented
        return self._sentences == other._sentences and self.text == other.text

    def __hash__(self) -> int:
        return hash(self._sentences)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        n_words = sum(map(len, self._sentences))
        return f"<Doc of {plural(len(self), 'sentence')}, {plural(n_words, 'word')}>"

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError; for names of other libraries, suggest the name used here."""
        from dodona.treebank.elsewhere import DOC, explain

        raise AttributeError(explain("document", name, DOC))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Return the sentences, as does iterating over the document."""
        return self._sentences

    @property
    def is_strange(self) -> bool:
        """Return whether the text seems to be in a language that the model does not know."""
        return self._is_strange

    @property
    def language(self) -> str | None:
        """Return the code of the language that `dodona.load("auto")` found; else None."""
        return self._language

    @property
    def _word_index(self) -> WordIndex:
        if self._index is None:
            from dodona.treebank.word_index import WordIndex  # most documents need none

            self._index = WordIndex(self._sentences, self._text)
        return self._index

    @property
    def words(self) -> Span:
        """Return the words of all sentences; `doc.words[5]` is a word, `doc.words[5:9]` a span."""
        return self.span(0, len(self._word_index))

    def span(self, start: int, end: int, label: str = "") -> Span:
        """Return the words from position `start` up to `end`, which count the words from 0.

        >>> doc = Doc([Sentence.from_columns(["Old", "oaks", "speak"])])
        >>> doc.span(1, 3), doc.span(1, 3).start, doc.span(1, 3).end
        (<Span 'oaks speak'>, 4, 14)
        """
        from dodona.treebank.span import Span

        return Span(self._word_index, start, end, label)

    def char_span(
        self, start: int, end: int, label: str = "", *, alignment: Alignment = "strict"
    ) -> Span | None:
        """Return the words between two offsets of the text, in characters; None if there are none.

        With the alignment "strict" words must begin and end there; "contract" leaves out words that
        are not wholly in the range, and "expand" takes in all that are partly in it.

        >>> doc = Doc([Sentence.from_columns(["Old", "oaks", "speak"])])
        >>> doc.char_span(4, 8), doc.char_span(5, 8), doc.char_span(5, 8, alignment="expand")
        (<Span 'oaks'>, None, <Span 'oaks'>)
        """
        found = self._word_index.between(start, end, alignment)
        return None if found is None else self.span(*found, label)

    def position(self, word: Word) -> int:
        """Return the position of a word of the document, so that `doc.words[position]` is it."""
        return self._word_index.position(word)

    @property
    def text(self) -> str:
        """Return the text of the document; if none was given, that of its sentences."""
        return self._word_index.text if self._text is None else self._text

    def match(self, pattern: str | Pattern) -> list[Match]:
        """Return the matches of a pattern of words and arcs, or of a sequence of words.

        `dodona.query.language` and `dodona.query.sequences` have the grammars.

        >>> heads, deprels = [2, 0], ["nsubj", "root"]
        >>> doc = Doc([Sentence.from_columns(["Oaks", "speak"], heads=heads, deprels=deprels)])
        >>> [match["subject"].form for match in doc.match("form=speak >nsubj * as subject")]
        ['Oaks']
        """
        from dodona.query.pattern import compile_pattern

        return list(compile_pattern(pattern).find(self._sentences))

    def noun_phrases(self) -> list[Span]:
        """Return the noun phrases of all sentences; see `Sentence.noun_phrases`."""
        from dodona.treebank.noun_phrases import LABEL, find_noun_phrases

        found: list[Span] = []
        n_before = 0
        for sentence in self._sentences:
            for first, last in find_noun_phrases(sentence):
                found.append(self.span(n_before + first - 1, n_before + last, LABEL))
            n_before += len(sentence)
        return found

    def verb_phrases(self) -> list[VerbPhrase]:
        """Return the verb phrases of all sentences; see `dodona.facts`."""
        return [phrase for sentence in self._sentences for phrase in sentence.verb_phrases()]

    def clauses(self) -> list[Clause]:
        """Return the clauses of all sentences; see `dodona.facts`."""
        return [clause for sentence in self._sentences for clause in sentence.clauses()]

    def triples(self) -> list[Triple]:
        """Return subjects, verbs and objects of all sentences; see `dodona.facts`.

        >>> heads, deprels, upos = [2, 0], ["nsubj", "root"], ["NOUN", "VERB"]
        >>> lemmas = ["oak", "speak"]
        >>> oaks = Sentence.from_columns(
        ...     ["Oaks", "spoke"], lemmas=lemmas, upos=upos, heads=heads, deprels=deprels)
        >>> [(triple.subject, triple.verb, triple.object) for triple in Doc([oaks]).triples()]
        [(<Word 1 Oaks>, 'speak', None)]
        """
        return [triple for sentence in self._sentences for triple in sentence.triples()]

    def to_conllu(self) -> str:
        """Return the document in CoNLL-U."""
        return "".join(sentence.to_conllu() for sentence in self._sentences)

    @classmethod
    def from_conllu(
        cls, text: str | bytes, *, trees: Literal["required", "optional", "ignored"] = "optional"
    ) -> Doc:
        """Read a document from a text in CoNLL-U; `trees` is that of `dodona.read`.

        >>> Doc.from_conllu("1\\tSpeak\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")[0].forms
        ['Speak']
        """
        data = text.encode() if isinstance(text, str) else text
        return cls(read(BytesIO(data), trees=trees, name="<text>"))

    def to_svg(
        self,
        *,
        width: float | None = PICTURE_WIDTH,
        tags: Literal["upos", "xpos"] | None = "upos",
        compact: bool = False,
        margin: float | None = None,
    ) -> str:
        """Draw all sentences, one below the other; see `Sentence.to_svg`."""
        from dodona.drawing.svg import stack_pictures

        how: Any = {"width": width, "tags": tags, "compact": compact, "margin": margin}
        return stack_pictures(s.to_svg(standalone=False, **how) for s in self)

    def to_html(
        self,
        *,
        width: float | None = PICTURE_WIDTH,
        tags: Literal["upos", "xpos"] | None = "upos",
        compact: bool = False,
        margin: float | None = None,
        title: str = "Dodona",
    ) -> str:
        """Return an HTML page with a picture of each sentence below its text."""
        from dodona.drawing.html import page

        how: Any = {"width": width, "tags": tags, "compact": compact, "margin": margin}
        drawn = ((s.to_svg(standalone=False, **how), s.text) for s in self)
        return page(drawn, title)

    def to_png(self, *, scale: float = 2.0, **how: Any) -> bytes:
        """Return a PNG of `to_svg`, enlarged by `scale`; it takes the options of `to_svg`."""
        from dodona.bridges.cairo import to_png

        return to_png(self.to_svg(**how), scale=scale)

    def to_pdf(self, **how: Any) -> bytes:
        """Return a PDF of one page; it takes the options of `to_svg`."""
        from dodona.bridges.cairo import to_pdf

        return to_pdf(self.to_svg(**how))

    def _repr_html_(self) -> str:
        rest = len(self) - MAX_SHOWN
        return self[:MAX_SHOWN].to_svg() + (f"<p>… and {rest:,} more sentences</p>" * (rest > 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the document as lists and dictionaries."""
        found = {"language": self._language} if self._language else {}
        sentences = [sentence.to_dict() for sentence in self._sentences]
        return {"text": self.text, **found, "sentences": sentences}

    @classmethod
    def from_dict(cls, data: Any) -> Doc:
        """Read what `to_dict` returned: a document, a sentence, or a list of sentences.

        >>> doc = Doc([Sentence.from_columns(["Oaks", "speak"], heads=[2, 0])])
        >>> Doc.from_dict(doc.to_dict()) == doc
        True
        """
        from dodona.treebank.plain_data import from_data

        data = {"sentences": data} if isinstance(data, list) else data
        if not isinstance(data, dict) or "sentences" not in data:
            return cls([from_data(data)])
        some = enumerate(data["sentences"])
        text = data.get("text")
        return cls([from_data(one, f"sentences[{i}]") for i, one in some], text)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the document as JSON, in the shape of `dodona.bridges.json_schema`."""
        from json import dumps

        return dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Doc:
        """Read a document from JSON, or from JSON lines with a sentence each.

        It may come from `to_json`, from `dodona parse --output json` or from the server.

        >>> Doc.from_json('{"words": [{"form": "Oaks"}]}\\n{"words": [{"form": "Speak"}]}\\n')
        <Doc of 2 sentences, 2 words>
        """
        from json import JSONDecodeError, loads

        try:
            return cls.from_dict(loads(text))
        except JSONDecodeError:
            lines = text.splitlines()
            return cls.from_dict([loads(line) for line in lines if line.strip()])

    def to_tei(self) -> str:
        """Return the document in TEI; see `dodona.bridges.tei`."""
        from dodona.bridges.tei import to_tei

        return to_tei(self._sentences)

    def to_brat(self) -> tuple[str, str]:
        """Return the text and the annotations of the document for brat (.txt and .ann)."""
        from dodona.bridges.brat import to_brat

        return to_brat(self._sentences)

    def to_webanno(self) -> str:
        """Return the document in WebAnno TSV 3.3, which INCEpTION reads, too."""
        from dodona.bridges.webanno import to_webanno

        return to_webanno(self._sentences)

    def to_arrow(self) -> pyarrow.Table:
        """Return a table with a row per word; see `dodona.bridges.arrow.to_arrow`."""
        from dodona.bridges.arrow import to_arrow

        return to_arrow(self._sentences)

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> Doc:
        """Read a document from a table of `to_arrow`."""
        from dodona.bridges.arrow import from_arrow

        return cls(from_arrow(table))

    def to_pandas(self) -> Any:
        """Return a data frame with a row per word; see `dodona.bridges.pandas.to_pandas`."""
        from dodona.bridges.pandas import to_pandas

        return to_pandas(self._sentences)

    def to_spacy(
        self, vocab: spacy.vocab.Vocab | None = None, *, lang: str = "xx"
    ) -> spacy.tokens.Doc:
        """Convert to a spaCy document; see `dodona.bridges.spacy.to_spacy`."""
        from dodona.bridges.spacy import to_spacy

        return to_spacy(self._sentences, vocab, lang=lang)

    @classmethod
    def from_spacy(cls, doc: spacy.tokens.Doc) -> Doc:
        """Convert from a spaCy document; see `dodona.bridges.spacy.from_spacy`."""
        from dodona.bridges.spacy import from_spacy

        return cls(from_spacy(doc), doc.text)
