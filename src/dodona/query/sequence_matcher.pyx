"""Search for sequences of words, in time linear in the words of a sentence.

A pattern is a program for a backtracking machine, as in Thompson (1968) and Cox (2007, 2010): a
state is an instruction and a position. No state is tried twice, because a state that failed once
fails again whatever led to it. The states of a match are forgotten at its last position only, where
the next search begins. So all matches of a sentence take O(instructions * words) steps together,
and a pattern such as ([]* []*)* has no bad case.

Matches are the leftmost ones, do not overlap, and have at least one word. Alternatives are tried in
their order, and quantifiers are greedy unless lazy, as in Perl.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.signals cimport check_signals
from dodona.treebank.sentence cimport Sentence

from dodona.query.language import StepLimitError

OPERATIONS = ("word", "split", "jump", "save", "begin", "end", "match")

cdef enum Operation:        # as above
    TAKE_WORD, SPLIT, JUMP, SAVE, AT_BEGIN, AT_END, ACCEPT

cdef enum:
    NO_POSITION = -1
    RESTORE = -1            # in place of the address of an alternative: undo a SAVE
    STARTS_PER_CHECK = 1 << 12

cdef struct Instruction:
    int operation
    int first               # bracket, slot, or address
    int second              # address of the second alternative of SPLIT

cdef struct Pending:        # an alternative to try, or a slot to restore
    int address
    int position
    int slot


cdef class SequenceMatcher:
    """A compiled sequence, made by `sequence_program`."""
    cdef vector[Instruction] code
    cdef int n_slots

    def __init__(self, code, int n_slots):
        for operation, first, second in code:
            self.code.push_back(Instruction(operation, first, second))
        self.n_slots = n_slots

    def find(self, list sentences not None, list marks not None, Py_ssize_t most,
             Py_ssize_t most_steps):
        """Return the slots of at most `most` matches per sentence: first word, end, captures.

        `marks` has a byte for each word of all sentences, for each bracket.
        """
        cdef SequenceSearch search = SequenceSearch(self, sentences, marks, most, most_steps)
        cdef size_t i = 0, k
        search.records = True
        search.run()
        found = []
        for k in range(search.ends.size()):
            rows = []
            while i < search.ends[k]:
                rows.append(tuple([search.found[i + slot] for slot in range(self.n_slots)]))
                i += self.n_slots
            found.append(rows)
        return found

    def count(self, list sentences not None, list marks not None, Py_ssize_t most_steps):
        """Return the number of matches in all sentences."""
        cdef SequenceSearch search = SequenceSearch(
            self, sentences, marks, PY_SSIZE_T_MAX, most_steps)
        search.run()
        return search.n_total


cdef class SequenceSearch:
    """The search for a sequence in sentences."""
    cdef SequenceMatcher matcher
    cdef list marks_kept
    cdef vector[const char*] marks      # of each bracket, from the first word of the sentence
    cdef vector[int] lengths            # of the sentences
    cdef Py_ssize_t most, n_total
    cdef bint records                   # else matches are only counted
    cdef int n_words
    cdef vector[int32_t] found          # slots of all matches
    cdef vector[size_t] ends            # of the matches of each sentence
    cdef vector[char] tried             # per position and instruction
    cdef vector[int32_t] slots
    cdef vector[Pending] pending

    def __cinit__(self, SequenceMatcher matcher, list sentences, list marks, Py_ssize_t most,
                  Py_ssize_t most_steps):
        cdef Sentence sentence
        cdef Py_ssize_t n_all = 0
        self.matcher, self.marks_kept, self.most = matcher, marks, most
        for sentence in sentences:
            if (sentence.n_words + 1) * <Py_ssize_t> matcher.code.size() > most_steps:
                raise StepLimitError(
                    f"{sentence.source}:{sentence.line}", sentence.n_words, most_steps)
            self.lengths.push_back(sentence.n_words)
            n_all += sentence.n_words
        for mark in marks:
            if PyBytes_GET_SIZE(mark) != n_all:
                raise ValueError("there must be a mark for each word")
            self.marks.push_back(PyBytes_AS_STRING(mark))
        self.slots.resize(matcher.n_slots, NO_POSITION)

    cdef int run(self) except -1:
        cdef int i
        cdef size_t k
        with nogil:
            for i in range(<int> self.lengths.size()):
                self.search(self.lengths[i])
                self.ends.push_back(self.found.size())
                for k in range(self.marks.size()):
                    self.marks[k] += self.lengths[i]
        return 0

    cdef int search(self, int n_words) except -1 nogil:
        """Search one sentence from left to right."""
        cdef int start = 0
        cdef size_t i, n_code = self.matcher.code.size()
        cdef Py_ssize_t n_found = 0
        self.n_words = n_words
        self.tried.clear()
        self.tried.resize((n_words + 1) * n_code, 0)
        while start < n_words and n_found < self.most:
            if start % STARTS_PER_CHECK == STARTS_PER_CHECK - 1:
                check_signals()
            if not self.try_start(start):
                start += 1
                continue
            n_found += 1
            if self.records:
                for i in range(self.slots.size()):
                    self.found.push_back(self.slots[i])
            start = self.slots[1]
            for i in range(start * n_code, (start + 1) * n_code):
                self.tried[i] = 0
        self.n_total += n_found
        return 0

    cdef bint try_start(self, int start) except -1 nogil:
        """Search for a match that begins here; its slots are set if there is one."""
        cdef Pending last
        self.slots.assign(self.slots.size(), NO_POSITION)
        self.slots[0] = start
        self.pending.clear()
        self.pending.push_back(Pending(0, start, 0))
        while not self.pending.empty():
            last = self.pending.back()
            self.pending.pop_back()
            if last.address == RESTORE:
                self.slots[last.slot] = last.position
            elif self.follow(last.address, last.position):
                return True
        return False

    cdef bint follow(self, int address, int position) except -1 nogil:
        """Run from a state until it fails or accepts; alternatives are left pending."""
        cdef const Instruction* at
        cdef size_t state
        while True:
            state = <size_t> position * self.matcher.code.size() + address
            if self.tried[state]:
                return False
            self.tried[state] = 1
            at = &self.matcher.code[address]
            address += 1
            if at.operation == TAKE_WORD:
                if position == self.n_words or not self.marks[at.first][position]:
                    return False
                position += 1
            elif at.operation == SPLIT:
                self.pending.push_back(Pending(at.second, position, 0))
                address = at.first
            elif at.operation == JUMP:
                address = at.first
            elif at.operation == SAVE:
                self.pending.push_back(Pending(RESTORE, self.slots[at.first], at.first))
                self.slots[at.first] = position
            elif at.operation == AT_BEGIN:
                if position != 0:
                    return False
            elif at.operation == AT_END:
                if position != self.n_words:
                    return False
            else:
                self.slots[1] = position
                return position != self.slots[0]
