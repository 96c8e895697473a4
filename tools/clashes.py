"""Print, form by form, where treebanks that are merged still disagree: material for `--harmony`.

python -m tools.clashes en_ewt/train.conllu en_gumfree/train.conllu --harmony tools/harmony/en.txt

The treebanks are read as `dodona distil` reads them: what its rules and the list have settled is
not printed. Beside clashes of tags, for which less evidence suffices than for the rules, these are
forms with several lemmas for the same tags, in one treebank or in several, and words that have one
label in the first treebank and another elsewhere.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from dodona.training.harmony import SOME, Conventions, by_source, find_clashes, sure_value
from dodona.training.harmony_list import read_harmony
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

Row = tuple[int, str]  # occurrences, and what to print


def main() -> None:
    """Read the treebanks, and print what is left to settle."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("treebanks", nargs="+", help="CoNLL-U files; the first one decides")
    options.add_argument("--harmony", help="a list of decisions")
    options.add_argument("--least", type=int, default=SOME, help="occurrences of a form")
    given = options.parse_args()
    decided = read_harmony(given.harmony) if given.harmony else None
    gold = GoldTreebanks.load(given.treebanks[0], given.treebanks[1:], decided)
    parts: defaultdict[str, list[Sentence]] = defaultdict(list)
    parts["first"] = gold.first
    for number, some in enumerate(gold.others, 2):
        for source, sentence in zip(by_source(some), some, strict=True):
            parts[f"{number} {source}".strip()].append(sentence)
    for row in (*_tags(parts, given.least), *_lemmas(parts, given.least), *_labels(parts)):
        print(row)


def _tags(parts: dict[str, list[Sentence]], least: int) -> Iterator[str]:
    counted = {name: Conventions(some) for name, some in parts.items()}
    first = counted.pop("first")
    for name, other in counted.items():
        rows = sorted(find_clashes(first, other, least, least), key=lambda clash: -clash.n_theirs)
        for clash in rows:
            ours, theirs = f"{clash.ours} x{clash.n_ours}", f"{clash.theirs} x{clash.n_theirs}"
            yield f"{clash.column}\t{' '.join(clash.key)}\tfirst: {ours}\t{name}: {theirs}"


def _lemmas(parts: dict[str, list[Sentence]], least: int) -> list[str]:
    seen: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for name, sentences in parts.items():
        for word, n in Conventions(sentences).words.items():
            if word.lemma != UNANNOTATED and "Typo=Yes" not in word.feats:
                seen[word.form, word.upos, word.feats][f"{name}: {word.lemma}"] += n
    rows = [
        (counts.total(), f"lemma\t{' '.join(key)}\t{_shown(counts)}")
        for key, counts in seen.items()
        if len({value.partition(": ")[2] for value in counts}) > 1 and counts.total() >= least
    ]
    return [text for _, text in sorted(rows, reverse=True)]


def _labels(parts: dict[str, list[Sentence]]) -> Iterator[str]:
    counted = {name: _count_labels(sentences) for name, sentences in parts.items()}
    first = counted.pop("first")
    for name, other in counted.items():
        for key, counts in sorted(other.items(), key=lambda item: -item[1].total()):
            ours, theirs = sure_value(first.get(key), SOME), sure_value(counts, SOME)
            if ours and theirs and ours != theirs:
                n_ours, n_theirs = first[key].total(), counts.total()
                shown = f"first: {ours} x{n_ours}\t{name}: {theirs} x{n_theirs}"
                yield f"deprel\t{' '.join(key)}\t{shown}"


def _count_labels(sentences: Sequence[Sentence]) -> dict[tuple[str, str], Counter[str]]:
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for form, upos, label in zip(sentence.forms, sentence.upos, sentence.deprels, strict=True):
            found[form.lower(), upos][label] += label != UNANNOTATED
    return dict(found)


def _shown(counts: Counter[str]) -> str:
    return ", ".join(f"{value} x{n}" for value, n in counts.most_common())


if __name__ == "__main__":
    main()
