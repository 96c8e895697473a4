"""The settings of training: the keywords of `dodona.train` and the flags of `dodona train`.

Also those of taggers, for `dodona.train_tagger` and `dodona tag --train`, and of segmenters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dodona.core.learning.beam_training import ORACLES, RESTARTS, UPDATES
from dodona.core.learning.greedy_training import LEARNERS
from dodona.core.learning.oracle_guide import MODES
from dodona.core.search.agenda import MAX_WIDTH
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import GRAPH_SYSTEMS, SYSTEMS, find_system, systems
from dodona.core.transitions.system import LOSSES, MOST_SEARCHED, ROOTS
from dodona.errors import DodonaError
from dodona.records import field, fields, record, replace
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
SEARCHES = ("greedy", "beam")
TAGS = re.compile(r"gold|predicted|jackknife:([2-9]|[1-9]\d{1,2})")
PIPELINES = PARSER, TEXT = "parser", "text"
SCORERS = LINEAR, NEURAL = "linear", "neural"
PRECISIONS = ("int8", "float32")
EPOCHS = {LINEAR: 15, NEURAL: 36}
# slots of networks, by the templates for the same system
SLOTS = {"rich": "stack-buffer", "rich-hybrid": "hybrid", "rich-stack": "stack", "graph": "graph"}
OF_NETWORKS = (
    *("width", "layers", "hidden", "vectors", "batch_words", "learning_rate", "dropout"),
    "precision",
)
OF_LINEAR = ("learner", "aggressiveness", "prune", "tagger_prune", "clusters")
AUTO = "auto"  # chosen by the other settings


class SettingsError(DodonaError, ValueError):
    """Invalid settings."""


def _checked(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Make a check of settings raise `SettingsError`."""

    def checked(self: Any) -> None:
        try:
            check(self)
        except ValueError as error:
            raise SettingsError(*error.args) from None

    return checked


def _setting(default: Any, help: str, choices: tuple[str, ...] | None = None) -> Any:
    return field(default=default, metadata={"help": help, "choices": choices})


@record(frozen=True)
class Settings:
    """Settings for training a parser.

    >>> Settings(epochs=3).resolved().training
    'explore'
    >>> Settings(training="x")
    Traceback (most recent call last):
    dodona.settings.SettingsError: training must be one of auto, static, ambiguity, explore, not 'x'
    """

    system: str = _setting("arc-eager", "transition system", tuple(systems()))
    scorer: str = _setting(
        LINEAR, "scorer of actions: a linear model, or a neural network", SCORERS
    )
    graph: str = _setting(
        NO_GRAPH, "parse enhanced graphs (column DEPS), instead of trees or in addition", GRAPHS
    )
    root: str = _setting(AUTO, "position of the artificial root", (AUTO, *ROOTS))
    training: str = _setting(AUTO, "greedy search: oracle and exploration", (AUTO, *MODES))
    static_oracle: str = _setting(
        "static", "static oracle, for systems with several", STATIC_ORACLES
    )
    exact_words: int = _setting(
        0, "swap, graph-standard: search for exact costs when at most N words are left"
    )
    explore_after: int = _setting(
        2, "epochs before exploration starts (k in Goldberg & Nivre 2012)"
    )
    explore_rate: float = _setting(0.9, "probability of following an error while exploring")
    beam: int = _setting(1, "width of the beam; 1: greedy search")
    update: str = _setting("max-violation", "beam: how long the prefixes of an update are", UPDATES)
    oracle: str = _setting("dynamic", "beam: which derivations count as correct", ORACLES)
    restart: str = _setting(
        AUTO, "beam: hypothesis to continue with after an update", (AUTO, *RESTARTS)
    )
    epochs: int = _setting(0, "passes over the training data; 0: 15, or 36 for a network")
    early_stop: int = _setting(0, "stop after N epochs without a better dev LAS; 0: never")
    seed: int = _setting(1, "seed of the random number generator")
    features: str = _setting(
        AUTO, "feature templates (for a network, slots): a built-in set, or a file"
    )
    tags: str = _setting(
        "gold", "tags to train on: gold, predicted (by a tagger trained alongside) or jackknife:N"
    )
    clusters: str = _setting("", "file of word clusters, as written by `dodona cluster`")
    projectivise: str = _setting(
        AUTO,
        "scheme for lifting crossing arcs in training and restoring them",
        (AUTO, "none", *SCHEMES),
    )
    loss: str = _setting("labelled", "loss that costs are computed for", tuple(LOSSES))
    learner: str = _setting(
        "perceptron", "learning algorithm of the linear scorer", (*LEARNERS, *AT_ONCE)
    )
    aggressiveness: float = _setting(0.1, "maximum step size of the passive-aggressive learner (C)")
    roots: str = _setting("one", "number of words below the root in parsed trees", ROOT_COUNTS)
    prune: int = _setting(
        5, "drop features whose weights sum to less than N/127 of the largest weight"
    )
    tagger_prune: int = _setting(8, "as --prune, for the tagger of the model")
    width: int = _setting(192, "network: size of word representations; a multiple of 32")
    layers: int = _setting(3, "network: number of context layers")
    hidden: int = _setting(256, "network: hidden units of the scorer of states; a multiple of 16")
    vectors: str = _setting("", "network: file of word vectors (text, or .npy with .words)")
    batch_words: int = _setting(0, "network: words per batch; 0: depends on the treebank")
    learning_rate: float = _setting(0.002, "network: maximum learning rate")
    dropout: float = _setting(0.3, "network: dropout rate")
    precision: str = _setting("int8", "network: precision of the saved weights", PRECISIONS)

    @_checked
    def __post_init__(self) -> None:
        _check_choices(self, but="system")
        find_system(self.system)  # may have been registered after import
        _check_least(self, 1, "prune", "tagger_prune")
        for name in ("epochs", "explore_after", "early_stop", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, but is {getattr(self, name)}")
        if not 0 <= self.explore_rate <= 1:
            raise ValueError(f"explore_rate must be from 0 to 1, not {self.explore_rate}")
        self._check_beam()
        if not TAGS.fullmatch(self.tags):
            raise ValueError(
                f"tags must be gold, predicted or jackknife:N (N from 2 on), not {self.tags!r}"
            )
        if not self.aggressiveness > 0:
            raise ValueError(f"aggressiveness must be above 0, not {self.aggressiveness}")
        if self.learner in AT_ONCE:
            self._check_at_once()
        self._check_graph()
        self._check_scorer()
        self._check_exact()

    def _check_exact(self) -> None:
        """Reject a search for costs that are exact anyway, or that would take too long."""
        if self.exact_words:
            kind = find_system(self.system)
            if not kind.searches:
                raise ValueError(
                    f"exact_words is for systems with estimated costs, not {kind.name}"
                )
            if not 0 < self.exact_words <= MOST_SEARCHED:
                raise ValueError(
                    f"exact_words must be from 0 to {MOST_SEARCHED}, not {self.exact_words}: the "
                    "search takes exponential time"
                )

    def _check_scorer(self) -> None:
        """Reject settings that the scorer would ignore, and invalid sizes of networks."""
        is_network = self.scorer == NEURAL
        for name in OF_LINEAR if is_network else OF_NETWORKS:
            value, default = getattr(self, name), getattr(type(self), name)
            if value != default:
                whose = LINEAR if is_network else NEURAL
                raise ValueError(
                    f"{name}={value!r} is for the {whose} scorer, but scorer={self.scorer!r}"
                )
        if is_network and self.tags not in ("gold", "predicted"):
            raise ValueError(
                f"tags={self.tags!r} is for the {LINEAR} scorer: a network learns tags and trees "
                "together"
            )
        for name, unit, most in (("width", 32, 1024), ("hidden", 16, 512), ("layers", 1, 32)):
            value = getattr(self, name)
            if not (unit <= value <= most and value % unit == 0):
                raise ValueError(f"{name} must be a multiple of {unit} up to {most}, not {value}")
        if self.batch_words < 0 or not 0 < self.learning_rate <= 1 or not 0 <= self.dropout < 1:
            raise ValueError(
                "batch_words must be 0 or more, learning_rate in (0, 1], dropout in [0, 1)"
            )

    def _check_at_once(self) -> None:
        if self.training not in (AUTO, "static"):
            raise ValueError(
                f"the {self.learner} learner can use the static oracle only, "
                f"not training={self.training}"
            )
        if self.tags == "predicted":
            raise ValueError(
                f"the {self.learner} learner trains in one batch, so no tagger can be trained "
                "alongside: use tags='jackknife:10' instead of 'predicted'"
            )

    def _check_graph(self) -> None:
        """Reject a system that does not build the requested graphs or trees."""
        if self.graph == BASIC_AND_ENHANCED and self.system in GRAPH_SYSTEMS:
            raise ValueError(
                f"system={self.system!r} builds graphs: with graph={self.graph!r}, give a system "
                "for trees; graph-eager then parses the graphs"
            )
        others = set(SYSTEMS) - {type(self).system}
        if self.graph == ENHANCED and self.system in others:
            raise ValueError(
                f"system={self.system!r} builds trees: graph={self.graph!r} needs one of "
                f"{', '.join(GRAPH_SYSTEMS)}; or use graph={BASIC_AND_ENHANCED!r}"
            )
        is_graph = self.graph == ENHANCED or self.system in GRAPH_SYSTEMS
        if is_graph and self.beam > 1:
            raise ValueError(f"graphs are parsed greedily: beam={self.beam} is for trees")

    def _check_beam(self) -> None:
        """Reject settings that greedy or beam training would ignore."""
        if not 1 <= self.beam <= MAX_WIDTH:
            raise ValueError(f"beam must be from 1 to {MAX_WIDTH}, not {self.beam}")
        is_beam = self.beam > 1 and self.scorer == LINEAR  # networks are always trained greedily
        for name in ("training", "learner") if is_beam else ("update", "oracle", "restart"):
            value, default = getattr(self, name), getattr(type(self), name)
            if value != default:
                raise ValueError(
                    f"{name}={value!r} is for {'greedy training' if is_beam else 'a beam'}, "
                    f"but beam={self.beam}"
                )
        if self.restart == "bad" and self.oracle == "static":
            raise ValueError(
                "restart='bad' requires oracle='dynamic': it leaves the gold derivation"
            )

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
            return replace(self, system="graph-eager").resolved()
        if self.system in GRAPH_SYSTEMS and self.graph == NO_GRAPH:
            return replace(self, graph=ENHANCED).resolved()
        kind = find_system(self.system)
        suited: dict[str, Any] = {
            "root": kind.roots[0],
            "training": "static" if self.learner in AT_ONCE else "explore",
            "features": self._suited_features(kind.default_templates),
            "projectivise": "head" if kind.projective_only else "none",
        }
        if self.beam > 1 and self.scorer == LINEAR:
            suited["restart"] = "bad" if self.oracle == "dynamic" else "none"
            del suited["training"]  # for greedy search only
        changed = {name: value for name, value in suited.items() if getattr(self, name) == AUTO}
        if self.learner in AT_ONCE:
            changed["epochs"] = 1
        elif self.epochs == 0:
            changed["epochs"] = EPOCHS[self.scorer]
        if self.scorer == NEURAL:
            changed["tags"] = "predicted"
        return replace(self, **changed)

    def _suited_features(self, templates: str) -> str:
        if self.scorer == NEURAL:
            return SLOTS.get(templates, "stack-buffer")
        return "atoms" if self.learner == SVM else templates


@record(frozen=True)
class TaggerSettings:
    """Settings for training a tagger.

    >>> TaggerSettings().search
    'greedy'
    >>> TaggerSettings(beam=0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: beam must be at least 1, not 0
    """

    search: str = _setting("greedy", "search for tags", SEARCHES)
    beam: int = _setting(4, "width of the beam, for search beam")
    epochs: int = _setting(10, "passes over the training data")
    seed: int = _setting(1, "seed of the random number generator")
    certain: int = _setting(
        5, "words that occur N times with a single tag always get it; 0: no word does"
    )
    rare: int = _setting(6, "words that occur less often have no ambiguity class")
    cutoff: int = _setting(2, "minimum frequency of features")
    prune: int = _setting(
        8, "drop features whose weights sum to less than N/127 of the largest weight"
    )
    clusters: str = _setting("", "file of word clusters, as written by `dodona cluster`")
    lemmas: bool = _setting(True, "also learn lemmas, if the training data have lemmas")
    lexicon: str = _setting("", "lexicon file: a lemma per line, with tags and their forms")

    @_checked
    def __post_init__(self) -> None:
        _check_choices(self)
        _check_least(self, 1, "beam", "epochs", "rare", "cutoff", "prune")
        _check_least(self, 0, "seed", "certain")
        if self.beam > MAX_WIDTH:
            raise ValueError(f"beam must be at most {MAX_WIDTH}, not {self.beam}")
        if self.cutoff > MAX_CUTOFF:
            raise ValueError(f"cutoff must be at most {MAX_CUTOFF}, not {self.cutoff}")

    @property
    def width(self) -> int:
        """The width of the beam; 1 for greedy search."""
        return self.beam if self.search == "beam" else 1

    def width_of(self, column: str) -> int:
        """Return the width for a column; lemmas are independent of each other: 1."""
        return 1 if column == LEMMA else self.width


@record(frozen=True)
class SegmenterSettings:
    """Settings for training a segmenter.

    >>> SegmenterSettings(certain=2.0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: certain must be above 0.5 and at most 1, not 2.0
    """

    epochs: int = _setting(8, "passes over the training data")
    seed: int = _setting(1, "seed of the random number generator")
    certain: float = _setting(
        0.9997, "character classes with the same decision in this share of cases always get it"
    )
    cutoff: int = _setting(2, "minimum frequency of features")
    prune: int = _setting(
        8, "drop features whose weights sum to less than N/127 of the largest weight"
    )

    @_checked
    def __post_init__(self) -> None:
        _check_least(self, 1, "epochs", "cutoff", "prune")
        _check_least(self, 0, "seed")
        if self.cutoff > MAX_CUTOFF:
            raise ValueError(f"cutoff must be at most {MAX_CUTOFF}, not {self.cutoff}")
        if not 0.5 < self.certain <= 1:
            raise ValueError(f"certain must be above 0.5 and at most 1, not {self.certain}")


def _check_choices(settings: Settings | TaggerSettings, but: str = "") -> None:
    for setting in fields(settings):
        choices, value = setting.metadata["choices"], getattr(settings, setting.name)
        if choices and setting.name != but and value not in choices:
            raise ValueError(f"{setting.name} must be one of {', '.join(choices)}, not {value!r}")


def _check_least(
    settings: Settings | TaggerSettings | SegmenterSettings, least: int, *names: str
) -> None:
    for name in names:
        if getattr(settings, name) < least:
            raise ValueError(f"{name} must be at least {least}, not {getattr(settings, name)}")
