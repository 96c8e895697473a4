"""Clusters of words, learned from text."""
