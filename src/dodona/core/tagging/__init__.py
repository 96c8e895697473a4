"""The compiled tagger: features, search, training."""
