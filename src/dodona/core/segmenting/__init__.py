"""The compiled segmenter: boundaries of sentences and tokens, and multiword tokens."""
