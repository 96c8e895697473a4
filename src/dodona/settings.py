"""Every setting of training, once: the keywords of `dodona.train`, the flags of `dodona train`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from dodona.core.agenda import MAX_WIDTH
from dodona.core.beam_training import ORACLES, RESTARTS, UPDATES
from dodona.core.greedy_training import LEARNERS, MODES
from dodona.core.registry import SYSTEMS
from dodona.core.system import LOSSES, ROOTS
from dodona.treebank.pseudoprojective import SCHEMES

ROOT_COUNTS = ("one", "many")
AUTO = "auto"  # what suits the other settings


def _setting(default: Any, help: str, choices: tuple[str, ...] | None = None) -> Any:
    return field(default=default, metadata={"help": help, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """How to train a parser.

    >>> Settings(epochs=3).training
    'explore'
    >>> Settings(training="luck")
    Traceback (most recent call last):
    ValueError: training is one of static, ambiguity, explore, not 'luck'
    """

    system: str = _setting("arc-eager", "transition system", tuple(SYSTEMS))
    root: str = _setting(AUTO, "where the artificial root stands", (AUTO, *ROOTS))
    training: str = _setting("explore", "greedy: oracle and what to follow", tuple(MODES))
    explore_after: int = _setting(2, "epochs before exploration starts (k in the paper)")
    explore_rate: float = _setting(
        0.9, "share of errors that are followed when exploring (1 - p in the paper)"
    )
    beam: int = _setting(1, "derivations kept side by side; 1 is greedy search")
    update: str = _setting("max-violation", "beam: how far to learn from an error", UPDATES)
    oracle: str = _setting("dynamic", "beam: which derivations are correct", ORACLES)
    restart: str = _setting(AUTO, "beam: where to go on after an error", (AUTO, *RESTARTS))
    epochs: int = _setting(15, "passes over the training data")
    early_stop: int = _setting(0, "stop after this many epochs without a better dev LAS; 0: never")
    seed: int = _setting(1, "seed of everything random")
    features: str = _setting(AUTO, "template set that ships, or a file of your own")
    clusters: str = _setting("", "file of word clusters to use, made by `dodona cluster`")
    projectivise: str = _setting(
        AUTO, "how to train on crossing arcs, and to restore them", (AUTO, "none", *SCHEMES)
    )
    loss: str = _setting("labelled", "what an error costs", tuple(LOSSES))
    learner: str = _setting("perceptron", "how weights are updated", tuple(LEARNERS))
    aggressiveness: float = _setting(0.1, "largest step of the passive-aggressive learner (C)")
    roots: str = _setting("one", "words under the root of a parsed sentence", ROOT_COUNTS)
    prune: int = _setting(
        5, "drop features whose weights sum to less, in 127ths of the largest; 1 keeps nearly all"
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            self._check_choice(setting.name, setting.metadata["choices"])
        for name in ("epochs", "prune"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("explore_after", "early_stop", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, as {getattr(self, name)} is")
        if not 0 <= self.explore_rate <= 1:
            raise ValueError(f"explore_rate is a share from 0 to 1, not {self.explore_rate}")
        self._check_beam()
        if not self.aggressiveness > 0:
            raise ValueError(f"aggressiveness must be above 0, not {self.aggressiveness}")

    def _check_beam(self) -> None:
        """Refuse what one way to train would ignore."""
        if not 1 <= self.beam <= MAX_WIDTH:
            raise ValueError(f"beam is from 1 to {MAX_WIDTH}, not {self.beam}")
        is_beam = self.beam > 1
        for name in ("training", "learner") if is_beam else ("update", "oracle", "restart"):
            value, default = getattr(self, name), getattr(type(self), name)
            if value != default:
                raise ValueError(
                    f"{name}={value!r} is for {'greedy training' if is_beam else 'a beam'}, "
                    f"but beam={self.beam}"
                )
        if self.restart == "bad" and self.oracle == "static":
            raise ValueError("restart='bad' needs oracle='dynamic': it leaves the one derivation")

    def resolved(self) -> Settings:
        """These settings with "auto" replaced by what suits the transition system and the beam.

        >>> Settings().resolved().features, Settings(system="swap").resolved().features
        ('rich', 'rich-stack')
        """
        kind = SYSTEMS[self.system]
        suited: dict[str, Any] = {
            "root": kind.default_root,
            "features": kind.default_templates,
            "projectivise": "head" if kind.projective_only else "none",
        }
        if self.beam > 1:
            suited["restart"] = "bad" if self.oracle == "dynamic" else "none"
        return replace(
            self, **{name: value for name, value in suited.items() if getattr(self, name) == AUTO}
        )

    def _check_choice(self, name: str, choices: tuple[str, ...] | None) -> None:
        value = getattr(self, name)
        if choices and value not in choices:
            raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}")
