"""The tagger: features, search, training."""
