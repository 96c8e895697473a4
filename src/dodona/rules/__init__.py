"""Rules of one's own, applied at run time: tokens, sentence boundaries, tags and lemmas."""
