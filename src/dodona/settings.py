"""The settings of training: the keywords of `dodona.train` and the flags of `dodona train`.

Also those of taggers, for `dodona.train_tagger` and `dodona tag --train`, and of segmenters.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from dodona.core.base.values import LARGEST, PLAIN, show
from dodona.core.learning.beam_training import ORACLES, RESTARTS, UPDATES
from dodona.core.learning.greedy_training import LEARNERS
from dodona.core.learning.oracle_guide import MODES
from dodona.core.search.agenda import MAX_WIDTH
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import GRAPH_SYSTEMS, SYSTEMS, find_system, systems
from dodona.core.transitions.system import LOSSES, MOST_SEARCHED, ROOTS
from dodona.errors import DodonaError
from dodona.records import bind, field, fields, record, replace
from dodona.treebank.trees.pseudoprojective import SCHEMES

SVM, MAXENT = "svm", "maxent"  # batch learners of scikit-learn
AT_ONCE = (SVM, MAXENT)
NO_GRAPH, ENHANCED, BASIC_AND_ENHANCED = "none", "enhanced", "basic+enhanced"
GRAPHS = (NO_GRAPH, ENHANCED, BASIC_AND_ENHANCED)
ROOT_COUNTS = ("one", "many")
NO_CONSTRAINTS = "none"
CONSTRAINTS = (NO_CONSTRAINTS, "ud")
STATIC_ORACLES = tuple(dict.fromkeys(name for kind in SYSTEMS.values() for name in kind.oracles))
MAX_CUTOFF = 255  # features are counted in bytes
MAX_EPOCHS = 2**31 - 1  # the seed of an epoch, 2**32 * epoch + seed, has 64 bits
MAX_BATCH_WORDS = 1_000_000
GRAM_ROWS, MAX_ROWS = 16384, 1 << 20  # of the table of character n-grams
SEARCHES = ("greedy", "beam")
TAGS = re.compile(r"auto|gold|predicted|jackknife:([2-9]|[1-9]\d{1,2})")
GOLD, PREDICTED = "gold", "predicted"  # tags
PIPELINES = PARSER, TEXT = "parser", "text"
SCORERS = LINEAR, NEURAL = "linear", "neural"
PRECISIONS = ("int8", "float32")
EPOCHS = {LINEAR: 15, NEURAL: 36}
# slots of networks, by the templates for the same system
SLOTS = {"rich": "stack-buffer", "rich-hybrid": "hybrid", "rich-stack": "stack", "graph": "graph"}
AUTO = "auto"  # chosen by the other settings
SIZE = "largest size of the file in kB: further features are dropped; 0: no limit"
PRUNE = "drop features whose weights sum to less than N/127 of the largest weight"
CLUSTERS = "file of word clusters, as written by `dodona cluster`"


class SettingsError(DodonaError, ValueError):
    """Invalid settings."""


def _checked(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Make a check of settings cover types and choices, too, and raise `SettingsError`.

    Values become plain ones first, so that whatever training accepts can be saved and loaded.
    """

    def checked(self: Any) -> None:
        try:
            for part in fields(self):
                if part.type in PLAIN:  # not a group of settings
                    value = PLAIN[str(part.type)](getattr(self, part.name), part.name)
                    vars(self)[part.name] = value  # works for frozen records
                    _require(_is_name(value), f"{part.name}={show(value)} cannot name a file")
                value, choices = getattr(self, part.name), part.metadata.get("choices")
                if choices and part.name != "system":  # may have been registered after import
                    message = f"{part.name} must be one of {', '.join(choices)}, not {show(value)}"
                    _require(value in choices, message)
            check(self)
        except (TypeError, ValueError) as error:
            raise SettingsError(*error.args) from None

    return checked


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _is_name(value: object) -> bool:
    """Return whether a value is a number, or a string that can be the name of a file."""
    try:
        return not isinstance(value, str) or b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def _check_range(settings: Any, *names: str, least: int = 1, most: int = LARGEST) -> None:
    for name in names:
        value = getattr(settings, name)
        _require(value >= least, f"{name} must be at least {least}, not {show(value)}")
        _require(value <= most, f"{name} must be at most {most:,}, not {show(value)}")


def _refuse(settings: Any, names: Iterable[str], purpose: str) -> None:
    """Reject settings that have no effect, unless they have their defaults."""
    for name in names:
        value = getattr(settings, name)
        _require(value == getattr(type(settings), name), f"{name}={value!r} is for {purpose}")


def _flag(
    default: Any, help: str, choices: tuple[str, ...] | None = None, metavar: str = ""
) -> Any:
    about = {"help": help, "choices": choices, "metavar": metavar}
    return field(default=default, metadata=about)


@record(frozen=True)
class BeamSettings:
    """Settings of training with a beam."""

    beam: int = _flag(1, "width of the beam; 1: greedy search")
    update: str = _flag("max-violation", "beam: how long the prefixes of an update are", UPDATES)
    oracle: str = _flag("dynamic", "beam: which derivations count as correct", ORACLES)
    restart: str = _flag(
        AUTO, "beam: hypothesis to continue with after an update", (AUTO, *RESTARTS)
    )

    @_checked
    def __post_init__(self) -> None:
        is_valid = 1 <= self.beam <= MAX_WIDTH
        _require(is_valid, f"beam must be from 1 to {MAX_WIDTH}, not {show(self.beam)}")
        is_valid = self.restart != "bad" or self.oracle != "static"
        _require(is_valid, "restart='bad' requires oracle='dynamic': it leaves the gold derivation")


@record(frozen=True)
class LinearSettings:
    """Settings of the linear scorer alone."""

    scorer: ClassVar[str] = LINEAR
    clusters: str = _flag("", CLUSTERS)
    learner: str = _flag(
        "perceptron", "learning algorithm of the linear scorer", (*LEARNERS, *AT_ONCE)
    )
    aggressiveness: float = _flag(0.1, "maximum step size of the passive-aggressive learner (C)")
    prune: int = _flag(5, PRUNE)
    tagger_prune: int = _flag(8, "as --prune, for the tagger of the model")

    @_checked
    def __post_init__(self) -> None:
        _check_range(self, "prune", "tagger_prune")
        is_valid = self.aggressiveness > 0
        _require(is_valid, f"aggressiveness must be above 0, not {self.aggressiveness}")


@record(frozen=True)
class NetworkSettings:
    """Settings of the neural scorer alone."""

    scorer: ClassVar[str] = NEURAL
    width: int = _flag(192, "network: size of word representations; a multiple of 32")
    layers: int = _flag(3, "network: number of context layers")
    hidden: int = _flag(256, "network: hidden units of the scorer of states; a multiple of 16")
    rows: int = _flag(
        GRAM_ROWS, "network: rows of the table of character n-grams, and four times those of others"
    )
    vectors: str = _flag("", "network: file of word vectors (text, or .npy with .words)")
    batch_words: int = _flag(0, "network: words per batch; 0: depends on the treebank")
    learning_rate: float = _flag(0.002, "network: maximum learning rate")
    dropout: float = _flag(0.3, "network: dropout rate")
    precision: str = _flag("int8", "network: precision of the saved weights", PRECISIONS)

    @_checked
    def __post_init__(self) -> None:
        for name, unit, most in (("width", 32, 1024), ("hidden", 16, 512), ("layers", 1, 32)):
            value = getattr(self, name)
            is_valid = unit <= value <= most and value % unit == 0
            message = f"{name} must be a multiple of {unit} up to {most}, not {show(value)}"
            _require(is_valid, message)
        _check_range(self, "rows", least=64, most=MAX_ROWS)
        _check_range(self, "batch_words", least=0, most=MAX_BATCH_WORDS)
        is_valid = 0 < self.learning_rate <= 1 and 0 <= self.dropout < 1
        _require(is_valid, "learning_rate must be in (0, 1], and dropout in [0, 1)")


@record(frozen=True, init=False)
class Settings:
    """Settings for training a parser; the fields of its three groups are keywords, too.

    >>> Settings(epochs=3, beam=8).search.beam
    8
    >>> Settings(training="x")
    Traceback (most recent call last):
    dodona.settings.SettingsError: training must be one of auto, static, ambiguity, explore, not 'x'
    """

    ORDER: ClassVar[tuple[str, ...]] = (  # of keywords, of flags and in model files
        *("system", "scorer", "graph", "root", "training", "static_oracle", "exact_words"),
        *("explore_after", "explore_rate", "beam", "update", "oracle", "restart", "epochs"),
        *("early_stop", "seed", "features", "tags", "clusters", "projectivise", "loss", "learner"),
        *("aggressiveness", "roots", "constraints", "prune", "tagger_prune", "width", "layers"),
        *("hidden", "rows", "vectors", "batch_words", "learning_rate", "dropout", "precision"),
    )

    system: str = _flag("arc-eager", "transition system", tuple(systems()))
    scorer: str = _flag(LINEAR, "scorer of actions: a linear model, or a neural network", SCORERS)
    graph: str = _flag(
        NO_GRAPH, "parse enhanced graphs (column DEPS), instead of trees or in addition", GRAPHS
    )
    root: str = _flag(AUTO, "position of the artificial root", (AUTO, *ROOTS))
    training: str = _flag(AUTO, "greedy search: oracle and exploration", (AUTO, *MODES))
    static_oracle: str = _flag("static", "static oracle, for systems with several", STATIC_ORACLES)
    exact_words: int = _flag(
        0, "swap, graph-standard: search for exact costs when at most N words are left"
    )
    explore_after: int = _flag(2, "epochs before exploration starts (k in Goldberg & Nivre 2012)")
    explore_rate: float = _flag(0.9, "probability of following an error while exploring")
    epochs: int = _flag(0, "passes over the training data; 0: 15, or 36 for a network")
    early_stop: int = _flag(0, "stop after N epochs without a better dev LAS; 0: never")
    seed: int = _flag(1, "seed of the random number generator")
    features: str = _flag(
        AUTO,
        "feature templates (for a network, slots): a built-in set, or a file",
        metavar="NAME",
    )
    tags: str = _flag(
        AUTO,
        "tags to train on: predicted (by a tagger trained alongside), jackknife:N or gold; auto: "
        "predicted, if the treebank has tags",
        metavar="KIND",
    )
    projectivise: str = _flag(
        AUTO,
        "scheme for lifting crossing arcs in training and restoring them",
        (AUTO, "none", *SCHEMES),
    )
    loss: str = _flag("labelled", "loss that costs are computed for", tuple(LOSSES))
    roots: str = _flag("one", "number of words below the root in parsed trees", ROOT_COUNTS)
    constraints: str = _flag(
        NO_CONSTRAINTS,
        "rules that parsed trees obey; ud: those of Universal Dependencies for relations and tags",
        CONSTRAINTS,
    )
    search: BeamSettings = BeamSettings()
    linear: LinearSettings = LinearSettings()
    network: NetworkSettings = NetworkSettings()

    def __init__(self, *values: Any, **named: Any) -> None:
        groups = ("search", "linear", "network")
        given = bind(self, (*self.ORDER, *groups), values, named)
        state = {part.name: given.get(part.name, part.default) for part in fields(self)}
        for name in groups:
            group, kind = state[name], type(getattr(Settings, name))
            if not isinstance(group, kind):
                raise TypeError(f"{name} must be of the type {kind.__name__}, not {group!r}")
            inner = {part.name for part in fields(kind)} & given.keys()
            state[name] = replace(group, **{part: given[part] for part in inner})
        vars(self).update(state)  # works for frozen records
        self._check()

    def recorded(self) -> dict[str, Any]:
        """Return the settings for a file: as `flat`, but without what old files do not know."""
        found = self.flat()
        if self.constraints == NO_CONSTRAINTS:
            del found["constraints"]
        if self.network.rows == GRAM_ROWS:
            del found["rows"]
        return found

    def flat(self) -> dict[str, Any]:
        """Return the value of every setting by name, without groups."""
        groups = (self, self.search, self.linear, self.network)
        found = {name: value for group in groups for name, value in vars(group).items()}
        return {name: found[name] for name in self.ORDER}

    def replace(self, **changes: Any) -> Settings:
        """Return a copy with other values of some settings, given by name.

        >>> Settings(beam=8).replace(seed=3, beam=4) == Settings(seed=3, beam=4)
        True
        """
        return Settings(**self.flat() | changes)

    @property
    def unused(self) -> LinearSettings | NetworkSettings:
        """The group of settings that the chosen scorer does not read."""
        return self.network if self.scorer == LINEAR else self.linear

    @_checked
    def _check(self) -> None:
        """Reject invalid values, and combinations in which a setting would have no effect."""
        kind, learner = find_system(self.system), self.linear.learner
        _check_range(self, "epochs", least=0, most=MAX_EPOCHS)
        _check_range(self, "explore_after", "early_stop", "seed", least=0)
        is_valid = 0 <= self.explore_rate <= 1
        _require(is_valid, f"explore_rate must be from 0 to 1, not {self.explore_rate}")
        if self._learns_with_beam:
            _refuse(self, ["training"], f"greedy training, but beam={self.search.beam}")
            _refuse(self.linear, ["learner"], f"greedy training, but beam={self.search.beam}")
        else:
            unread = ("update", "oracle", "restart")
            _refuse(self.search, unread, f"a beam, but beam={self.search.beam}")
        _require(
            TAGS.fullmatch(self.tags),
            f"tags must be auto, gold, predicted or jackknife:N (N from 2 on), not {self.tags!r}",
        )
        _require(
            learner not in AT_ONCE or self.training in (AUTO, "static"),
            f"the {learner} learner trains with the static oracle alone, "
            f"not training={self.training}",
        )
        _require(
            learner not in AT_ONCE or self.tags != "predicted",
            f"the {learner} learner trains in one batch, so no tagger can be trained alongside: "
            "use tags='jackknife:10' instead of 'predicted'",
        )
        self._check_graph()
        purpose = f"the {self.unused.scorer} scorer, but scorer={self.scorer!r}"
        _refuse(self.unused, vars(self.unused), purpose)
        _require(
            self.scorer == LINEAR or self.tags in (AUTO, GOLD, PREDICTED),
            f"tags={self.tags!r} is for the {LINEAR} scorer: a network learns tags and trees "
            "together",
        )
        is_valid = self.exact_words == 0 or bool(kind.searches)
        _require(is_valid, f"exact_words is for systems with estimated costs, not {kind.name}")
        _require(
            0 <= self.exact_words <= MOST_SEARCHED,
            f"exact_words must be from 0 to {MOST_SEARCHED}, not {show(self.exact_words)}: the "
            "search takes exponential time",
        )

    def _check_graph(self) -> None:
        """Reject a system that does not build the requested graphs or trees."""
        builds_graphs = self.system in GRAPH_SYSTEMS
        _require(
            self.graph != BASIC_AND_ENHANCED or not builds_graphs,
            f"system={self.system!r} builds graphs: with graph={self.graph!r}, give a system "
            "for trees; graph-eager then parses the graphs",
        )
        _require(
            self.graph != ENHANCED or self.system not in set(SYSTEMS) - {Settings.system},
            f"system={self.system!r} builds trees: graph={self.graph!r} needs one of "
            f"{', '.join(GRAPH_SYSTEMS)}; or use graph={BASIC_AND_ENHANCED!r}",
        )
        is_valid = self.constraints == NO_CONSTRAINTS or not builds_graphs | (
            self.graph == ENHANCED
        )
        _require(is_valid, f"constraints={self.constraints!r} is for trees, not for graphs")
        is_valid = self.search.beam == 1 or not (builds_graphs or self.graph == ENHANCED)
        _require(is_valid, f"graphs are parsed greedily: beam={self.search.beam} is for trees")

    @property
    def _learns_with_beam(self) -> bool:
        return self.search.beam > 1 and self.scorer == LINEAR  # networks are trained greedily

    @property
    def n_folds(self) -> int:
        """The number of folds of jackknifed tags; 0 for other tags.

        >>> Settings(tags="jackknife:10").n_folds
        10
        """
        return int(self.tags.partition(":")[2] or 0)

    def resolved(self) -> Settings:
        """Return the settings with "auto" replaced according to the system and the beam.

        >>> Settings().resolved().features, Settings(system="swap").resolved().features
        ('rich', 'rich-stack')
        >>> Settings(graph="enhanced").resolved().system
        'graph-eager'
        """
        if self.graph == ENHANCED and self.system in SYSTEMS:
            return self.replace(system="graph-eager").resolved()
        if self.system in GRAPH_SYSTEMS and self.graph == NO_GRAPH:
            return self.replace(graph=ENHANCED).resolved()
        kind, learner = find_system(self.system), self.linear.learner
        templates = "atoms" if learner == SVM else kind.default_templates
        slots = SLOTS.get(kind.default_templates, "stack-buffer")
        suited: dict[str, Any] = {
            "root": kind.roots[0],
            "features": slots if self.scorer == NEURAL else templates,
            "projectivise": "head" if kind.projective_only else "none",
            "tags": GOLD,
        }
        if self._learns_with_beam:
            suited["restart"] = "bad" if self.search.oracle == "dynamic" else "none"
        else:
            suited["training"] = "static" if learner in AT_ONCE else "explore"
        given = self.flat()
        changed = {name: value for name, value in suited.items() if given[name] == AUTO}
        if learner in AT_ONCE:
            changed["epochs"] = 1
        elif self.epochs == 0:
            changed["epochs"] = EPOCHS[self.scorer]
        if self.scorer == NEURAL:
            changed["tags"] = "predicted"
        return self.replace(**changed)


@record(frozen=True)
class TaggerSettings:
    """Settings for training a tagger.

    >>> TaggerSettings().search
    'greedy'
    >>> TaggerSettings(beam=0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: beam must be at least 1, not 0
    """

    search: str = _flag("greedy", "search for tags", SEARCHES)
    beam: int = _flag(4, "width of the beam, for search beam")
    epochs: int = _flag(10, "passes over the training data")
    seed: int = _flag(1, "seed of the random number generator")
    certain: int = _flag(
        5, "words that occur N times with a single tag always get it; 0: no word does"
    )
    rare: int = _flag(6, "words that occur less often have no ambiguity class")
    cutoff: int = _flag(2, "minimum frequency of features")
    prune: int = _flag(8, PRUNE)
    clusters: str = _flag("", CLUSTERS)
    lemmas: bool = _flag(True, "also learn lemmas, if the training data have lemmas")
    lexicon: str = _flag("", "lexicon file: a lemma per line, with tags and their forms")

    @_checked
    def __post_init__(self) -> None:
        _check_range(self, "epochs", most=MAX_EPOCHS)
        _check_range(self, "rare", "prune")
        _check_range(self, "seed", "certain", least=0)
        _check_range(self, "cutoff", most=MAX_CUTOFF)
        _check_range(self, "beam", most=MAX_WIDTH)

    def width_of(self, column: str) -> int:
        """Return the width of the beam for a column; lemmas are independent of each other: 1."""
        return self.beam if self.search == "beam" and column != LEMMA else 1


@record(frozen=True)
class SegmenterSettings:
    """Settings for training a segmenter.

    >>> SegmenterSettings(certain=2.0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: certain must be above 0.5 and at most 1, not 2.0
    """

    epochs: int = _flag(8, "passes over the training data")
    seed: int = _flag(1, "seed of the random number generator")
    certain: float = _flag(
        0.9997, "character classes with the same decision in this share of cases always get it"
    )
    cutoff: int = _flag(2, "minimum frequency of features")
    prune: int = _flag(8, PRUNE)
    size: int = _flag(0, SIZE)

    @_checked
    def __post_init__(self) -> None:
        _check_range(self, "epochs", most=MAX_EPOCHS)
        _check_range(self, "prune")
        _check_range(self, "seed", least=0)
        _check_range(self, "size", least=0)
        _check_range(self, "cutoff", most=MAX_CUTOFF)
        is_valid = 0.5 < self.certain <= 1
        _require(is_valid, f"certain must be above 0.5 and at most 1, not {self.certain}")
