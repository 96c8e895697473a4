"""Reading and writing of CoNLL-U and CoNLL-X."""
