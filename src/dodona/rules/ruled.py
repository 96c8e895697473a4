"""Base class of annotators that take rules of their user."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from dodona.storage.serialisable import Serialisable

if TYPE_CHECKING:
    from dodona.rules.rules import Rules

    R = TypeVar("R", bound="Ruled")


class Ruled(Serialisable):
    """An annotator that applies the rules in `user_rules`, which its pickle has and its file lacks.

    A file of rules beside the model's file, or `dodona.load(…, rules=…)`, adds them again.
    """

    user_rules: Rules | None

    @abstractmethod
    def with_rules(self: R, rules: Rules | None) -> R:
        """Return the same annotator with these rules in place of any that it has."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.user_rules is None:
            return super().__reduce__()
        return _restore, (type(self), self.to_bytes(), self.user_rules)


def _restore(kind: type[Ruled], data: bytes, rules: Rules) -> Ruled:
    return kind.from_bytes(data).with_rules(rules)
