"""How good the link to the serving cell is, at the times a report asks for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mobility.attachment import Attachment
from mobility.cells import Cells
from mobility.radio import Channel, RadioParameters, sinr_db, to_mw
from mobility.trajectory import Fleet

BLOCK_LINKS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class LinkQuality:
    """The serving cell and its strength: `time_s` (T,), `cell`, `rsrp_dbm` and `sinr_db` (U, T)."""

    time_s: NDArray[np.float64]
    cell: NDArray[np.int64]
    rsrp_dbm: NDArray[np.float32]
    sinr_db: NDArray[np.float32]


def link_quality(
    fleet: Fleet,
    cells: Cells,
    radio: RadioParameters,
    attachment: Attachment,
    time_s: ArrayLike,
    seed: np.random.SeedSequence,
) -> LinkQuality:
    """The link of every UAV to the cell it is attached to, at the times (T,), whatever the way of attaching.

    With the seed that `attach_a3` was given it is the same channel. RSRP is in dBm per resource element, without the
    layer-3 filter.
    """
    time = np.atleast_1d(np.asarray(time_s, np.float64))
    channel = Channel(cells, radio, seed)
    cell = attachment.cell_at(time)
    rsrp = np.empty(cell.shape, dtype=np.float32)
    sinr = np.empty(cell.shape, dtype=np.float32)
    block = max(1, BLOCK_LINKS // (len(cells) * time.size))
    for first in range(0, len(fleet), block):
        uavs = slice(first, min(first + block, len(fleet)))
        for begin in range(0, time.size, max(1, BLOCK_LINKS // len(cells))):
            times = slice(begin, begin + max(1, BLOCK_LINKS // len(cells)))
            every = channel.rsrp_dbm(fleet.sample(time[times], uavs))
            power = to_mw(every)
            own = cell[uavs, times].T[None]
            rsrp[uavs, times] = np.take_along_axis(every, own, axis=0)[0].T
            sinr[uavs, times] = sinr_db(np.take_along_axis(power, own, axis=0)[0], power.sum(axis=0), radio).T
    return LinkQuality(time, cell, rsrp, sinr)
