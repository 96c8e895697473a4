"""Feature templates as data: a small language, its files, and errors that name line and slot.

A template is a line such as ``s0.form + b0.head.tag + distance``: parts joined by ``+``. A part is
a slot and an attribute, or stands alone (``ALONE``). A slot starts from the stack (``s0`` is the
top) or the buffer (``b0`` is the front) and may follow arcs already built. Blank lines and what
follows ``#`` are ignored. docs/reference/templates.md describes every slot and attribute.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dodona.errors import DodonaError

N_DEEP = 4  # s0 … s3, b0 … b3
STARTS = tuple(f"{where}{depth}" for where in "sb" for depth in range(N_DEEP))
TREE_HEAD, TREE_LABEL = "tree_head", "tree_label"  # of a basic tree beside the graph
RELATIONS = ("head", "left", "left2", "right", "right2", "head2", TREE_HEAD)
STATE_INTS = ("label", "n_left", "n_right", "n_heads", "head_labels")
STATE_SETS = ("left_labels", "right_labels")
STATE_ATTRIBUTES = (*STATE_INTS, *STATE_SETS)
TAG = "tag"  # UPOS and XPOS together
WORD_ATTRIBUTES = ("form", "lemma", "upos", "xpos", TAG, "feats", TREE_LABEL)
FEATURE = "feats:"  # before the name of one feature of FEATS
DISTANCES = {
    "distance": ("s0", "b0"),
    "stack_distance": ("s1", "s0"),
    "buffer_distance": ("b0", "b1"),
}
LINKS = {"link": ("s0", "b0"), "stack_link": ("s1", "s0")}
TREE_LINKS = {"tree_link": ("s0", "b0"), "stack_tree_link": ("s1", "s0")}
ACTIONS = ("action", "action2")
OF_GRAPHS = {**LINKS, **TREE_LINKS, **dict.fromkeys(ACTIONS, ())}
ALONE = {**DISTANCES, **OF_GRAPHS}  # part → slots it needs
GRAPH_ONLY = {"head2", TREE_HEAD, TREE_LABEL, "n_heads", "head_labels", *OF_GRAPHS}
CLUSTER = re.compile(r"cluster(:[1-9][0-9]{0,3})?")
CLUSTERS = "clusters"  # templates that are added to others
MAX_PARTS = 8
_FOLDER = Path(__file__).parent / "templates"
MAX_TEMPLATES = 256  # the most features that a state may have (MAX_KEYS of the weights)


class TemplatePart(NamedTuple):
    """An attribute of the word in a slot: a start and the relations to follow from there."""

    slot: tuple[str, ...]
    attribute: str


Template = tuple[TemplatePart, ...]


class TemplateError(DodonaError, ValueError):
    """An invalid template; the message names the line, and what is valid."""


def parse_templates(text: str, source: str = "<templates>") -> list[Template]:
    """Return the templates in a text, one per line.

    >>> parse_templates("s0.form + b0.left.tag")[0][1]
    TemplatePart(slot=('b0', 'left'), attribute='tag')
    """
    templates = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#", 1)[0].strip()
        if content:
            try:
                parts = tuple(_part(piece.strip()) for piece in content.split("+"))
                if len(parts) > MAX_PARTS:
                    most = f"a template has at most {MAX_PARTS} parts"
                    raise TemplateError(f"{most}, this one {len(parts)}")
                templates.append(parts)
            except TemplateError as error:
                raise TemplateError(f"{source}:{number}: {error}") from None
            if len(templates) > MAX_TEMPLATES:
                raise TemplateError(f"{source}: more than {MAX_TEMPLATES} templates")
    if not templates:
        raise TemplateError(f"{source}: contains no template")
    return templates


def load_templates(name: str | Path) -> str:
    """Return the text of the templates that ship under a name, or of the user's own file.

    >>> load_templates("zn11").splitlines()[-1]
    'b0.tag + b0.left_labels'
    """
    return read_shipped(name, _FOLDER, template_names(), "templates")


def read_shipped(name: str | Path, folder: Path, names: list[str], kind: str) -> str:
    """Return the text of a file that ships in a folder under one of the names, or of any file."""
    path = folder / f"{name}.txt" if str(name) in names else Path(name)
    if not path.exists() or path.is_dir():
        raise TemplateError(f"no file {name}, and no {kind} of that name: {', '.join(names)}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path}: not UTF-8: {error}") from None


def template_names() -> list[str]:
    """Return the names of the template sets that ship."""
    return sorted(f.stem for f in _FOLDER.glob("*.txt") if not f.name.startswith(CLUSTERS))


def cluster_columns(text: str, source: str = "<templates>") -> list[str]:
    """Return the columns of clusters that the templates in a text read."""
    return [c for c in word_columns(parse_templates(text, source)) if CLUSTER.fullmatch(c)]


def with_cluster_templates(text: str, suited: str = "rich") -> str:
    """Return templates that name no cluster, followed by those that ship for clusters.

    `suited` is the set that suits the transition system: its cluster templates read the same words.
    """
    ours = _FOLDER / f"{suited.replace('rich', CLUSTERS)}.txt"
    return f"{text.rstrip()}\n\n{ours.read_text(encoding='utf-8')}"


def forms_for_lemmas(text: str) -> str:
    """Return templates with forms in place of lemmas, without duplicates.

    >>> forms_for_lemmas("s0.form\\ns0.lemma + b0.tag\\ns0.lemma")
    's0.form\\ns0.form + b0.tag'
    """
    lines = (line.split("#", 1)[0].strip() for line in text.splitlines())
    return "\n".join(dict.fromkeys(re.sub(r"\.lemma\b", ".form", line) for line in lines if line))


def word_columns(templates: list[Template]) -> list[str]:
    """Return the columns of the input that templates read, in a fixed order.

    >>> word_columns(parse_templates("s0.tag + b0.form + s0.label"))
    ['form', 'tag']
    """
    used = {part.attribute for template in templates for part in template}
    relations = {step for template in templates for part in template for step in part.slot}
    reads_links = not used.isdisjoint(TREE_LINKS)
    if reads_links or TREE_HEAD in relations:
        used.add(TREE_HEAD)
    if reads_links:
        used.add(TREE_LABEL)
    plain = [name for name in (*WORD_ATTRIBUTES, TREE_HEAD) if name in used]
    features = sorted(name for name in used if name.startswith(FEATURE))
    return plain + features + sorted(name for name in used if CLUSTER.fullmatch(name))


def names_graphs(templates: list[Template]) -> bool:
    """Return whether templates read what only systems of graphs have.

    >>> names_graphs(parse_templates("s0.tag + link"))
    True
    """
    parts = (part for template in templates for part in template)
    return any(not GRAPH_ONLY.isdisjoint((*part.slot, part.attribute)) for part in parts)


@lru_cache(maxsize=1024)  # many templates share their parts
def _part(text: str) -> TemplatePart:
    if text in ALONE:
        return TemplatePart((), text)
    *slot, attribute = text.split(".")
    if not slot:
        raise TemplateError(f"{text!r} is not a slot and an attribute such as s0.form")
    if slot[0] not in STARTS:
        known = ", ".join(STARTS)
        raise TemplateError(f"no slot {slot[0]!r} in {text!r}; slots start with {known}")
    for relation in slot[1:]:
        if relation not in RELATIONS:
            known = ", ".join(RELATIONS)
            raise TemplateError(f"no relation {relation!r} in {text!r}; there are: {known}")
    named_feature = attribute.startswith(FEATURE) and attribute != FEATURE
    named = named_feature or CLUSTER.fullmatch(attribute)
    if attribute not in WORD_ATTRIBUTES + STATE_ATTRIBUTES and not named:
        others = f"{FEATURE}NAME", "cluster", "cluster:N"
        known = ", ".join((*WORD_ATTRIBUTES, *others, *STATE_ATTRIBUTES))
        raise TemplateError(f"no attribute {attribute!r} in {text!r}; there are: {known}")
    return TemplatePart(tuple(slot), attribute)
