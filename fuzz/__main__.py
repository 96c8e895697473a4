"""The command: `python -m fuzz [TARGET…] --seconds 60 --seed 1`, or `make fuzz`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fuzz.running import ENDLESS, FOUND, MEMORY, Limits, Result, fuzz, table
from fuzz.target import names


def main(arguments: list[str] | None = None) -> int:
    """Run the targets one after the other; 1 if something was found."""
    asked = _read(arguments)
    limits = Limits(
        seconds=asked.seconds,
        n_inputs=asked.inputs,
        cpu_seconds=asked.cpu,
        standstill=6 * asked.cpu,
        memory=asked.memory << 20,
    )
    results: list[Result] = []
    for name in asked.targets or names():
        results.append(fuzz(name, limits, asked.seed, asked.found))
        for path in results[-1].findings:
            print(f"{path.with_suffix('')}\n{path.read_text(encoding='utf-8')}", file=sys.stderr)
        print(table(results).splitlines()[len(results)], file=sys.stderr, flush=True)
    print(table(results))
    return 1 if any(result.findings for result in results) else 0


def _read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=main.__doc__)
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(names())}; else all")
    add("--seconds", type=float, default=60.0, help="of each target; 60")
    add("--inputs", type=int, default=ENDLESS, help="of each target at the most; 0: only seeds")
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
