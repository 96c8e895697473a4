"""What threads share of a network's tagger: everything but a bounded cache of word types."""

from __future__ import annotations

from typing import Any

import dodona
from dodona.tagging import network_tagger
from dodona.tagging.network_tagger import NetworkTags
from dodona.tagging.word_types import WordTypes


def test_readers_of_several_threads_share_their_vocabularies(monkeypatch: Any) -> None:
    """Their own copies took 4 MB for each thread with `en`."""
    tagger = dodona.load("en-small").tagger
    assert tagger is not None and isinstance(tagger.scorer, NetworkTags)
    made: list[WordTypes] = []

    def watched(*given: Any) -> WordTypes:
        made.append(WordTypes(*given))
        return made[-1]

    monkeypatch.setattr(network_tagger, "WordTypes", watched)
    readers = [tagger.scorer._idle_reader() for _ in range(4)]
    assert len(made) == 3, "one reader was idle"
    for name in ("forms", "known", "vectors"):
        assert len({id(getattr(types, name)) for types in made}) == 1
    sentences = [dodona.Sentence.from_columns(["Oaks", "speak", name]) for name in "abcd"]
    found = [tagger.scorer.read([one]) for one in sentences]
    assert len({id(reader) for reader in readers}) == 4 and len(found) == 4
