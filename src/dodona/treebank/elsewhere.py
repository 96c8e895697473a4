"""Attribute names of other libraries, for error messages that name ours."""

NO_ENTITIES = "nothing: there are no named entities"
WORD = {  # of spaCy, Stanza and UDPipe
    "pos_": "upos",
    "pos": "upos",
    "tag_": "xpos",
    "tag": "xpos",
    "lemma_": "lemma",
    "dep_": "deprel",
    "dep": "deprel",
    "morph": "features",
    "i": "id, which counts from 1 in the sentence; in the document, doc.position(word)",
    "lower_": "lower",
    "shape_": "shape",
    "is_sent_start": "id == 1",
    "norm_": "lower",
    "doc": "nothing: a word knows its sentence, and a sentence does not know its document",
    "idx": "start",
    "text_with_ws": "form and space_after",
    "whitespace_": "space_after",
    "orth_": "form",
    "lefts": "left_children",
    "rights": "right_children",
    "start_char": "start",
    "end_char": "end",
    "ent_type_": NO_ENTITIES,
}
SENTENCE = {  # of a span of spaCy, a sentence of Stanza or UDPipe, a token list of conllu
    "sents": "this sentence itself",
    "noun_chunks": "noun_phrases()",
    "ents": NO_ENTITIES,
    "entities": NO_ENTITIES,
    "lemma_": "lemmas",
    "lemma": "lemmas",
    "pos": "upos",
    "pos_": "upos",
    "tag_": "xpos",
    "head": "heads",
    "dep_": "deprels",
    "deprel": "deprels",
    "dependencies": "heads and deprels, or for each word its parent and deprel",
    "print_dependencies": "tree(), as in print(sentence.tree())",
    "form": "forms",
    "metadata": "comments, sent_id and text",
    "serialize": "to_conllu()",
    "id": "sent_id",
    "index": "its position in the document: doc.sentences.index(sentence)",
    "doc": "nothing: a sentence does not know its document",
    "start_char": "start",
    "end_char": "end",
    "as_doc": "Doc([sentence])",
    "char_span": "doc.char_span(start, end)",
    "to_tree": "root, and word.children from there on",
}
SPAN = {  # of spaCy, whose start and end count words
    "start_char": "start",
    "end_char": "end",
    "i": "word_start",
    "label_": "label",
    "sent": "sentence",
    "sents": "sentences",
    "ents": NO_ENTITIES,
    "lemma_": "the lemma of each word",
    "subtree": "root.subtree",
    "as_doc": "Doc(span.sentences)",
    "doc": "nothing: a span does not know its document",
}
DOC = {
    "sents": "sentences",
    "noun_chunks": "noun_phrases()",
    "ents": NO_ENTITIES,
    "entities": NO_ENTITIES,
    "tokens": "words, or sentence.tokens",
    "iter_words": "words",
    "iter_tokens": "words, or sentence.tokens",
    "num_words": "len(doc.words)",
    "spans": "span(start, end), with a label if you give one",
    "start": "0: a document is the whole text",
    "end": "len(doc.text): a document is the whole text",
    "num_tokens": "len(doc.words)",
    "to_disk": "to_conllu() or to_json()",
    "to_bytes": "to_conllu().encode()",
    "print_dependencies": "sentence.tree()",
    "is_parsed": "always so: a document comes from a parser",
    "root": "sentence.root, for each sentence",
    "heads": "sentence.heads, for each sentence",
    "forms": "sentence.forms, for each sentence",
    "upos": "sentence.upos, for each sentence",
    "deprels": "sentence.deprels, for each sentence",
    "lemmas": "sentence.lemmas, for each sentence",
    "tree": "sentence.tree(), for each sentence",
}


def explain(thing: str, name: str, known: dict[str, str]) -> str:
    """Return the message for an attribute that does not exist.

    >>> explain("word", "pos_", WORD)
    "a word has no attribute 'pos_'; here that is upos"
    """
    message = f"a {thing} has no attribute {name!r}"
    return f"{message}; here that is {known[name]}" if name in known else message
