"""Exchange parts of a trained student without training its network again.

The network of a student takes minutes on a GPU; lemmas, the segmenter and the choice of words with
vectors of their own take none. A student that was trained elsewhere gets the present ones here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dodona.parsing.network_scorer import NetworkParserScorer
from dodona.parsing.parser import Parser
from dodona.records import replace
from dodona.tagging.network_tagger import NetworkTagger, NetworkTags
from dodona.tagging.tagger_training import LemmaTrainer
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.tag_heads import learn_tags, learn_words
from dodona.treebank.sentence import Sentence

FORMS, VECTORS = "word.0", "word.13"  # tables: row 0 is for unknown words


def tags_of(parser: Parser) -> NetworkTags:
    """Return the words, tags and arrays of a parser's network."""
    if not isinstance(parser.scorer, NetworkParserScorer):
        raise ValueError("the student has no network")
    return parser.scorer.tagger.scorer


def with_tags(parser: Parser, tags: NetworkTags) -> Parser:
    """Return the parser with another network of the same shape, or with other lemmas."""
    assert isinstance(parser.scorer, NetworkParserScorer)
    return replace(parser, scorer=replace(parser.scorer, tagger=NetworkTagger(tags)))


def with_lemmas(parser: Parser, gold: GoldTreebanks, trainer: LemmaTrainer) -> Parser:
    """Return the parser with the lemmas of a trainer that learned from these treebanks."""
    tags = tags_of(parser)
    heads = tags.tag_classes if tags.lemmas is None else tags.tag_classes[:-1]
    columns = [task.column for task in heads]
    learned = learn_tags(gold.sentences, columns, len(gold.first))
    for old, new in zip(heads, learned.tag_classes, strict=True):
        if old.classes != new.classes:
            raise ValueError(f"the student was trained with other classes of {old.column}")
    arrays = {name: x for name, x in tags.arrays.items() if name not in learned.arrays}
    known = learn_words(gold.sentences, None, None, gold.with_lemmas).known
    return with_tags(
        parser,
        replace(
            tags,
            words=replace(tags.words, known=known),
            tag_classes=[*heads, trainer.tag_classes],
            arrays=arrays | learned.arrays,
            lemmas=trainer.weights,
            symbols=trainer.inventory.symbols,
        ),
    )


def with_fewer_words(
    parser: Parser, counts: Mapping[str, int], n_forms: int, n_vectors: int
) -> Parser:
    """Return the parser with vectors for the most frequent words only; others become unknown.

    Pretrained vectors come in the order of frequency, so that the last ones are dropped.
    """
    tags = tags_of(parser)
    words, arrays = tags.words, dict(tags.arrays)
    order = sorted(range(len(words.forms)), key=lambda i: -counts.get(words.forms[i].decode(), 0))
    chosen = sorted(order[:n_forms])
    _keep_rows(arrays, FORMS, len(words.forms), chosen)
    kept = replace(words, forms=[words.forms[i] for i in chosen])
    if words.vectors is not None:
        _keep_rows(arrays, VECTORS, len(words.vectors), range(min(n_vectors, len(words.vectors))))
        kept = replace(kept, vectors=words.vectors[:n_vectors])
    return with_tags(parser, replace(tags, words=kept, arrays=arrays))


def _keep_rows(
    arrays: dict[str, memoryview], name: str, n_words: int, chosen: Sequence[int]
) -> None:
    """Keep row 0 and those of the chosen words, and their scales."""
    rows = [0, *(i + 1 for i in chosen)]
    for one in (name, f"{name}.scale"):
        if one in arrays:
            table = np.asarray(arrays[one]).reshape(n_words + 1, -1)
            arrays[one] = memoryview(np.ascontiguousarray(table[rows]).ravel())


def count_forms(sentences: Iterable[Sentence]) -> Counter[str]:
    """Count the lower-cased forms of sentences."""
    return Counter(form.lower() for sentence in sentences for form in sentence.forms)
