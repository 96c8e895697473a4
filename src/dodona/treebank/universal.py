"""The tags and relations of Universal Dependencies (version 2); the value of an empty column."""

UNANNOTATED = "_"  # in place of a head, label, tag or lemma
_UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_CONTENT = """
    acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated expl fixed flat
    goeswith iobj list nmod nsubj nummod obj obl orphan parataxis reparandum root vocative xcomp
"""
_FUNCTIONAL = "aux case cc clf cop det mark"

UPOS = frozenset(_UPOS.split())
CONTENT = frozenset(_CONTENT.split())  # of content words
FUNCTIONAL = frozenset(_FUNCTIONAL.split())  # of function words
RELATIONS = CONTENT | FUNCTIONAL | {"punct"}


def universal_part(relation: str) -> str:
    """Return a relation without its subtype.

    >>> universal_part("nsubj:pass")
    'nsubj'
    """
    return relation.partition(":")[0]
