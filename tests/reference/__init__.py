"""The slow twins: every transition system again, in plain Python that shares no code with the core.

`trees` makes gold trees, `search` turns the definition of cost into a program, and each other
module is one transition system. A new system is one class with the methods of `search.System`.
"""
