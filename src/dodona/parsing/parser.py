"""The parser as people use it: load, parse, save."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dodona.batches import require_sentence, require_text, stream
from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.network.network import Network
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.core.search.beam import Beam
from dodona.core.search.factory import make_search
from dodona.core.search.scoring import LinearScorer, NeuralScorer, StateScorer
from dodona.core.search.search import Search
from dodona.core.search.tracing import beam_steps, trace
from dodona.core.transitions.action import Action
from dodona.core.transitions.constraints import Constraints
from dodona.core.transitions.registry import system
from dodona.core.transitions.system import State
from dodona.doc import Doc
from dodona.records import field, record
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.settings import CONSTRAINTS, NEURAL, NO_CONSTRAINTS, ROOT_COUNTS, Settings
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field, read_settings
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.storage.weights import from_arrays, scalar_parameters, to_arrays, to_cluster_arrays
from dodona.tagging.tagger import Tagger
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.graphs.graph_decoding import GraphDecoder
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.pseudoprojective import SCHEMES, deprojectivise, lifted

if TYPE_CHECKING:
    from dodona.tagging.neural_tagger import NeuralTagger

Item = TypeVar("Item", Sentence, Sentence | BadSentence)
Context = TypeVar("Context")


@record(repr=False)
class Parser(Serialisable):
    """A transition system, features, a model and greedy or beam search, ready to use.

    Made by `dodona.train` or `dodona.load`. `record` tells how it came to be: settings, checksums
    of the data, scores on the dev set. With a tagger it needs no tags, with a segmenter no words.
    """

    # version 2: other feature keys; 3: lemmas in taggers
    FORMAT = FileFormat("model", version=3, oldest=3, implied=3)

    settings: Settings
    templates: str
    encoder: Encoder
    root_label: str
    pairs: list[tuple[int, int, bool, bool]]
    weights: Any  # a FeatureScorer, or a Network
    record: dict[str, Any] = field(default_factory=dict)
    tagger: Tagger | NeuralTagger | None = None
    segmenter: Segmenter | None = None
    graphs: Parser | None = None  # parses into graphs, with the trees of this one as features

    def __post_init__(self) -> None:
        self.features: Any = self._features()
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
        self.scorer = self._scorer()
        self.search = self._search(self.settings.roots, self.settings.beam)
        self._lifted = set()  # labels that tell where an arc is to be moved
        if self.settings.projectivise in SCHEMES:
            self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    def _features(self) -> Features | Slots:
        if self.settings.scorer == NEURAL:
            return Slots(self.templates)
        features = Features(self.templates)
        if features.columns != self.encoder.columns:
            raise ValueError(f"templates for {features.columns}, not {self.encoder.columns}")
        return features

    def _scorer(self) -> StateScorer:
        if self.settings.scorer == NEURAL:
            return NeuralScorer(self.features, self.weights)
        return LinearScorer(self.features, self.weights)

    def __repr__(self) -> str:
        parts = [name for name, part in self.parts().items() if part is not None]
        rest = f", with {' and '.join(parts)}" if parts else ""
        return f"<Parser {self.settings.system}, {len(self.labels)} labels{rest}>"

    def __call__(self, text: str, *, threads: int = 1) -> Doc:
        """Raw text with its sentences, words and trees."""
        segmenter = require_segmenter(self.segmenter)
        sentences = self.pipe(segmenter.segment(require_text(text)), threads=threads)
        return Doc(sentences, text, is_strange=segmenter.is_strange(text))

    @overload
    def docs(
        self,
        texts: Iterable[str],
        *,
        as_tuples: Literal[False] = False,
        threads: int = 1,
        beam: int | None = None,
    ) -> Iterator[Doc]: ...
    @overload
    def docs(
        self,
        texts: Iterable[tuple[str, Context]],
        *,
        as_tuples: Literal[True],
        threads: int = 1,
        beam: int | None = None,
    ) -> Iterator[tuple[Doc, Context]]: ...
    def docs(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        threads: int = 1,
        beam: int | None = None,
    ) -> Iterator[Any]:
        """Parse many texts, each into a document of its own, in order; texts may be a stream.

        With `as_tuples`, texts come as (text, anything), and documents go as (doc, the same).
        Texts are read some way ahead, since they are parsed many sentences at a time; where they
        end in an error, all documents before it are given out first.
        """
        if isinstance(texts, str):
            raise TypeError("docs takes several texts; one is parsed by parser(text)")
        segment = require_segmenter(self.segmenter).segment
        waiting: deque[tuple[str, int, Any]] = deque()  # texts that were read: text, size, anything

        def sentences() -> Iterator[Sentence]:
            for item in texts:
                text, context = item if as_tuples else (item, None)
                found = segment(require_text(text))
                waiting.append((text, len(found), context))
                yield from found

        parsed = self.pipe(sentences(), threads=threads, beam=beam)
        return _gather(parsed, waiting, as_tuples)

    def pipe_text(
        self, chunks: Iterable[str], *, threads: int = 1, beam: int | None = None
    ) -> Iterator[Sentence]:
        """Parse one raw text that comes in chunks, such as an open file; memory stays small.

        For several texts there is `docs`: chunks are put together, wherever they were cut.
        """
        if isinstance(chunks, (str, list, tuple)):
            raise TypeError(
                "pipe_text reads one text from a stream of chunks, and would glue several together:"
                " parser.docs(texts) makes a document of each, parser(text) parses one; if these "
                "are the chunks of one text, give iter(chunks)"
            )
        sentences = chain.from_iterable(require_segmenter(self.segmenter).stream(chunks))
        return self.pipe(sentences, threads=threads, beam=beam)

    def parse(self, sentence: Sentence) -> Sentence:
        """The sentence with the heads and labels that the parser gives it."""
        return next(self.pipe([require_sentence(sentence)]))

    def trace(self, sentence: Sentence) -> list[tuple[State, Action | None]]:
        """Every state on the way to a sentence's tree, with the action that was taken there.

        The last state is final and has None. A tree that is not complete by then (words without a
        head, several roots) is completed afterwards, and crossing arcs are restored.
        """
        return trace(self.search, self.encode(sentence))

    def trace_beam(
        self, sentence: Sentence, beam: int | None = None
    ) -> list[list[tuple[float, int, Action | None]]]:
        """The hypotheses of beam search after each step: score, parent and action, best first.

        The parent is a place in the list before. A hypothesis that is final waits for the others:
        it has no action. `beam` is as in `pipe`; a beam of 1 is one, too.
        """
        width = self.settings.beam if beam is None else beam
        search = Beam(self.scorer, self.actions, width=width)
        return beam_steps(search, self.encode(sentence))

    def tagged(self, sentence: Sentence) -> Sentence:
        """The sentence with what its tagger fills in."""
        kept = self.tagger.columns if self.tagger else ()
        return self._read([require_sentence(sentence)], kept, is_tagged=True)[0][0]

    def encode(self, sentence: Sentence) -> Corpus:
        """The sentence, with what its tagger fills in, as the features see it."""
        require_sentence(sentence)
        kept = self.tagger.columns if self.tagger else ()
        return self._read([sentence], kept, is_tagged=True)[1]

    def _read(
        self, batch: list[Sentence], kept: Collection[str], is_tagged: bool
    ) -> tuple[list[Sentence], Corpus]:
        """The sentences, with tags but for columns that are kept, and as the search wants them."""
        tagger = self.tagger
        if not isinstance(tagger, Tagger | None):
            corpus = tagger.read(batch)
            return (tagger.tagged(corpus, batch, kept) if is_tagged else batch), corpus
        tagged = tagger.tag_batch(batch, keep=kept) if tagger and is_tagged else batch
        return tagged, self.encoder.encode(tagged)

    def pipe(
        self,
        sentences: Iterable[Item],
        *,
        threads: int = 1,
        roots: str | None = None,
        beam: int | None = None,
        keep_tags: bool = False,
        retag: bool = False,
        constraints: str = NO_CONSTRAINTS,
    ) -> Iterator[Item]:
        """Parse a stream of sentences, in order; bad ones pass through untouched.

        Where the stream ends in an error, all sentences before it are given out first. `roots` says
        how many words may hang under the root of a sentence: "one" or "many"; `beam` how many
        derivations are kept side by side. By default both are as in training. A parser with a
        tagger fills in the columns that a sentence lacks; with `retag` it replaces them all, with
        `keep_tags` it touches none. With `constraints` "ud" no tree breaks the rules of Universal
        Dependencies for relations, given its tags (`treebank.trees.ud_rules`).
        """
        search = self.search
        if roots is not None or beam is not None or constraints != NO_CONSTRAINTS:
            search = self._search(
                self.settings.roots if roots is None else roots,
                self.settings.beam if beam is None else beam,
                constraints,
            )
        if keep_tags and retag:
            raise ValueError("either keep_tags or retag: tags cannot be both kept and replaced")
        kept = () if retag or self.tagger is None else self.tagger.columns

        def work(batch: list[Sentence]) -> list[Sentence]:
            return self._parse_batch(batch, search, kept, is_tagged=not keep_tags)

        return stream(sentences, work, threads)

    def _search(self, roots: str, beam: int = 1, constraints: str = NO_CONSTRAINTS) -> Search:
        if roots not in ROOT_COUNTS:
            raise ValueError(f"roots is one of {', '.join(ROOT_COUNTS)}, not {roots!r}")
        return make_search(
            self.scorer,
            self.actions,
            width=beam,
            one_root=roots == "one",
            root_label=self.labels.index(self.root_label),
            constraints=self._constraints(constraints),
        )

    def _constraints(self, name: str) -> Constraints | None:
        if name == NO_CONSTRAINTS:
            return None
        if name not in CONSTRAINTS:
            raise ValueError(f"constraints are one of {', '.join(CONSTRAINTS)}, not {name!r}")
        if self.system.builds_graphs:
            raise ValueError(f"constraints are for trees, and {self.system.name} builds graphs")
        from dodona.treebank.trees.ud_rules import constraints_of  # a table, for those who want it

        return constraints_of(self.labels)

    def _parse_batch(
        self,
        batch: list[Sentence],
        search: Search,
        kept: Collection[str] = (),
        is_tagged: bool = False,
    ) -> list[Sentence]:
        batch, corpus = self._read(batch, kept, is_tagged)
        kinds = set_kinds(corpus, batch) if search.constraints else []
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
        for i in moved if kinds else ():
            parsed[i] = mended(parsed[i], kinds[i])
        return self.graphs._parse_batch(parsed, self.graphs.search) if self.graphs else parsed

    def parts(self) -> dict[str, Serialisable | None]:
        """All that leads from text to graphs but for the parser itself."""
        is_network = not isinstance(self.tagger, Tagger | None)
        return {
            "network" if is_network else "tagger": self.tagger,
            "segmenter": self.segmenter,
            "graphs": self.graphs,
        }

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The parser as plain data and arrays."""
        from dataclasses import asdict

        about: dict[str, Any] = {
            "settings": asdict(self.settings),
            "templates": self.templates,
            "labels": self.labels,
            "root_label": self.root_label,
            "actions": self.pairs,
            "columns": self.encoder.columns,
            "record": self.record,
        }
        arrays: dict[str, Array] = {}
        if not isinstance(self.weights, Network):  # which is saved as what reads the words
            about |= scalar_parameters(self.weights)
            arrays = to_arrays(self.weights)
        for name, vocabulary in zip(self.encoder.columns, self.encoder.vocabularies, strict=True):
            arrays[f"vocabulary.{name}"] = Array("U8", b"\n".join(vocabulary.strings()))
        arrays |= to_cluster_arrays(self.encoder.clusters)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Parser:
        """The parser that `serialise` wrote."""
        about, arrays = payload.about, payload.arrays
        columns, labels = (
            read_field(about, "columns", list[str]),
            read_field(about, "labels", list[str]),
        )
        check_column_values("deprels", labels)
        pairs = [_pair(action) for action in read_field(about, "actions", list[list[Any]])]
        network = _network(payload)
        tagger = network or payload.part("tagger", Tagger)
        # as many as there may be
        weights = network.network if network else from_arrays(len(pairs), about, arrays)
        texts = [arrays[f"vocabulary.{name}"].cast("B") for name in columns]
        vocabularies = [Vocabulary.of_lines(text) for text in texts]
        return cls(
            read_settings(about, Settings).resolved(),
            read_field(about, "templates", str),
            Encoder(columns, vocabularies, [*map(str.encode, labels)], payload.clusters),
            read_field(about, "root_label", str),
            pairs,
            weights,
            read_field(about, "record", dict),
            tagger,
            payload.part("segmenter", Segmenter),
            payload.part("graphs", cls),
        )


def _gather(
    parsed: Iterator[Sentence], waiting: deque[tuple[str, int, Any]], as_tuples: bool
) -> Iterator[Any]:
    """A document of each text, as soon as all of its sentences have come."""

    def take(sentences: list[Sentence]) -> Any:
        text, _, context = waiting.popleft()
        return (Doc(sentences, text), context) if as_tuples else Doc(sentences, text)

    done: list[Sentence] = []
    for sentence in parsed:
        while waiting[0][1] == 0:
            yield take([])
        done.append(sentence)
        if len(done) == waiting[0][1]:
            yield take(done)
            done = []
    while waiting:  # texts without a sentence
        yield take([])


def set_kinds(corpus: Corpus, sentences: list[Sentence]) -> list[list[int]]:
    """Tell the search what the rules of UD know of the words; the same, per sentence."""
    from dodona.treebank.trees.ud_rules import kinds_of

    kinds = [kinds_of(sentence) for sentence in sentences]
    corpus.set_kinds(chain.from_iterable(kinds))
    return kinds


def mended(sentence: Sentence, kinds: list[int]) -> Sentence:
    """The sentence with a tree that breaks no rule of UD."""
    from dodona.treebank.trees.ud_rules import repair_tree

    before = [head or 0 for head in sentence.heads], sentence.deprels
    heads, labels = repair_tree(*before, kinds)
    return sentence if (heads, labels) == before else sentence.replace(heads=heads, deprels=labels)


def _pair(action: list[Any]) -> tuple[int, int, bool, bool]:
    """Move, label, and where its arcs may hang, of a class."""
    if [*map(type, action)] != [int, int, bool, bool]:
        raise ValueError(f"{action!r} is no action of move, label, and where it may be taken")
    move, label, under_root, elsewhere = action
    return move, label, under_root, elsewhere


def _network(payload: Payload) -> NeuralTagger | None:
    """What reads words by a network, in a model that has one; others do not wait for it."""
    if "network" not in payload.about:
        return None
    from dodona.tagging.neural_tagger import NeuralTagger

    return payload.part("network", NeuralTagger)
