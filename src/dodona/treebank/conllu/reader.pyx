"""Streaming, lossless reader of CoNLL-U and CoNLL-X, in one pass over the bytes.

The scanner's buffer is filled in large chunks; lines are split and checked in place, and a sentence
is copied once, at its blank line.
"""

cimport cython

from dodona.treebank.conllu.scanner cimport (
    FILE_END, GO_ON, NEED_MORE, NO_SENTENCE, SENTENCE_END, TOO_LONG, Scanner)
from dodona.treebank.sentence cimport Sentence, make_sentence

import zlib
from io import BytesIO

from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.files import open_input
from dodona.core.base.values import to_str

FORMATS = ("conllu", "conllx")
TREES = ("required", "optional", "ignored")
BAD = ("raise", "pass")

cdef enum:
    BYTES_PER_WORD = 256    # together with max_words limits the bytes of a sentence
    MOST_WORDS = 10_000_000
    MOST_BYTES = 1 << 29    # of a sentence or a chunk: offsets stay far within int32


def read(
    source, *, format="conllu", trees="required", bad="raise", max_words=1_000_000, name=None,
    chunk_size=1 << 18,
):
    """Iterate over the sentences of `source`: a path (.gz by name), "-" for stdin, a binary file.

    `b"".join(map(bytes, read(f)))` is the file, byte for byte. Blank lines beyond the one that ends
    a sentence, and comments followed by a blank line, belong to the next sentence, or at the end of
    the file to the last one (so the reader is always one sentence ahead). CRLF line ends, a byte
    order mark and a missing last line end are kept; a carriage return elsewhere is an ordinary
    character. A field may contain anything but tabs and line ends, and is never empty.

    `trees` says how heads are checked. "required": each is a number from 0 to the length of the
    sentence, at least one is 0, and there is no cycle. "optional": likewise, but "_" is allowed,
    and a root is not required. "ignored": not at all; a head outside the sentence becomes None.
    `bad="pass"` yields a BadSentence for each block that is not a sentence, and continues; `n_bad`
    counts them. A block of more than `max_words` words is yielded in pieces and counted once.
    CoNLL-X has neither ranges nor empty nodes; lines starting with "#" above the words are kept.
    `name` stands for the file in messages; `chunk_size` is the number of bytes per read. Like a
    generator, a reader serves one thread at a time and refuses concurrent calls.

    >>> import io
    >>> file = io.BytesIO(b"1\\tSpeak\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> [sentence.forms for sentence in read(file)]
    [['Speak']]
    """
    known = {"format": (format, FORMATS), "trees": (trees, TREES), "bad": (bad, BAD)}
    for what, (value, choices) in known.items():
        if value not in choices:
            raise ValueError(f"{what} is one of {', '.join(choices)}; found {value!r}")
    for what, value, most in (
        ("max_words", max_words, MOST_WORDS), ("chunk_size", chunk_size, MOST_BYTES)
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{what} is from 1 to {most:,}; found {value:,}")
    file, found_name, is_ours = open_input(source)
    return Reader(
        file, found_name if name is None else to_str(name, "name"), is_ours,
        to_str(format, "format"), TREES.index(trees),
        bad == "pass", max_words, chunk_size)


def restore_sentence(bytes data not None, str format, str source, Py_ssize_t line):
    """Restore a pickled sentence from its bytes, with its source and line."""
    cdef Sentence read_again
    (read_again,) = read(
        BytesIO(data), format=format, trees="ignored", max_words=MOST_WORDS, name=source)
    return make_sentence(
        read_again.data, read_again.n_words, read_again.starts, read_again.head, source, line,
        format)


cdef class Reader(Scanner):
    """Iterator over the sentences of one file, made by `read`."""
    cdef readonly Py_ssize_t n_bad      # blocks that were not sentences
    cdef readonly str source
    cdef object file, read_bytes
    cdef bint is_ours, passes_bad
    cdef str format
    cdef Py_ssize_t chunk_size
    cdef object held        # the next item to yield; the file's end may still be added to it
    cdef object error       # why the rest of this block is skipped
    cdef bint is_endless    # and whether it is too long to be kept whole
    cdef bint is_busy       # reading, or being closed

    def __init__(
        self, file, str name, bint is_ours, str format, int trees, bint passes_bad, int max_words,
        Py_ssize_t chunk_size,
    ):
        self.file = file
        # read1 returns what has arrived, without waiting for a slow pipe
        self.read_bytes = getattr(file, "read1", None) or file.read
        self.source = name
        self.is_ours = is_ours
        self.format = format
        self.is_conllx = format == "conllx"
        self.trees = trees
        self.passes_bad = passes_bad
        self.max_words = max_words
        self.max_bytes = min(<Py_ssize_t>max_words * BYTES_PER_WORD + (1 << 20), MOST_BYTES)
        self.chunk_size = chunk_size

    def __iter__(self):
        return self

    def __next__(self):
        self.begin_work()
        try:
            if self.held is None:
                self.held = self.advance()
            if isinstance(self.held, TreebankError):
                error = self.held
                self.finish()
                raise error
            if self.held is None:
                self.finish()
                raise StopIteration
            following = self.advance()
            current, self.held = self.held, following
            return current
        finally:
            self.is_busy = False

    cdef int begin_work(self) except -1:
        """Refuse concurrent and reentrant calls."""
        with cython.critical_section(self):
            if self.is_busy:
                raise ValueError(
                    f"{self.source}: already reading: let one thread read and hand out sentences, "
                    "or open the file once for each")
            self.is_busy = True
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Stop reading; the file is closed if `read` opened it."""
        self.begin_work()
        try:
            self.finish()
        finally:
            self.is_busy = False

    cdef int finish(self) except -1:
        self.held = None
        self.stop()
        if self.is_ours:
            self.file.close()
        return 0

    cdef object advance(self):
        """Return the next sentence, bad block or error; None at the end of the file."""
        try:
            return self.next_block()
        except TreebankError as error:
            return error

    cdef object next_block(self):
        cdef int status
        while True:
            status = self.scan()
            if status == NEED_MORE:
                if self.is_endless and self.has_piece():
                    return self.take_piece()
                if self.end - self.begin <= self.max_bytes:
                    self.refill()
                elif self.is_skipping:
                    self.is_endless = True
                else:
                    self.reject(TOO_LONG)
            elif status == SENTENCE_END:
                if not self.is_skipping:
                    status = self.check_sentence()
                    if status == GO_ON:
                        return self.take_sentence()
                    self.reject(status)
                bad = self.take_bad()
                if bytes(bad):      # the last piece of an endless block may have been all of it
                    return bad
            elif status == FILE_END:
                return self.take_tail()
            else:
                self.reject(status)

    cdef int refill(self) except -1:
        """Append a chunk at least as large as the unfinished line: long lines take linear time."""
        try:
            chunk = self.read_bytes(max(self.chunk_size, self.end - self.pos))
        except (OSError, EOFError, zlib.error) as error:
            raise TreebankError(
                self.source, self.line, f"the file is damaged or cannot be read: {error}"
            ) from error
        if not isinstance(chunk, bytes):
            raise TypeError(
                f"{self.source}: expected a file opened in binary mode, "
                f"but read() returned {type(chunk).__name__}")
        if len(chunk) > MOST_BYTES:
            raise ValueError(f"{self.source}: read() returned too many bytes: {len(chunk):,}")
        self.feed(chunk)
        return 0

    cdef Sentence take_sentence(self):
        cdef Sentence sentence = make_sentence(
            self.take(self.pos), self.n_words, self.start.data(), self.head.data(), self.source,
            self.first_line, self.format)
        self.begin_sentence()
        return sentence

    cdef object take_bad(self):
        bad = BadSentence(self.take(self.pos), self.error)
        self.begin_sentence()
        self.is_endless = False
        return bad

    cdef bint has_piece(self):
        """Return whether the buffer has complete lines, or more than a chunk of one line."""
        return self.pos > self.begin or self.end - self.pos > self.chunk_size

    cdef object take_piece(self):
        """Return the buffered part of a block that is too long to be kept whole."""
        if self.pos == self.begin:
            self.pos = self.end
            self.is_mid_line = True
        piece = BadSentence(self.take(self.pos), self.error)
        self.begin = self.pos
        return piece

    cdef object take_tail(self):
        """Append blank lines and comments at the end of the file to the last sentence or block."""
        cdef bytes tail = self.take(self.end)
        cdef Sentence last
        if not tail:
            return None
        if self.held is None:
            self.reject(NO_SENTENCE)
            return self.take_bad()
        if isinstance(self.held, Sentence):
            last = self.held
            self.held = make_sentence(
                last.data + tail, last.n_words, last.starts, last.head, last.source, last.line,
                last.format)
        else:
            self.held = BadSentence(bytes(self.held) + tail, self.held.error)
        self.begin = self.end
        return None

    cdef int reject(self, int status) except -1:
        """Raise the error, or keep it and skip the rest of the block."""
        line, message = self.explain(status)
        error = TreebankError(self.source, line, message)
        if not self.passes_bad:
            raise error
        self.error = error
        self.is_skipping = True
        self.is_endless = status == TOO_LONG
        self.n_bad += 1
        return 0
