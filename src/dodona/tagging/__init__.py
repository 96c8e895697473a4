"""From words to tags and lemmas: the tagger, and how it is trained."""
