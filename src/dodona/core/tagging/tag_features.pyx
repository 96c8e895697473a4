"""Feature keys of a word: templates compiled to index lists, hashed like those of states.

Templates with tags of the task itself (the history) come last: the keys of the others, the static
ones, do not depend on earlier predictions, so a beam scores them once.
"""
from itertools import takewhile

from dodona.core.base.hashing cimport mixed, multiplier, seed
from dodona.core.base.nodes cimport n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.weights.linear cimport MAX_KEYS


cdef class TagFeatures:
    """Compiled templates (`tag_templates`) over corpus columns; the task fills in `own`.

    >>> features = TagFeatures([[(0, "form")], [(-1, "upos"), (0, "form")]], ("form", "upos"),
    ...                        "upos")
    >>> features.n_templates, features.n_static, features.n_alone
    (2, 1, 1)
    """

    def __init__(self, templates, columns, str own):
        history = [any(column == own for _, column in parts) for parts in templates]
        self.n_templates, self.n_static = len(history), history.count(False)
        alone = (all(offset == 0 for offset, _ in parts)
                 for parts, is_history in zip(templates, history) if not is_history)
        self.n_alone = len(list(takewhile(bool, alone)))
        if self.n_templates > MAX_KEYS:
            raise ValueError(f"{self.n_templates} templates, more than {MAX_KEYS}")
        for offset, column in (part for parts in templates for part in parts):
            if abs(offset) > REACH or offset >= 0 and column == own:
                raise ValueError(f"a template reads {column} at {offset:+}, which is not available")
        numbers = {}
        for number, parts in sorted(enumerate(templates), key=lambda item: history[item[0]]):
            self.seeds.push_back(seed(number))
            for offset, column in parts:
                if (offset, column) not in numbers:
                    self.atoms.push_back(TagAtom(
                        offset + REACH, columns.index(column), multiplier(len(numbers))))
                self.parts.push_back(numbers.setdefault((offset, column), len(numbers)))
            self.ends.push_back(<int32_t> self.parts.size())

    def keys(self, Corpus corpus not None, int sentence, int word):
        """Return the feature keys of a word, counted from 1; the history's keys come last."""
        cdef vector[uint64_t] keys
        cdef WordsC words
        if not (0 <= sentence < len(corpus) and 0 < word <= corpus.n_words[sentence]):
            raise IndexError(f"there is no word {word} in a sentence {sentence}")
        for i in range(self.atoms.size()):
            if self.atoms[i].column >= corpus.n_columns:
                raise ValueError(f"the templates need more than {corpus.n_columns} columns")
        words = corpus.words(sentence)
        keys.resize(self.n_templates)
        self.fill(&words, word, 0, self.n_templates, keys.data())
        return list(keys)

    cdef void fill_static(self, const WordsC* words, int word, uint64_t* keys) noexcept nogil:
        """Write the keys of the static templates."""
        self.fill(words, word, 0, self.n_static, keys)

    cdef void fill_history(self, const WordsC* words, int word, uint64_t* keys) noexcept nogil:
        """Write the keys of the history, read from the task's column."""
        self.fill(words, word, self.n_static, self.n_templates, keys)

    cdef void fill(self, const WordsC* words, int word, int first, int last,
                   uint64_t* keys) noexcept nogil:
        cdef size_t stride = n_nodes(words.n_words)
        cdef const int32_t* column = words.values + 1
        cdef int32_t node[N_OFFSETS]
        cdef int offset, t, at = self.ends[first - 1] if first else 0
        cdef uint64_t key
        cdef const TagAtom* atom
        for offset in range(N_OFFSETS):
            node[offset] = word + offset - REACH
            if node[offset] < 0 or node[offset] > words.n_words + 1:
                node[offset] = -1                        # ID_MISSING in every column
        for t in range(first, last):
            key = self.seeds[t]
            while at < self.ends[t]:
                atom = &self.atoms[self.parts[at]]
                key += atom.multiplier * <uint64_t> column[atom.column * stride + node[atom.offset]]
                at += 1
            keys[t - first] = mixed(key) | 1            # 0 marks an empty table slot
