"""A word of warning where a text looks like another language or script than the model knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.cli.annotation import Pipe
from dodona.cli.errors import say
from dodona.cli.inputs import Item
from dodona.parsing.parser import Parser
from dodona.treebank.sentence import Sentence

MOST_SENTENCES = 100  # at the beginning, to judge by
FEWEST_WORDS = 20


class Watch:
    """Looks at the first sentences that a model parses."""

    def __init__(self, path: Path, parser: Parser) -> None:
        self._path, self._parser = path, parser
        self._first: list[Sentence] = []

    def watch(self, pipe: Pipe) -> Pipe:
        """The same pipe; the first sentences that come out of it are remembered."""

        def watched(items: Iterable[Item]) -> Iterator[Item]:
            for item in pipe(items):
                if len(self._first) < MOST_SENTENCES and isinstance(item, Sentence):
                    self._first.append(item)
                yield item

        return watched

    def say(self) -> None:
        """Say it, if it is so."""
        if sum(map(len, self._first)) < FEWEST_WORDS:  # most texts at a prompt: look no further
            return
        from dodona.models.cards import find_card
        from dodona.parsing.known_words import count_known, knows_words, looks_foreign

        if not knows_words(self._parser):
            return
        n_words, n_known = count_known(self._parser, self._first)
        if looks_foreign(self._parser, n_words, n_known):
            card = find_card(self._path, self._parser.record)
            language = card.language or "what the model has learned from"
            share = f"{100 * n_known / n_words:.0f}%"
            say(
                f"this does not look like {language}: the model knows {share} of the words; "
                "`dodona models` lists those that are here"
            )
