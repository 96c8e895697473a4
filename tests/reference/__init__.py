"""Reference implementations ("slow twins") in plain Python, which share no code with the core.

`trees` makes gold trees, `search` computes costs by definition, `twins` registers the classes. A
transition system is one class with the methods of `search.System`, decorated with `twins.twin`.
"""
