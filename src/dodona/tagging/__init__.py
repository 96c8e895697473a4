"""Taggers of words with UPOS, XPOS, FEATS and lemmas, and their training."""
