"""TEI P5, with words, lemmas, tags and dependencies as in the corpora of ParlaMint.

A sentence is `<s>` with `<w>` and `<pc>`; `pos` is XPOS, `msd` has UPOS and FEATS, `join="right"`
means that no space follows. A multiword token is a `<w>` around its words, whose forms are in
`norm`. Arcs are links from head to dependent, the root being that of `<s>`. Only enhanced graphs,
empty nodes and MISC are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import Token, comment, tokens

NAMESPACE = "http://www.tei-c.org/ns/1.0"
PREFIX = "ud-syn:"  # of relations
OPENING = f"""<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="{NAMESPACE}">
 <teiHeader>
  <fileDesc>
   <titleStmt><title>Dependency trees</title></titleStmt>
   <publicationStmt><p>Made by Dodona.</p></publicationStmt>
   <sourceDesc><p>Sentences in CoNLL-U.</p></sourceDesc>
  </fileDesc>
  <encodingDesc><listPrefixDef>
   <prefixDef ident="ud-syn" matchPattern="(.+)"
    replacementPattern="https://universaldependencies.org/u/dep/$1"/>
  </listPrefixDef></encodingDesc>
 </teiHeader>
 <text><body>
"""
CLOSING = " </body></text>\n</TEI>\n"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_tei(sentences: Iterable[Sentence]) -> str:
    """Return sentences as a TEI document.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> "<w xml:id=\\"s1.w1\\">Oaks</w>" in to_tei([oaks])
    True
    """
    written = (tei_sentence(sentence, i) for i, sentence in enumerate(sentences, 1))
    return f"{OPENING}{''.join(written)}{CLOSING}"


def tei_sentence(sentence: Sentence, number: int) -> str:
    """Return a sentence as an element `<s>`."""
    name = f"s{number}"
    given = comment(sentence, "sent_id")
    lines = [f'  <s xml:id="{name}"{_attribute("n", given or "_")}>']
    lines += [f"   {_token(sentence, token, name)}" for token in tokens(sentence)]
    lines += ['   <linkGrp type="UD-SYN" targFunc="head argument">']
    for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
        if head is not None:
            source = f"#{name}.w{head}" if head else f"#{name}"
            relation = _attribute("ana", PREFIX + label.replace(":", "_"))
            lines.append(f'    <link{relation} target="{source} #{name}.w{i}"/>')
    return "\n".join([*lines, "   </linkGrp>", "  </s>", ""])


def _token(sentence: Sentence, token: Token, name: str) -> str:
    join = "" if token.space_after else ' join="right"'
    if not token.is_multiword:
        kind = "pc" if sentence.upos[token.first - 1] == "PUNCT" else "w"
        about = _about(sentence, token.first, name)
        return f"<{kind}{about}{join}>{_text(token.form)}</{kind}>"
    inner = "".join(
        f"<w{_about(sentence, i, name)}{_attribute('norm', sentence.forms[i - 1])}/>"
        for i in range(token.first, token.last + 1)
    )
    return f"<w{join}>{_text(token.form)}{inner}</w>"


def _about(sentence: Sentence, word: int, name: str) -> str:
    i = word - 1
    upos, feats = sentence.upos[i], sentence.feats[i]
    parts = [f"UPosTag={upos}"] if upos != "_" else []
    parts += [feats] if feats != "_" else []
    found = f' xml:id="{name}.w{word}"' + _attribute("lemma", sentence.lemmas[i])
    return found + _attribute("pos", sentence.xpos[i]) + _attribute("msd", "|".join(parts) or "_")


def _attribute(name: str, value: str) -> str:
    """Return an attribute; nothing for an empty column."""
    return "" if value == "_" else f" {name}={quoteattr(_legal(value))}"


def _text(form: str) -> str:
    return escape(_legal(form))


def _legal(text: str) -> str:
    """Replace characters that XML cannot contain."""
    return _ILLEGAL.sub("\ufffd", text)
