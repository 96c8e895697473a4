"""Scripts that turn a form into its lemma: a casing, and edits at the start and at the end.

A script has five fields, separated by tabs: a casing, the number of characters removed at the
start, the string added there, and likewise for the end. The unchanged part is the longest common
substring of form and lemma, as in UDPipe 2 (Straka 2018, section 3.2); without one, the script is
`whole` and the lemma. Removed characters are counted, not named, so that many words share a script.
"""
from libc.stdint cimport uint32_t

from dodona.treebank.characters cimport Py_UNICODE_TOTITLE, append, lowered, next_character

cdef enum:
    MAX_CELLS = 1 << 20       # of the table that compares a form and a lemma
    MAX_CUT = 1 << 20

CASINGS = ("lower", "kept", "title", "whole")     # ties prefer the first


cdef class LemmaScripts:
    """Compiled scripts, by id.

    >>> scripts = LemmaScripts([b"lower\\t0\\t\\t3\\ty", b"whole\\tgo"])
    >>> scripts.lemma(0, "Berries"), scripts.lemma(1, "went")
    ('berry', 'go')
    """

    def __init__(self, scripts):
        cdef Script script
        for text in scripts:
            casing, *fields = text.split(b"\t")
            known = [name.encode() for name in CASINGS]
            if (casing not in known or b"\n" in text
                    or len(fields) != (1 if casing == b"whole" else 4)):
                raise ValueError(f"invalid lemma script {text!r}")
            script.casing = known.index(casing)
            cut_start, add_start, cut_end, add_end = (
                (b"0", fields[0], b"0", b"") if script.casing == WHOLE else fields)
            script.cut_start, script.cut_end = _cut(cut_start), _cut(cut_end)
            script.add_start = self.added.size()
            script.add_end = script.add_start + len(add_start)
            script.stop = script.add_end + len(add_end)
            self._add(add_start + add_end)
            self.scripts.push_back(script)

    cdef int _add(self, bytes text) except -1:
        cdef const char* start = text
        self.added.insert(self.added.end(), start, start + len(text))
        return 0

    def __len__(self):
        return self.scripts.size()

    def lemma(self, int number, str form):
        """Return the lemma that a script produces; a form that is too short only changes case."""
        cdef vector[char] out
        cdef bytes text = form.encode()
        if not 0 <= number < len(self):
            raise IndexError(f"there is no script {number} among {len(self)}")
        self.apply(number, Text(text, len(text)), out)
        return out.data()[:out.size()].decode()

    cdef int apply(self, int number, Text form, vector[char]& out) except -1 nogil:
        """Append the lemma that a script produces from a form to `out`."""
        cdef const Script* script = &self.scripts[number]
        cdef Py_ssize_t at = 0, begin, n = 0, i = 0, first = script.cut_start, last
        cdef uint32_t c
        cdef bint fits
        if script.casing == WHOLE and script.stop > script.add_start:
            return self.put(script.add_start, script.stop, out)
        while at < form.size:
            next_character(form.text, form.size, &at)
            n += 1
        last = n - script.cut_end
        fits = first < last or first == last and script.stop > script.add_start
        if not fits:
            first, last = 0, n
        else:
            self.put(script.add_start, script.add_end, out)
        at = 0
        for i in range(last):
            begin = at
            c = next_character(form.text, form.size, &at)
            if i < first:
                continue
            if script.casing == KEPT or script.casing == WHOLE:
                out.insert(out.end(), form.text + begin, form.text + at)
            else:
                append(Py_UNICODE_TOTITLE(c) if script.casing == TITLE and i == 0 else lowered(c),
                       out)
        if fits:
            self.put(script.add_end, script.stop, out)
        return 0

    cdef bint keeps(self, int number) noexcept nogil:
        """Whether a script changes the case at most."""
        cdef const Script* script = &self.scripts[number]
        return (script.casing != WHOLE and script.cut_start == 0 and script.cut_end == 0
                and script.stop == script.add_start)

    cdef int put(self, size_t start, size_t stop, vector[char]& out) except -1 nogil:
        out.insert(out.end(), self.added.begin() + start, self.added.begin() + stop)
        return 0


cdef int32_t _cut(bytes digits) except -1:
    if not digits.isdigit() or len(digits) > 7 or int(digits) > MAX_CUT:
        raise ValueError(f"a lemma script cannot remove {digits!r} characters")
    return int(digits)


def lemma_script(str form, str lemma):
    """Return the script that turns a form into a lemma, with the casing of the smallest edit.

    >>> lemma_script("Oaks", "oak"), lemma_script("went", "go")
    ('lower\\t0\\t\\t1\\t', 'whole\\tgo')
    """
    cdef Py_ssize_t in_form = 0, in_lemma = 0, n, most = 0
    best = f"whole\t{lemma}"
    for number, casing in enumerate(CASINGS[:WHOLE]):
        text = _cased(form, number)
        n = _common(text, lemma, &in_form, &in_lemma)
        if n > most:
            most = n
            best = "\t".join((casing, str(in_form), lemma[:in_lemma],
                              str(len(text) - in_form - n), lemma[in_lemma + n:]))
    return best


cdef str _cased(str form, int casing):
    """Apply a casing to a form without changing its length."""
    if casing == KEPT:
        return form
    first = chr(Py_UNICODE_TOTITLE(ord(form[0]))) if casing == TITLE and form else ""
    return first + "".join([chr(lowered(ord(c))) for c in form[len(first):]])


cdef Py_ssize_t _common(str form, str lemma, Py_ssize_t* in_form, Py_ssize_t* in_lemma):
    """Return the length of the longest common substring and, if > 0, its first positions."""
    cdef Py_ssize_t n = len(form), m = len(lemma), i, j, most = 0
    cdef vector[int32_t] above, row
    cdef Py_UCS4 c
    if form == lemma:
        in_form[0] = in_lemma[0] = 0
        return n
    if n * m > MAX_CELLS:
        return 0
    above.resize(m + 1)
    row.resize(m + 1)
    for i in range(n):
        c = form[i]
        for j in range(m):
            row[j + 1] = above[j] + 1 if c == lemma[j] else 0
            if row[j + 1] > most:
                most = row[j + 1]
                in_form[0], in_lemma[0] = i + 1 - most, j + 1 - most
        above.swap(row)
    return most
