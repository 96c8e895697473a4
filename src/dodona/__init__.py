"""Dodona: fast, exact, trainable transition-based dependency parsing with dynamic oracles."""

from pathlib import Path

from dodona.core.action import Action
from dodona.core.gold import Gold
from dodona.core.registry import system, systems
from dodona.core.system import State, System
from dodona.evaluation import compare, evaluate
from dodona.parser import Parser
from dodona.settings import Settings
from dodona.training import train
from dodona.treebank.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.writer import Writer

__all__ = [
    "Action",
    "Gold",
    "Parser",
    "Sentence",
    "Settings",
    "State",
    "System",
    "Writer",
    "compare",
    "evaluate",
    "load",
    "read",
    "system",
    "systems",
    "train",
]


def load(path: str | Path) -> Parser:
    """The parser in a model file."""
    return Parser.load(path)
