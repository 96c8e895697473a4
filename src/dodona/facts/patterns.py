"""The patterns of facts, by what they find.

`p` is the predicate of a clause: its verb or, with a copula, its adjective, noun or adverb. The
patterns use relations and features of Universal Dependencies; where a row has lemmas, they are
English. A row may be repeated with other features, because treebanks differ in their annotation.
"""

PREDICATE = (
    "upos=VERB&deprel!=amod|case|mark|cc|advmod|fixed|flat|goeswith|compound|reparandum as p",
    "upos=AUX&deprel!=aux|aux:pass|cop|fixed|reparandum as p",  # "Yes, I can."
    "* as p >cop *",
)

# --- surface subjects

SUBJECT = ("* as p >nsubj|csubj|nsubj:pass|csubj:pass * as s",)
OUTER_SUBJECT = ("* as p >nsubj:outer|csubj:outer * as s",)  # the problem is that …
AGENT = ("* as p >obl:agent * as s",)
# predicates that have their subject in common with another, if they have none of their own
SUBJECT_OF_HEAD = (
    "upos=VERB|AUX as p <conj * as q",  # she sat down and wept
    "* as p >cop * <conj * as q",
    "* as p <xcomp (* as q !>obj * !>iobj *)",  # she wants to leave
    "VerbForm=Inf|Part|Ger as p <advcl (* as q !>aux:pass *)",  # after leaving, she wept
    "VerbForm=Part&Tense=Past as p <advcl (* as q >aux:pass *)",  # once opened, it was emptied
)
SUBJECT_NEARBY = (
    "* as p <xcomp (* >obj * as s)",  # they asked her to leave
    "* as p <xcomp (* >iobj * as s !>obj *)",
    "VerbForm=Part|Ger as p <acl * as s",  # the woman sitting there
    "* as p !> PronType=Rel <acl:relcl * as s",  # what worries me
)

# --- objects

OBJECT = ("* as p >obj * as o",)
INDIRECT = ("* as p >iobj * as o",)
COMPLEMENT = ("* as p >ccomp|xcomp * as o",)  # a clause, or what one becomes
# after both of two coordinated verbs: she washed and dried the dishes
SHARED_OBJECT = ("* as o <obj (* >conj (upos=VERB as p !>obj * .. * as o))",)
SHARED_AGENT = ("* as s <obl:agent (* >conj (upos=VERB as p !>obl:agent * .. * as s))",)
_TIME = "lemma!=day|time|way|year|week|month|night|moment|reason|place as o"
_GAP = "!>obj * !>ccomp * !>obl upos=ADP !> PronType=Rel !> (* > PronType=Rel)"
GAP = (  # relative clauses without a pronoun: the film we saw, the film we wanted to see
    f"{_TIME} >acl:relcl (upos=VERB as p >nsubj PronType!=Rel {_GAP} !>xcomp upos=VERB)",
    f"{_TIME} >acl:relcl (* >nsubj PronType!=Rel {_GAP} >xcomp (upos=VERB as p {_GAP}))",
    f"{_TIME} >acl:relcl (* {_GAP} >conj (upos=VERB as p >nsubj PronType!=Rel {_GAP}))",
)
PREDICATIVE = ("* as p >cop * >conj (upos!=VERB|AUX as o !>cop * !>nsubj|nsubj:pass|csubj *)",)
GAPPING = ("* as p >conj (* as s >orphan * as o)",)  # Anna ate fish, and Ben soup

COORDINATED = ("* as first >conj * as other",)
# the nearest antecedent comes first, because ancestors are listed upwards
ANTECEDENT = ("PronType=Rel as pronoun << (deprel=acl:relcl|advcl:relcl < * as antecedent)",)

# --- how it is said

PARTICLE = ("* as p >compound:prt * as word",)
COPULA = ("* as p >cop * as word",)
AUXILIARY = ("* as p >aux|aux:pass * as word",)
MODAL = (
    "* as p >aux VerbType=Mod as word",
    "* as p >aux xpos=MD as word",
)
PASSIVE = (
    "* as p >aux:pass *",
    "* as p >nsubj:pass|csubj:pass *",
    "VerbForm=Part&Tense=Past&deprel=acl|advcl as p !>nsubj * !>aux *",  # the letter sent to her
    "VerbForm=Part&Tense=Past&deprel=xcomp as p !>aux *",
    "VerbForm=Part&Tense=Past as p !>nsubj * !>aux * <conj (* >aux:pass *)",  # was bought and sold
    "VerbForm=Part&Tense=Past as p !>aux * <conj (VerbForm=Part&Tense=Past&deprel=acl !>aux *)",
)
NEGATING = (  # words that belong to the verb phrase
    "* as p >advmod Polarity=Neg as word",
    "* as p >advmod PronType=Neg as word",
    "* as p >advmod (* as word >advmod lemma=no)",  # no longer
)
NEGATED = (  # he has no money; nobody came; neither of them came
    "* as p >nsubj|nsubj:pass|obj PronType=Neg",
    "* as p >nsubj|nsubj:pass|obj (* >det PronType=Neg)",
    "* as p >nsubj|nsubj:pass|obj (* >cc:preconj Polarity=Neg)",
    "* as p >nsubj|nsubj:pass (* >advmod Polarity=Neg)",  # not everyone agrees
    "* as p >cc:preconj Polarity=Neg",  # he neither eats nor drinks
    "* as p >cc Polarity=Neg",
)
# verbs under the auxiliaries of the first of them: he cannot read or write
SHARED_AUXILIARIES = (
    "VerbForm=Inf as p !>aux * !>nsubj * <conj (VerbForm=Inf as q)",
    "VerbForm=Part as p !>aux * !>aux:pass * !>nsubj * <conj (VerbForm=Part as q)",
)
SHARED_NEGATION = tuple(f"{pattern} !>cc lemma=but" for pattern in SHARED_AUXILIARIES)

CLAUSES = {  # kinds of clauses by the relation of the predicate, without or with its subtype
    "root": "main",
    "acl:relcl": "relative",
    "advcl:relcl": "relative",
    "acl": "adnominal",
    "advcl": "adverbial",
    "ccomp": "complement",
    "xcomp": "complement",
    "csubj": "subject",
    "conj": "coordinate",
    "parataxis": "parataxis",
}
