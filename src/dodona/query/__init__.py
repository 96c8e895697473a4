"""Patterns of words and arcs, and finding them in trees: `language`, `pattern`, `matcher`.

>>> from dodona.query.pattern import Pattern
>>> Pattern("upos=VERB as verb >nsubj lemma=oak as oak").names
('verb', 'oak')
"""
