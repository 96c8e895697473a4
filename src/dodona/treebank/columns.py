"""The value of a column without annotation."""

UNANNOTATED = "_"  # in place of a head, label, tag or lemma
