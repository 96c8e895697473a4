"""The settings of training as flags, generated from `dodona.settings`."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from dodona.cli.flags import Flag, Parameter, add_parameters
from dodona.records import flat_fields
from dodona.settings import LINEAR, Settings, TaggerSettings

Verb = TypeVar("Verb", bound=Callable[..., Any])


def with_settings(
    *names: str,
    of: type[Settings] | type[TaggerSettings] = Settings,
    without: Collection[str] = (),
    scorer: str = LINEAR,
) -> Callable[[Verb], Verb]:
    """Add a flag for each of these settings, or for all, to a verb that takes `**settings`.

    The value of a flag that is not given is None, so that a configuration file can set it. A verb
    does without the settings that have no effect there; `scorer` is its default scorer.
    """

    def widen(verb: Verb) -> Verb:
        settings = [s for s in flat_fields(of) if s.name not in without]
        add_parameters(
            verb, (_declare(s, scorer) for s in settings if not names or s.name in names)
        )
        return verb

    return widen


def _declare(setting: Any, scorer: str) -> Parameter:
    flag = Flag(
        setting.metadata["help"],
        choices=setting.metadata["choices"] or (),
        default=scorer if setting.name == "scorer" else str(setting.default),
        metavar=setting.metadata["metavar"],
    )
    return Parameter(setting.name, type(setting.default), False, None, flag)


def drop_unset(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given.

    >>> drop_unset({"seed": 3, "epochs": None})
    {'seed': 3}
    """
    return {name: value for name, value in settings.items() if value is not None}
