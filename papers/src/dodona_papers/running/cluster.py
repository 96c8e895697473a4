"""Jobs on the machines of a Ray cluster, where `RAY_ADDRESS` names one.

Treebanks are read by those who train, so their folder must be the same on all machines. Results
come back and are kept by the one that asked, as if it had done all by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from dodona.extras import require

ADDRESS = "RAY_ADDRESS"  # as Ray itself has it; "local" is a cluster of this machine alone

Result = TypeVar("Result")


def has_cluster() -> bool:
    """Whether there is a cluster to run on."""
    return bool(os.environ.get(ADDRESS))


def run_on_cluster(work: Callable[[Any], Result], jobs: Sequence[Any]) -> Iterator[Result]:
    """What `work` makes of each job, as soon as it is there; a core each, as many as there are.

    A machine that is lost costs its jobs the time they took: they are run again elsewhere.
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
