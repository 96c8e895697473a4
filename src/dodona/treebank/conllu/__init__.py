"""Files of sentences: CoNLL-U and CoNLL-X, in and out."""
