"""Agreement of two annotators: UAS, LAS, Cohen's kappa, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path

from dodona.annotate.views import Agreement, Difference
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

_FIELDS = ("head", "deprel", "upos")


def compare_files(mine: Sequence[Sentence], other: Path) -> Agreement:
    """Compare sentences with those of another file; partners have the same id and the same words.

    Sentences without an id, or whose id the other file does not have, go by their order.
    """
    theirs = [*read(other, trees="optional")]
    by_id = {sentence.sent_id: sentence for sentence in theirs if sentence.sent_id}
    pairs, unmatched = [], []
    for index, sentence in enumerate(mine):
        partner = by_id.get(sentence.sent_id) if sentence.sent_id else None
        if partner is None and index < len(theirs):
            partner = theirs[index]
        if partner is None or partner.forms != sentence.forms:
            unmatched.append(index)
        else:
            pairs.append((index, sentence, partner))
    return _agreement(pairs, tuple(unmatched))


def _agreement(
    pairs: list[tuple[int, Sentence, Sentence]], unmatched: tuple[int, ...]
) -> Agreement:
    heads: list[tuple[int, int]] = []  # distances from words to heads, of one and the other
    labels: list[tuple[str, str]] = []
    tags: list[tuple[str, str]] = []
    differences: list[Difference] = []
    n_words = n_heads = n_arcs = 0
    for index, mine, theirs in pairs:
        for ours, other in zip(mine, theirs, strict=True):
            if ours.upos != "_" and other.upos != "_":
                tags.append((ours.upos, other.upos))
            if ours.head is not None and other.head is not None:
                n_words += 1
                n_heads += ours.head == other.head
                n_arcs += (ours.head, ours.deprel) == (other.head, other.deprel)
                heads.append((_distance(ours.head, ours.id), _distance(other.head, ours.id)))
                labels.append((ours.deprel, other.deprel))
            rows = [
                ("_" if word.head is None else str(word.head), word.deprel, word.upos)
                for word in (ours, other)
            ]
            if rows[0] != rows[1]:
                values = zip(_FIELDS, *rows, strict=True)
                names = tuple(name for name, one, two in values if one != two)
                differences.append(Difference(index, ours.id, ours.form, names, rows[0], rows[1]))
    return Agreement(
        n_sentences=len(pairs),
        n_words=n_words,
        uas=100 * n_heads / max(n_words, 1),
        las=100 * n_arcs / max(n_words, 1),
        head_kappa=kappa(heads),
        label_kappa=kappa(labels),
        tag_kappa=kappa(tags),
        differences=tuple(differences),
        unmatched=unmatched,
    )


def _distance(head: int, word: int) -> int:
    """Return a category for a head that words share: how far away it is; 0 for the root."""
    return head - word if head else 0


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's kappa (1960): agreement beyond chance; None if chance explains everything.

    >>> kappa([("obj", "obj"), ("obj", "obl"), ("obl", "obl"), ("obl", "obl")])
    0.5
    """
    n = len(pairs)
    mine, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(mine[each] * theirs[each] for each in mine)
    observed = sum(a == b for a, b in pairs)
    return None if by_chance == n * n else (observed * n - by_chance) / (n * n - by_chance)
