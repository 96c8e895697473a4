"""Whether a file is CoNLL-U, and its trees are Universal Dependencies: all problems at once.

The levels are those of UD's own validator: 1, the format; 2, columns, metadata and trees; 3, what
the guidelines ask of every language (here, warnings). Level 4 and 5, lists of each language, are
UD's own. `validator` goes through files, `mending` does what can be mended safely.
"""
