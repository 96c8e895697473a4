"""Records: dataclasses that are cheap to define.

`dataclasses` generates and compiles six methods for every class, and imports `inspect`: a fifth of
the time in which one sentence is parsed. Records share one implementation of these methods. To
`dataclasses.fields`, `replace` and `asdict`, to `inspect.signature` and to type checkers a record
is a dataclass. Modules that every start imports use records; others use dataclasses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as record
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace

__all__ = ["bind", "field", "fields", "flat_fields", "record", "replace"]

_NOTHING: Any = object()  # no default


class Field:
    """One field of a record, with the attributes of `dataclasses.Field`."""

    def __init__(self, **given: Any) -> None:
        self.given = given  # arguments of `field`
        self.name, self.type = "", ""
        self.default = given.get("default", _NOTHING)
        self.default_factory = given.get("default_factory", _NOTHING)
        self.metadata = given.get("metadata", {})
        self.init = given.get("init", True)
        self.repr = given.get("repr", True)
        self.compare = given.get("compare", True)


def _record(
    cls: Any = None, /, *, init: bool = True, frozen: bool = False, repr: bool = True
) -> Any:
    """Make a class a record, like `dataclasses.dataclass`, but without inheritance."""
    if cls is None:
        return lambda cls: _record(cls, init=init, frozen=frozen, repr=repr)
    cls.__record__ = tuple(_find_fields(cls))
    names = tuple(part.name for part in cls.__record__ if part.init)
    cls.__match_args__ = names  # type: ignore[misc]
    cls.__dataclass_fields__ = _WhenAsked(lambda cls: _twin(cls).__dataclass_fields__)
    cls.__signature__ = _WhenAsked(_signature, of_instances=False)
    cls.__eq__, cls.__replace__ = _eq, _replace
    if init:
        cls.__init__ = _init
    cls.__hash__ = _hash if frozen else None
    if repr:
        cls.__repr__ = _repr
    if frozen:
        cls.__setattr__ = cls.__delattr__ = _refuse
    return cls


def _fields(of: Any) -> tuple[Field, ...]:
    """Return the fields of a record or of its class."""
    found: tuple[Field, ...] = of.__record__
    return found


def flat_fields(of: Any) -> Sequence[Any]:
    """Return the fields of a record, and in place of each nested record the fields of that.

    A nested record is the default of a field. A class with nested records names the order of the
    fields in `ORDER`.
    """
    if not hasattr(of, "ORDER"):
        return _fields(of)
    of_part = (getattr(part.default, "__record__", (part,)) for part in _fields(of))
    return sorted(chain(*of_part), key=lambda part: of.ORDER.index(part.name))


def _replace(self: Any, /, **changes: Any) -> Any:
    """Return a copy of a record with some fields changed."""
    same = {part.name: getattr(self, part.name) for part in _fields(self) if part.init}
    return type(self)(**same | changes)


def _find_fields(cls: Any) -> Iterator[Field]:
    """Yield the annotated fields of a class, and make their defaults class attributes."""
    for name, annotation in cls.__annotations__.items():
        if str(annotation).startswith("ClassVar"):
            continue
        found = vars(cls).get(name, _NOTHING)
        part = found if isinstance(found, Field) else Field(default=found)
        part.name, part.type = name, annotation
        if part.default is not _NOTHING:
            setattr(cls, name, part.default)
        elif found is not _NOTHING:
            delattr(cls, name)
        yield part


def bind(
    self: Any, names: Sequence[str], values: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of the constructor of a record, by name."""
    if len(values) > len(names):
        raise _misuse(self, f"takes {len(names)} values at most, not {len(values)}")
    state = dict(zip(names, values, strict=False))
    for name in named:
        if name not in names:
            raise _misuse(self, f"got an unexpected keyword argument {name!r}")
        if name in state:
            raise _misuse(self, f"got multiple values for argument {name!r}")
    return state | dict(named)


def _init(self: Any, *values: Any, **named: Any) -> None:
    state = bind(self, [part.name for part in _fields(self) if part.init], values, named)
    for part in _fields(self):
        if part.name in state:
            continue
        if part.default is not _NOTHING:
            state[part.name] = part.default
        elif part.default_factory is not _NOTHING:
            state[part.name] = part.default_factory()
        elif part.init:
            raise _misuse(self, f"missing required argument {part.name!r}")
    vars(self).update(state)  # works for frozen records
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _misuse(self: Any, what: str) -> TypeError:
    return TypeError(f"{type(self).__qualname__}() {what}")


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, part.name) for part in _fields(self) if part.compare)


def _eq(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = (part.name for part in _fields(self) if part.repr)
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({inside})"


def _refuse(self: Any, name: str, *value: Any) -> None:
    """Refuse to assign to a field of a frozen record, or without a value to delete it."""
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


class _WhenAsked:
    """A class attribute that is computed from the equivalent dataclass on first use."""

    def __init__(self, take: Any, of_instances: bool = True) -> None:
        self.take, self.of_instances = take, of_instances

    def __get__(self, instance: Any, cls: Any) -> Any:
        if instance is not None and not self.of_instances:
            raise AttributeError("this attribute belongs to the class")
        return self.take(cls)


@cache
def _twin(cls: Any, flat: bool = False) -> Any:
    """Return a dataclass with the same fields."""
    from dataclasses import field, make_dataclass

    fields = []
    for part in (flat_fields if flat else _fields)(cls):
        given = {name: value for name, value in part.given.items() if value is not _NOTHING}
        fields.append((part.name, part.type, field(**given)))
    return make_dataclass(cls.__name__, fields)


def _signature(cls: Any) -> Any:
    from inspect import signature

    return signature(_twin(cls, flat=True))


if not TYPE_CHECKING:
    record, field, fields, replace = _record, Field, _fields, _replace
