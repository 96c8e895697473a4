"""Learning of word clusters from text."""
