"""The parser: load, parse, save."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dodona.batches import require_sentence, require_text, stream
from dodona.core.base.values import show
from dodona.core.features.corpus import Corpus
from dodona.core.search.actions import Actions
from dodona.core.search.beam import Beam
from dodona.core.search.greedy import Greedy
from dodona.core.search.lockstep import LockStep
from dodona.core.search.search import Search
from dodona.core.search.tracing import beam_steps, trace
from dodona.core.transitions.action import Action
from dodona.core.transitions.constraints import Constraints
from dodona.core.transitions.registry import system
from dodona.core.transitions.system import State
from dodona.doc import Doc
from dodona.parsing.confidence import Calibration, Signals, add_confidences, find_signals
from dodona.parsing.scorers import LinearParserScorer, ParserScorer
from dodona.records import field, record, replace
from dodona.segmentation.foreign import check_stream, is_foreign
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.settings import (
    CONSTRAINTS,
    NO_CONSTRAINTS,
    ROOT_COUNTS,
    BeamSettings,
    Settings,
    SettingsError,
)
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field, read_settings
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.tagging.tagger import Tagger
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.graphs.graph_decoding import GraphDecoder
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective
from dodona.treebank.trees.pseudoprojective import SCHEMES, deprojectivise, lifted
from dodona.treebank.trees.word_kinds import set_kinds

if TYPE_CHECKING:  # loaded with the models that have one
    from dodona.enhancing.enhancer import Enhancer

Item = TypeVar("Item", Sentence, Sentence | BadSentence)
Context = TypeVar("Context")


@record(repr=False)
class Parser(Serialisable):
    """A transition system, a scorer of its actions, and greedy or beam search.

    Made by `dodona.train` or `dodona.load`. `record` documents the training: settings, checksums of
    the data, scores on the dev set. With a tagger the parser needs no tags, with a segmenter no
    words.
    """

    # version 2: other feature keys; 3: lemmas in taggers
    FORMAT = FileFormat("model", version=3, oldest=3, implied=3)

    settings: Settings
    scorer: ParserScorer
    root_label: str
    pairs: list[tuple[int, int, bool, bool]]
    record: dict[str, Any] = field(default_factory=dict)
    segmenter: Segmenter | None = None
    graphs: Parser | None = None  # builds graphs, with the trees of this parser as features
    enhancer: Enhancer | None = None  # makes graphs from the trees of this parser, on demand
    calibration: Calibration | None = None  # of confidences; None: they are not calibrated

    def __post_init__(self) -> None:
        self.labels = [label.decode() for label in self.encoder.labels]
        self.system = system(
            self.settings.system,
            labels=self.labels,
            root=self.settings.root,
            loss=self.settings.loss,
            static_oracle=self.settings.static_oracle,
            root_label=self.root_label,
        )
        self.actions = Actions(self.system, self.pairs)
        self.search = self._search()
        self._lifted = set()  # labels that encode where a lifted arc belongs
        if self.settings.projectivise in SCHEMES:
            self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    @property
    def encoder(self) -> Encoder:
        """The labels, and the vocabularies of the columns that features use."""
        return self.scorer.encoder

    @property
    def tagger(self) -> Tagger | None:
        """The tagger that fills in missing tags, if there is one."""
        return self.scorer.tagger

    def __repr__(self) -> str:
        parts = [name for name, part in self.parts().items() if part is not None]
        rest = f", with {' and '.join(parts)}" if parts else ""
        return f"<Parser {self.settings.system}, {len(self.labels)} labels{rest}>"

    def with_constraints(self, constraints: str) -> Parser:
        """Return a parser with the same parts that builds trees under these constraints."""
        if constraints == self.settings.constraints:
            return self
        return replace(self, settings=self.settings.replace(constraints=constraints))

    @property
    def has_graphs(self) -> bool:
        """Whether the parser can make enhanced graphs (the column DEPS)."""
        parts = self.graphs, self.enhancer
        return self.system.builds_graphs or any(part is not None for part in parts)

    def with_enhancer(self, enhancer: Enhancer) -> Parser:
        """Return the parser with a part that makes graphs from its trees."""
        if self.graphs is not None or self.system.builds_graphs:
            raise ValueError("the parser was trained to build graphs: it takes no enhancer")
        return replace(self, enhancer=enhancer)

    def __call__(
        self,
        text: str,
        *,
        threads: int = 1,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Doc:
        """Segment, tag and parse raw text; the other options are those of `pipe`."""
        segmenter, text = require_segmenter(self.segmenter), require_text(text)
        sentences = self.pipe(
            segmenter.segment(text),
            threads=threads,
            constraints=constraints,
            graph=graph,
            confidence=confidence,
        )
        return Doc(sentences, text, is_strange=is_foreign(text, self.record, segmenter))

    @overload
    def docs(
        self,
        texts: Iterable[str],
        *,
        as_tuples: Literal[False] = False,
        threads: int = 1,
        beam: int | None = None,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Iterator[Doc]: ...
    @overload
    def docs(
        self,
        texts: Iterable[tuple[str, Context]],
        *,
        as_tuples: Literal[True],
        threads: int = 1,
        beam: int | None = None,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Iterator[tuple[Doc, Context]]: ...
    def docs(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        threads: int = 1,
        beam: int | None = None,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Iterator[Any]:
        """Parse a stream of texts, in order, each into a document of its own.

        With `as_tuples`, texts come as pairs (text, context), and documents as (doc, context).
        Texts are read ahead, since many sentences are parsed at a time; if the stream ends in an
        error, all documents before it are yielded first. `beam` and `constraints` are as in `pipe`.
        """
        if isinstance(texts, str):
            raise TypeError("docs takes several texts; to parse one, call parser(text)")
        segmenter = require_segmenter(self.segmenter)
        waiting: deque[_WaitingText] = deque()

        def sentences() -> Iterator[Sentence]:
            for item in texts:
                text, context = item if as_tuples else (item, None)
                found = segmenter.segment(text := require_text(text))
                is_strange = is_foreign(text, self.record, segmenter)
                waiting.append(_WaitingText(text, len(found), is_strange, context))
                yield from found

        parsed = self.pipe(
            sentences(),
            threads=threads,
            beam=beam,
            constraints=constraints,
            graph=graph,
            confidence=confidence,
        )
        return _gather(parsed, waiting, as_tuples)

    def pipe_text(
        self,
        chunks: Iterable[str],
        *,
        threads: int = 1,
        beam: int | None = None,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Iterator[Sentence]:
        """Parse one raw text that comes in chunks, such as an open file, in little memory.

        Chunks are concatenated, wherever the text was cut; for several texts use `docs`. `beam` and
        `constraints` are as in `pipe`.
        """
        if isinstance(chunks, (str, list, tuple)):
            raise TypeError(
                "pipe_text reads one text from a stream of chunks, and would join several texts: "
                "parser.docs(texts) makes a document of each, parser(text) parses one; if these "
                "are the chunks of one text, pass iter(chunks)"
            )
        segmenter = require_segmenter(self.segmenter)
        checked = check_stream(chunks, self.record, segmenter)
        sentences = chain.from_iterable(segmenter.stream(checked))
        return self.pipe(
            sentences,
            threads=threads,
            beam=beam,
            constraints=constraints,
            graph=graph,
            confidence=confidence,
        )

    def parse(
        self, sentence: Sentence, *, graph: bool = False, confidence: bool = False
    ) -> Sentence:
        """Return the sentence with predicted heads and labels; options are those of `pipe`."""
        return next(self.pipe([require_sentence(sentence)], graph=graph, confidence=confidence))

    def trace(self, sentence: Sentence) -> list[tuple[State, Action | None]]:
        """Return every state of a sentence's derivation, with the action that was taken there.

        The last state is final and has the action None. The trace ends before `pipe` completes the
        tree (words without a head, several roots) and restores crossing arcs.
        """
        return trace(self.search, self.encode(sentence))

    def trace_beam(
        self, sentence: Sentence, beam: int | None = None
    ) -> list[list[tuple[float, int, Action | None]]]:
        """Return the beam after each step: score, parent and action of hypotheses, best first.

        The parent is an index into the beam before. A final hypothesis waits for the others: its
        action is None. `beam` is as in `pipe`; 1 is a beam, too.
        """
        width = self.settings.search.beam if beam is None else BeamSettings(beam).beam
        rules = self.search.constraints
        search = Beam(self.scorer.state_scorer, self.actions, width=width, constraints=rules)
        return beam_steps(search, self.encode(sentence))

    def tagged(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the tags that the tagger fills in."""
        return self.scorer.read([require_sentence(sentence)], self._keep())[0][0]

    def encode(self, sentence: Sentence) -> Corpus:
        """Return the sentence, with the tags that the tagger fills in, as a search reads it."""
        tagged, corpus = self.scorer.read([require_sentence(sentence)], self._keep())
        if self.search.constraints:
            set_kinds(corpus, tagged)
        return corpus

    def _keep(self) -> Collection[str]:
        """Return the columns that keep values which are already there."""
        return self.tagger.columns if self.tagger else ()

    def pipe(
        self,
        sentences: Iterable[Item],
        *,
        threads: int = 1,
        roots: str | None = None,
        beam: int | None = None,
        keep_tags: bool = False,
        retag: bool = False,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through unchanged.

        If the stream ends in an error, all sentences before it are yielded first. `roots` is the
        number of words that may depend on the root of a sentence: "one" or "many"; `beam` is the
        number of derivations that are kept side by side. With `constraints` "ud", every tree obeys
        the rules of Universal Dependencies for relations, given its tags
        (`treebank.trees.ud_rules`); with "none", it may break them. All three default to the
        training settings. A parser with a tagger fills in the columns that a sentence lacks; with
        `retag` it replaces all of them, with `keep_tags` it changes none.
        With `graph`, sentences also get enhanced graphs (DEPS), which the parser must be able to
        make (`has_graphs`); a parser that was trained to build graphs always does.
        With `confidence`, every word says how sure the model is: `word.confidence`, the probability
        that its head is right, and the like for label and tags. The trees are the same.
        """
        search = self.search
        if (roots, beam, constraints) != (None, None, None):
            search = self._search(roots, beam, constraints)
        if keep_tags and retag:
            raise SettingsError("either keep_tags or retag: tags cannot be both kept and replaced")
        if graph and not self.has_graphs:
            raise SettingsError(
                "the model makes no enhanced graphs: dodona enhance adds a part that does, or train"
                " a model with --graph basic+enhanced"
            )
        keep = None if keep_tags else () if retag else self._keep()

        parse = self._parse_with_confidence if confidence else self._parse_batch

        def work(batch: list[Sentence]) -> list[Sentence]:
            parsed = parse(batch, search, keep)
            return self.enhancer.enhance(parsed) if graph and self.enhancer else parsed

        return stream(sentences, work, threads)

    def _search(
        self, roots: str | None = None, beam: int | None = None, constraints: str | None = None
    ) -> Search:
        """Return a search with these options; None stands for the setting of that name."""
        settings = self.settings
        roots = settings.roots if roots is None else roots
        beam = settings.search.beam if beam is None else beam
        if roots not in ROOT_COUNTS:
            raise SettingsError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {show(roots)}")
        beam = BeamSettings(beam).beam
        scorer = self.scorer.state_scorer
        kind: Callable[..., Search] = partial(Beam, width=beam)
        if beam == 1:
            in_lockstep = scorer.is_batched and not self.system.builds_graphs
            kind = LockStep if in_lockstep else Greedy
        return kind(
            scorer,
            self.actions,
            one_root=roots == "one",
            root_label=self.labels.index(self.root_label),
            constraints=self._constraints(
                settings.constraints if constraints is None else constraints
            ),
        )

    def _constraints(self, name: str) -> Constraints | None:
        if name == NO_CONSTRAINTS:
            return None
        if name not in CONSTRAINTS:
            raise SettingsError(f"constraints are one of {', '.join(CONSTRAINTS)}, not {name!r}")
        if self.system.builds_graphs:
            raise SettingsError(f"constraints are for trees, and {self.system.name} builds graphs")
        from dodona.treebank.trees.ud_rules import constraints_of  # slow to import: a large table

        return constraints_of(self.labels)

    def _parse_batch(
        self, batch: list[Sentence], search: Search, keep: Collection[str] | None
    ) -> list[Sentence]:
        return self._parse_read(*self.scorer.read(batch, keep), search)

    def _parse_with_confidence(
        self, batch: list[Sentence], search: Search, keep: Collection[str] | None
    ) -> list[Sentence]:
        calibrators = {} if self.calibration is None else self.calibration.columns
        temperatures = {name: one.temperature for name, one in calibrators.items()}
        parsed, signals = self.parse_with_signals(batch, search, keep, temperatures)
        return add_confidences(calibrators, signals, parsed, batch, keep or ())

    def parse_with_signals(
        self,
        batch: list[Sentence],
        search: Search,
        keep: Collection[str] | None,
        temperatures: Mapping[str, float],
    ) -> tuple[list[Sentence], Signals]:
        """Parse a batch; return also the signals of arcs, labels and tags, for calibration."""
        tagged, corpus, tags = self.scorer.read_scored(batch, keep)
        parsed = self._parse_read(tagged, corpus, search)
        columns = self.tagger.columns if self.tagger else ()
        return parsed, find_signals(search, corpus, tags, columns, temperatures)

    def _parse_read(self, batch: list[Sentence], corpus: Corpus, search: Search) -> list[Sentence]:
        """Parse sentences that the scorer has read."""
        if search.constraints:
            set_kinds(corpus, batch)
        search.parse(corpus)
        if self.system.builds_graphs:
            return GraphDecoder(self.labels).decode(corpus, batch)
        parsed = self.encoder.decode(corpus, batch)
        moved = set(corpus.broken)
        if self._lifted:
            for i, sentence in enumerate(parsed):
                if not self._lifted.isdisjoint(corpus.labels(i)):
                    heads, labels = deprojectivise(
                        [head or 0 for head in sentence.heads],
                        sentence.deprels,
                        self.settings.projectivise,
                    )
                    parsed[i] = sentence.replace(heads=heads, deprels=labels)
                    moved.add(i)
        if search.constraints and not self.system.projective_only:
            trees = ([head or 0 for head in sentence.heads] for sentence in parsed)
            moved |= {i for i, heads in enumerate(trees) if not is_projective(heads)}
        for i in moved if search.constraints else ():
            parsed[i] = repaired(parsed[i], self.labels)
        return self.graphs._parse_batch(parsed, self.graphs.search, None) if self.graphs else parsed

    def parts(self) -> dict[str, Serialisable | None]:
        """Return tagger, segmenter, parser into graphs and enhancer, by their names in a file."""
        found: dict[str, Serialisable | None] = {"segmenter": self.segmenter, "graphs": self.graphs}
        found["enhancer"] = self.enhancer
        return found if self.tagger is None else {self.tagger.FORMAT.kind: self.tagger} | found

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = self.scorer.serialise()
        about |= {
            "settings": self.settings.recorded(),
            "templates": self.scorer.templates,
            "labels": self.labels,
            "root_label": self.root_label,
            "actions": self.pairs,
            "columns": self.encoder.columns,
            "record": self.record,
        }
        if self.calibration is not None:
            about["calibration"] = self.calibration.serialise()
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Parser:
        about = payload.about
        pairs = [_pair(action) for action in read_field(about, "actions", list[list[Any]])]
        return cls(
            read_settings(about, Settings).resolved(),
            _read_scorer(payload, len(pairs)),
            read_field(about, "root_label", str),
            pairs,
            read_field(about, "record", dict),
            payload.part("segmenter", Segmenter),
            payload.part("graphs", cls),
            _read_enhancer(payload),
            _read_calibration(about),
        )


def _read_scorer(payload: Payload, n_classes: int) -> ParserScorer:
    if "network" not in payload.about:
        return LinearParserScorer.deserialise(payload, n_classes)
    # imported here, since models without a network should not wait for it
    from dodona.parsing.network_scorer import NetworkParserScorer

    return NetworkParserScorer.deserialise(payload)


def _read_enhancer(payload: Payload) -> Enhancer | None:
    if "enhancer" not in payload.about:
        return None
    from dodona.enhancing.enhancer import Enhancer  # other models should not wait for it

    return payload.part("enhancer", Enhancer)


def _read_calibration(about: Any) -> Calibration | None:
    if "calibration" not in about:
        return None
    return Calibration.deserialise(read_field(about, "calibration", dict))


@record
class _WaitingText:
    """A text whose sentences are in the parser."""

    text: str
    n_sentences: int
    is_strange: bool
    context: Any


def _gather(
    parsed: Iterator[Sentence], waiting: deque[_WaitingText], as_tuples: bool
) -> Iterator[Any]:
    """Yield the document of each text as soon as all of its sentences are parsed."""

    def take(sentences: list[Sentence]) -> Any:
        first = waiting.popleft()
        doc = Doc(sentences, first.text, is_strange=first.is_strange)
        return (doc, first.context) if as_tuples else doc

    done: list[Sentence] = []
    for sentence in parsed:
        while waiting[0].n_sentences == 0:
            yield take([])
        done.append(sentence)
        if len(done) == waiting[0].n_sentences:
            yield take(done)
            done = []
    while waiting:  # texts without a sentence
        yield take([])


def repaired(sentence: Sentence, known: Collection[str]) -> Sentence:
    """Return the sentence with its tree repaired where it breaks a rule of UD."""
    from dodona.treebank.trees.ud_repair import repair_tree
    from dodona.treebank.trees.word_kinds import kinds_of

    before = [head or 0 for head in sentence.heads], sentence.deprels
    heads, labels = repair_tree(*before, kinds_of(sentence), known)
    return sentence if (heads, labels) == before else sentence.replace(heads=heads, deprels=labels)


def _pair(action: list[Any]) -> tuple[int, int, bool, bool]:
    """Return move, label, and whether arcs are allowed under the root and elsewhere."""
    if [*map(type, action)] != [int, int, bool, bool]:
        raise ValueError(f"{action!r} is not an action: move, label, under root, elsewhere")
    move, label, under_root, elsewhere = action
    return move, label, under_root, elsewhere
