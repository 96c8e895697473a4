"""The command: `python -m fuzz [TARGET…] --seconds 60 --seed 1`, or `make fuzz`."""

from __future__ import annotations

import argparse
import sys
from itertools import count
from pathlib import Path

from fuzz.running import ENDLESS, FOUND, MEMORY, Limits, Result, fuzz, table
from fuzz.target import names


def main(arguments: list[str] | None = None) -> int:
    """Run the targets one after the other, again and again up to a total; 1 if there are findings.

    Each round has another seed. Targets have equal times, so that quick ones have most inputs.
    """
    asked = _read(arguments)
    limits = Limits(
        seconds=asked.seconds,
        n_inputs=asked.inputs,
        cpu_seconds=asked.cpu,
        standstill=6 * asked.cpu,
        memory=asked.memory << 20,
    )
    results: dict[str, Result] = {}
    for number in count():
        for name in asked.targets or names():
            found = fuzz(name, limits, asked.seed + number, asked.found)
            for path in found.findings:
                story = path.read_text(encoding="utf-8")
                print(f"{path.with_suffix('')}\n{story}", file=sys.stderr)
            results[name] = found.after(results.get(name))
            print(table([found]).splitlines()[1], file=sys.stderr, flush=True)
        if sum(result.n_inputs for result in results.values()) >= asked.total:
            break
    print(table([*results.values()]))
    return 1 if any(result.findings for result in results.values()) else 0


def _read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=main.__doc__)
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(names())}; else all")
    add("--seconds", type=float, default=60.0, help="of each target; 60")
    add("--inputs", type=int, default=ENDLESS, help="of each target at the most; 0: only seeds")
    add("--total", type=int, default=0, help="inputs of all targets, in rounds; else one round")
    add("--seed", type=int, default=1, help="the same seed makes the same inputs; 1")
    add("--cpu", type=float, default=10.0, help="seconds after which one input hangs; 10")
    add("--memory", type=int, default=MEMORY >> 20, help="MiB that inputs may take; 0: any")
    add("--found", type=Path, default=FOUND, help="folder for what is found; out/fuzz")
    asked = parser.parse_args(arguments)
    unknown = set(asked.targets) - set(names())
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are: {', '.join(names())}")
    return asked


if __name__ == "__main__":
    sys.exit(main())
