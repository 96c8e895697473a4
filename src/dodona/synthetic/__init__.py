"""Treebanks of an invented language, for demos, tests and benchmarks."""
