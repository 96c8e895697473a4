"""The segmenter: where sentences, tokens and words end."""
