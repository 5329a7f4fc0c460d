"""The migration iteration by iteration, with the dirty-page rate that really occurs (PAM eqs. 5-6, 22-25).

The worst case of `pam.model` takes every dump iteration to be as dirty as the service can ever make it. Here the
pages of an iteration are those dirtied while the one before it ran, so a faster round leaves less for the next. No
iteration exceeds the worst case: a service cannot dirty more pages than N^d holds at its largest rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pam import model
from pam.model import Layer, Quantity
from pam.parameters import TABLE_III, PamParameters


def dirtied_pages(
    pages_per_s: Quantity,
    running_s: Quantity,
    state_bytes: Quantity,
    worst_rate: Quantity,
    parameters: PamParameters = TABLE_III,
) -> Quantity:
    """N_i = R_{i-1} (T_{i-1} - T^frozen_{i-1}) (eq. 6), between mu^d and the worst case N^d (eq. 23).

    `running_s` is the time the service ran since the previous dump, `worst_rate` the normalised rate of the bound.
    """
    most = model.dump_pages(state_bytes, worst_rate, parameters)
    pages: Quantity = np.clip(pages_per_s * running_s, parameters.dump_pages, most)
    return pages


def dirtiness(
    pages: Quantity, state_bytes: Quantity, worst_rate: Quantity, parameters: PamParameters = TABLE_III
) -> Quantity:
    """Give the normalised rate r at which N^d (eq. 23) is `pages`, at most `worst_rate`.

    The paper measured what depends on r with dumps Delta_T apart. A dump that collects the pages of a longer round
    works and weighs as at this r, whatever the rate that dirtied them.
    """
    least = model.dump_pages(state_bytes, 0.0, parameters)
    span = np.maximum(model.dump_pages(state_bytes, 1.0, parameters) - least, np.finfo(np.float64).tiny)
    rate: Quantity = np.clip((pages - least) / span, 0.0, worst_rate)
    return rate


def dirtied_volume(
    pages: Quantity, state_bytes: Quantity, worst_rate: Quantity, parameters: PamParameters = TABLE_III
) -> Quantity:
    """V_i in bytes of `pages` dirty pages (eq. 25), never above the worst case.

    The cap matters because the volume is not monotone in r (see `pam.model`): a service at two thirds of R_max would
    send more than one at R_max.
    """
    rate = dirtiness(pages, state_bytes, worst_rate, parameters)
    volume: Quantity = np.minimum(
        model.volume_of_pages(pages, rate, parameters), model.dump_volume(state_bytes, worst_rate, parameters)
    )
    return volume


@dataclass(frozen=True, slots=True)
class Rounds:
    """What each round took; arrays of shape (I + 2, ...): the pre-dump, I dump iterations and the last dump.

    `duration_s` is T_i, dump and transfer. `downtime_s` and `migration_s` are the KPIs (eqs. 1, 10-12).
    """

    pages: NDArray[np.float64]
    volume_bytes: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    downtime_s: NDArray[np.float64]
    migration_s: NDArray[np.float64]


def recursion(
    state_bytes: Quantity,
    pages_per_s: Sequence[Quantity],
    bandwidth_bps: Quantity,
    parameters: PamParameters = TABLE_III,
    *,
    worst_rate: Quantity = 1.0,
    coat: bool = True,
    layer: Layer = Layer.PODMAN,
) -> Rounds:
    """Follow (iterative) pre-copy round by round (eqs. 5-6, 9, 22-25), given R_0 ... R_I in pages/s.

    Each R_i is a quantity that broadcasts with the others, I is `len(pages_per_s) - 1`. Dirtying goes on for as long
    as the round lasts at `layer`, less the frozen time, which at CRIU is eq. 6 as printed. Rates above `worst_rate`
    count as `worst_rate`. Raises ValueError without any rate.
    """
    if len(pages_per_s) == 0:
        raise ValueError("pages_per_s is empty; it takes at least R_0, the rate during the pre-dump")
    pages = [model.predump_pages(state_bytes, parameters)]
    volumes = [model.predump_volume(state_bytes, parameters)]
    durations = [model.first_iteration_duration(state_bytes, bandwidth_bps, parameters, layer)]
    frozen_s = model.predump_frozen_time(state_bytes, parameters)
    for rate_now in pages_per_s:
        dirty = dirtied_pages(rate_now, durations[-1] - frozen_s, state_bytes, worst_rate, parameters)
        pages.append(dirty)
        rate = dirtiness(dirty, state_bytes, worst_rate, parameters)
        volumes.append(dirtied_volume(dirty, state_bytes, worst_rate, parameters))
        dump_s = model.dump_duration(state_bytes, rate, parameters, layer)
        durations.append(dump_s + model.transfer_time(volumes[-1], bandwidth_bps))
        frozen_s = model.dump_frozen_time(state_bytes, rate, parameters)
    added_s = model.coat_duration(parameters) if coat else 0.0
    duration_s = np.stack(np.broadcast_arrays(*durations))
    downtime_s = duration_s[-1] + model.restore_duration(state_bytes, parameters, layer) + added_s
    return Rounds(
        pages=np.stack(np.broadcast_arrays(*pages)),
        volume_bytes=np.stack(np.broadcast_arrays(*volumes)),
        duration_s=duration_s,
        downtime_s=np.asarray(downtime_s),
        migration_s=np.asarray(duration_s[:-1].sum(axis=0) + downtime_s),
    )
