"""Report on the identifier: accuracy by language, confusions, and what is accepted wrongly."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dodona.languages.identifier import Identifier
from tools.identifier.samples import is_held_out, read_sentences, read_treebanks

SHORTEST = 40  # characters of a sentence
NONE = "none"


def print_report(
    file: Path, texts: Mapping[str, list[str]], folders: Iterable[Path], unknown: Iterable[Path]
) -> None:
    """Print what the identifier says about held-out text."""
    identifier = Identifier.load(file)
    held_out = {
        language: [line[:400] for line in lines if is_held_out(line)][:500]
        for language, lines in texts.items()
    }
    _print_known("dev sets", identifier, read_treebanks(folders, "dev"))
    _print_known("held-out text", identifier, held_out)
    for name, lines in {**_read_unknown(unknown), **_make_unknown()}.items():
        found = Counter(_identify(identifier, line) for line in lines)
        accepted = 100 * (1 - found[NONE] / max(1, len(lines)))
        print(f"{name}: {len(lines):,} texts, {accepted:.2f}% accepted: {found.most_common(6)}")


def _print_known(title: str, identifier: Identifier, texts: Mapping[str, list[str]]) -> None:
    print(f"## {title}, from {SHORTEST} characters on")
    wrong: Counter[tuple[str, str]] = Counter()
    n_all = n_short = 0
    for language in sorted(texts.keys() & {*identifier.languages}):
        every = [line for line in texts[language] if len(line) >= SHORTEST]
        lines = [line for line in every if identifier.guess(line) is not None]
        n_short += len(every) - len(lines)
        found = Counter(_identify(identifier, line) for line in lines)
        n_right, n_all = found.pop(language, 0), n_all + len(lines)
        wrong.update({(language, other): n for other, n in found.items()})
        if lines:
            print(f"{language}: {len(lines):,}, {100 * n_right / len(lines):.2f}% {dict(found)}")
    n_rejected = sum(n for (_, other), n in wrong.items() if other == NONE)
    n_wrong = sum(wrong.values())
    print(f"all: {n_all:,}, {100 * (1 - n_wrong / n_all):.2f}%; {n_rejected} rejected")
    print(f"beside them {n_short} that are addresses, rulers and numbers with hardly a word")
    print(f"confusions: {wrong.most_common(20)}")


def _identify(identifier: Identifier, text: str) -> str:
    found = identifier.guess(text)
    return (found.language if found else None) or NONE


def _read_unknown(folders: Iterable[Path]) -> dict[str, list[str]]:
    found = {}
    for folder in folders:
        for path in sorted(folder.glob("dev.conllu*")) or sorted(folder.glob("train.conllu*")):
            lines = [line for line in read_sentences(path) if len(line) >= SHORTEST]
            found[folder.name] = lines or [*_join_forms(path)]
    return found


def _join_forms(path: Path) -> Iterator[str]:
    """Yield the words of sentences whose texts a treebank does not record."""
    words: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdigit():
            words.append(columns[1])
        elif not line and words:
            if len(text := " ".join(words)) >= SHORTEST:
                yield text
            words = []


def _make_unknown() -> dict[str, list[str]]:
    """Return texts that are in no language at all."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz     "
    return {
        "random letters": ["".join(chance.choices(letters, k=80)) for _ in range(500)],
        "numbers": [" ".join(str(chance.random()) for _ in range(9)) for _ in range(200)],
        "addresses": [f"https://example.org/{i}/index.html?page={i}&lang=de" for i in range(200)],
        "code": [
            f"for(i{i}=0;i{i}<n;++i{i}){{sum[i]+=a{i}*b;}} std::swap(x,y);" for i in range(200)
        ],
    }
