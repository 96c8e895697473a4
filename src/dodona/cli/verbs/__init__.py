"""The verbs of the command line: one module each, with a function of the same name.

Other distributions add verbs through entry points of the group `dodona.verbs`, in pyproject.toml:

    [project.entry-points."dodona.verbs"]
    greet = "my_package.greeting:greet"

`dodona greet` then imports that module, and only that one, and calls the function. `dodona --help`
and shell completion list the verb with the distribution's summary, without importing it. A verb of
this package cannot be replaced. The function of a verb

* annotates every parameter `Annotated[TYPE, Flag("what it does", ...)]`, where TYPE is str, int,
  float, bool, or a list of one of these, or None beside it where the default is None (see
  `dodona.cli.flags`); its module does without `from __future__ import annotations`. Parameters
  that are computed are declared by `add_parameters` and arrive in `**options`;
* has a docstring: its first line is the summary, and all of it is shown by `dodona greet --help`;
* writes its result to stdout and messages to stderr, the latter by `dodona.cli.errors.say`;
* raises `dodona.cli.errors.UsageError` for wrong arguments (exit code 2), any other ValueError or
  OSError for what goes wrong (exit code 1), and `dodona.cli.errors.Stop` to exit with another code.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dodona.cli.errors import UsageError, VerbError
from dodona.cli.grammar import suggest
from dodona.extras import find_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VERBS = (
    *("train", "parse", "tag", "cluster", "distil", "enhance", "calibrate", "evaluate"),
    *("validate", "grep", "facts", "check"),
    *("convert", "draw", "info", "explain", "models", "get", "package", "oracle", "serve"),
    "annotate",
    "bench",
)
GROUP = "dodona.verbs"
PAPERS = (
    "experiment is a verb of dodona-papers, which is not installed; to install it in a checkout of "
    "Dodona: pip install ./papers"
)


def load_verb(name: str) -> Callable[..., Any]:
    """Return the function of a verb.

    >>> load_verb("info").__name__
    'info'
    >>> load_verb("parze")
    Traceback (most recent call last):
    dodona.cli.errors.UsageError: unknown verb 'parze'; did you mean parse?
    """
    verb: Callable[..., Any]
    if name in VERBS:
        verb = getattr(import_module(f"dodona.cli.verbs.{name}"), name)
        return verb
    added = find_added()
    if name not in added:
        known = [*VERBS, *added]
        hint = suggest(name, known) or f"; the verbs are: {', '.join(known)}"
        raise UsageError(PAPERS if name == "experiment" else f"unknown verb {name!r}{hint}")
    try:
        verb = added[name].load()
    except Exception as error:  # whatever another distribution's import may raise
        raise VerbError(
            f"cannot load the verb {name} from {added[name].value} ({_distribution(added[name])}): "
            f"{type(error).__name__}: {error}; reinstall or uninstall that distribution"
        ) from error
    return verb


def find_added() -> dict[str, EntryPoint]:
    """Return the verbs of other distributions, by name, without importing them."""
    return {entry.name: entry for entry in find_entry_points(GROUP) if entry.name not in VERBS}


def summaries() -> dict[str, str]:
    """Return the one-line summary of every verb.

    >>> summaries()["info"]
    'Show everything a model records.'
    """
    own = {name: (load_verb(name).__doc__ or "").partition("\n")[0] for name in VERBS}
    added = {name: _distribution(entry) for name, entry in sorted(find_added().items())}
    return own | added


def _distribution(entry: EntryPoint) -> str:
    """Return the summary and the name of the distribution that an entry point belongs to."""
    if entry.dist is None:
        return entry.value
    about = entry.dist.metadata
    return f"{about['Summary']} ({about['Name']})" if "Summary" in about else about["Name"]
