"""The slow twins: every transition system again, in plain Python that shares no code with the core.

`trees` makes gold trees, `search` turns the definition of cost into a program, `twins` finds the
classes. A new system is one class with the methods of `search.System`, decorated by `twins.twin`.
"""
