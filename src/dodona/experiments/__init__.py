"""Papers' comparisons run again on treebanks of your own.

A paper is one module, which knows what is compared and what the paper found. What papers share is
around it: `data` finds treebanks, `runs` trains and scores, `grid` runs many and remembers them,
`summary` averages and tests, `tables`, `plot` and `report` show.
"""
