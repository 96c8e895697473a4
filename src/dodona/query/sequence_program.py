"""Compilation of a word sequence for the matcher."""

from __future__ import annotations

from dodona.query.language import PatternError
from dodona.query.matcher import Matcher
from dodona.query.sequence_matcher import OPERATIONS, SequenceMatcher
from dodona.query.sequences import (
    UNLIMITED,
    Anchor,
    Bracket,
    Capture,
    Choice,
    Node,
    Repeat,
    Sequence,
    parse_sequence,
)
from dodona.query.tree_program import TreeProgram

MOST_INSTRUCTIONS = 1_000  # with 10,000,000 steps, for sentences of 10,000 words
N_OUTER = 2  # slots of the match itself: its first word and its end
TAKE_WORD, SPLIT, JUMP, SAVE, AT_BEGIN, AT_END, ACCEPT = range(len(OPERATIONS))


class SequenceProgram:
    """The instructions of a sequence, the matchers of its brackets, and the slots of its names."""

    def __init__(self, text: str, regexes: bool) -> None:
        self.text, self.regexes = text, regexes
        self.code: list[tuple[int, int, int]] = []
        self.brackets: list[Matcher] = []
        self.numbers: dict[Bracket, int] = {}
        self.slots: dict[str, int] = {}  # first slot of each name
        self._add(parse_sequence(text))
        self._emit(ACCEPT)

    def matcher(self) -> SequenceMatcher:
        return SequenceMatcher(self.code, N_OUTER + 2 * len(self.slots))

    def _emit(self, operation: int, first: int = 0, second: int = 0) -> int:
        """Append an instruction and return its address."""
        if len(self.code) == MOST_INSTRUCTIONS:
            raise PatternError(
                self.text,
                0,
                f"the sequence has more than {MOST_INSTRUCTIONS:,} parts if its "
                "repetitions are written out; repeat less",
            )
        self.code.append((operation, first, second))
        return len(self.code) - 1

    def _add(self, node: Node) -> None:
        if isinstance(node, Bracket):
            self._emit(TAKE_WORD, self._bracket(node))
        elif isinstance(node, Anchor):
            self._emit(AT_END if node.is_end else AT_BEGIN)
        elif isinstance(node, Capture):
            slot = self.slots.setdefault(node.name, N_OUTER + 2 * len(self.slots))
            self._emit(SAVE, slot)
            self._add(node.node)
            self._emit(SAVE, slot + 1)
        elif isinstance(node, Sequence):
            for below in node.nodes:
                self._add(below)
        elif isinstance(node, Choice):
            self._add_choice(node)
        else:
            self._add_repeat(node)

    def _bracket(self, node: Bracket) -> int:
        """Return the number of a bracket, which is compiled once however often it occurs."""
        if node not in self.numbers:
            self.numbers[node] = len(self.brackets)
            self.brackets.append(TreeProgram(self.text, node.word, self.regexes).matcher())
        return self.numbers[node]

    def _add_choice(self, choice: Choice) -> None:
        ends = []
        for below in choice.nodes[:-1]:
            split = self._emit(SPLIT)
            self._add(below)
            ends.append(self._emit(JUMP))
            self.code[split] = (SPLIT, split + 1, len(self.code))
        self._add(choice.nodes[-1])
        for end in ends:
            self.code[end] = (JUMP, len(self.code), 0)

    def _add_repeat(self, repeat: Repeat) -> None:
        for _ in range(repeat.least):
            self._add(repeat.node)
        if repeat.most == UNLIMITED:
            split = self._emit(SPLIT)
            self._add(repeat.node)
            self._emit(JUMP, split)
            self._leave(split, repeat.is_lazy)
            return
        splits = []
        for _ in range(repeat.most - repeat.least):
            splits.append(self._emit(SPLIT))
            self._add(repeat.node)
        for split in splits:
            self._leave(split, repeat.is_lazy)

    def _leave(self, split: int, is_lazy: bool) -> None:
        """Let a split lead into what follows it, or to the end of the code: the preferred first."""
        ways = (split + 1, len(self.code))
        self.code[split] = (SPLIT, *(ways[::-1] if is_lazy else ways))
