"""`dodona convert`: convert formats, extract text, make trees projective and back."""

from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Encoding, Flag, OutputFile, SkipBad
from dodona.cli.input_files import STDIN, UTF8
from dodona.cli.inputs import TEXT, BadSentences, SentenceOrBad, Trees, read_treebanks
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import EXCHANGED, open_writer
from dodona.cli.overwriting import check_targets
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.conllu.writer import to_conllu, to_conllx
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.pseudoprojective import SCHEMES, deprojectivise, lifted, projectivise

TARGETS = (*FORMATS, TEXT, "json", *EXCHANGED)


def convert(
    inputs: Annotated[
        list[str] | None, Flag("files to convert ('-': stdin, the default)", positional=True)
    ] = None,
    out: OutputFile = "-",
    from_: Annotated[str, Flag("format of the input", choices=FORMATS)] = "conllu",
    to: Annotated[
        str | None, Flag("format of the output", choices=TARGETS, default="by -o, or conllu")
    ] = None,
    projectivise: Annotated[
        str | None, Flag("lift crossing arcs and mark them with this scheme", choices=SCHEMES)
    ] = None,
    deprojectivise: Annotated[
        str | None, Flag("lower marked arcs again with this scheme", choices=SCHEMES)
    ] = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = UTF8,
) -> None:
    """Convert between formats, and make trees projective.

    The pseudo-projective transformations are those of Nivre & Nilsson (2005): --projectivise lifts
    crossing arcs, --deprojectivise lowers them again as their labels indicate. Losses and changes
    are reported on stderr.

    --to text writes the text of a treebank, with a blank line before each paragraph. tei, brat and
    webanno are for other tools, where people annotate: -o x.xml, x.ann (with x.txt beside it) or
    x.tsv name them, too.
    """
    to = choose_format(out, to, TARGETS, TARGETS[0], plain=TEXT, flag="--to")
    if projectivise and deprojectivise:
        raise UsageError("--projectivise and --deprojectivise are opposites: give only one of them")
    if to == TEXT and (projectivise or deprojectivise):
        raise UsageError("--to text writes no trees: leave out --projectivise and --deprojectivise")
    check_targets([out], inputs or [STDIN])
    trees: Trees = "required" if projectivise or deprojectivise else "ignored"
    bad = BadSentences()
    items = bad.watch(
        read_treebanks(
            inputs or ["-"], from_, trees, skip_bad, task="converting", encoding=encoding
        )
    )
    if to == TEXT:
        with open_output(out) as file:
            for piece in raw_text(item for item in items if isinstance(item, Sentence)):
                file.write(piece.encode())
            file.write(b"\n")
        bad.report("left out")
        return
    transform = Transform(projectivise, deprojectivise, to)
    with open_writer(out, to) as writer:
        for item in items:
            writer.write(transform(item))
    transform.report()
    bad.report()


class Transform:
    """A transformation of sentences, with counts of its changes."""

    def __init__(self, lift: str | None, lower: str | None, to: str) -> None:
        self.lift, self.lower, self.to = lift, lower, to
        self.n_sentences = self.n_lifted = self.n_moved = self.n_changed = 0
        self.n_poorer = 0

    def __call__(self, item: SentenceOrBad) -> SentenceOrBad:
        if not isinstance(item, Sentence):
            return item
        self.n_sentences += 1
        if self.lift:
            item = self._lift(item, self.lift)
        elif self.lower:
            item = self._lower(item, self.lower)
        if self.to not in FORMATS:
            return to_conllu(item)
        converted = to_conllu(item) if self.to == "conllu" else to_conllx(item)
        self.n_poorer += converted is not item and _split_fields(converted) != _split_fields(item)
        return converted

    def _lift(self, sentence: Sentence, scheme: str) -> Sentence:
        tree = projectivise(_list_heads(sentence), sentence.deprels, scheme)
        self.n_lifted += tree.n_lifted
        self.n_changed += tree.n_lifted > 0
        if not tree.n_lifted:
            return sentence
        return sentence.replace(heads=tree.heads, deprels=tree.labels)

    def _lower(self, sentence: Sentence, scheme: str) -> Sentence:
        before = _list_heads(sentence)
        heads, labels = deprojectivise(before, sentence.deprels, scheme)
        self.n_lifted += sum(map(lifted, sentence.deprels))
        self.n_moved += sum(a != b for a, b in zip(before, heads, strict=True))
        self.n_changed += before != heads
        if labels == sentence.deprels:
            return sentence
        return sentence.replace(heads=heads, deprels=labels)

    def report(self) -> None:
        where = f"in {self.n_changed:,} of {self.n_sentences:,} sentences"
        if self.lift:
            say(f"{self.n_lifted:,} arcs lifted, {where}")
        if self.lower:
            say(f"{self.n_moved:,} of {self.n_lifted:,} lifted arcs lowered, {where}")
        if self.n_poorer:
            lost = "ranges, empty nodes, comments, DEPS and MISC"
            lost = "PHEAD, PDEPREL and comments" if self.to == "conllu" else lost
            say(f"{self.n_poorer:,} sentences lost information: {lost} are not converted")


def _list_heads(sentence: Sentence) -> list[int]:
    return [head for head in sentence.heads if head is not None]  # all: trees are required


def _split_fields(sentence: Sentence) -> list[bytes]:
    return bytes(sentence).split()
