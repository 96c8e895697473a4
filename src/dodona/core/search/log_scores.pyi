from collections.abc import Iterable

class LogScores:
    def normalised(self, scores: Iterable[int]) -> list[int]: ...
