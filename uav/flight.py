"""The closed loop: an autopilot somewhere on the network steers vehicles along a reference, and at times is silent.

Coordinates are metres east, north and up of a local tangent plane; the ground is at height 0 and home is where the
reference begins.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from uav.fleet import Fleet
from uav.latency import DelayedRows, LoopLatency
from uav.noise import PositionNoise
from uav.path import cross_track_error_m
from uav.reference import Reference
from uav.silence import Silence, SilentRows
from uav.testbed import Testbed

Floats = NDArray[np.float64]

LONGEST_STEP_S = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class FlightResult:
    """N flights at S samples: time (S,), position (N, S, 3), mode (N, S) as `FlightMode`, errors (N, S).

    `error_radial_m` is the cross-track error, the horizontal distance to the nearest point of the path (on a circle:
    radial). `error_reference_m` is the horizontal distance to where the time-parametrised reference is at that time.
    `error_height_m` is the height above the reference.
    """

    time_s: Floats
    position_m: Floats
    mode: NDArray[np.int8]
    error_radial_m: Floats
    error_reference_m: Floats
    error_height_m: Floats

    def largest_errors_m(self, from_s: float, to_s: float) -> tuple[Floats, Floats]:
        """The largest radial and the largest reference error (N,) among the samples of [from_s, to_s].

        Raises ValueError if there is no sample in it.
        """
        window = (self.time_s >= from_s) & (self.time_s <= to_s)
        if not window.any():
            raise ValueError(f"no sample from {from_s} s to {to_s} s: the flight lasts {self.time_s[-1]} s")
        return self.error_radial_m[:, window].max(axis=1), self.error_reference_m[:, window].max(axis=1)


def fly(
    reference_m: NDArray[np.floating],
    reference_step_s: float,
    testbed: Testbed,
    *,
    silence: Silence | None = None,
    latency: LoopLatency | None = None,
    wind_mps: tuple[float, float] = (0.0, 0.0),
    generators: Sequence[np.random.Generator] | None = None,
    sample_step_s: float = 0.1,
) -> FlightResult:
    """Fly N references (N, T, 3), sampled every `reference_step_s`, from first to last sample.

    Repetitions are further rows; `np.broadcast_to` repeats a reference without copying it. `latency` comes on top
    of the testbed's. `wind_mps` blows towards (east, north). `generators`, one for each row, draw the wandering
    position error; without them there is none. Each row's result is the same whatever else is flown beside it.
    The flight is computed in steps of at most 0.05 s, a whole number of which is the set-point period; times of
    silence, latency and samples are rounded up to them.

    Raises ValueError if shapes, indices or steps do not fit.
    """
    reference = Reference(reference_m, reference_step_s)
    silence = Silence.none() if silence is None else silence
    latency = LoopLatency.none() if latency is None else latency
    _check_rows(reference.count, silence, latency, generators)
    if not sample_step_s > 0:
        raise ValueError(f"sample step = {sample_step_s} s: must be more than 0 s")

    period_s = 1.0 / testbed.autopilot.setpoint_rate_hz
    substeps = math.ceil(period_s / LONGEST_STEP_S - 1e-9)
    step_s = period_s / substeps
    steps = math.ceil(reference.duration_s / step_s - 1e-6)
    samples = math.floor(reference.duration_s / sample_step_s + 1e-6) + 1
    sample_s = np.arange(samples, dtype=np.float64) * sample_step_s
    sample_at = np.ceil(sample_s / step_s - 1e-6).astype(np.int64)
    position = np.empty((reference.count, sample_s.size, 3))
    mode = np.empty((reference.count, sample_s.size), dtype=np.int8)

    silent_rows = SilentRows(silence, reference.count, step_s)
    delayed_rows = DelayedRows(latency, reference.count, testbed.latency_s, step_s)
    noise = None
    if generators is not None and testbed.position_noise_m > 0:
        noise = PositionNoise(generators, testbed.position_noise_m, testbed.position_noise_correlation_s, period_s)
    fleet = Fleet(reference, testbed, wind_mps, step_s, delayed_rows.longest)
    taken = 0
    for step in range(steps + 1):
        silent = silent_rows.at(step)
        if step % substeps == 0:
            fleet.steer(step, silent, delayed_rows.at(step), None if noise is None else noise.next_m())
        fleet.supervise(step, silent)
        while taken < sample_s.size and sample_at[taken] == step:
            position[:, taken] = fleet.position_m.T
            mode[:, taken] = fleet.mode
            taken += 1
        fleet.move(step)
    return _result(sample_s, position, mode, reference)


def _check_rows(
    count: int, silence: Silence, latency: LoopLatency, generators: Sequence[np.random.Generator] | None
) -> None:
    for name, uav in (("silence", silence.uav), ("latency", latency.uav)):
        if uav.size and uav.max() >= count:
            raise ValueError(f"{name} uav = {uav.max()}: there are {count} references, so it must be below {count}")
    if generators is not None and len(generators) != count:
        raise ValueError(f"{len(generators)} generators for {count} references: there must be one for each")


def _result(sample_s: Floats, position: Floats, mode: NDArray[np.int8], reference: Reference) -> FlightResult:
    """The errors of the sampled positions."""
    error_reference, error_height = np.empty(mode.shape), np.empty(mode.shape)
    for sample, time_s in enumerate(sample_s):
        target, _ = reference.at(np.full(reference.count, time_s))
        east, north, up = position[:, sample].T - target
        error_reference[:, sample] = np.sqrt(east * east + north * north)
        error_height[:, sample] = up
    error_radial = cross_track_error_m(position, sample_s, reference.position_m, reference.step_s)
    return FlightResult(sample_s, position, mode, error_radial, error_reference, error_height)
