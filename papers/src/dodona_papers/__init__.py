"""Experiments of parsing papers, repeated on treebanks of your own.

A paper is a module or package of `experiments`, which defines the comparison, the paper's own
results, and a `PAPER`. `running` finds treebanks, trains, scores and stores results; `reporting`
averages, tests and shows them; `registry` lists all papers; `verb` is `dodona experiment`.
"""
