"""The same targets and changes, guided by the lines of Python that an input reaches: Atheris.

    pip install atheris && python -m fuzz.guided TARGET -max_total_time=60

It installs where there is a wheel for it, or clang; everything else works without. What follows the
target are flags of libFuzzer. What is compiled it does not see.
"""

from __future__ import annotations

import sys
from random import Random

from fuzz import target as targets
from fuzz.outcomes import try_input
from fuzz.running import FOUND
from fuzz.target import CORPUS, Target

MISSING = "Atheris is not installed; `python -m fuzz` does without it"


def main(arguments: list[str]) -> None:
    """Hand the target over to libFuzzer."""
    try:
        import atheris
    except ImportError:
        sys.exit(MISSING)
    name, *flags = arguments
    with atheris.instrument_imports(include=["dodona"]):
        target = targets.load(name)
    new = FOUND / name / "guided"  # where libFuzzer puts what reaches new lines
    new.mkdir(parents=True, exist_ok=True)
    seeds = targets.seeds(name, target)

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        random = Random(seed)
        return random.choice(target.mutators)(data, random, seeds)[:longest]

    flags = [f"-max_len={max(target.longest, *map(len, seeds))}", *flags]
    command = ["fuzz.guided", *flags, str(new), str(CORPUS / name)]
    atheris.Setup(command, lambda data: check(target, data), custom_mutator=mutate)
    atheris.Fuzz()


def check(target: Target, data: bytes) -> None:
    """Raise what should not have been raised: libFuzzer saves the input and ends."""
    error = try_input(target, data).error
    if error is not None:
        raise error


if __name__ == "__main__":
    main(sys.argv[1:])
