"""A lesson in the invented language of the demo: from raw text to a parser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dodona.synthetic.generator import synthetic_treebank

if TYPE_CHECKING:
    from dodona.annotate.views import Overview, SentenceView

N_SENTENCES = 60
SHORTEST, LONGEST = 4, 9  # words of a sentence, with its full stop


class Step(NamedTuple):
    """A step: what to do, and whether it is done."""

    text: str
    is_done: Callable[[SentenceView, Overview], bool]


def _is_set(view: SentenceView, deprel: str) -> bool:
    return any(word.deprel == deprel and word.arc in ("set", "confirmed") for word in view.words)


STEPS = (
    Step(
        "This is raw text in a language that nobody has a parser for; you annotate it first. All "
        "you need to know: a verb ends in -it or -int (now), or in -av or -avun (in the "
        "past), and is the root of its sentence. Drag from the empty space above the words to the "
        "verb. (By keyboard: go to the verb with the arrow keys, and type h, 0, Enter.)",
        lambda view, overview: _is_set(view, "root"),
    ),
    Step(
        "The subject is a noun or a pronoun in -a, -o or -e (several: -ar, -os, -er). Drag from "
        "the verb to its subject, type nsubj, and press Enter. An object ends in -an, -o or -en "
        "(several: -ar, -on, -ern): if there is one, drag from the verb to it and type obj.",
        lambda view, overview: _is_set(view, "nsubj"),
    ),
    Step(
        "le… and kve… are determiners (det) of the noun after them; another word in -e, -en, -es "
        "or -ei before a noun is an adjective (amod), a number a nummod. an, ob, sur, vel, tro, "
        "min, ekt and dol are prepositions: each is the case of the noun after it, and that noun "
        "is an obl of the verb or an nmod of the noun before. The second of two names is a flat "
        "of the first. The full stop is a punct of the verb. Give every word a head; what you "
        "cannot make out may stay open.",
        lambda view, overview: sum(word.arc == "open" for word in view.words) <= 1,
    ),
    Step(
        "Tags help the parser: choose a word, press t, and type NOUN, VERB, DET, ADJ, ADP, PRON, "
        "PROPN, NUM or PUNCT. The tags that this file has given such a word come first.",
        lambda view, overview: all(word.tags != "open" for word in view.words),
    ),
    Step(
        "The tree is complete. Press “Confirm the sentence and go on”, or Ctrl and Enter, and "
        "annotate the next ones in the same way, until five are done. What is alike comes first "
        "in every list.",
        lambda view, overview: overview.n_done >= 5,
    ),
    Step(
        "Open Learning, below, and press “Learn now”: it takes seconds. The parser "
        "then fills in the sentence (○, dashed), with many errors: it has seen five sentences. "
        "Correct one arc and look: what you set is kept, and the rest follows.",
        lambda view, overview: bool(overview.learning.curve),
    ),
    Step(
        "From now on it learns again after every five sentences. Let “Next is” be the least "
        "certain one: the parser asks for what it does not know. Go on until ten are done; "
        "Learning shows how the corrections become fewer.",
        lambda view, overview: overview.n_done >= 10,
    ),
    Step(
        "“Keep this model”, in Learning, writes a model file beside the text, which dodona parse "
        "reads like any other. That is all: what works for an invented language works for yours.",
        lambda view, overview: False,
    ),
)


def lesson_text() -> str:
    """Return the text of the lesson: short sentences, one per line."""
    found = synthetic_treebank(5 * N_SENTENCES, seed=7, nonprojective=0)
    short = (sentence for sentence in found if SHORTEST <= len(sentence.forms) <= LONGEST)
    lines = [re.sub(r" (?=[.,?!])", "", " ".join(sentence.forms)) for sentence in short]
    return "\n".join(lines[:N_SENTENCES]) + "\n"


def write_lesson(path: Path) -> None:
    """Write the text of the lesson, unless the file is there: then the lesson goes on."""
    if path.exists():
        return
    if path.suffix == ".conllu":
        raise ValueError(f"the lesson begins with raw text; call it {path.with_suffix('.txt')}")
    path.write_text(lesson_text(), encoding="utf-8")
