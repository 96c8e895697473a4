"""Rules of one's own: what is a token, where sentences begin, how words are tagged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from dodona.core.base.values import show
from dodona.rules import checks
from dodona.rules.checks import RulesError

PERIOD = "."
TAGS = ("upos", "xpos", "feats", "lemma")  # in the order in which taggers predict them
CONDITIONS = ("form", "when", "ignore_case")


class TagRule(NamedTuple):
    """Tags for the words of one form, if their UPOS is `when`; None leaves a column as it is."""

    form: str
    upos: str | None = None
    xpos: str | None = None
    feats: str | None = None
    lemma: str | None = None
    when: str | None = None
    ignore_case: bool = False

    def fits(self, form: str, upos: str) -> bool:
        """Return whether the rule applies to a word.

        >>> TagRule("oak", lemma="oak", ignore_case=True).fits("OAK", "NOUN")
        True
        """
        is_same = form.lower() == self.form.lower() if self.ignore_case else form == self.form
        return is_same and self.when in (None, upos)


class Rules:
    """Rules that a parser, a tagger or a segmenter applies before and above what it has learned.

    `whole` are tokens that are never split ("c/o"); `abbreviations` are tokens, too, end in a
    period, and are known as abbreviations where the model looks for the end of a sentence.
    `split` gives the tokens that a string consists of ("10km": 10, km), `expand` the words of a
    multiword token ("zum": zu, dem).
    `sentence_starts` and `unbroken` are regular expressions, searched for in each line of a text: a
    sentence starts with every match of the first, and none starts inside a match of the second.
    `tags` are dictionaries: the words with this `form` get the `upos`, `xpos`, `feats` or `lemma`
    that is given, with `when` only those whose UPOS is that, with `ignore_case` in any case. If
    several rules fit a word, the last one counts.

    >>> rules = Rules(whole=["c/o"], tags=[{"form": "Dodona", "upos": "PROPN"}])
    >>> rules
    <Rules: 1 whole, 1 tags>
    """

    def __init__(
        self,
        *,
        whole: Iterable[str] = (),
        abbreviations: Iterable[str] = (),
        split: Mapping[str, Sequence[str]] | None = None,
        expand: Mapping[str, Sequence[str]] | None = None,
        sentence_starts: Iterable[str] = (),
        unbroken: Iterable[str] = (),
        tags: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.whole = checks.tokens(whole, "whole")
        self.abbreviations = checks.tokens(abbreviations, "abbreviations")
        self.split = checks.parts({} if split is None else split, "split")
        self.expand = checks.parts({} if expand is None else expand, "expand")
        self.sentence_starts = checks.patterns(sentence_starts, "sentence_starts")
        self.unbroken = checks.patterns(unbroken, "unbroken")
        self.tags = _tag_rules(tags)
        _check_tokens(self)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in KEYS)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        counts = [f"{len(getattr(self, name)):,} {name}" for name in KEYS if getattr(self, name)]
        return f"<Rules: {', '.join(counts) or 'none'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_dict(),)

    @property
    def has_text_rules(self) -> bool:
        """Whether any rule is about tokens or sentences."""
        return any(self._key[:-1])

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as the keywords that make them; those without an entry are left out."""
        found: dict[str, Any] = {name: list(getattr(self, name)) for name in KEYS}
        for name in ("split", "expand"):
            found[name] = {token: list(pieces) for token, pieces in found[name]}
        found["tags"] = [
            {name: value for name, value in rule._asdict().items() if value not in (None, False)}
            for rule in self.tags
        ]
        return {name: value for name, value in found.items() if value}

    def to_toml(self) -> str:
        """Return the rules as the text of a file, as `dodona.load` and `--rules` read it.

        >>> print(Rules(whole=["c/o"], expand={"zum": ["zu", "dem"]}).to_toml(), end="")
        whole = ["c/o"]
        <BLANKLINE>
        [expand]
        "zum" = ["zu", "dem"]
        """
        given = self.to_dict()
        tables = {name: given.pop(name) for name in ("split", "expand") if name in given}
        lists = given.pop("tags", [])
        lines = [f"{name} = {_toml(value)}" for name, value in given.items()]
        for header, table in [
            *((f"[{name}]", table) for name, table in tables.items()),
            *(("[[tags]]", table) for table in lists),
        ]:
            lines += ["", header, *(f"{_toml(name)} = {_toml(v)}" for name, v in table.items())]
        return "".join(f"{line}\n" for line in lines)


KEYS = ("whole", "abbreviations", "split", "expand", "sentence_starts", "unbroken", "tags")


def _toml(value: Any) -> str:
    """Return a string, a list of strings or a truth value in TOML, which is JSON but for U+007F."""
    from json import dumps

    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _restore(given: dict[str, Any]) -> Rules:
    return Rules(**given)


def _tag_rules(given: Iterable[Mapping[str, Any]]) -> tuple[TagRule, ...]:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise RulesError(f"tags is a list of rules, not {show(given)}", "tags")
    return tuple(_tag_rule(number, rule) for number, rule in enumerate(given))


def _tag_rule(number: int, rule: Mapping[str, Any]) -> TagRule:
    """Check one rule for tags."""
    where = f"rule {number + 1} of tags"

    def problem(what: str) -> RulesError:
        return RulesError(f"{where} {what}", "tags", number)

    if not isinstance(rule, Mapping):
        raise problem(f"is a table such as form and upos, not {show(rule)}")
    known = (*TAGS, *CONDITIONS)
    if unknown := [name for name in rule if name not in known]:
        raise problem(f"has {show(unknown[0])}; the names are: {', '.join(known)}")
    for name, value in rule.items():
        if name == "ignore_case":
            if not isinstance(value, bool):
                raise problem(f"has ignore_case = {show(value)}; it is true or false")
        elif not isinstance(value, str) or not value or set(value) & set("\t\n\r"):
            raise problem(f"has {name} = {show(value)}; it is text without tabs and line ends")
    if "form" not in rule:
        raise problem("has no form: to which words does it apply?")
    if not any(name in rule for name in TAGS):
        raise problem(f"for {rule['form']!r} gives no tag: add one of {', '.join(TAGS)}")
    feats = rule.get("feats", "_")
    if feats != "_" and not all(name and value for name, _, value in _pairs(feats)):
        raise problem(f"has feats = {feats!r}; features are written Number=Sing|Case=Nom, or _")
    return TagRule(**rule)


def _pairs(feats: str) -> list[tuple[str, str, str]]:
    return [part.partition("=") for part in feats.split("|")]


def _check_tokens(rules: Rules) -> None:
    """Check what the tokens of rules are made of, and that no two rules are about one token."""
    for token in rules.abbreviations:
        if not token.endswith(PERIOD) or len(token) < 2 or " " in token:
            raise RulesError(
                f"abbreviations has {token!r}; an abbreviation ends in a period and has no spaces "
                "(list other tokens under whole)",
                *("abbreviations", token),
            )
    for token, pieces in rules.split:
        if "".join(pieces) != token:
            raise RulesError(
                f"split: the parts of {token!r} are {''.join(pieces)!r} when joined; to change the "
                "text of a token, list it under expand",
                *("split", token),
            )
    for token, pieces in rules.expand:
        if " " in token:
            raise RulesError(
                f"expand has {token!r}; a multiword token has no spaces", "expand", token
            )
        if "".join(pieces).lower() != token.lower() and any(map(str.isdigit, token)):
            raise RulesError(
                f"expand: {token!r} has digits, which stand for any others; its words must then be "
                "its parts",
                *("expand", token),
            )
    checks.check_distinct(
        whole=rules.whole,
        abbreviations=rules.abbreviations,
        split=(token for token, _ in rules.split),
        expand=(token for token, _ in rules.expand),
    )
