"""The A3 event of TS 38.331 and radio-link failure, step by step over measurements of many UAVs at once."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mobility.attachment import AttachmentLog, Cause
from mobility.streams import UavStreams

TIMES_TO_TRIGGER_MS = (0, 40, 64, 80, 100, 128, 160, 256, 320, 480, 512, 640, 1024, 1280, 2560, 5120)
FILTER_COEFFICIENTS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 19)
# The rate that a filter coefficient is meant for (TS 38.331 clause 5.5.3.2); other rates keep its time characteristic.
FILTER_PERIOD_S = 0.2
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class HandoverParameters:
    """When a UAV hands over and how long that takes.

    A3 (TS 38.331 clause 5.5.4.4): `hysteresis_db` (0 to 15 in steps of 0.5), `offset_db` (-15 to 15 in steps of 0.5),
    `time_to_trigger_s` (one of the standard's times), `filter_coefficient` k of the layer-3 filter (5.5.3.2).
    `interruption_range_s`: the link is gone for a time uniform in this range at each handover.

    Radio-link failure (TS 38.331 clause 5.3.10, simplified: one indication a step, N311 = 1): `n310` steps in a row
    with SINR below `q_out_db` start T310; a step above `q_in_db` stops it; after `t310_s` the link has failed and
    comes back at the strongest cell after a time uniform in `reestablishment_range_s`. Raises ValueError for a value
    that the standard does not have.
    """

    hysteresis_db: float = 3.0
    offset_db: float = 0.0
    time_to_trigger_s: float = 0.48
    filter_coefficient: int = 4
    interruption_range_s: tuple[float, float] = (0.05, 0.15)
    q_out_db: float = -8.0
    q_in_db: float = -6.0
    n310: int = 1
    t310_s: float = 1.0
    reestablishment_range_s: tuple[float, float] = (0.2, 0.5)

    def __post_init__(self) -> None:
        for name, low in (("hysteresis_db", 0.0), ("offset_db", -15.0)):
            value = getattr(self, name)
            if not low <= value <= 15.0 or value * 2.0 != round(value * 2.0):
                raise ValueError(f"{name} is {value} dB; it must lie in {low:g} to 15 dB in steps of 0.5 dB")
        if round(self.time_to_trigger_s * 1e3, 6) not in TIMES_TO_TRIGGER_MS:
            allowed = ", ".join(f"{time / 1e3:g}" for time in TIMES_TO_TRIGGER_MS)
            raise ValueError(f"time_to_trigger_s is {self.time_to_trigger_s} s; TS 38.331 allows {allowed}")
        if self.filter_coefficient not in FILTER_COEFFICIENTS:
            allowed = ", ".join(map(str, FILTER_COEFFICIENTS))
            raise ValueError(f"filter_coefficient is {self.filter_coefficient}; TS 38.331 allows {allowed}")
        for name in ("interruption_range_s", "reestablishment_range_s"):
            low, high = getattr(self, name)
            if not 0.0 <= low <= high:
                raise ValueError(f"{name} is {low} to {high} s; it must rise from 0 s or more")
        if self.q_in_db < self.q_out_db:
            raise ValueError(f"q_in_db is {self.q_in_db} dB; it must not lie below q_out_db, {self.q_out_db} dB")
        if self.n310 < 1 or not self.t310_s >= 0.0:
            raise ValueError(f"n310 is {self.n310} and t310_s is {self.t310_s} s; they must be at least 1 and 0 s")


class A3Machine:
    """The handover state of U UAVs over C cells: filters, timers, serving cells.

    It starts at step 0 with the RSRP (C, U) of all cells, attached to the strongest, and is fed chunks of steps by
    `advance`. Changes of cell go to `log`, numbered from UAV index `first_uav` on. The leaving condition of A3 has no
    part: a report leads to a handover at once, and the time to trigger asks that the entering condition holds at
    every step.
    """

    def __init__(
        self,
        parameters: HandoverParameters,
        step_s: float,
        rsrp_dbm: NDArray[np.float32],
        log: AttachmentLog,
        streams: UavStreams,
        first_uav: int = 0,
    ) -> None:
        self._parameters = parameters
        self._step_s = step_s
        self._log = log
        self._streams = streams
        self._first_uav = first_uav
        self._step = 0
        # F_n = (1 - a) F_(n-1) + a M_n with a = 1 / 2^(k/4), brought from the filter's own period to this step.
        forget = 1.0 - 0.5 ** (parameters.filter_coefficient / 4.0)
        self._keep = np.float32(forget ** (step_s / FILTER_PERIOD_S))
        self._margin_db = np.float32(parameters.hysteresis_db + parameters.offset_db)
        self._steps_to_trigger = math.ceil(parameters.time_to_trigger_s / step_s - 1e-9) + 1
        self._t310_steps = math.ceil(parameters.t310_s / step_s - 1e-9)
        cells, uavs = rsrp_dbm.shape
        self._filtered = rsrp_dbm.astype(np.float32)
        self._held = np.zeros((cells, uavs), dtype=np.int32)
        self.serving = np.argmax(rsrp_dbm, axis=0).astype(np.int64)
        self._free_from_s = np.zeros(uavs)
        self._out_of_sync = np.zeros(uavs, dtype=np.int64)
        self._t310_ends = np.full(uavs, NEVER, dtype=np.int64)
        log.add(0.0, first_uav + np.arange(uavs), -1, self.serving, Cause.INITIAL, 0.0)

    def coast(
        self, cell: NDArray[np.int64], start_dbm: NDArray[np.float32], end_dbm: NDArray[np.float32], steps: int
    ) -> None:
        """Take all cells but `cell` (K, U) over the next `steps` steps without measuring them one by one.

        Their RSRP is taken to run straight from `start_dbm` (C, U), at the present step, to `end_dbm`; the filter
        over such a line has a closed form. None of them enters A3 meanwhile.
        """
        measured = np.take_along_axis(self._filtered, cell, axis=0)
        held = np.take_along_axis(self._held, cell, axis=0)
        keep = float(self._keep)
        weights = (1.0 - keep) * keep ** np.arange(steps - 1, -1, -1)
        to_end = float(weights @ (np.arange(1, steps + 1) / steps))
        self._filtered *= np.float32(keep**steps)
        self._filtered += np.float32(weights.sum() - to_end) * start_dbm
        self._filtered += np.float32(to_end) * end_dbm
        self._held[:] = 0
        np.put_along_axis(self._filtered, cell, measured, axis=0)
        np.put_along_axis(self._held, cell, held, axis=0)

    def advance(self, cell: NDArray[np.int64], rsrp_dbm: NDArray[np.float32], sinr_db: NDArray[np.float32]) -> None:
        """Go through T steps of measurements (K, T, U) of the cells `cell` (K, U), the serving ones among them."""
        filtered = np.take_along_axis(self._filtered, cell, axis=0)
        held = np.take_along_axis(self._held, cell, axis=0)
        serving = np.argmax(cell == self.serving, axis=0)
        uavs = np.arange(cell.shape[1])
        for at in range(rsrp_dbm.shape[1]):
            self._step += 1
            filtered *= self._keep
            filtered += (np.float32(1.0) - self._keep) * rsrp_dbm[:, at]
            linked = self._step * self._step_s >= self._free_from_s
            entered = filtered > filtered[serving, uavs] + self._margin_db
            entered &= linked
            entered[serving, uavs] = False
            held += 1
            held *= entered
            ready = held >= self._steps_to_trigger
            triggered = np.flatnonzero(ready.any(axis=0))
            if triggered.size:
                best = np.where(ready[:, triggered], filtered[:, triggered], -np.inf).argmax(axis=0)
                self._change(triggered, best, cell, serving, held, Cause.A3)
            failed = self._failed(sinr_db[serving, at, uavs], linked)
            if failed.size:
                self._change(failed, filtered[:, failed].argmax(axis=0), cell, serving, held, Cause.RADIO_LINK_FAILURE)
        np.put_along_axis(self._filtered, cell, filtered, axis=0)
        np.put_along_axis(self._held, cell, held, axis=0)
        self.serving = cell[serving, uavs]

    def _failed(self, sinr_db: NDArray[np.float32], linked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The UAVs whose T310 ends at this step."""
        parameters = self._parameters
        self._out_of_sync += 1
        self._out_of_sync *= (sinr_db < parameters.q_out_db) & linked
        self._t310_ends[(sinr_db > parameters.q_in_db) | ~linked] = NEVER
        starting = (self._out_of_sync >= parameters.n310) & (self._t310_ends == NEVER)
        self._t310_ends[starting] = self._step + self._t310_steps
        return np.flatnonzero(self._t310_ends <= self._step)

    def _change(
        self,
        uavs: NDArray[np.int64],
        best: NDArray[np.int64],
        cell: NDArray[np.int64],
        serving: NDArray[np.int64],
        held: NDArray[np.int32],
        cause: Cause,
    ) -> None:
        bounds = (
            self._parameters.interruption_range_s if cause == Cause.A3 else self._parameters.reestablishment_range_s
        )
        now = self._step * self._step_s
        gaps = np.array([self._streams.uniform(int(uav) + self._first_uav, bounds) for uav in uavs])
        self._log.add(now, uavs + self._first_uav, cell[serving[uavs], uavs], cell[best, uavs], cause, gaps)
        serving[uavs] = best
        held[:, uavs] = 0
        self._free_from_s[uavs] = now + gaps
        self._out_of_sync[uavs] = 0
        self._t310_ends[uavs] = NEVER
