"""The settings of training as flags: made from `dodona.settings`, which alone lists them."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, TypeVar

from dodona.cli.flags import Flag
from dodona.settings import Settings, TaggerSettings

Verb = TypeVar("Verb", bound=Callable[..., Any])


def with_settings(
    *names: str, of: type[Settings] | type[TaggerSettings] = Settings
) -> Callable[[Verb], Verb]:
    """Give a verb that takes `**settings` a flag for each of these settings, or for all of them.

    A flag that is not given is None: the verb then takes the default, or what a file says.
    """

    def widen(verb: Verb) -> Verb:
        signature = inspect.signature(verb)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        added = [_declare(f) for f in fields(of) if not names or f.name in names]
        verb.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, *added]
        )
        return verb

    return widen


def _declare(setting: Any) -> inspect.Parameter:
    flag = Flag(
        setting.metadata["help"],
        choices=setting.metadata["choices"] or (),
        default=str(setting.default),
    )
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[type(setting.default) | None, flag],
    )


def drop_unset(settings: dict[str, Any]) -> dict[str, Any]:
    """Only those that were given.

    >>> drop_unset({"seed": 3, "epochs": None})
    {'seed': 3}
    """
    return {name: value for name, value in settings.items() if value is not None}
