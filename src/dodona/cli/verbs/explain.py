"""`dodona explain`: what tags and relations mean."""

from typing import Annotated

from dodona.cli.flags import Flag


def explain(
    names: Annotated[
        list[str],
        Flag(
            "relations, UPOS, features or English XPOS: nsubj NOUN Number=Sing NNS",
            positional=True,
            metavar="NAME...",
        ),
    ],
) -> None:
    """Explain relations, tags and features.

    They are those of Universal Dependencies, with their common subtypes, and the tags of the
    English treebanks in XPOS.

    dodona explain nsubj:pass VBZ Number=Sing
    """
    from dodona.glossary.explain import explain as explain_one

    for name in names:
        print(explain_one(name))
