"""Configuration files: TOML, with the names of the flags."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dodona.cli.flags import Parameter
from dodona.core.base.values import show

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_config(path: Path, parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Return the values of a configuration file, by parameter.

    >>> from tempfile import TemporaryDirectory
    >>> from dodona.cli.flags import Flag
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "train.toml")
    ...     _ = file.write_text("early-stop = 3")
    ...     read_config(file, [Parameter("early_stop", int, False, None, Flag("…"))])
    {'early_stop': 3}
    """
    known = {parameter.long[2:]: parameter for parameter in parameters}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # not UTF-8, or not TOML
        raise ValueError(f"{path}: {error}") from error
    except RecursionError:
        raise ValueError(f"{path}: values are nested too deeply; a setting has one value") from None
    found = {}
    for key, value in content.items():
        parameter = known.get(key.replace("_", "-"))
        if parameter is None:
            raise ValueError(
                f"{path}: unknown setting {key!r}; the settings are: {', '.join(known)}"
            )
        if parameter.type is float and type(value) is int and abs(value) <= sys.float_info.max:
            value = float(value)
        if not parameter.accepts(value):
            raise ValueError(f"{path}: {key} must be {parameter.expected}, not {show(value)}")
        found[parameter.name] = value
    return found
