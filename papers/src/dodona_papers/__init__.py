"""Papers' comparisons run again on treebanks of your own.

A paper is one module of `papers`, or one folder there: it knows what is compared and what the paper
found, and tells the rest by its PAPER. `running` finds treebanks, trains, scores and remembers;
`reporting` averages, tests and shows; `registry` knows all papers by name.
"""
