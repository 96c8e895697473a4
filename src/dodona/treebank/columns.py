"""What the columns of a treebank have in common."""

UNANNOTATED = "_"  # a head, label, tag or lemma that is not there
