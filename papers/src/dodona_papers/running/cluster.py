"""Jobs on a Ray cluster, if `RAY_ADDRESS` is set.

Every machine reads the treebanks from the same path. Results are returned to the machine that
started the jobs, which stores them as if it had run the jobs itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from dodona.extras import require

ADDRESS = "RAY_ADDRESS"  # Ray's own variable; "local" is a cluster of this machine alone

Result = TypeVar("Result")


def has_cluster() -> bool:
    """Return whether a cluster is configured."""
    return bool(os.environ.get(ADDRESS))


def run_on_cluster(work: Callable[[Any], Result], jobs: Sequence[Any]) -> Iterator[Result]:
    """Yield the result of `work` for each job as it completes; each job uses one core.

    The jobs of a machine that is lost are repeated on another.
    """
    ray = require("ray", "ray")
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(address=os.environ[ADDRESS], log_to_driver=False)
    task = ray.remote(num_cpus=1, max_retries=3)(work)
    waiting = [task.remote(job) for job in jobs]
    try:
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield from ray.get(ready)
    finally:
        for reference in waiting:
            ray.cancel(reference, force=True)
        if is_ours:
            ray.shutdown()
