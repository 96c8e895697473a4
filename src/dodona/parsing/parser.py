"""The parser: load, parse, save."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dodona.batches import require_sentence, require_text, stream
from dodona.core.base.values import show, to_int
from dodona.core.features.corpus import Corpus
from dodona.core.search.actions import Actions
from dodona.core.search.agenda import MAX_WIDTH
from dodona.core.search.beam import Beam
from dodona.core.search.completion import TreeCompleter
from dodona.core.search.greedy import Greedy
from dodona.core.search.lockstep import LockStep
from dodona.core.search.search import Search
from dodona.core.search.tracing import beam_steps, trace
from dodona.core.transitions.action import Action
from dodona.core.transitions.constraints import Constraints
from dodona.core.transitions.registry import system
from dodona.core.transitions.system import State
from dodona.doc import Doc
from dodona.logs import info
from dodona.parsing.confidence import Calibration, Signals, add_confidences, find_signals
from dodona.parsing.document_stream import (
    Waiting,
    WaitingText,
    Words,
    are_words,
    gather,
    sentences_of,
)
from dodona.parsing.given_tags import given_tags, reads_tags, require_tags
from dodona.parsing.scorers import LinearParserScorer, ParserScorer
from dodona.records import field, record, replace
from dodona.rules.ruled import Ruled
from dodona.segmentation.foreign import check_stream, is_foreign
from dodona.segmentation.segmenter import Segmenter, Splitting, require_segmenter
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

if TYPE_CHECKING:  # loaded where they are needed
    from dodona.enhancing.enhancer import Enhancer
    from dodona.parsing.given import Given, GivenOf
    from dodona.parsing.given_parsing import Candidate, GivenParsing
    from dodona.rules.rules import Rules

Item = TypeVar("Item", Sentence, Sentence | BadSentence)
Context = TypeVar("Context")
ParseBatch = Callable[[list[Sentence], Search, Collection[str] | None], list[Sentence]]


@record(repr=False)
class Parser(Ruled):
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
    user_rules: Rules | None = None  # also in the segmenter and the tagger

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
        self.needs_tags = self.tagger is None and reads_tags(self.encoder)

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

    def with_rules(self, rules: Rules | None) -> Parser:
        """Return a parser with the same parts, whose segmenter and tagger apply these rules."""
        segmenter, scorer = self.segmenter, self.scorer
        if rules is not None and rules.has_text_rules:
            segmenter = require_segmenter(segmenter)
        if rules is not None and rules.tags and self.tagger is None:
            from dodona.rules.checks import RulesError

            raise RulesError("the model has no tagger, which the rules for tags need", "tags")
        if segmenter is not None:
            segmenter = segmenter.with_rules(rules)
        if self.tagger is not None:
            scorer = scorer.with_tagger(self.tagger.with_rules(rules))
        return replace(self, user_rules=rules, segmenter=segmenter, scorer=scorer)

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
        text: str | Words,
        *,
        sentences: Splitting | Iterable[int] = "learned",
        threads: int = 1,
        constraints: str | None = None,
        graph: bool = False,
        confidence: bool = False,
        given: GivenOf | None = None,
    ) -> Doc:
        """Segment, tag and parse raw text; the other options are those of `pipe`.

        A list of words is a sentence that needs no segmenter, and a list of such lists is several.
        In a text, `sentences` says where sentences start, as in `Segmenter.segment`.
        """
        pipe = partial(
            self.pipe,
            threads=threads,
            constraints=constraints,
            graph=graph,
            confidence=confidence,
            given=given,
        )
        if are_words(text):
            if sentences != "learned":
                raise TypeError("sentences are for a text; a list of lists of words has its own")
            return Doc(pipe(sentences_of(text)))
        segmenter, text = require_segmenter(self.segmenter), require_text(text)
        is_strange = is_foreign(text, self.record, segmenter)
        found = segmenter.segment(text, sentences=sentences)
        return Doc(pipe(found), text, is_strange=is_strange)

    @overload
    def docs(
        self,
        texts: Iterable[str | Words],
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
        texts: Iterable[tuple[str | Words, Context]],
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

        A text may also be a list of words, or of sentences that are lists of words.
        With `as_tuples`, texts come as pairs (text, context), and documents as (doc, context).
        Texts are read ahead, since many sentences are parsed at a time; if the stream ends in an
        error, all documents before it are yielded first. `beam` and `constraints` are as in `pipe`.
        """
        if isinstance(texts, str):
            raise TypeError("docs takes several texts; to parse one, call parser(text)")
        waiting: Waiting = deque()

        def sentences() -> Iterator[Sentence]:
            for item in texts:
                text, context = item if as_tuples else (item, None)
                is_strange, words = False, are_words(text)
                if words:
                    found = sentences_of(text)
                else:
                    segmenter = require_segmenter(self.segmenter)
                    found = segmenter.segment(text := require_text(text))
                    is_strange = is_foreign(text, self.record, segmenter)
                given = None if words else text
                waiting.append(WaitingText(given, len(found), is_strange, context))
                yield from found

        parsed = self.pipe(
            sentences(),
            threads=threads,
            beam=beam,
            constraints=constraints,
            graph=graph,
            confidence=confidence,
        )
        return gather(parsed, waiting, as_tuples)

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
        self,
        sentence: Sentence,
        *,
        graph: bool = False,
        confidence: bool = False,
        given: Given | None = None,
    ) -> Sentence:
        """Return the sentence with predicted heads and labels; options are those of `pipe`.

        `given` are heads, labels, tags and spans to keep: `dodona.Given(heads={3: 5})`.
        """
        known = None if given is None else lambda _: given
        sentences = [require_sentence(sentence)]
        return next(self.pipe(sentences, graph=graph, confidence=confidence, given=known))

    def check_given(self, sentence: Sentence, given: Given) -> None:
        """Raise `GivenError` if given heads, labels or spans contradict each other."""
        self._given_parsing(self.search).check([require_sentence(sentence)], [given])

    def k_best(
        self,
        sentence: Sentence,
        k: int = 5,
        *,
        beam: int | None = None,
        roots: str | None = None,
        keep_tags: bool = False,
        retag: bool = False,
        constraints: str | None = None,
        given: Given | None = None,
    ) -> list[Candidate]:
        """Return the k best trees of a sentence that a beam finds, best first, with their scores.

        They are all different, and fewer if the beam finds no more. `beam` is at least k, and by
        default four times k, or as trained if that is more. A score is the sum over the actions of
        a derivation, as in `trace_beam`; for networks, 256 times the logarithm of its probability.
        Scores of one sentence can be compared. The other options are those of `parse` and `pipe`.
        """
        k = to_int(k, "k")
        if beam is None:
            beam = min(max(4 * k, self.settings.search.beam), MAX_WIDTH)
        if not 1 <= k <= BeamSettings(beam).beam:
            raise SettingsError(f"k must be from 1 to {beam}, the width of the beam, not {show(k)}")
        has_given = given is not None
        search = self._search(roots, beam, constraints, keeps_given=has_given, always_beam=True)
        finder = self._given_parsing(search)
        keep = self._kept_columns(keep_tags=keep_tags, retag=retag)
        best = [*islice(finder.candidates(require_sentence(sentence), keep, given), k)]
        graphs = self._with_graphs([candidate.sentence for candidate in best])
        return [one._replace(sentence=graphs[i]) for i, one in enumerate(best)]

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

    def _kept_columns(self, *, keep_tags: bool, retag: bool) -> Collection[str] | None:
        """Return the columns that keep their values; None: nothing is tagged."""
        if keep_tags and retag:
            raise SettingsError("either keep_tags or retag: tags cannot be both kept and replaced")
        return None if keep_tags else () if retag else self._keep()

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
        given: GivenOf | None = None,
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through unchanged.

        If the stream ends in an error, all sentences before it are yielded first. `roots` is the
        number of words that may depend on the root of a sentence: "one" or "many"; `beam` is the
        number of derivations that are kept side by side. With `constraints` "ud", every tree obeys
        the rules of Universal Dependencies for relations, given its tags
        (`treebank.trees.ud_rules`); with "none", it may break them. All three default to the
        training settings. A parser with a tagger fills in the columns that a sentence lacks; with
        `retag` it replaces all of them, with `keep_tags` it changes none.
        One without a tagger that was trained on gold tags refuses sentences without tags.
        With `graph`, sentences also get enhanced graphs (DEPS), which the parser must be able to
        make (`has_graphs`); a parser that was trained to build graphs always does.
        With `confidence`, every word says how sure the model is: `word.confidence`, the probability
        that its head is right, and the like for label and tags. The trees are the same.
        `given` returns for a sentence what of its tree is known and kept, or None;
        `Given.from_sentence` takes it from the sentence's columns. A `GivenError` says what no
        tree can have. With both, arcs and labels that are not given have confidences, in view of
        what is given.
        """
        if not (given is None or callable(given)):
            raise TypeError(
                "given is a function from a sentence to what is given of it; for one sentence, "
                f"parser.parse(sentence, given={type(given).__name__}(…))"
            )
        search = self.search
        if (roots, beam, constraints, given) != (None, None, None, None):
            search = self._search(roots, beam, constraints, keeps_given=given is not None)
        keep = self._kept_columns(keep_tags=keep_tags, retag=retag)
        if graph and not self.has_graphs:
            raise SettingsError(
                "the model makes no enhanced graphs: dodona enhance adds a part that does, or train"
                " a model with --graph basic+enhanced"
            )
        parse: ParseBatch = self._parse_with_confidence if confidence else self._parse_batch
        if given:
            parse = partial(self._parse_given, given, confidence)

        def work(batch: list[Sentence]) -> list[Sentence]:
            if self.needs_tags:
                require_tags(batch)
            parsed = parse(batch, search, keep)
            return self.enhancer.enhance(parsed) if graph and self.enhancer else parsed

        return stream(self._noting(iter(sentences), keep), work, threads)

    def _noting(self, sentences: Iterator[Item], keep: Collection[str] | None) -> Iterator[Item]:
        """Yield the sentences; log which tags of the first one are kept."""
        for first in sentences:
            yield first
            if isinstance(first, Sentence):
                if kept := given_tags(first, keep or ()):
                    info("%s are kept as they are; retag=True predicts them", ", ".join(kept))
                break
        yield from sentences

    def _search(
        self,
        roots: str | None = None,
        beam: int | None = None,
        constraints: str | None = None,
        *,
        keeps_given: bool = False,
        always_beam: bool = False,
    ) -> Search:
        """Return a search with these options; None stands for the setting of that name."""
        settings = self.settings
        roots = settings.roots if roots is None else roots
        beam = settings.search.beam if beam is None else beam
        if roots not in ROOT_COUNTS:
            raise SettingsError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {show(roots)}")
        beam = BeamSettings(beam).beam
        scorer = self.scorer.state_scorer
        kind: Callable[..., Search] = partial(Beam, width=beam, keeps_given=keeps_given)
        if beam == 1 and not always_beam:
            in_lockstep = scorer.is_batched and not (self.system.builds_graphs or keeps_given)
            kind = LockStep if in_lockstep else partial(Greedy, keeps_given=keeps_given)
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

    def _parse_given(
        self,
        given: GivenOf,
        confidence: bool,
        batch: list[Sentence],
        search: Search,
        keep: Collection[str] | None,
    ) -> list[Sentence]:
        known, parsing = [*map(given, batch)], self._given_parsing(search)
        if not confidence:
            return self._with_graphs(parsing.parse(batch, keep, known))
        calibrators = {} if self.calibration is None else self.calibration.columns
        return self._with_graphs(parsing.parse_with_confidence(batch, keep, known, calibrators))

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
        return self._with_graphs(self._decode(batch, corpus, search))

    def _with_graphs(self, parsed: list[Sentence]) -> list[Sentence]:
        """Return sentences with the graphs that a part of the parser builds, if there is one."""
        return self.graphs._parse_batch(parsed, self.graphs.search, None) if self.graphs else parsed

    def _given_parsing(self, search: Search) -> GivenParsing:
        """Return what parses around given heads and labels."""
        if self.system.builds_graphs:
            raise SettingsError(f"this is for trees, and {self.system.name} builds graphs")
        from dodona.parsing.given_checks import TreeKind
        from dodona.parsing.given_parsing import GivenParsing

        assert isinstance(search.completer, TreeCompleter)
        kind = TreeKind(
            self.settings.system,
            self.system.projective_only,
            search.completer.one_root,
            self.root_label,
            self.system.most_words,
        )
        return GivenParsing(self.scorer, self.labels, kind, search, self._decode)

    def _decode(
        self,
        batch: list[Sentence],
        corpus: Corpus,
        search: Search,
        known: Sequence[Given] = (),
    ) -> list[Sentence]:
        """Return the sentences with the trees of the corpus, and what is known of each."""
        parsed = self.encoder.decode(corpus, batch)
        moved = set(corpus.broken)
        if known:
            from dodona.parsing.given_trees import first_lost, with_labels

            parsed = [*map(with_labels, parsed, known)]
            moved |= {*range(len(parsed))}
        if self._lifted:
            for i, sentence in enumerate(parsed):
                if not self._lifted.isdisjoint(corpus.labels(i)):  # those of given arcs are plain
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
            tree = repaired(parsed[i], self.labels)
            if known and (lost := first_lost(known[i], tree)):
                warnings.warn(
                    f"what is given of {tree.forms[lost - 1]!r} (word {lost} of {tree.text!r}) "
                    "breaks the rules of UD; it is kept, and the rules are not",
                    stacklevel=2,
                )
            else:
                parsed[i] = tree
        return parsed

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
