"""The Python interface of transition systems: start, valid, costs, step, finish, derivation.

A system is a subclass that implements the hooks declared in system.pxd; everything here is shared.
States are immutable in Python: a step makes a new one.
"""
from collections import Counter

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t
from libc.string cimport memset
from libcpp.string cimport string

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.action import Action
from dodona.core.transitions.gold cimport UNSEEN, EncodedGold, build_gold, gold_size
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport (
    BUFFER, StateC, clear, copy, front, lay_out, push, state_size, top)
from dodona.core.transitions.state_view import as_html

cdef enum:
    MAX_WORDS = 1 << 28       # of a sentence, so that numbers of arcs fit an int

cdef enum:
    AT_FRONT                  # s0 and b0, as in arc-eager
    ON_STACK                  # s1 and s0, as in arc-standard
    HYBRID                    # s0 and b0 leftwards, s1 and s0 rightwards, as in arc-hybrid

MOST_SEARCHED = 7             # words, so that their links, and those to the root, fit 64 bits

ROOTS = {"first": ROOT_FIRST, "last": ROOT_LAST, "none": ROOT_NONE}
JOINS = {"front": AT_FRONT, "stack": ON_STACK, "hybrid": HYBRID}   # the words that arcs join
# costs of a missing gold arc and of a wrong label; "graded" is footnote 6 of Goldberg & Nivre
# (2012): a wrong label is only half as bad
LOSSES = {"labelled": (1, 1), "unlabelled": (1, 0), "graded": (2, 1)}


cdef class State:
    """One configuration: stack, buffer and the arcs built so far. Immutable, hashable.

    Word positions count from 1; 0 is the artificial root, wherever the system keeps it.
    """

    def __cinit__(self, System system not None, int n_words):
        cdef int max_arcs
        cdef void* block
        if not 0 <= n_words <= MAX_WORDS:
            raise ValueError(f"a state is for 0 to {MAX_WORDS:,} words, not {n_words:,}")
        max_arcs = system.max_arcs(n_words)
        block = PyMem_Malloc(state_size(n_words, max_arcs))
        if block == NULL:
            raise MemoryError
        self.system = system
        lay_out(&self.c, block, n_words, max_arcs)
        clear(&self.c)

    def __dealloc__(self):
        PyMem_Free(self.c.block)

    @property
    def stack(self):
        """The word positions on the stack, from bottom to top."""
        return tuple(self._outside(self.c.stack[i]) for i in range(self.c.n_stack))

    @property
    def buffer(self):
        """The word positions in the buffer, from front to back."""
        return tuple(self._outside(self.c.buffer[i]) for i in range(self.c.n_buffer - 1, -1, -1))

    @property
    def heads(self):
        """The head of each word; None if it has none yet."""
        return tuple(self._outside(self.c.head[d]) for d in range(1, self.c.n_words + 1))

    @property
    def labels(self):
        """The label of each word; None if it has none yet."""
        return tuple(None if self.c.label[d] == NONE else self.system.labels[self.c.label[d]]
                     for d in range(1, self.c.n_words + 1))

    @property
    def arcs(self):
        """The arcs so far, as a frozenset of (head, label, dependent)."""
        return frozenset((head, label, i + 1) for i, (head, label)
                         in enumerate(zip(self.heads, self.labels)) if head is not None)

    @property
    def notes(self):
        """The notes of the system, an integer for 0 and each word; all 0 in most systems."""
        return tuple(self.c.note[d] for d in range(self.c.n_words + 1))

    def _outside(self, int node):
        """Return the public position of a node; the root is 0 even if it comes last."""
        if node == NONE:
            return None
        return 0 if node == self.c.root else node

    def _key(self):
        return self.c.n_words, self.stack, self.buffer, self.heads, self.labels, self.notes

    def __len__(self):
        return self.c.n_words

    def __hash__(self):
        return hash(self._key())

    def __eq__(self, other):
        return (isinstance(other, State) and self.system == (<State> other).system
                and self._key() == (<State> other)._key())

    def __repr__(self):
        arcs = " ".join(f"{head}-{label}->{dependent}" for head, label, dependent
                        in sorted(self.arcs, key=lambda arc: arc[2]))
        return f"State(stack={self.stack}, buffer={self.buffer}, arcs={{{arcs}}})"

    def _repr_html_(self):
        return as_html(self.stack, self.buffer, self.arcs)

    def __reduce__(self):
        block = (<char*> self.c.block)[:self.c.n_bytes]
        return _restore, (self.system, self.c.n_words, block, self.c.root, self.c.n_stack,
                          self.c.n_buffer, self.c.n_arcs)


def _restore(System system, int n_words, bytes block, int root, int n_stack, int n_buffer,
             int n_arcs):
    cdef State state = system.state_class(system, n_words)
    cdef StateC source
    lay_out(&source, <char*> block, n_words, state.c.max_arcs)
    source.root, source.n_stack, source.n_buffer = root, n_stack, n_buffer
    source.n_arcs = n_arcs
    copy(&state.c, &source)
    return state


cdef class System:
    """A transition system with its labels; made by `dodona.system(name, labels=…, root=…)`."""

    name = ""                     # a class is registered if it sets a name of its own
    order = 100                   # rank among the names of tree systems, or of graph systems
    paper = ""                    # authors and year, of the system and of its costs
    builds = "projective trees"   # the trees or graphs that it can derive, in words
    joins = "front"               # the words that arcs join: a key of `JOINS`
    exactness = "exact"           # how far costs agree with exhaustive search, in words
    does = {}                     # {move: its effect in words}; `when` has the preconditions
    roots = ("first",)            # positions of the artificial root, the default first
    oracles = {"static": 0}       # names that `derivation` accepts, and ids for `oracle_move`
    projective_only = True        # whether non-projective trees are out of reach
    takes_partial = True          # whether costs hold for trees of which some heads are unknown
    default_templates = "rich"    # feature templates for arcs between top and front
    state_class = State
    builds_graphs = False         # whether a word can have several heads
    most_words = 0                # longest sentence whose costs take bearable time; 0: any length
    searches = 0                  # find costs by search while at most this many words are left

    def __cinit__(self, *arguments, **options):
        # a Python class may fail to call __init__: then it has no label and no move
        self.labels = self.moves = self.labelled = self.when = ()
        self.left_moves = self.right_moves = ()
        self._label_ids, self._actions, self._other_actions, self._ids = {}, {}, {}, {}

    def __init__(self, labels, str root, str loss, str root_label):
        self.labels = tuple(labels)
        if len(set(self.labels)) < len(self.labels):
            raise ValueError(f"a label is given twice: {', '.join(self.labels)}")
        if root not in ROOTS:
            raise ValueError(f"root={root!r}: the artificial root is one of {', '.join(ROOTS)}")
        if loss not in LOSSES:
            raise ValueError(f"loss={loss!r}: known losses are {', '.join(LOSSES)}")
        if root not in self.roots:
            places = ("nowhere" if place == "none" else place for place in self.roots)
            raise ValueError(f"{self.name} has its root {' or '.join(places)}: root={root!r} is "
                             f"not possible; choose root={self.roots[0]!r}")
        if self.joins not in JOINS:
            raise ValueError(f"{self.name}: joins={self.joins!r} is not one of {', '.join(JOINS)}")
        if len(self.moves) > MAX_MOVES:
            raise ValueError(f"{self.name} has {len(self.moves)} moves, more than {MAX_MOVES}")
        self.root, self.loss, self.root_label = root, loss, root_label
        self.root_place = ROOTS[root]
        self.left_moves = self.left_moves or (self.left_arc,)
        self.right_moves = self.right_moves or (self.right_arc,)
        self.leftwards, self.joined = sum(1 << move for move in self.left_moves), JOINS[self.joins]
        if self.needed_arcs is None:
            self.needed_arcs = tuple(self._all_arcs())
        self.follow("static")
        self.exact_words = self.searches
        self.arc_price, self.label_price = LOSSES[loss]
        self._label_ids = {label: i for i, label in enumerate(self.labels)}
        self.root_label_id = self._label_ids.get(root_label, NONE)
        self._actions = {}
        for move, (name, takes_label) in enumerate(zip(self.moves, self.labelled)):
            for label in range(len(self.labels)) if takes_label else (NONE,):
                self._actions[move, label] = Action(
                    name, self.labels[label] if takes_label else None)
        self._ids = {action: ids for ids, action in self._actions.items()}
        others = self.other_names or {}
        self._other_actions = {move: Action(name) for move, name in others.items()}
        self._ids.update((action, (move, NONE)) for move, action in self._other_actions.items())

    def _all_arcs(self):
        """Yield every arc move, with and without the root: the default of `needed_arcs`."""
        from_root = self.right_moves if self.root_place == ROOT_FIRST else self.left_moves
        for move in self.left_moves + self.right_moves:
            yield (move,), False
            if self.root_place != ROOT_NONE and move in from_root:
                yield (move,), True

    def follow(self, str oracle):
        """Choose the static oracle, which static training follows and `costs` may depend on."""
        self.oracle = self._number(oracle)
        self.static_oracle = oracle
        return self

    def search(self, int n_words):
        """Search for exact costs while at most `n_words` words are left; 0: never."""
        if not self.searches and n_words:
            raise ValueError(f"{self.name} does not find costs by search: leave out exact_words")
        if not 0 <= n_words <= MOST_SEARCHED:
            raise ValueError(f"exact_words must be from 0 to {MOST_SEARCHED}, not {n_words}: the "
                             "search takes exponential time")
        self.exact_words = n_words
        return self

    cdef bint few_are_left(self, const StateC* state) noexcept nogil:
        """Whether at most `exact_words` words are on the stack and in the buffer."""
        return state.n_stack - 1 + state.n_buffer <= self.exact_words

    def _number(self, str oracle):
        if oracle not in self.oracles:
            raise ValueError(f"{self.name} has no {oracle!r} oracle, only "
                             + ", ".join(map(repr, self.oracles)))
        return self.oracles[oracle]

    def describe_moves(self):
        """Return the name, effect and preconditions of every move, in words.

        >>> from dodona.core.transitions.registry import system
        >>> system("arc-eager", labels=["dep"]).describe_moves()[3]["does"]
        'pops the top of the stack'
        """
        others = self.other_names or {}
        return [{"name": name, "does": self.does.get(name), "needs": needs}
                for move, (first, needs) in enumerate(zip(self.moves, self.when, strict=True))
                for name in filter(None, (first, others.get(move)))
                # a subclass may inherit a second name that it never uses
                if name == first or not self.does or name in self.does]

    def start(self, int n_words):
        """Return the initial state of a sentence of `n_words` words."""
        if n_words < 1:
            raise ValueError(f"a sentence has at least one word, not {n_words}")
        cdef State state = self.state_class(self, n_words)
        self.start_state(&state.c)
        return state

    def is_final(self, State state not None):
        """Whether no transition is left to take."""
        return bool(self.final(&state.c))

    def valid(self, State state not None):
        """Return the actions whose preconditions hold."""
        cdef int moves = self._moves(state)
        return [self._named(state, ids) for ids in self._actions if moves >> ids[0] & 1]

    def costs(self, State state not None, Gold gold not None):
        """Return {action: cost} for every valid action: the gold arcs that it puts out of reach."""
        cdef EncodedGold reference = self._priced(gold, state)
        cdef MoveCost costs[MAX_MOVES]
        cdef int moves = self._moves(state)
        self.move_costs(&state.c, &reference.c, costs)
        return {self._named(state, (move, label)):
                price(&costs[<int> move], label, self.arc_price, self.label_price)
                for move, label in self._actions if moves >> move & 1}

    def optimal(self, State state not None, Gold gold not None):
        """Return the valid actions of the lowest cost and, among them, of the fewest repairs."""
        cdef EncodedGold reference = self._priced(gold, state)
        cdef MoveCost costs[MAX_MOVES]
        cdef int moves = self._moves(state)
        memset(costs, 0, sizeof(costs))
        self.move_costs(&state.c, &reference.c, costs)
        ranks = {(move, label): rank(&costs[<int> move], label, self.arc_price, self.label_price)
                 for move, label in self._actions if moves >> move & 1}
        lowest = min(ranks.values(), default=0)
        return [self._named(state, ids) for ids in ranks if ranks[ids] == lowest]

    def cost(self, State state not None, Gold gold not None, action):
        """Return the cost of one valid action, as in `costs`."""
        move, label = self._check(state, action)
        cdef EncodedGold reference = self._priced(gold, state)
        cdef MoveCost costs[MAX_MOVES]
        self.move_costs(&state.c, &reference.c, costs)
        return price(&costs[<int> move], label, self.arc_price, self.label_price)

    def keeping(self, State state not None, Gold gold not None):
        """Return the valid actions after which every gold arc can still be built, if it can now.

        Heads of None are not annotated, and labels do not matter. This is what a search may choose
        from if some arcs of the tree are given.

        >>> from dodona.core.transitions.registry import system
        >>> eager = system("arc-eager", labels=["dep"])
        >>> state = eager.step(eager.start(2), "SHIFT")
        >>> [action.move for action in eager.keeping(state, Gold([None, 1], [None, None]))]
        ['RIGHT-ARC']
        """
        cdef EncodedGold reference = self._priced(Gold(gold.heads, [None] * gold.n_words), state)
        cdef int moves = self.kept_moves(&state.c, &reference.c)
        self._moves(state)
        return [self._named(state, ids) for ids in self._actions if moves >> ids[0] & 1]

    cdef EncodedGold _priced(self, Gold gold, State state):
        if 0 < self.most_words < state.c.n_words:
            raise ValueError(
                f"{self.name} computes costs for sentences of up to {self.most_words:,} words, "
                f"not {state.c.n_words:,}, which would take too long; use another system, such "
                "as arc-hybrid")
        return self.encode(gold, state.c.n_words)

    def step(self, State state not None, action):
        """Return the state after an action; the given state stays unchanged."""
        move, label = self._check(state, action)
        cdef State result = self.state_class(self, state.c.n_words)
        copy(&result.c, &state.c)
        self.take(&result.c, move, label)
        return result

    def finish(self, State state not None):
        """Return the complete tree: a state in which words without a head depend on the root."""
        cdef State result = self.state_class(self, state.c.n_words)
        copy(&result.c, &state.c)
        self.attach_leftovers(&result.c, max(self.root_label_id, 0))
        return result

    def derivation(self, Gold gold not None, str oracle="static"):
        """Return a static oracle's actions from the start to a final state with every gold arc."""
        cdef EncodedGold reference = self.encode(gold, gold.n_words)
        cdef State state = self.start(gold.n_words)
        cdef int move, label, number = self._number(oracle)
        if oracle == "static":
            number = self.oracle
        actions = []
        while not self.final(&state.c):
            move = self.oracle_move(&state.c, &reference.c, number)
            label = NONE
            if self.labelled[move]:
                label = max(self.gold_label(&state.c, &reference.c, move), 0)
            actions.append(self._named(state, (move, label)))
            self.take(&state.c, move, label)
        self._check_rebuilt(state, gold)
        return actions

    def _check_rebuilt(self, State state, Gold gold):
        built = state.heads if self.root != "none" else [head or 0 for head in state.heads]
        for i, (head, gold_head) in enumerate(zip(built, gold.heads)):
            if gold_head is not None and head != gold_head:
                raise ValueError(
                    f"{self.name} cannot derive this tree: the arc from {gold_head} to {i + 1} is "
                    "out of its reach (is the tree projective?)")

    def _check(self, State state, action):
        """Return the ids of a valid action, which may be given by name (LEFT-ARC:nsubj)."""
        if isinstance(action, str):
            move, _, label = action.partition(":")
            action = Action(move, label or None)
        ids = self._ids.get(action)
        if ids is None:
            raise ValueError(
                f"{self.name} has no action {action}; moves: {', '.join(self.moves)}; "
                f"labels: {', '.join(self.labels)}")
        if not self._moves(state) >> ids[0] & 1 or self._named(state, ids) != action:
            raise ValueError(f"{action.move} is not valid in {state!r}: "
                             f"it needs {self.when[ids[0]]}")
        return ids

    def _named(self, State state, ids):
        """Return the action with these ids, by its name in this state."""
        if ids[0] in self._other_actions and self.renamed(&state.c, ids[0]):
            return self._other_actions[ids[0]]
        return self._actions[ids]

    def _moves(self, State state):
        if state.system is not self and state.system != self:
            raise ValueError(f"this state belongs to {state.system!r}, not to {self!r}")
        return self.valid_moves(&state.c)

    cdef bint renamed(self, const StateC* state, int move) noexcept nogil:
        """Whether the move goes by its second name in this state."""
        return False

    cdef int note_scores(self, StateC* state, const Choices* choices) noexcept nogil:
        """Record in the state what the system needs of the scores; return it as an integer."""
        return 0

    cdef void repeat_note(self, StateC* state, int note) noexcept nogil:
        """Record what `note_scores` has returned for an equal state."""
        pass

    cdef EncodedGold encode(self, Gold gold, int n_words):
        """Return the gold tree as columns; the last one is cached for the states of a sentence."""
        cdef EncodedGold encoded = self._encoded
        if encoded is not None and encoded.gold is gold and gold.n_words == n_words:
            return encoded
        if gold.heads is None:
            n_heads = Counter(dependent for _, _, dependent in gold.arcs)
            found = (f"word {word} {n_heads[word]} heads" for word in range(1, gold.n_words + 1)
                     if n_heads[word] != 1)
            raise ValueError(f"{self.name} builds trees, but gold gives {next(found, 'a cycle')}")
        if gold.n_words != n_words:
            raise ValueError(f"gold has {gold.n_words} words, the state {n_words}")
        cdef int i
        cdef bytearray columns = bytearray(2 * n_words * sizeof(int32_t))
        cdef int32_t* heads = <int32_t*> <char*> columns
        for i in range(n_words):
            head, label = gold.heads[i], gold.labels[i]
            if not (label in self._label_ids or head is None or label is None
                    or self.root == "none" and head == 0):
                raise ValueError(f"word {i + 1} has label {label!r}, which is not among the "
                                 f"system's labels: {', '.join(self.labels)}")
            heads[i] = NONE if head is None else head
            # the label of a word left over as the root need not be among the labels
            heads[n_words + i] = self._label_ids.get(
                label, NONE if label in (None, self.root_label) else UNSEEN)
        encoded = EncodedGold(gold, gold_size(n_words))
        self.build_tree(&encoded.c, <char*> encoded.block, n_words, heads, heads + n_words)
        self._encoded = encoded
        return encoded

    cdef int build_tree(self, GoldC* gold, void* block, int n_words, const int32_t* heads,
                        const int32_t* labels) except -1 nogil:
        """Build the columns of a gold tree and its plan, which are read-only afterwards."""
        cdef int root = max(self.root_node(n_words), 0)
        return self.plan(gold, build_gold(gold, block, n_words, heads, labels, root))

    cdef int plan(self, const GoldC* gold, int32_t* plan) except -1 nogil:
        """Compute what the oracle needs of a gold tree, into two columns from NONE on."""
        return 0

    cdef int root_node(self, int n_words) noexcept nogil:
        """Return the node of the artificial root in a sentence of `n_words` words."""
        if self.root_place == ROOT_NONE:
            return NONE
        return 0 if self.root_place == ROOT_FIRST else n_words + 1

    cdef int attach_leftovers(self, StateC* state, int label) except -1 nogil:
        """Attach every word without a head to the artificial root."""
        cdef int d, root = state.root
        if root == NONE:
            state.root = root = 0
        for d in range(1, state.n_words + 1):
            if state.head[d] == NONE:
                state.head[d] = root
                state.label[d] = label
        return 0

    cdef void start_state(self, StateC* state) noexcept nogil:
        """Put the words into the buffer, the root at the bottom of the stack or behind them."""
        cdef int i
        clear(state)
        state.root = self.root_node(state.n_words)
        if self.root_place == ROOT_FIRST:
            push(state, state.root)
        elif self.root_place == ROOT_LAST:
            for i in range(state.n_buffer, 0, -1):
                state.buffer[i] = state.buffer[i - 1]
            state.buffer[0] = state.root
            state.place[state.root] = BUFFER
            state.n_buffer += 1

    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        return 0

    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        return 0

    cdef bint final(self, const StateC* state) except -1 nogil:
        return True

    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        return 0

    cdef int kept_moves(self, const StateC* state, const GoldC* gold) except -1 nogil:
        """Return a bit for each valid move that puts no gold arc out of reach."""
        cdef MoveCost costs[MAX_MOVES]
        cdef int move, kept = 0, moves = self.valid_moves(state)
        memset(costs, 0, sizeof(costs))
        self.move_costs(state, gold, costs)
        for move in range(MAX_MOVES):
            if moves >> move & 1 and costs[move].arcs == 0:
                kept |= 1 << move
        return kept

    cdef int gold_label(self, const StateC* state, const GoldC* gold, int move) except -4 nogil:
        """Return the gold label of the arc that the move builds; NONE if the arc is not gold."""
        cdef MoveCost costs[MAX_MOVES]
        memset(costs, 0, sizeof(costs))
        self.move_costs(state, gold, costs)
        return costs[move].label

    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        return 0

    cdef int oracle_move(self, const StateC* state, const GoldC* gold, int oracle) except -1 nogil:
        """Return the choice of the static oracle with this id."""
        return self.static_move(state, gold)

    cdef int arc_head(self, const StateC* state, int move) noexcept nogil:
        """Return the head of the arc that a move would build; NONE if there is none."""
        if self.leftwards >> move & 1:
            return top(state, 0) if self.joined == ON_STACK else front(state, 0)
        return top(state, 0) if self.joined == AT_FRONT else top(state, 1)

    cdef int arc_dependent(self, const StateC* state, int move) noexcept nogil:
        """Return the dependent of the arc that a move would build; NONE if there is none."""
        if self.leftwards >> move & 1:
            return top(state, 1) if self.joined == ON_STACK else top(state, 0)
        return front(state, 0) if self.joined == AT_FRONT else top(state, 0)

    cdef void show_pair(self, StateC* state, int head, int word) noexcept nogil:
        """Leave only two words, in the positions in which a move can build their arc."""
        state.stack[0] = min(head, word)
        if self.joined == ON_STACK or self.joined == HYBRID and head < word:
            state.n_stack, state.n_buffer = 2, 0
            state.stack[1] = max(head, word)
        else:
            state.n_stack = state.n_buffer = 1
            state.buffer[0] = max(head, word)

    cdef int idle_label(self, const StateC* state, int move) noexcept nogil:
        """Return a label for learning a move whose label does not matter, or NONE."""
        return NONE

    cdef int arc_worth(self, const StateC* state, const GoldC* gold, int move) noexcept nogil:
        """Return 1 if the move builds a gold arc, -1 for another arc, 0 for no arc."""
        return 0

    cdef int arcs_hoped_for(self, const StateC* state, const GoldC* gold) noexcept nogil:
        """Return an upper bound on the gold arcs that can still be built."""
        return 0

    cdef int add_links(self, const StateC* state, string& key) except -1 nogil:
        """Append to a state's key the links between remaining words, if they matter."""
        return 0

    cdef int max_arcs(self, int n_words) noexcept nogil:
        return 0

    def __eq__(self, other):
        return isinstance(other, System) and self._settings() == (<System> other)._settings()

    def __hash__(self):
        return hash(self._settings())

    def _settings(self):
        return (self.name, self.labels, self.root, self.loss, self.root_label,
                self.static_oracle, self.exact_words)

    def __reduce__(self):
        arguments = self.labels, self.root, self.loss, self.root_label
        return type(self), arguments, (self.static_oracle, self.exact_words)

    def __setstate__(self, state):
        self.static_oracle, self.exact_words = state
        self.follow(self.static_oracle)

    def __repr__(self):
        return (f"system({self.name!r}, labels={list(self.labels)!r}, root={self.root!r}, "
                f"loss={self.loss!r})")
