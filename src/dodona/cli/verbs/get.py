"""`dodona get`: install packaged models."""

from pathlib import Path
from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, Json
from dodona.cli.model_tables import print_models
from dodona.models.available import Problems, default_sources
from dodona.models.install import choose_package, install_package, installed_version
from dodona.models.listing import list_available
from dodona.models.wheel_names import version_key


def get(
    names: Annotated[
        list[str] | None,
        Flag("names of models, or paths or URLs of their wheels", positional=True),
    ] = None,
    from_: Annotated[
        str | None,
        Flag(
            "folder of wheels, or path or URL of an index",
            metavar="SOURCE",
            default="the folder models, those of DODONA_MODELS, then the index DODONA_INDEX",
        ),
    ] = None,
    upgrade: Annotated[bool, Flag("replace an installed model by the newest version")] = False,
    target: Annotated[
        str | None,
        Flag(
            "folder to install into, which is then to be on PYTHONPATH",
            metavar="FOLDER",
            default="the packages of this Python",
        ),
    ] = None,
    list_: Annotated[bool, Flag("only list what can be installed")] = False,
    json: Json = False,
) -> None:
    """Install packaged models, which are then loaded by their names.

    A name is looked up in folders first, then in an index. A wheel is installed only if it has the
    checksum that the index gives, and if it holds a model and nothing else; pip installs it without
    a connection and without dependencies.

    dodona get de fr
    """
    sources = default_sources() if from_ is None else [from_]
    if list_:
        problems: Problems = []
        print_models(list_available(sources, problems), json=json)
        for problem in problems:
            say(problem)
        return
    if json:
        raise UsageError("--json is for --list")
    if not names:
        raise UsageError("name a model, such as de; dodona get --list shows what there is")
    folder = None if target is None else Path(target)
    for name in dict.fromkeys(names):
        _get(name, sources, folder, upgrade=upgrade)


def _get(name: str, sources: list[str], target: Path | None, *, upgrade: bool) -> None:
    here = installed_version(name, target)
    if here is not None and not upgrade:
        say(f"{name} {here} is installed; to look for a newer version: dodona get --upgrade {name}")
        return
    found = choose_package(name, sources, newest=upgrade)
    here = here or installed_version(found.name, target)
    if here is not None and version_key(found.version) <= version_key(here):
        say(f"{found.name} {here} is installed, and {found.location} is not newer")
        return
    content = install_package(found, target=target)
    card = content.card
    about = ", ".join(filter(None, (card.language, card.licence)))
    print(f"installed {content.name} {content.version} ({about}) from {found.location}")
