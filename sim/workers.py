"""Work spread over processes: of this machine, or of a dask cluster."""

# The package distributed carries few annotations.
# mypy: disallow-untyped-calls=False

import logging
from collections.abc import Callable, Iterator, Sequence
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from distributed import Client, KilledWorker, LocalCluster, as_completed

T = TypeVar("T")
R = TypeVar("R")

# A task holds several items, so that handing it out costs little, and few enough that all processes end together.
_TASKS_PER_PROCESS = 8
_ITEMS_PER_TASK = 25


def on_this_machine(work: Callable[[T], R], lost: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Do `work` on every item by `workers` processes; results come as they are ready.

    An item whose process dies under it, because memory has run out for example, has `lost` of it as its result.
    """
    with (
        TemporaryDirectory(prefix="skyhop-") as directory,
        # Port 0: several sweeps at once do not meet. No limit of memory: what a run needs, it needs.
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            local_directory=directory,
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield from _spread(client, work, lost, items, workers)


def on_cluster(
    work: Callable[[T], R], lost: Callable[[T], R], items: Sequence[T], address: str, probe: Callable[[], Any]
) -> Iterator[R]:
    """Do `work` on every item by the workers of the dask scheduler at `address`; results come as they are ready.

    `probe` is what every worker must answer as this process does: its versions, what it reads from the files.

    Raises:
        ValueError: no scheduler answers there, or a worker answers the probe otherwise.
    """
    try:
        client = Client(address, set_as_default=False, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(f"--scheduler {address}: no dask scheduler answers there: {error}") from error
    with client:
        own = probe()
        for worker, answer in client.run(probe, on_error="return").items():
            if answer != own:
                other = _difference(own, answer)
                raise ValueError(f"--scheduler {address}: the worker {worker} has other software or files: {other}")
        yield from _spread(client, work, lost, items, max(1, sum(client.nthreads().values())))


def _difference(own: Any, answer: Any) -> str:
    if not isinstance(own, dict) or not isinstance(answer, dict):
        return str(answer)
    return "; ".join(
        f"{key} is {answer.get(key)}, here {value}" for key, value in own.items() if answer.get(key) != value
    )


def _spread(
    client: Client, work: Callable[[T], R], lost: Callable[[T], R], items: Sequence[T], processes: int
) -> Iterator[R]:
    size = min(_ITEMS_PER_TASK, max(1, len(items) // (_TASKS_PER_PROCESS * processes)))
    batches = {
        client.submit(_work_through, work, items[first : first + size], pure=False): items[first : first + size]
        for first in range(0, len(items), size)
    }
    suspects: list[T] = []
    for future in as_completed(list(batches), loop=client.loop):
        batch = batches.pop(future)
        try:
            yield from future.result()
        except KilledWorker:
            suspects += batch
        future.release()
    # A process that dies takes along whatever was handed to it. One after the other, each is judged by itself.
    for item in suspects:
        try:
            yield client.submit(work, item, pure=False).result()
        except KilledWorker:
            yield lost(item)


def _work_through(work: Callable[[T], R], batch: Sequence[T]) -> list[R]:
    return [work(item) for item in batch]
