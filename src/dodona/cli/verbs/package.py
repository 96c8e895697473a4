"""`dodona package`: make a wheel of a model."""

from pathlib import Path
from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, ModelName
from dodona.cli.input_files import read_text_file
from dodona.models import SUFFIX, find_shipped, locate
from dodona.models.cards import KINDS, find_card
from dodona.models.wheels import make_package
from dodona.parsing.parser import Parser
from dodona.rules.lookup import get_rules
from dodona.storage import container
from dodona.storage.json_fields import read_field
from dodona.tagging.tagger import Tagger


def package(
    model: ModelName,
    out: Annotated[str, Flag("folder for the wheel", short="-o", metavar="FOLDER")] = "dist",
    name: Annotated[
        str | None,
        Flag("name to load the model by", metavar="NAME", default="the name of the file"),
    ] = None,
    version: Annotated[
        str | None, Flag("version of the package", metavar="VERSION", default="the model's, or 1.0")
    ] = None,
    language: Annotated[
        str | None,
        Flag("language of the model", metavar="NAME", default="as recorded in the model"),
    ] = None,
    treebank: Annotated[
        str | None,
        Flag(
            "treebank the model was trained on", metavar="NAME", default="as recorded in the model"
        ),
    ] = None,
    licence: Annotated[
        str | None, Flag("licence of the model", metavar="NAME", default="as recorded in the model")
    ] = None,
    licence_text: Annotated[
        str | None, Flag("file with the text of the licence", default="a notice")
    ] = None,
    card: Annotated[str | None, Flag("Markdown file about the model", default="generated")] = None,
) -> None:
    """Make a wheel of a model, which pip installs and Dodona then loads by name.

    The package contains the model, its card and its licence, and the rules in a file beside the
    model (my.rules.toml), if there is one. It depends on Dodona only. The
    options are recorded in the model. The same input gives the same bytes.

    dodona package my.dodona --name en-mine --language English --licence "CC BY-SA 4.0"
    """
    path = locate(model)
    _check(path)
    chosen = name or path.name.removesuffix(SUFFIX)
    given = {"language": language, "treebank": treebank, "licence": licence, "version": version}
    own = find_card(path, read_field(container.about(path), "record", dict))
    signed = own._replace(**{key: value for key, value in given.items() if value is not None})
    signed = signed._replace(version=signed.version or "1.0")
    signed.check()
    if not signed.licence:
        raise UsageError(
            f"{path}: the model records no licence, without which nobody may use the package; give "
            'one: --licence "CC BY-SA 4.0"'
        )
    made = make_package(path, chosen, signed, readme=_read(card), licence=_read(licence_text))
    print(made.save(Path(out)))
    if chosen in find_shipped():
        say(f"Dodona includes a model {chosen}, which is found first; use another --name")
    if not signed.is_commercial:
        say(f"the licence, {signed.licence}, is non-commercial")


def _check(path: Path) -> None:
    """Raise an error if the model cannot be loaded."""
    kind = container.kind(path)
    if kind not in KINDS:
        raise ValueError(
            f"{path}: this is a Dodona {kind}; only models and taggers can be packaged"
        )
    (Parser if kind == "model" else Tagger).load(path).with_rules(get_rules(None, path))


def _read(path: str | None) -> str | None:
    return None if path is None else read_text_file(path)
