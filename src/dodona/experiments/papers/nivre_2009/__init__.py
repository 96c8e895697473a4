"""Nivre, Kuhlmann & Hall (2009): parsing with swaps."""
