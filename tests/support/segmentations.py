"""Texts that are split at random, and treebanks split anew: bad segmenters, taggers and parsers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

LABELS = ["nsubj", "nsubj:pass", "obl", "conj", "case", "det", "mark", "punct"]


@dataclass(eq=False)
class Word:
    form: str
    tags: list[str]  # lemma, UPOS, XPOS, FEATS
    deprel: str
    head: Word | None = None


@dataclass(eq=False)
class Token:
    form: str
    words: list[Word] = field(default_factory=list)
    is_multiword: bool = False
    ends_sentence: bool = False


def random_treebank(characters: str, rng: Random, *, multiword: float = 0.3) -> str:
    """These characters in random tokens, sentences and trees, as CoNLL-U.

    Words of multiword tokens have forms that others have too, so that there is much to confuse.
    """
    tokens = []
    while characters:
        n = rng.randint(1, 3)
        token = Token(characters[:n], ends_sentence=rng.random() < 0.2)
        token.is_multiword = rng.random() < multiword
        forms = [token.form]
        if token.is_multiword:
            forms = [rng.choice(["a", "b", "A", "ab"]) for _ in range(rng.randint(1, 3))]
        token.words = [Word(form, _random_tags(rng), rng.choice(LABELS)) for form in forms]
        characters = characters[n:]
        tokens.append(token)
    words = [word for token in tokens for word in token.words]
    for word in words:
        word.head = rng.choice(words)
    return write(tokens)


def _random_tags(rng: Random) -> list[str]:
    feats = ["_", "Case=Nom", "Case=Acc", "Case=Nom|Typo=Yes"]
    return [rng.choice(values) for values in (["la", "lo"], ["NOUN", "VERB"], ["n", "v"], feats)]


def resegmented(conllu: str, rng: Random) -> str:
    """A treebank with one token in five split, merged or expanded differently.

    Some sentences begin and end elsewhere, and some tags, labels and heads are wrong.
    """
    tokens = read(conllu)
    pool = [word for token in tokens for word in token.words]
    found: list[Token] = []
    for token in tokens:
        chance = rng.random()
        if found and chance < 0.05:
            found.append(_merged(found.pop(), token, rng))
        elif chance < 0.10 and len(token.form) > 1 and not token.is_multiword:
            found += _split(token, rng)
        elif chance < 0.15 and token.is_multiword:
            found.append(_expanded_otherwise(token, rng))
        elif chance < 0.18 and not token.is_multiword:
            found.append(_expanded(token, rng))
        else:
            found.append(token)
        if rng.random() < 0.04:
            found[-1].ends_sentence = not found[-1].ends_sentence
    for token in found:
        for word in token.words:
            _corrupt(word, pool, rng)
    return write(found)


def _merged(left: Token, right: Token, rng: Random) -> Token:
    form, words = left.form + right.form, left.words + right.words
    if rng.random() < 0.5:
        return Token(form, words, True, right.ends_sentence)
    only = words[0]
    only.form = form
    return Token(form, [only], False, right.ends_sentence)


def _split(token: Token, rng: Random) -> list[Token]:
    cut = rng.randint(1, len(token.form) - 1)
    word = token.words[0]
    other = Word(token.form[cut:], word.tags, "goeswith", word)
    word.form = token.form[:cut]
    return [Token(word.form, [word]), Token(other.form, [other], False, token.ends_sentence)]


def _expanded(token: Token, rng: Random) -> Token:
    word = token.words[0]
    other = Word(rng.choice([word.form, "to"]), word.tags, "case", word)
    return Token(token.form, rng.sample([word, other], 2), True, token.ends_sentence)


def _expanded_otherwise(token: Token, rng: Random) -> Token:
    words = rng.sample(token.words, rng.randint(1, len(token.words)))
    if len(words) == 1 and rng.random() < 0.5:
        words[0].form = token.form
        return Token(token.form, words, False, token.ends_sentence)
    words[0].form = words[0].form.upper()
    return Token(token.form, words, True, token.ends_sentence)


def _corrupt(word: Word, pool: list[Word], rng: Random) -> None:
    word.tags = [
        rng.choice(pool).tags[i] if rng.random() < 0.06 else tag for i, tag in enumerate(word.tags)
    ]
    if rng.random() < 0.1:
        word.deprel = rng.choice(pool).deprel
    if rng.random() < 0.1 and word.head:
        word.head = word.head.head


def read(conllu: str) -> list[Token]:
    """The tokens of a treebank."""
    tokens: list[Token] = []
    for block in conllu.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[0] != "#"]
        words = [Word(row[1], row[2:6], row[7]) for row in rows if row[0].isdigit()]
        heads = [int(row[6]) for row in rows if row[0].isdigit()]
        for word, head in zip(words, heads, strict=True):
            word.head = words[head - 1] if head else None
        covered = 0
        for row in rows:
            first, _, last = row[0].partition("-")
            if last:
                covered = int(last)
                tokens.append(Token(row[1], words[int(first) - 1 : covered], True))
            elif first.isdigit() and int(first) > covered:
                tokens.append(Token(row[1], [words[int(first) - 1]]))
        tokens[-1].ends_sentence = True
    return tokens


def write(tokens: Iterable[Token]) -> str:
    """The tokens as CoNLL-U; what does not make trees is attached to the root."""
    blocks: list[str] = []
    sentence: list[Token] = []
    for token in tokens:
        sentence.append(token)
        if token.ends_sentence:
            blocks.append(_sentence(sentence))
            sentence = []
    return "".join([*blocks, _sentence(sentence)] if sentence else blocks)


def _sentence(tokens: list[Token]) -> str:
    words = [word for token in tokens for word in token.words]
    number = {id(word): i for i, word in enumerate(words, start=1)}
    heads = tree([number.get(id(word.head), 0) for word in words])
    lines = []
    for token in tokens:
        ids = [number[id(word)] for word in token.words]
        if token.is_multiword:
            lines.append(f"{ids[0]}-{ids[-1]}\t{token.form}" + "\t_" * 8)
        for i, word in zip(ids, token.words, strict=True):
            columns = [str(i), word.form, *word.tags, str(heads[i - 1]), word.deprel, "_", "_"]
            lines.append("\t".join(columns))
    return "\n".join(lines) + "\n\n"


def tree(heads: list[int]) -> list[int]:
    """The heads, changed where they are no tree with one root."""
    root = heads.index(0) + 1 if 0 in heads else 1
    heads = [head or root for head in heads]
    heads[root - 1] = 0
    for word in range(1, len(heads) + 1):
        seen, node = set(), word
        while node and node not in seen:
            seen.add(node)
            node = heads[node - 1]
        if node:
            heads[word - 1] = root
    return heads
