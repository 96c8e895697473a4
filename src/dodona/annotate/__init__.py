"""Annotation of treebanks with a parser that keeps what is decided, fills in the rest and learns."""
