"""Dodona: fast, exact, trainable transition-based dependency parsing with dynamic oracles."""
