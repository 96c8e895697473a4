from collections.abc import Sequence

def resampled_means(
    gains: Sequence[int], sizes: Sequence[int], n_resamples: int, seed: int
) -> list[float]: ...
