"""Random trees, and synthetic treebanks of an invented language, for tests and the demo.

    python -m dodona.synthetic.generator OUT_DIR --train 2000 --dev 300 --test 300 --seed 1

writes train.conllu, dev.conllu and test.conllu. The language is described in `invented`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from dodona.synthetic.invented import InventedWord, Speaker, head_numbers

LABELS = ("nsubj", "obj", "obl", "nmod", "det", "advmod")


def random_tree(
    n_words: int,
    rng: Random,
    *,
    projective: bool = False,
    labels: Sequence[str] = LABELS,
    single_root: bool = True,
) -> tuple[list[int], list[str]]:
    """Draw heads and labels of a tree; roots are labelled root, other words with one of `labels`.

    Every tree of that many words, or every projective one, has the same probability.

    >>> random_tree(4, Random(2), projective=True, labels=["dep"])
    ([0, 3, 1, 1], ['root', 'dep', 'dep', 'dep'])
    """
    if n_words < 1:
        raise ValueError(f"a tree has at least one word, not {n_words}")
    draw = random_projective_heads if projective else random_heads
    heads = draw(n_words, rng, single_root)
    return heads, ["root" if head == 0 else rng.choices(labels)[0] for head in heads]


def random_heads(n_words: int, rng: Random, single_root: bool) -> list[int]:
    """Draw a uniform spanning tree by a random walk from the root (Aldous 1990; Broder 1989).

    The head of each word is the one from which the walk first reached it.
    """
    heads: list[int | None] = [None] * (n_words + 1)
    lowest = 1 if single_root else 0
    here = rng.randrange(lowest, n_words + 1) if single_root else 0
    heads[here] = 0
    n_unseen = n_words - lowest
    while n_unseen:
        previous, here = here, rng.randrange(lowest, n_words + 1)
        if heads[here] is None:
            heads[here] = previous
            n_unseen -= 1
    return [head or 0 for head in heads[1:]]


def random_projective_heads(n_words: int, rng: Random, single_root: bool) -> list[int]:
    """Draw a uniform projective tree, by a bijection of projective forests and ternary trees.

    The left dependents, the right dependents and the following siblings of a word are three
    smaller forests.
    """
    # a single root has no siblings: two forests
    n_inner, n_forests = (n_words - 1, 2) if single_root else (n_words, 1)
    codes = iter(random_ternary_code(n_inner, n_forests, rng))
    head_of: list[int] = [-1]  # in order of creation; 0 is the artificial root
    order: list[int] = []
    todo: list[tuple[str, int]] = []

    def add_word(head: int) -> None:
        head_of.append(head)
        word = len(head_of) - 1
        todo.extend([("forest", word), ("place", word), ("forest", word)])

    if single_root:
        add_word(0)
    else:
        todo.append(("forest", 0))
    while todo:
        task, word = todo.pop()
        if task == "place":
            order.append(word)
        elif next(codes):
            todo.append(("forest", word))
            add_word(word)
    position = {0: 0} | {word: i for i, word in enumerate(order, start=1)}
    return [position[head_of[word]] for word in order]


def random_ternary_code(n_inner: int, n_trees: int, rng: Random) -> list[bool]:
    """Draw uniform ternary trees as their preorder code, True for inner nodes.

    Of the rotations of any sequence of n inner nodes and 2n + k leaves, exactly k are codes of k
    trees (cycle lemma, Dvoretzky & Motzkin 1947): those that start after one of the last k minima.
    """
    codes = [True] * n_inner + [False] * (2 * n_inner + n_trees)
    rng.shuffle(codes)
    height = lowest = 0
    starts: list[int] = []
    for i, is_inner in enumerate(codes, start=1):
        height += 2 if is_inner else -1
        if height < lowest:
            lowest = height
            starts.append(i)
    start = rng.choice(starts[-n_trees:])
    return codes[start:] + codes[:start]


class SentenceColumns(NamedTuple):
    """The columns of a sentence."""

    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]


def synthetic_treebank(
    n_sentences: int, seed: int, *, nonprojective: float = 0.1
) -> Iterator[SentenceColumns]:
    """Yield sentences of the invented language, determined by the seed.

    A sentence is non-projective with probability `nonprojective`.

    >>> sentence = next(synthetic_treebank(1, seed=3))
    >>> print(*sentence.forms)
    Le rafoma rafomit sur kvei glafesei nitrimoi .
    """
    if not 0 <= nonprojective <= 1:
        raise ValueError(f"nonprojective is a share between 0 and 1, not {nonprojective}")
    rng = Random(seed)
    speaker = Speaker(rng)
    for _ in range(n_sentences):
        yield columns(speaker.sentence(crossing=rng.random() < nonprojective))


def columns(words: list[InventedWord]) -> SentenceColumns:
    plain = ("form", "lemma", "upos", "deprel")
    forms, lemmas, upos, deprels = ([getattr(word, name) for word in words] for name in plain)
    xpos = ["-".join([word.upos.lower(), *word.feats.values()]) for word in words]
    feats = ["|".join(f"{k}={v}" for k, v in sorted(w.feats.items())) or "_" for w in words]
    return SentenceColumns(forms, lemmas, upos, xpos, feats, head_numbers(words), deprels)


def to_conllu(sentence: SentenceColumns, sent_id: str) -> str:
    """Return the sentence as CoNLL-U, including its blank line."""
    rows, text = [], ""
    for i, (form, *tags, head, deprel) in enumerate(zip(*sentence, strict=True), start=1):
        closes = i < len(sentence.forms) and sentence.upos[i] == "PUNCT"
        text += form if closes else form + " "
        misc = "SpaceAfter=No" if closes else "_"
        rows.append("\t".join([str(i), form, *tags, str(head), deprel, "_", misc]))
    return "\n".join([f"# sent_id = {sent_id}", f"# text = {text.strip()}", *rows, "", ""])


def write_treebank(
    path: str | Path, n_sentences: int, seed: int, *, nonprojective: float = 0.1
) -> None:
    """Write a synthetic treebank to a file, as CoNLL-U.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_treebank(Path(folder, "tiny.conllu"), 2, seed=3)
    ...     print(Path(folder, "tiny.conllu").read_text(encoding="utf-8").splitlines()[0])
    # sent_id = tiny-1
    """
    path = Path(path)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        treebank = synthetic_treebank(n_sentences, seed, nonprojective=nonprojective)
        for i, sentence in enumerate(treebank, start=1):
            file.write(to_conllu(sentence, f"{path.stem}-{i}"))


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        prog="python -m dodona.synthetic.generator",
        description="Write a treebank of an invented language: train, dev and test.conllu.",
    )
    options.add_argument("out_dir", type=Path, metavar="OUT_DIR")
    for part, size in {"train": 2000, "dev": 300, "test": 300}.items():
        options.add_argument(f"--{part}", type=int, default=size, metavar="N", help="sentences")
    options.add_argument("--seed", type=int, default=1, metavar="S")
    options.add_argument("--nonprojective", type=float, default=0.1, metavar="SHARE")
    given = options.parse_args(arguments)
    given.out_dir.mkdir(parents=True, exist_ok=True)
    for i, part in enumerate(["train", "dev", "test"]):
        # three seeds per run, so that runs with adjacent seeds share no file
        seed = 3 * given.seed + i
        path = given.out_dir / f"{part}.conllu"
        write_treebank(path, getattr(given, part), seed, nonprojective=given.nonprojective)


if __name__ == "__main__":
    main()
