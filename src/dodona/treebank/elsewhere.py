"""Attribute names of other libraries, for error messages that name ours."""

WORD = {  # of spaCy, Stanza and UDPipe
    "pos_": "upos",
    "pos": "upos",
    "tag_": "xpos",
    "tag": "xpos",
    "lemma_": "lemma",
    "dep_": "deprel",
    "dep": "deprel",
    "morph": "features",
    "i": "id, which counts from 1",
    "idx": "start",
    "text_with_ws": "form and space_after",
    "whitespace_": "space_after",
    "orth_": "form",
    "lefts": "left_children",
    "rights": "right_children",
    "start_char": "start",
    "end_char": "end",
    "ent_type_": "nothing: there are no named entities",
}
DOC = {
    "sents": "sentences",
    "noun_chunks": "noun_phrases()",
    "ents": "nothing: there are no named entities",
    "entities": "nothing: there are no named entities",
    "tokens": "words, or sentence.tokens",
    "to_disk": "to_conllu() or to_json()",
    "print_dependencies": "sentence.tree()",
}


def explain(thing: str, name: str, known: dict[str, str]) -> str:
    """Return the message for an attribute that does not exist.

    >>> explain("word", "pos_", WORD)
    "a word has no attribute 'pos_'; here that is upos"
    """
    message = f"a {thing} has no attribute {name!r}"
    return f"{message}; here that is {known[name]}" if name in known else message
