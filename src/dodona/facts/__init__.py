"""Facts in trees of Universal Dependencies: verb phrases, clauses, and who did what.

`patterns` lists what is looked for, in the pattern language; `relations` applies it to a sentence,
`roles` finds the subjects and objects of each predicate, and `extraction` puts them together.

>>> from dodona import Sentence
>>> oaks = Sentence.from_columns(
...     ["Oaks", "never", "lie"], lemmas=["oak", "never", "lie"], upos=["NOUN", "ADV", "VERB"],
...     feats=["_", "PronType=Neg", "_"], heads=[3, 3, 0], deprels=["nsubj", "advmod", "root"])
>>> oaks.triples()
[<Triple Oaks | lie | - | negated>]
"""
