"""Weights of linear models: growing in training, packed for parsing."""
