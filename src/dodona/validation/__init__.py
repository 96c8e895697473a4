"""Validation of CoNLL-U files and of trees in Universal Dependencies.

The levels are those of UD's own validator: 1, the format; 2, columns, metadata and trees; 3, the
guidelines for all languages (here, warnings). Levels 4 and 5, which depend on lists of each
language, are left to UD's validator. `validator` checks files and applies safe fixes.
"""
