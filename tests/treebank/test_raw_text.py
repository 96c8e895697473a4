"""Raw text of treebanks and its gold segmentation."""

from __future__ import annotations

import dodona
from dodona.treebank.conllu.reader import read
from dodona.treebank.raw_text import gold_text, original_text, raw_text, tokens_of

OAKS = """# newdoc id = d
# newpar
# text = Du chêne.
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tDe\t_\t_\t_\t_\t_\t_\t_\t_
2\tle\t_\t_\t_\t_\t_\t_\t_\t_
3\tchêne\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3.1\tnul\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No

# text = 10 000 feuilles
1\t10 000\t_\t_\t_\t_\t_\t_\t_\t_
2\tfeuilles\t_\t_\t_\t_\t_\t_\t_\t_

# newpar
1\tFin\t_\t_\t_\t_\t_\t_\t_\t_

1\tVraie\t_\t_\t_\t_\t_\t_\t_\t_

"""


def sentences(text: str) -> list[dodona.Sentence]:
    import io

    return list(read(io.BytesIO(text.encode()), trees="ignored"))


def test_text_is_joined_as_in_2018() -> None:
    joined = "".join(raw_text(sentences(OAKS)))
    assert joined == "Du chêne.10 000 feuilles\n\nFin Vraie"


def test_gold_spans_are_where_the_tokens_stand() -> None:
    gold = gold_text(sentences(OAKS))
    found = [(gold.text[start:end], begins) for start, end, begins in gold.spans]
    assert found == [
        ("Du", True),
        ("chêne", False),
        (".", False),
        ("10 000", True),
        ("feuilles", False),
        ("Fin", True),
        ("Vraie", True),
    ]
    assert gold.words[:2] == [("De", "le"), ("chêne",)]
    assert [gold.text[at:][:3] for at in gold.paragraphs] == ["Du ", "Fin"]


def test_paragraphs_can_be_joined_and_texts_added() -> None:
    gold = gold_text(sentences(OAKS))
    flat = gold.without_paragraphs()
    assert flat.text == "Du chêne.10 000 feuilles Fin Vraie"
    both = gold + flat
    n = len(gold.spans)
    for one in (gold.spans, flat.spans, both.spans[:n], both.spans[n:]):
        text = gold.text if one is gold.spans else flat.text if one is flat.spans else both.text
        assert [text[start:end] for start, end, _ in one][3:6] == ["10 000", "feuilles", "Fin"]
    assert [both.text[at:][:2] for at in both.paragraphs] == ["Du", "Fi", "Du"]


def test_a_text_that_does_not_fit_its_tokens_is_made_of_them() -> None:
    wrong = OAKS.replace("# text = Du chêne.", "# text = Du hêtre.")
    assert "".join(raw_text(sentences(wrong))).startswith("Du chêne.10")


def test_white_space_of_the_text_comment_is_kept() -> None:
    wide = OAKS.replace("# text = Du chêne.", "# text = Du  chêne.")
    gold = gold_text(sentences(wide))
    assert gold.text.startswith("Du  chêne.")
    assert gold.spans[1] == (4, 9, False)


def test_tokens_have_their_words_and_empty_nodes_are_no_tokens() -> None:
    tokens = tokens_of(sentences(OAKS)[0])
    assert [(token.form, token.words) for token in tokens] == [
        ("Du", ("De", "le")),
        ("chêne", ("chêne",)),
        (".", (".",)),
    ]


def test_original_text_reads_all_escapes() -> None:
    misc = [r"SpacesBefore=\s\t|SpacesAfter=\r\n", r"SpacesAfter=\p\\\s"]
    made = dodona.Sentence.from_columns(["a", "b"], misc=misc)
    assert original_text([made]) == " \ta\r\nb|\\ "


def test_a_byte_order_mark_before_the_first_word_is_no_part_of_it() -> None:
    marked = "\ufeff" + OAKS.partition("# text = Du chêne.\n")[2]
    assert "".join(raw_text(sentences(marked))).startswith("Du chêne.")
