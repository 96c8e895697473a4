"""`dodona models`: list the models that can be loaded or installed."""

from dodona.cli.errors import say
from dodona.cli.flags import Json
from dodona.cli.model_tables import print_models
from dodona.models.available import Problems
from dodona.models.listing import list_models


def models(json: Json = False) -> None:
    """List the models that can be loaded by name or installed.

    Lists included models, those in the folders of DODONA_MODELS and those of installed packages,
    then packages that `dodona get` can install, with language, words of gold trees, dev scores,
    size, licence and location.
    """
    problems: Problems = []
    found = list_models(problems)
    print_models(found, json=json)
    if not json:
        problems = [
            *(f"{one.path or one.name}: {one.problem}" for one in found if one.problem),
            *problems,
        ]
    for problem in problems:
        say(problem)
