"""Level 1: lines and ids. Level 2: the values of each column, and the comments of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from dodona.treebank.universal import RELATIONS, universal_part
from dodona.treebank.universal import UPOS as TAGS
from dodona.validation.sentence_blocks import NAMES, ConlluRow, Problem, SentenceBlock, finding

MAY_HAVE_SPACES = ("FORM", "LEMMA", "MISC")
FEATURE = re.compile(
    r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*"
)
_RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
_ENHANCED = re.compile(r"[a-z]+(:[a-z]+)?(:[\w.~‿-]+)*", re.UNICODE)
CONTEXT, SHOWN = 20, 50  # characters of a text before a difference, and in all
_TYPO = "Typo=Yes"  # the only FEATS of a range


def check_format(block: SentenceBlock) -> Iterator[Problem]:
    """Check lines, number of columns and ids of a sentence."""
    has_rows = False
    for number, line in block.numbered():
        if normalize("NFC", line) != line:
            yield finding(number, 1, "nfc", "characters are not in NFC", can_fix=True)
        if line.startswith("#"):
            if has_rows:
                message = "a comment among the words; expected above the first word"
                yield finding(number, 1, "comment", message)
            continue
        has_rows = True
        fields = line.split("\t")
        if len(fields) != len(NAMES):
            message = f"expected 10 tab-separated columns, found {len(fields)}"
            yield finding(number, 1, "columns", message)
        else:
            yield from _check_fields(ConlluRow(number, *fields))
    if not has_rows:
        yield finding(block.line, 1, "no-words", "comments without a sentence")
    else:
        yield from _check_ids(block)


def _check_fields(row: ConlluRow) -> Iterator[Problem]:
    for name, value in zip(NAMES, row[1:], strict=True):
        if not value:
            message = f"{name} is empty; expected '_' where there is no value"
            yield row.finding(1, "empty", message, can_fix=name != "ID")
        elif value != value.strip():
            message = f"{name} begins or ends with white space"
            yield row.finding(1, "white-space", message, can_fix=bool(value.strip()))
        elif name not in MAY_HAVE_SPACES and any(map(str.isspace, value)):
            yield row.finding(1, "white-space", f"white space in {name}: {value!r}")


def _check_ids(block: SentenceBlock) -> Iterator[Problem]:
    """Check that words count up from 1, ranges precede their first word, and empty nodes follow."""
    n_words, n_empty, range_end = 0, 0, 0
    range_line = block.line
    for row in block.rows:
        if row.is_word:
            n_words, n_empty = n_words + 1, 0
            if int(row.id) != n_words:
                yield row.finding(1, "id", f"expected id {n_words}, found {row.id}")
                n_words = int(row.id)
        elif row.range is not None:
            first, last = row.range
            if last < first:
                yield row.finding(1, "id", f"the range {row.id} ends before it begins")
            elif first <= range_end:
                yield row.finding(1, "id", f"the range {row.id} overlaps the one before it")
            elif first != n_words + 1:
                message = f"the range {row.id} is out of place; expected at word {n_words + 1}"
                yield row.finding(1, "id", message)
            range_end, range_line = max(range_end, last), row.line
        elif row.empty_node is not None:
            n_empty += 1
            if row.empty_node != (n_words, n_empty):
                expected = f"{n_words}.{n_empty}"
                yield row.finding(1, "id", f"empty node {row.id}; expected {expected}")
        else:
            message = f"ID is {row.id!r}; expected a number, a range 3-4 or an empty node 8.1"
            yield row.finding(1, "id", message)
    if range_end > n_words:
        message = f"the range ends at {range_end}, but the sentence has {n_words} words"
        yield finding(range_line, 1, "id", message)
    if not n_words:
        yield finding(block.line, 1, "no-words", "a sentence without words")


def check_columns(block: SentenceBlock) -> Iterator[Problem]:
    """Check the columns of words, ranges and empty nodes."""
    nodes = {row.id for row in block.rows if row.is_word or row.empty_node} | {"0"}
    for row in block.rows:
        if row.range is not None:
            yield from _check_range(row)
            continue
        if row.is_word:
            yield from _check_word(row)
        yield from _check_features(row)
        yield from _check_graph(row, nodes)
        yield from _check_misc(row)
        if row.empty_node is not None and (row.head, row.deprel) != ("_", "_"):
            yield row.finding(2, "empty-node", "an empty node has no HEAD and DEPREL, only DEPS")


def _check_word(row: ConlluRow) -> Iterator[Problem]:
    tag, relation = row.upos, row.deprel
    if tag not in TAGS:
        yield row.finding(2, "upos", f"UPOS is {tag!r}; universal tags: {_list(TAGS)}")
    if relation == "_":
        yield row.finding(2, "deprel", "DEPREL is '_'; expected a relation")
    elif not _RELATION.fullmatch(relation):
        message = f"DEPREL is {relation!r}; expected lower case, with one subtype: nsubj:pass"
        yield row.finding(2, "deprel", message)
    elif universal_part(relation) not in RELATIONS:
        message = f"DEPREL is {relation!r}; universal relations: {_list(RELATIONS)}"
        yield row.finding(2, "deprel", message)


def _check_range(row: ConlluRow) -> Iterator[Problem]:
    for name, value in zip(NAMES[2:9], row[3:10], strict=True):  # LEMMA to DEPS
        if value != "_" and not (name == "FEATS" and value == _TYPO):
            yield row.finding(2, "range", f"{name} of a range is {value!r}; expected '_'")


def _check_features(row: ConlluRow) -> Iterator[Problem]:
    if row.feats == "_":
        return
    features = row.feats.split("|")
    for feature in features:
        if not FEATURE.fullmatch(feature):
            message = f"FEATS has {feature!r}; expected Name=Value, such as Number=Sing"
            yield row.finding(2, "feats", message, can_fix=not feature)
    names = [feature.partition("=")[0] for feature in features]
    if names != sorted(names, key=str.lower):
        yield row.finding(2, "feats-order", "FEATS are not sorted by name", can_fix=True)
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        values = {feature for feature in features if feature.startswith(f"{name}=")}
        message = f"FEATS has {name} more than once"
        yield row.finding(2, "feats-twice", message, can_fix=len(values) == 1)
    for feature in features:
        values_of = feature.partition("=")[2].split(",")
        if values_of != sorted(set(values_of), key=str.lower):
            message = f"the values of {feature} are not sorted, or one is repeated"
            yield row.finding(2, "feats-values", message, can_fix=True)


def _check_graph(row: ConlluRow, nodes: set[str]) -> Iterator[Problem]:
    if row.deps == "_":
        if row.empty_node is not None:
            yield row.finding(2, "deps", "an empty node must have DEPS")
        return
    arcs = [arc.partition(":") for arc in row.deps.split("|")]
    for head, colon, relation in arcs:
        arc = f"{head}{colon}{relation}"
        if head not in nodes or not relation:
            message = f"DEPS has {arc!r}; expected head:relation, the head a node of the sentence"
            yield row.finding(2, "deps", message)
        elif head == row.id:
            yield row.finding(2, "deps", f"DEPS has {arc!r}: a node is its own head")
        elif not is_enhanced(relation):
            yield row.finding(2, "deps", f"DEPS has {arc!r}; expected a relation")
        elif (head == "0") != (universal_part(relation) == "root"):
            message = f"DEPS has {arc!r}; expected root for arcs from 0, and only for these"
            yield row.finding(2, "deps", message)
    if all(head in nodes for head, *_ in arcs):
        keys = [arc_key(f"{head}:{relation}") for head, _, relation in arcs]
        if keys != sorted(set(keys)):
            message = "DEPS are not sorted by head, or one is repeated"
            yield row.finding(2, "deps-order", message, can_fix=True)


def is_enhanced(relation: str) -> bool:
    """Return whether a relation of DEPS is well-formed; combining marks count as letters, as in UD.

    >>> is_enhanced("acl:போது"), is_enhanced("nmod:zu_Ende"), is_enhanced("Nmod")
    (True, True, False)
    """
    if not relation.isascii():
        relation = "".join(c for c in relation if not category(c).startswith("M"))
    return _ENHANCED.fullmatch(relation) is not None


def arc_key(arc: str) -> tuple[float, float, str]:
    """Return the sort key of an arc in DEPS.

    >>> arc_key("8.1:nsubj")
    (8, 1, 'nsubj')
    """
    head, _, relation = arc.partition(":")
    word, _, number = head.partition(".")
    return int(word), int(number or 0), relation


def _check_misc(row: ConlluRow) -> Iterator[Problem]:
    misc = row.misc
    if misc == "_":
        return
    if "" in misc.split("|"):
        message = "MISC has an empty part; expected Name=Value|Name=Value"
        yield row.finding(2, "misc", message, can_fix=True)
    values = [part for part in misc.split("|") if part.startswith("SpaceAfter=")]
    if any(value != "SpaceAfter=No" for value in values):
        message = f"MISC has {values[0]!r}; the only allowed value is SpaceAfter=No"
        yield row.finding(2, "misc", message, can_fix=values == ["SpaceAfter=Yes"])


def _list(names: frozenset[str]) -> str:
    return " ".join(sorted(names))


def check_metadata(block: SentenceBlock, seen: dict[str, int]) -> Iterator[Problem]:
    """Check that a sentence has a text and a unique id; `seen` has the lines of known ids."""
    ids = list(find_comments(block, "sent_id"))
    if not ids:
        yield finding(block.line, 2, "sent_id", "no comment '# sent_id = …'", can_fix=True)
    for line, sent_id in ids[1:]:
        yield finding(line, 2, "sent_id", f"a second sent_id: {sent_id}; expected one")
    for line, sent_id in ids[:1]:
        if not sent_id or any(map(str.isspace, sent_id)):
            yield finding(line, 2, "sent_id", f"sent_id is {sent_id!r}; expected one word")
        if sent_id in seen:
            message = f"sent_id {sent_id} is also that of the sentence at line {seen[sent_id]}"
            yield finding(line, 2, "sent_id", message)
        seen.setdefault(sent_id, line)
    texts = list(find_comments(block, "text"))
    if not texts:
        yield finding(block.line, 2, "text", "no comment '# text = …'", can_fix=True)
    for line, text in texts[:1]:
        # any white space between two tokens is as good as a single space, also for UD's validator
        own, formed = (" ".join(some.split()) for some in (text, join_tokens(block)))
        if own != formed:
            yield finding(line, 2, "text", _describe_difference(own, formed))


def find_comments(block: SentenceBlock, name: str) -> Iterator[tuple[int, str]]:
    """Yield the line and value of each comment "# name = value"."""
    for line, comment in block.comments:
        key, sign, value = comment[1:].partition("=")
        if sign and key.strip() == name:
            yield line, value.strip()


def join_tokens(block: SentenceBlock) -> str:
    """Return the text of the forms, joined according to SpaceAfter=No.

    >>> word = "1\\tSpeak\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tSpaceAfter=No"
    >>> join_tokens(SentenceBlock(1, [word, word.replace("1", "2").replace("Speak", "!")]))
    'Speak!'
    """
    pieces: list[str] = []
    last = 0  # word of the range
    for row in block.rows:
        if row.range is not None:
            last = row.range[1]
        elif not row.is_word or int(row.id) <= last:
            continue
        is_joined = "SpaceAfter=No" in row.misc.split("|")
        pieces.append(row.form + ("" if is_joined else " "))
    return "".join(pieces).strip()


def _describe_difference(text: str, tokens: str) -> str:
    """Describe where a text begins to differ from the tokens; spaces are shown as ␣."""
    at = next((i for i, (a, b) in enumerate(zip(text, tokens, strict=False)) if a != b), None)
    at = min(len(text), len(tokens)) if at is None else at
    first = max(at - CONTEXT, 0)
    own, other = (_visible(some, first) for some in (text, tokens))
    return f"text is {own}, but the tokens form {other} (from character {at + 1} on)"


def _visible(text: str, first: int) -> str:
    """Return a quoted part of a text, with every space visible, others by their code point."""
    part = text[first : first + SHOWN]
    shown = "".join(
        "␣" if c == " " else c if c.isprintable() else f"<U+{ord(c):04X}>" for c in part
    )
    return f"'{'…' * (first > 0)}{shown}{'…' * (first + SHOWN < len(text))}'"
