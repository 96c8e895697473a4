"""Notes on stderr about what a parser does with the trees and tags of its input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dodona.cli.errors import say
from dodona.cli.inputs import SentenceOrBad
from dodona.parsing.given_tags import given_tags
from dodona.parsing.parser import Parser
from dodona.treebank.sentence import Sentence


class InputNotes:
    """Notes on stderr about what a parser does with the trees and tags of its input."""

    def __init__(self, parser: Parser, model: str) -> None:
        self._parser, self._model, self._is_said = parser, model, False

    def watch(self, items: Iterable[SentenceOrBad]) -> Iterator[SentenceOrBad]:
        """Yield the sentences; describe the first one that has trees or tags, once."""
        for item in items:
            if not self._is_said and isinstance(item, Sentence) and (note := self.note(item)):
                say(f"{item.source}: {note}")
                self._is_said = True
            yield item

    def note(self, sentence: Sentence) -> str:
        """Return what is kept and what is replaced; nothing if there are neither tags nor trees."""
        tagger = self._parser.tagger
        kept = given_tags(sentence, tagger.columns if tagger else ("upos", "xpos"))
        trees = "trees are replaced" if any(h is not None for h in sentence.heads) else ""
        if not kept:
            return trees
        tags = f"{', '.join(kept)} {'is' if len(kept) == 1 else 'are'} kept"
        how = "--retag predicts them, as the scores of a parser require"
        if tagger is None:
            how = f"{self._model} was trained on gold tags and cannot predict them"
        return f"{trees}, {tags}: {how}" if trees else f"{tags}: {how}"
