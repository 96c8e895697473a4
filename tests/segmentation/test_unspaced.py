"""Scripts without spaces: sentences are found where nothing stands between them."""

from __future__ import annotations

from itertools import product

import dodona
from dodona.segmentation.augmentation import unspaced
from dodona.treebank.raw_text import gold_text
from dodona.treebank.sentence import Sentence

NOUNS, VERBS = ("木", "犬", "鳥", "子供"), ("見える", "走る", "歌う", "来る", "眠る")
NO_SPACE = "SpaceAfter=No"
TREEBANK = [
    Sentence.from_columns([noun, "が", verb, "。"], misc=[NO_SPACE, NO_SPACE, NO_SPACE, "_"])
    for noun, verb in product(NOUNS, VERBS)
]


def test_a_paragraph_without_spaces_is_split_into_sentences() -> None:
    segmenter = dodona.train_segmenter(TREEBANK * 10, epochs=5)
    found = segmenter.segment("犬が見える。木が歌う。子供が眠る。鳥が走る。")
    assert [s.text for s in found] == ["犬が見える。", "木が歌う。", "子供が眠る。", "鳥が走る。"]
    spaced = segmenter.segment("犬が見える。 木が歌う。")
    assert len(spaced) == 2


def test_the_copy_has_no_spaces_and_other_marks() -> None:
    gold = gold_text(TREEBANK)
    copy = unspaced(gold)
    assert " " in gold.text and " " not in copy.text
    assert {"\u3002", "\uff01", "\uff1f"} <= {*copy.text}
    assert len(copy.spans) == len(gold.spans)
    spaced = [Sentence.from_columns(["Oaks", "speak", "."])]
    assert unspaced(gold_text(spaced)).text == ""
