"""What stands on which levels, from place to place: where is room for one thing more?

The levels that are taken somewhere are one integer, a bit for each. A tree over the places holds
them, so that the levels between any two are found by putting together a few integers.
"""


class Occupied:
    """Places from 0 on, at which levels are taken.

    >>> occupied = Occupied(4)
    >>> occupied.take(0, 3, 1)
    >>> occupied.next_free(2, 4, 1), occupied.next_free(3, 4, 1), occupied.n_levels(0, 4)
    (2, 1, 2)
    """

    def __init__(self, n_places: int) -> None:
        self.n_places = n_places
        # node i stands for what 2i and 2i + 1 do; the last ones are the places
        self.all_over = [0] * (2 * n_places)  # levels taken on all of a node's places at once
        self.somewhere = [0] * (2 * n_places)  # and on some of them

    def take(self, first: int, end: int, level: int) -> None:
        """Take a level from a place up to another."""
        bit = 1 << level
        for node in self._nodes(first, end):
            self.all_over[node] |= bit
            while node and not self.somewhere[node] & bit:
                self.somewhere[node] |= bit
                node >>= 1

    def next_free(self, first: int, end: int, level: int) -> int:
        """The lowest level from this one on that is taken at no place between two."""
        free = ~(self._taken(first, end) >> level)
        return level + (free & -free).bit_length() - 1

    def n_levels(self, first: int, end: int) -> int:
        """The lowest level above all that are taken between two places; 0 if none is."""
        return self._taken(first, end).bit_length()

    def _taken(self, first: int, end: int) -> int:
        bits = 0
        for place in (first, end - 1):
            node = place + self.n_places
            while node > 1:
                node >>= 1
                bits |= self.all_over[node]
        for node in self._nodes(first, end):
            bits |= self.somewhere[node]
        return bits

    def _nodes(self, first: int, end: int) -> list[int]:
        """The largest nodes that make up these places."""
        first, end, found = first + self.n_places, end + self.n_places, []
        while first < end:
            if first & 1:
                found.append(first)
                first += 1
            if end & 1:
                end -= 1
                found.append(end)
            first, end = first >> 1, end >> 1
        return found
