"""The number of repairs that the best continuation needs, in the non-monotonic systems.

Of the transitions that lose no gold arc, Honnibal & Johnson (2015) prefer those that need the
fewest non-monotonic transitions later; their two rules for this are not sufficient. Here the number
is computed for the state after a move. That state is not built: a move changes the place and the
head of a single word, the top of the stack or the front of the buffer.

Let e(d) be the future head of d: its gold head if that is reachable, else its present head, else
NONE, which means that any will do. Live words are those on the stack and in the buffer.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport BUFFER, GONE, STACK


cdef int below(const After* after, int word) noexcept nogil:
    """Return the word directly below one on the stack, or NONE."""
    cdef int i = stack_size(after) - 1
    if word != after.moved:
        while after.state.stack[i] != word:
            i -= 1
        i -= 1
    return after.state.stack[i] if i >= 0 else NONE


cdef int future_head(const After* after, int word) noexcept nogil:
    """Return e(word)."""
    cdef int gold = after.gold.head[word], built = head_of(after, word)
    cdef int place = place_of(after, word)
    cdef bint reachable
    if gold == NONE or gold == built or place == GONE:
        return built
    if place == BUFFER:
        reachable = gold == 0 or place_of(after, gold) != GONE
    elif gold > 0 and place_of(after, gold) == BUFFER:
        reachable = True
    elif not after.unshifts:
        reachable = built == NONE and gold < word and max(below(after, word), 0) == gold
    elif gold < word:
        reachable = built == NONE and (gold == 0 or place_of(after, gold) == STACK)
    else:
        reachable = place_of(after, gold) == STACK and head_of(after, gold) == NONE
    return gold if reachable else built


cdef int last_free(const After* after) noexcept nogil:
    """Return the ancestor of the last live word with e = NONE; NONE if its ancestors reach 0."""
    cdef int n = after.state.n_stack + after.state.n_buffer + 1, word = NONE, head, _
    while word == NONE:
        n -= 1
        word = live_word(after, n)
    head = future_head(after, word)
    for _ in range(after.gold.n_words):      # a non-projective gold tree may lead into a cycle
        if head <= 0:
            break
        word = head
        head = future_head(after, word)
    return word if head == NONE else NONE


cdef bint awaits_dependent(const After* after, int word) noexcept nogil:
    """Whether e(k) is this word for some k below it on the stack."""
    cdef int i, k
    for i in range(after.gold.first[word], after.gold.first[word + 1]):
        k = after.gold.child[i]
        if k > word:
            return False
        if place_of(after, k) == STACK and future_head(after, k) == word:
            return True
    return False


cdef int reach(const After* after, int word) noexcept nogil:
    """Return the last word until which this one must stay: head, last dependent, or the end."""
    cdef int head = future_head(after, word), i = after.gold.first[word + 1], k
    if head == 0:
        return after.gold.n_words + 1
    while i > after.gold.first[word]:
        i -= 1
        k = after.gold.child[i]
        if k <= head or k <= word:
            break
        if future_head(after, k) == word:
            return k
    return head


cdef int top_headless(const After* after, int n_on_stack) noexcept nogil:
    """Return the headless word nearest to the top of the stack."""
    cdef int i = n_on_stack - 1
    while i > 0 and head_of(after, live_word(after, i)) != NONE:
        i -= 1
    return live_word(after, i)


cdef bint is_late(const After* after, int word, int free, int stranded) noexcept nogil:
    """Whether a headless stack word can no longer be attached without a repair.

    `free` is `last_free`; `stranded` the topmost headless word if the buffer is empty, else NONE.
    """
    cdef int head = future_head(after, word)
    if after.unshifts:
        return (0 <= head < word or head == NONE and word == free or word == stranded
                or awaits_dependent(after, word))
    if head == NONE:
        return stranded != NONE or word <= free and place_of(after, free) == STACK
    return head < word


cdef int fewest_repairs(const After* after) noexcept nogil:
    """Count heads to overwrite, and headless words to put back (2015) or to attach late (2013).

    A word that was put back and has its head to the right, while a word below must stay on the
    stack, needs a second repair: it cannot be shifted again, so it gets a head to be overwritten.
    """
    cdef int n_on_stack = stack_size(after) + (after.place == STACK)
    cdef int free = last_free(after), stranded = NONE
    cdef int i = 0, word = live_word(after, 0), furthest = NONE, count = 0
    cdef bint late
    if live_word(after, n_on_stack) == NONE:
        stranded = top_headless(after, n_on_stack)
    while word != NONE:
        if i >= n_on_stack:
            late = after.unshifts and after.state.note[word] != 0
        elif head_of(after, word) != NONE:
            late = False
            count += future_head(after, word) != head_of(after, word)
        else:
            late = i > 0 and is_late(after, word, free, stranded)
            count += late
        if after.unshifts and late and future_head(after, word) > word and furthest > word:
            count += 1
        furthest = max(furthest, reach(after, word))
        i += 1
        word = live_word(after, i)
    return count
