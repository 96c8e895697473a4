"""Tags and lemmas that rules of one's own give to words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from dodona.rules.checks import RulesError
from dodona.rules.rules import TAGS, TagRule
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED, UPOS

COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}  # of sentences
Retag = Callable[[list[Sentence], Collection[str]], list[Sentence]]


class UserTags:
    """Rules for tags, found by form."""

    def __init__(self, rules: Sequence[TagRule]) -> None:
        self._by_form: defaultdict[str, list[TagRule]] = defaultdict(list)
        for rule in rules:
            self._by_form[rule.form.lower()].append(rule)
        self.columns = [name for name in TAGS if any(getattr(rule, name) for rule in rules)]

    def apply(
        self,
        sentences: list[Sentence],
        tagged: list[Sentence],
        keep: Collection[str],
        retag: Retag,
    ) -> bool:
        """Change the tags of those words that rules are about; return whether any has changed.

        Columns come in the order in which taggers predict them. Where one changes, `retag` predicts
        the later ones again, given sentences and the columns that it has to keep. A column in
        `keep` that has values in a sentence stays as it is.
        """
        about = [i for i, sentence in enumerate(sentences) if self._is_about(sentence)]
        has_changed = False
        for column in self.columns:
            changed = []
            for i in about:
                if column in keep and _is_filled(sentences[i], column):
                    continue
                values = self._values(tagged[i], column)
                if values != getattr(tagged[i], COLUMNS[column]):
                    tagged[i] = _replaced(tagged[i], {column: values})
                    changed.append(i)
            if changed:
                has_changed = True
                done = TAGS[: TAGS.index(column) + 1]
                again = [_without_later(sentences[i], tagged[i], done) for i in changed]
                for i, sentence in zip(changed, retag(again, {*keep, *done}), strict=True):
                    tagged[i] = sentence
        return has_changed

    def _is_about(self, sentence: Sentence) -> bool:
        return any(form.lower() in self._by_form for form in sentence.forms)

    def _values(self, sentence: Sentence, column: str) -> list[str]:
        """Return a column of a sentence after the rules; the last rule that fits a word counts."""
        values: list[str] = getattr(sentence, COLUMNS[column])
        for i, (form, upos) in enumerate(zip(sentence.forms, sentence.upos, strict=True)):
            for rule in self._by_form.get(form.lower(), ()):
                given = getattr(rule, column)
                if given is not None and rule.fits(form, upos):
                    values[i] = given
        return values


def check_tags(rules: Sequence[TagRule], known: Collection[bytes]) -> None:
    """Raise RulesError for a UPOS that neither the tagger nor Universal Dependencies has."""
    every = UPOS | {tag.decode() for tag in known}
    for number, rule in enumerate(rules):
        for tag in (rule.upos, rule.when):
            if tag is not None and tag not in every:
                raise RulesError(
                    f"rule {number + 1} of tags, for {rule.form!r}, has the UPOS {tag!r}; the tags "
                    f"are: {', '.join(sorted(every))}",
                    *("tags", number),
                )


def _is_filled(sentence: Sentence, column: str) -> bool:
    return any(value != UNANNOTATED for value in getattr(sentence, COLUMNS[column]))


def _without_later(before: Sentence, tagged: Sentence, done: Collection[str]) -> Sentence:
    """Return a sentence as it was before it was tagged, but with the columns that are done."""
    return _replaced(before, {name: getattr(tagged, COLUMNS[name]) for name in done})


def _replaced(sentence: Sentence, columns: Mapping[str, list[str]]) -> Sentence:
    return sentence.replace(
        upos=columns.get("upos"),
        xpos=columns.get("xpos"),
        feats=columns.get("feats"),
        lemmas=columns.get("lemma"),
    )
