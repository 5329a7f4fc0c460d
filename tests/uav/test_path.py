import itertools

import numpy as np
import pytest

from uav import circle_m, cross_track_error_m


def along(points: list[tuple[float, float]], step_m: float = 0.5) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A path (1, T, 3) through the corners, a point every `step_m`."""
    parts = []
    for start, end in itertools.pairwise(points):
        share = np.arange(0.0, 1.0, step_m / np.hypot(end[0] - start[0], end[1] - start[1]))
        parts.append(np.add(start, share[:, np.newaxis] * np.subtract(end, start)))
    flat = np.concatenate([*parts, [points[-1]]])
    return np.column_stack([flat, np.full(len(flat), 20.0)])[np.newaxis]


def test_on_a_circle_the_cross_track_error_is_radial() -> None:
    path = circle_m(50.0, 5.0, 60.0)
    offset = np.linspace(-3.0, 3.0, path.shape[1])[:, np.newaxis]
    position = path * (1.0 + np.where([True, True, False], offset / 50.0, 0.0))
    error = cross_track_error_m(position, np.arange(path.shape[1], dtype=np.float64) * 0.1, path, 0.1)
    np.testing.assert_allclose(error[0], np.abs(offset[:, 0]), atol=2e-3)


def test_a_vehicle_that_waits_on_the_path_has_no_cross_track_error_while_the_reference_runs_away() -> None:
    path = circle_m(50.0, 5.0, 40.0)
    sample_s = np.arange(0.0, 20.0, 0.1)
    waiting = np.broadcast_to(path[:, 100:101], (1, sample_s.size, 3)).copy()
    waiting[:, :100] = path[:, :100]
    assert cross_track_error_m(waiting, sample_s, path, 0.1).max() < 1e-6


def test_a_vehicle_that_cuts_the_turn_to_the_next_lane_is_on_that_lane() -> None:
    path = along([(0.0, 0.0), (100.0, 0.0), (100.0, 20.0), (0.0, 20.0)])
    cut = along([(0.0, 0.0), (70.0, 0.0), (70.0, 20.0), (0.0, 20.0)])
    # At 5 m/s the reference is 70 m ahead at first and, the vehicle having saved 60 m, 10 m ahead in the end.
    error = cross_track_error_m(cut, np.arange(140, 140 + cut.shape[1], dtype=np.float64) * 0.1, path, 0.1)
    assert error[0, : 2 * 70].max() < 1e-9
    assert error[0, 2 * 80] == pytest.approx(10.0, abs=0.5)
    assert error[0, 2 * 110 :].max() < 1e-9
