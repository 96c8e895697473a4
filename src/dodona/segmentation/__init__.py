"""Segmentation of raw text into sentences, tokens and words."""
