"""Bridge to systems written in Python: hooks of the core call methods of the class.

A Python class may have derivations without an end, so a state counts its transitions, at NONE among
its notes, and too many raise an error.
"""
from libc.stdint cimport int64_t
from libc.string cimport memset

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport Gold, GoldC
from dodona.core.transitions.state cimport (
    BUFFER, GONE, StateC, add_arc_anywhere, copy, next_word, pop, push)
from dodona.core.transitions.system cimport MoveCost, State, System


cdef inline int max_transitions(int n_words) noexcept nogil:
    """Return more transitions than a system needs that swaps each pair of words once."""
    return <int> min(2 * (<int64_t> n_words + 2) * (n_words + 2), 1 << 30)


cdef class Draft(State):
    """A state that `take` may change; nodes are words from 1, and 0, the artificial root."""

    def push(self, int node):
        """Push a node that is neither on the stack nor in the buffer."""
        push(&self.c, self._free_node(node))

    def pop(self):
        """Remove the top of the stack and return it."""
        if self.c.n_stack == 0:
            raise IndexError(f"pop: the stack is empty in {self!r}")
        return self._outside(pop(&self.c))

    def next_word(self):
        """Remove the front of the buffer and return it."""
        if self.c.n_buffer == 0:
            raise IndexError(f"next_word: the buffer is empty in {self!r}")
        return self._outside(next_word(&self.c))

    def put_back(self, int node):
        """Put a node that is neither on the stack nor in the buffer to the buffer's front."""
        cdef int inside = self._free_node(node)
        self.c.buffer[self.c.n_buffer] = inside
        self.c.place[inside] = BUFFER
        self.c.n_buffer += 1

    def add_arc(self, int head, str label, int dependent):
        """Attach a word to its head, with the label that was passed to `take`."""
        cdef int above = self._inside(head), word = self._inside(dependent)
        if word == self.c.root:
            raise ValueError("the artificial root has no head")
        if self.c.head[word] != NONE:
            raise ValueError(f"word {dependent} has a head already in {self!r}")
        while above != NONE and above != word:
            above = self.c.head[above]
        if above == word:
            raise ValueError(f"an arc from {head} to {dependent} would close a cycle in {self!r}")
        if label is not None and label not in self.system._label_ids:
            raise ValueError(f"{self.system.name} has no label {label!r}")
        add_arc_anywhere(&self.c, self._inside(head), self.system._label_ids.get(label, NONE), word)

    def _inside(self, int node):
        """Return the core's id of a node."""
        if not (node > 0 or self.c.root != NONE) or not 0 <= node <= self.c.n_words:
            raise ValueError(f"there is no node {node} in {self!r}")
        return self.c.root if node == 0 else node

    def _free_node(self, int node):
        cdef int inside = self._inside(node)
        if self.c.place[inside] != GONE:
            raise ValueError(f"{node} is on the stack or in the buffer already in {self!r}")
        return inside


cdef class PythonBridge(System):
    """Base class that calls the methods which `PythonSystem` declares."""

    def __init__(self, labels, root=None, loss="labelled", root_label="root"):
        kind = type(self)
        self.moves, self.when = kind.moves, kind.when
        self.left_moves = tuple(map(kind.moves.index, kind.leftward))
        self.right_moves = tuple(map(kind.moves.index, kind.rightward))
        self.left_arc, self.right_arc = self.left_moves[0], self.right_moves[0]
        self.labelled = tuple(move in kind.leftward + kind.rightward for move in kind.moves)
        super().__init__(labels, kind.roots[0] if root is None else root, loss, root_label)

    cdef State show(self, const StateC* state):
        cdef State shown = State(self, state.n_words)
        copy(&shown.c, state)
        return shown

    cdef Gold show_gold(self, const GoldC* gold):
        """Return the gold tree for Python."""
        cdef int word, root = max(self.root_node(gold.n_words), 0)
        heads = [gold.head[word] for word in range(1, gold.n_words + 1)]
        labels = [gold.label[word] for word in range(1, gold.n_words + 1)]
        return Gold([None if head == NONE else 0 if head == root else head for head in heads],
                    [None if label < 0 else self.labels[label] for label in labels])

    cdef int move_id(self, move) except -1:
        if move not in self.moves:
            raise ValueError(
                f"{self.name} has no move {move!r}, only {', '.join(self.moves)}")
        return self.moves.index(move)

    cdef bint final(self, const StateC* state) except -1 nogil:
        with gil:
            return bool((<object> self).final(self.show(state)))

    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        with gil:
            return self.call_valid_moves(state)

    cdef int call_valid_moves(self, const StateC* state) except -1:
        cdef int moves = 0
        for move in (<object> self).valid_moves(self.show(state)):
            moves |= 1 << self.move_id(move)
        if moves == 0 and not (<object> self).final(self.show(state)):
            raise ValueError(f"{self.name} has no valid move in {self.show(state)!r}, "
                             "which is not final")
        return moves

    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        with gil:
            return self.call_take(state, move, label)

    cdef int call_take(self, StateC* state, int move, int label) except -1:
        cdef Draft draft = Draft(self, state.n_words)
        copy(&draft.c, state)
        name = None if label == NONE else self.labels[label]
        (<object> self).take(draft, self.moves[move], name)
        draft.c.note[NONE] += 1             # transitions so far
        if draft.c.note[NONE] > max_transitions(state.n_words):
            raise RuntimeError(
                f"{self.name} has taken {max_transitions(state.n_words)} transitions in a sentence "
                f"of {state.n_words} words without reaching a final state: {self.show(&draft.c)!r}."
                " Every move must bring it nearer to a final state")
        copy(state, &draft.c)
        return 0

    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        with gil:
            return self.call_move_costs(state, gold, costs)

    cdef int call_move_costs(self, const StateC* state, const GoldC* gold,
                             MoveCost* costs) except -1:
        cdef int move, head, word
        cdef int valid = self.call_valid_moves(state)
        memset(costs, 0, len(self.moves) * sizeof(MoveCost))
        for move in range(<int> len(self.moves)):
            costs[move].label = NONE
            head, word = self.arc_head(state, move), self.arc_dependent(state, move)
            if self.labelled[move] and head != NONE and word != NONE and gold.head[word] == head:
                costs[move].label = gold.label[word]
        found = (<object> self).move_costs(self.show(state), self.show_gold(gold))
        for move in range(<int> len(self.moves)):
            if valid >> move & 1:
                if self.moves[move] not in found:
                    raise ValueError(f"{self.name} gives no cost for {self.moves[move]}, "
                                     f"which is valid in {self.show(state)!r}")
                costs[move].arcs = found[self.moves[move]]
        return 0

    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        with gil:
            return self.call_static_move(state, gold)

    cdef int call_static_move(self, const StateC* state, const GoldC* gold) except -1:
        cdef int move, valid = self.call_valid_moves(state)
        name = (<object> self).static_move(self.show(state), self.show_gold(gold))
        move = self.move_id(name)
        if not valid >> move & 1:
            raise ValueError(f"the static oracle of {self.name} takes {name}, "
                             f"which is not valid in {self.show(state)!r}")
        return move
