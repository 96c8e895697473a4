"""Search for patterns of words and arcs in trees: `language`, `pattern`, `matcher`.

>>> from dodona.query.pattern import Pattern
>>> Pattern("upos=VERB as verb >nsubj lemma=oak as oak").names
('verb', 'oak')
"""
