"""Annotation of treebanks, with a parser that keeps what is decided, fills in the rest, and learns.

`dodona annotate` opens a page for it; `Workbench` is the same for programs.
"""

from dodona.annotate.workbench import Workbench as Workbench
