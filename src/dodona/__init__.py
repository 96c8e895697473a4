"""Dodona: fast, exact, trainable transition-based dependency parsing with dynamic oracles."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    __version__: str
    from dodona.core.transitions.action import Action as Action
    from dodona.core.transitions.gold import Gold as Gold
    from dodona.core.transitions.python_system import PythonSystem as PythonSystem
    from dodona.core.transitions.registry import system as system
    from dodona.core.transitions.registry import systems as systems
    from dodona.core.transitions.system import State as State
    from dodona.core.transitions.system import System as System
    from dodona.doc import Doc as Doc
    from dodona.errors import DodonaError as DodonaError
    from dodona.evaluation import analyse as analyse
    from dodona.evaluation import compare as compare
    from dodona.evaluation import compare_text as compare_text
    from dodona.evaluation import evaluate as evaluate
    from dodona.evaluation import evaluate_text as evaluate_text
    from dodona.glossary.explain import explain as explain
    from dodona.glossary.stop_words import stop_words as stop_words
    from dodona.languages.identifier import identify as identify
    from dodona.parsing.calibration import calibrate as calibrate
    from dodona.parsing.given import Given as Given
    from dodona.parsing.parser import Parser as Parser
    from dodona.pipeline.auto import AutoParser as AutoParser
    from dodona.pipeline.trainers import train as train
    from dodona.query.pattern import Pattern as Pattern
    from dodona.rules.rules import Rules as Rules
    from dodona.segmentation.segmenter import Segmenter as Segmenter
    from dodona.segmentation.segmenter_training import train_segmenter as train_segmenter
    from dodona.settings import Settings as Settings
    from dodona.tagging.tagger import Tagger as Tagger
    from dodona.tagging.tagger_training import train_tagger as train_tagger
    from dodona.treebank.conllu.reader import read as read
    from dodona.treebank.conllu.writer import Writer as Writer
    from dodona.treebank.sentence import Sentence as Sentence
    from dodona.treebank.span import Span as Span
    from dodona.treebank.word import Word as Word

# The module of each public name, imported on first use: parsing one sentence does not wait for the
# imports of training and evaluation (half the time). A test compares it with the imports above.
_HOMES = {
    "Action": "dodona.core.transitions.action",
    "AutoParser": "dodona.pipeline.auto",
    "Doc": "dodona.doc",
    "DodonaError": "dodona.errors",
    "Given": "dodona.parsing.given",
    "Gold": "dodona.core.transitions.gold",
    "Parser": "dodona.parsing.parser",
    "Pattern": "dodona.query.pattern",
    "PythonSystem": "dodona.core.transitions.python_system",
    "Rules": "dodona.rules.rules",
    "Segmenter": "dodona.segmentation.segmenter",
    "Sentence": "dodona.treebank.sentence",
    "Settings": "dodona.settings",
    "Span": "dodona.treebank.span",
    "State": "dodona.core.transitions.system",
    "System": "dodona.core.transitions.system",
    "Tagger": "dodona.tagging.tagger",
    "Word": "dodona.treebank.word",
    "Writer": "dodona.treebank.conllu.writer",
    "analyse": "dodona.evaluation",
    "calibrate": "dodona.parsing.calibration",
    "compare": "dodona.evaluation",
    "compare_text": "dodona.evaluation",
    "evaluate": "dodona.evaluation",
    "evaluate_text": "dodona.evaluation",
    "explain": "dodona.glossary.explain",
    "identify": "dodona.languages.identifier",
    "read": "dodona.treebank.conllu.reader",
    "stop_words": "dodona.glossary.stop_words",
    "system": "dodona.core.transitions.registry",
    "systems": "dodona.core.transitions.registry",
    "train": "dodona.pipeline.trainers",
    "train_segmenter": "dodona.segmentation.segmenter_training",
    "train_tagger": "dodona.tagging.tagger_training",
}

__all__ = ["__version__", "load", *_HOMES]

_ELSEWHERE = {  # names of other tools
    "download": "`dodona get NAME` in the shell installs a model",
    "Pipeline": 'dodona.load("en") returns a parser of texts',
    "blank": "dodona.train(…) makes a parser from a treebank",
}


def load(
    model: str | Path,
    *,
    mapped: bool = False,
    constraints: str | None = None,
    rules: Rules | str | Path | None = None,
    default: str | None = None,
) -> Parser:
    """Load a parser from a file, or one that is installed by name: `dodona.load("en")`.

    The model is copied into memory. With `mapped`, processes that load the same file share its
    memory; the file must then not change while it is in use, or the process crashes or computes
    nonsense. `constraints` ("ud" or "none") replaces those that the model records; `Parser.pipe`
    describes them. `rules` are `Rules` of one's own, or a file of them; without any, those in a
    file beside the model are used (`my.rules.toml` for `my.dodona`).

    `dodona.load("auto")` returns an `AutoParser`, which parses each text with the installed model
    of its language by the methods `__call__` and `docs` of a parser; `default` is the language of
    texts whose own has no model.
    """
    from dodona.logs import info
    from dodona.models import AUTO, locate
    from dodona.parsing.parser import Parser
    from dodona.rules.lookup import get_rules

    if model == AUTO:
        from dodona.pipeline.auto import AutoParser

        if rules is not None:
            raise ValueError('rules are for the model of one language, not for "auto"')
        auto: Any = AutoParser(default=default, mapped=mapped, constraints=constraints)
        parser: Parser = auto
        return parser
    if default is not None:
        raise ValueError('default is for dodona.load("auto")')
    path = locate(model)
    parser = Parser.load(path, mapped=mapped)
    info("loaded %s: %r", path, parser)
    if (found := get_rules(rules, path)) is not None:
        parser = parser.with_rules(found)
        info("with %r", found)
    return parser if constraints is None else parser.with_constraints(constraints)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value = version("dodona")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        advice = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"module 'dodona' has no attribute {name!r}{advice}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
