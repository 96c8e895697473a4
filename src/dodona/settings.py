"""Every setting of training, once: the keywords of `dodona.train`, the flags of `dodona train`.

Likewise those of taggers, for `dodona.train_tagger` and `dodona tag --train`, and of segmenters.
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

SVM, MAXENT = "svm", "maxent"  # learn all at once, by scikit-learn
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
# slots for networks, by the templates that suit the same system
SLOTS = {"rich": "stack-buffer", "rich-hybrid": "hybrid", "rich-stack": "stack", "graph": "graph"}
OF_NETWORKS = (
    *("width", "layers", "hidden", "vectors", "batch_words", "learning_rate", "dropout"),
    "precision",
)
OF_LINEAR = ("learner", "aggressiveness", "prune", "tagger_prune", "clusters")
AUTO = "auto"  # what suits the other settings


class SettingsError(DodonaError, ValueError):
    """Settings that no training could have."""


def _checked(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """What checks settings, with errors of our family."""

    def told(self: Any) -> None:
        try:
            check(self)
        except ValueError as error:
            raise SettingsError(*error.args) from None

    return told


def _setting(default: Any, help: str, choices: tuple[str, ...] | None = None) -> Any:
    return field(default=default, metadata={"help": help, "choices": choices})


@record(frozen=True)
class Settings:
    """How to train a parser.

    >>> Settings(epochs=3).resolved().training
    'explore'
    >>> Settings(training="luck")
    Traceback (most recent call last):
    dodona.settings.SettingsError: training is one of auto, static, ambiguity, explore, not 'luck'
    """

    system: str = _setting("arc-eager", "transition system", tuple(systems()))
    scorer: str = _setting(
        LINEAR, "what scores actions: weights of features, or a network", SCORERS
    )
    graph: str = _setting(
        NO_GRAPH, "parse into enhanced graphs (the DEPS column), alone or beside the tree", GRAPHS
    )
    root: str = _setting(AUTO, "where the artificial root stands", (AUTO, *ROOTS))
    training: str = _setting(AUTO, "greedy: oracle and what to follow", (AUTO, *MODES))
    static_oracle: str = _setting(
        "static", "which derivation to learn, where a system has several", STATIC_ORACLES
    )
    exact_words: int = _setting(
        0, "swap, graph-standard: search for exact costs where so few words are left"
    )
    explore_after: int = _setting(2, "epochs before exploration starts (k in the paper)")
    explore_rate: float = _setting(
        0.9, "share of errors that are followed when exploring (1 - p in the paper)"
    )
    beam: int = _setting(1, "derivations kept side by side; 1 is greedy search")
    update: str = _setting("max-violation", "beam: how far to learn from an error", UPDATES)
    oracle: str = _setting("dynamic", "beam: which derivations are correct", ORACLES)
    restart: str = _setting(AUTO, "beam: where to go on after an error", (AUTO, *RESTARTS))
    epochs: int = _setting(0, "passes over the training data; 0: 15, with a network 36")
    early_stop: int = _setting(0, "stop after this many epochs without a better dev LAS; 0: never")
    seed: int = _setting(1, "seed of everything random")
    features: str = _setting(
        AUTO, "template set (with a network: slots) that ships, or a file of your own"
    )
    tags: str = _setting(
        "gold", "tags to learn from: gold, predicted (by a tagger that learns along) or jackknife:N"
    )
    clusters: str = _setting("", "file of word clusters to use, made by `dodona cluster`")
    projectivise: str = _setting(
        AUTO, "how to train on crossing arcs, and to restore them", (AUTO, "none", *SCHEMES)
    )
    loss: str = _setting("labelled", "what an error costs", tuple(LOSSES))
    learner: str = _setting("perceptron", "how weights are learned", (*LEARNERS, *AT_ONCE))
    aggressiveness: float = _setting(0.1, "largest step of the passive-aggressive learner (C)")
    roots: str = _setting("one", "words under the root of a parsed sentence", ROOT_COUNTS)
    prune: int = _setting(
        5, "drop features whose weights sum to less, in 127ths of the largest; 1 keeps nearly all"
    )
    tagger_prune: int = _setting(8, "the same for the tagger in the model")
    width: int = _setting(192, "network: numbers per word; a multiple of 32")
    layers: int = _setting(3, "network: how often words look at those around them")
    hidden: int = _setting(256, "network: units of a state; a multiple of 16")
    vectors: str = _setting("", "network: file of word vectors (text, or .npy beside .words)")
    batch_words: int = _setting(0, "network: words to learn from at once; 0: as suits the treebank")
    learning_rate: float = _setting(0.002, "network: how large steps are at most")
    dropout: float = _setting(0.3, "network: share that is left out while learning")
    precision: str = _setting("int8", "network: how its numbers are saved", PRECISIONS)

    @_checked
    def __post_init__(self) -> None:
        _check_choices(self, but="system")
        find_system(self.system)  # it may have been registered since
        _check_least(self, 1, "prune", "tagger_prune")
        for name in ("epochs", "explore_after", "early_stop", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, as {getattr(self, name)} is")
        if not 0 <= self.explore_rate <= 1:
            raise ValueError(f"explore_rate is a share from 0 to 1, not {self.explore_rate}")
        self._check_beam()
        if not TAGS.fullmatch(self.tags):
            raise ValueError(
                f"tags is gold, predicted or jackknife:N (N from 2 on), not {self.tags!r}"
            )
        if not self.aggressiveness > 0:
            raise ValueError(f"aggressiveness must be above 0, not {self.aggressiveness}")
        if self.learner in AT_ONCE:
            self._check_at_once()
        self._check_graph()
        self._check_scorer()
        self._check_exact()

    def _check_exact(self) -> None:
        """Refuse a search for costs that are exact without it, or that would not end."""
        if self.exact_words:
            kind = find_system(self.system)
            if not kind.searches:
                raise ValueError(f"exact_words is for systems that estimate costs, not {kind.name}")
            if not 0 < self.exact_words <= MOST_SEARCHED:
                raise ValueError(
                    f"exact_words is from 0 to {MOST_SEARCHED}, not {self.exact_words}: the search "
                    "takes exponential time"
                )

    def _check_scorer(self) -> None:
        """Refuse what one scorer would ignore, and sizes that no network has."""
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
                raise ValueError(f"{name} is a multiple of {unit} up to {most}, not {value}")
        if self.batch_words < 0 or not 0 < self.learning_rate <= 1 or not 0 <= self.dropout < 1:
            raise ValueError(
                "batch_words is 0 or more, learning_rate above 0 and up to 1, dropout below 1"
            )

    def _check_at_once(self) -> None:
        if self.training not in (AUTO, "static"):
            raise ValueError(
                f"the {self.learner} learner learns from the static oracle alone, "
                f"not training={self.training}"
            )
        if self.tags == "predicted":
            raise ValueError(
                f"the {self.learner} learner learns all at once, so no tagger can learn along: "
                "use tags='jackknife:10' instead of 'predicted'"
            )

    def _check_graph(self) -> None:
        """Refuse a system that does not build what is asked for."""
        if self.graph == BASIC_AND_ENHANCED and self.system in GRAPH_SYSTEMS:
            raise ValueError(
                f"system={self.system!r} builds graphs: with graph={self.graph!r}, system is the "
                f"one for trees, and graphs are parsed by graph-eager"
            )
        others = set(SYSTEMS) - {type(self).system}
        if self.graph == ENHANCED and self.system in others:
            raise ValueError(
                f"system={self.system!r} builds trees: graph={self.graph!r} needs one of "
                f"{', '.join(GRAPH_SYSTEMS)}; or ask for graph={BASIC_AND_ENHANCED!r}"
            )
        is_graph = self.graph == ENHANCED or self.system in GRAPH_SYSTEMS
        if is_graph and self.beam > 1:
            raise ValueError(f"graphs are parsed greedily: beam={self.beam} is for trees")

    def _check_beam(self) -> None:
        """Refuse what one way to train would ignore."""
        if not 1 <= self.beam <= MAX_WIDTH:
            raise ValueError(f"beam is from 1 to {MAX_WIDTH}, not {self.beam}")
        is_beam = self.beam > 1 and self.scorer == LINEAR  # a network learns greedily in any case
        for name in ("training", "learner") if is_beam else ("update", "oracle", "restart"):
            value, default = getattr(self, name), getattr(type(self), name)
            if value != default:
                raise ValueError(
                    f"{name}={value!r} is for {'greedy training' if is_beam else 'a beam'}, "
                    f"but beam={self.beam}"
                )
        if self.restart == "bad" and self.oracle == "static":
            raise ValueError("restart='bad' needs oracle='dynamic': it leaves the one derivation")

    @property
    def n_folds(self) -> int:
        """Folds of jackknifed tags; 0 for other tags.

        >>> Settings(tags="jackknife:10").n_folds
        10
        """
        return int(self.tags.partition(":")[2] or 0)

    def resolved(self) -> Settings:
        """These settings with "auto" replaced by what suits the transition system and the beam.

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
            del suited["training"]  # which is for greedy search
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
    """How to train a tagger.

    >>> TaggerSettings().search
    'greedy'
    >>> TaggerSettings(beam=0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: beam must be at least 1, not 0
    """

    search: str = _setting("greedy", "how tags are found", SEARCHES)
    beam: int = _setting(4, "items of the beam, with search beam")
    epochs: int = _setting(10, "passes over the training data")
    seed: int = _setting(1, "seed of everything random")
    certain: int = _setting(
        5, "words seen this often, and with one tag only, always get it; 0: none does"
    )
    rare: int = _setting(6, "words seen less often have no ambiguity class")
    cutoff: int = _setting(2, "learn only from features that occur this often")
    prune: int = _setting(
        8, "drop features whose weights sum to less, in 127ths of the largest; 1 keeps nearly all"
    )
    clusters: str = _setting("", "file of word clusters to use, made by `dodona cluster`")
    lemmas: bool = _setting(True, "learn lemmas, too, if the training data have any")
    lexicon: str = _setting("", "file of lemmas: one a line, then tags and the forms with each")

    @_checked
    def __post_init__(self) -> None:
        _check_choices(self)
        _check_least(self, 1, "beam", "epochs", "rare", "cutoff", "prune")
        _check_least(self, 0, "seed", "certain")
        if self.beam > MAX_WIDTH:
            raise ValueError(f"beam is at most {MAX_WIDTH}, not {self.beam}")
        if self.cutoff > MAX_CUTOFF:
            raise ValueError(f"cutoff is at most {MAX_CUTOFF}, not {self.cutoff}")

    @property
    def width(self) -> int:
        """Items of the beam; greedy search has one."""
        return self.beam if self.search == "beam" else 1

    def width_of(self, column: str) -> int:
        """The same for a task: the lemma of a word does not tell those of others."""
        return 1 if column == LEMMA else self.width


@record(frozen=True)
class SegmenterSettings:
    """How to train a segmenter.

    >>> SegmenterSettings(certain=2.0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: certain is a share above 0.5 and up to 1, not 2.0
    """

    epochs: int = _setting(8, "passes over the training data")
    seed: int = _setting(1, "seed of everything random")
    certain: float = _setting(
        0.9997, "kinds of characters that part, or stay, in this share of places always do"
    )
    cutoff: int = _setting(2, "learn only from features that occur this often")
    prune: int = _setting(
        8, "drop features whose weights sum to less, in 127ths of the largest; 1 keeps nearly all"
    )

    @_checked
    def __post_init__(self) -> None:
        _check_least(self, 1, "epochs", "cutoff", "prune")
        _check_least(self, 0, "seed")
        if self.cutoff > MAX_CUTOFF:
            raise ValueError(f"cutoff is at most {MAX_CUTOFF}, not {self.cutoff}")
        if not 0.5 < self.certain <= 1:
            raise ValueError(f"certain is a share above 0.5 and up to 1, not {self.certain}")


def _check_choices(settings: Settings | TaggerSettings, but: str = "") -> None:
    for setting in fields(settings):
        choices, value = setting.metadata["choices"], getattr(settings, setting.name)
        if choices and setting.name != but and value not in choices:
            raise ValueError(f"{setting.name} is one of {', '.join(choices)}, not {value!r}")


def _check_least(
    settings: Settings | TaggerSettings | SegmenterSettings, least: int, *names: str
) -> None:
    for name in names:
        if getattr(settings, name) < least:
            raise ValueError(f"{name} must be at least {least}, not {getattr(settings, name)}")
