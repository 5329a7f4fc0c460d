"""A3 events and radio-link failure, first on measurements made by hand, then over the whole chain."""

import numpy as np
import pytest

from mobility import (
    Attachment,
    Cause,
    Fleet,
    HandoverParameters,
    RadioParameters,
    Trajectory,
    attach_a3,
    hexagonal_grid,
    link_quality,
)
from mobility.a3 import A3Machine
from mobility.attachment import AttachmentLog
from mobility.streams import UavStreams

SEED = np.random.SeedSequence(3)
STEP_S = 0.1
UNFILTERED = HandoverParameters(filter_coefficient=0, interruption_range_s=(0.1, 0.1))


def play(
    rsrp_dbm: list[list[float]],
    parameters: HandoverParameters = UNFILTERED,
    sinr_db: list[float] | None = None,
    chunk: int = 1000,
) -> Attachment:
    """One UAV over the RSRP (cells, steps), the first step being 0; SINR (steps) is the same at all cells."""
    rsrp = np.array(rsrp_dbm, dtype=np.float32)[:, :, None]
    sinr = np.broadcast_to(
        np.float32(20.0) if sinr_db is None else np.array(sinr_db, np.float32)[None, :, None], rsrp.shape
    )
    log = AttachmentLog()
    machine = A3Machine(parameters, STEP_S, rsrp[:, 0], log, UavStreams(SEED, ["uav-0"]))
    cell = np.arange(len(rsrp))[:, None]
    for first in range(1, rsrp.shape[1], chunk):
        steps = slice(first, first + chunk)
        machine.advance(cell, rsrp[:, steps], sinr[:, steps])
    return log.finish()


def step_up(to_dbm: float, after: int = 10, steps: int = 40) -> list[list[float]]:
    """A serving cell at -80 dBm, and a neighbour that rises from -90 dBm to a level at a step."""
    return [[-80.0] * steps, [-90.0] * after + [to_dbm] * (steps - after)]


def test_the_uav_starts_at_the_strongest_cell() -> None:
    found = play([[-90.0] * 3, [-70.0] * 3])
    assert (found.initial_cell.tolist(), len(found)) == ([1], 1)


def test_a_neighbour_better_by_more_than_hysteresis_and_offset_takes_over_after_the_time_to_trigger() -> None:
    found = play(step_up(-76.9))
    assert found.target.tolist() == [0, 1]
    assert found.cause[1] == Cause.A3
    # It enters at 1.0 s; 0.48 s later is between two steps, and the later one counts.
    assert found.time_s[1] == pytest.approx(1.5)


def test_a_neighbour_better_by_just_the_hysteresis_does_not() -> None:
    assert play(step_up(-77.0)).handover_count() == 0


def test_the_offset_adds_to_the_hysteresis() -> None:
    with_offset = HandoverParameters(offset_db=2.0, filter_coefficient=0)
    assert play(step_up(-75.1), with_offset).handover_count() == 0
    assert play(step_up(-74.9), with_offset).handover_count() == 1


@pytest.mark.parametrize("dip", [-77.1, -80.0, -95.0])
def test_the_entering_condition_must_hold_all_the_time_to_trigger(dip: float) -> None:
    measured = step_up(-70.0)
    measured[1][13] = dip
    assert play(measured).time_s[1] == pytest.approx(1.4 + 0.5)


def test_without_a_time_to_trigger_the_handover_comes_at_once() -> None:
    assert play(step_up(-70.0), HandoverParameters(time_to_trigger_s=0.0, filter_coefficient=0)).time_s[1] == 1.0


def test_of_two_that_are_ready_the_stronger_is_the_target() -> None:
    measured = [*step_up(-70.0), [-90.0] * 10 + [-65.0] * 30]
    assert play(measured).target.tolist() == [0, 2]


def test_the_filter_delays_a_step_by_its_coefficient() -> None:
    times = [
        play(step_up(-76.0), HandoverParameters(filter_coefficient=k, time_to_trigger_s=0.0)).time_s[1]
        for k in (0, 4, 8)
    ]
    # -90 dBm must rise over -77 dBm: 13 of 14 dB, when the share left falls below 1/14. Half is left after 0.2 s
    # with k = 4; three quarters with k = 8.
    assert times[0] == pytest.approx(1.0)
    assert times[1] == pytest.approx(1.0 + 0.7)
    assert times[2] == pytest.approx(1.0 + 1.8)


def test_nothing_is_reported_while_the_link_is_interrupted() -> None:
    long = HandoverParameters(filter_coefficient=0, time_to_trigger_s=0.0, interruption_range_s=(0.55, 0.55))
    back = [[-80.0] * 10 + [-80.0] * 30, [-90.0] * 10 + [-70.0] * 2 + [-90.0] * 28]
    assert play(back, long).time_s.tolist() == pytest.approx([0.0, 1.0, 1.6])


def test_chunks_make_no_difference() -> None:
    measured = np.random.default_rng(1).normal(0.0, 6.0, (4, 400)).cumsum(axis=1) * 0.2
    whole = play(measured.tolist(), chunk=1000)
    pieces = play(measured.tolist(), chunk=7)
    assert whole.handover_count() > 3
    assert np.array_equal(whole.time_s, pieces.time_s)
    assert np.array_equal(whole.target, pieces.target)


FLAT = [[-80.0] * 60, [-90.0] * 60]


def test_a_link_below_q_out_for_t310_fails_and_comes_back() -> None:
    found = play(FLAT, UNFILTERED, [20.0] * 10 + [-9.0] * 15 + [20.0] * 35)
    assert found.cause[1] == Cause.RADIO_LINK_FAILURE
    assert found.time_s[1] == pytest.approx(1.0 + 1.0)
    assert (found.source[1], found.target[1]) == (0, 0)
    assert 0.2 <= found.interruption_s[1] <= 0.5


def test_a_link_that_recovers_above_q_in_does_not_fail() -> None:
    assert play(FLAT, UNFILTERED, [20.0] * 10 + [-9.0] * 9 + [-5.0] + [-9.0] * 9 + [20.0] * 31).handover_count() == 0


def test_between_q_out_and_q_in_t310_runs_on() -> None:
    assert play(FLAT, UNFILTERED, [20.0] * 10 + [-9.0] + [-7.0] * 49).handover_count() >= 1


def test_t310_starts_only_after_n310_steps_in_a_row() -> None:
    patient = HandoverParameters(filter_coefficient=0, n310=5)
    assert play(FLAT, patient, [20.0] * 10 + [-9.0] * 50).time_s[1] == pytest.approx(1.4 + 1.0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hysteresis_db", 3.3),
        ("hysteresis_db", 16.0),
        ("offset_db", -15.5),
        ("time_to_trigger_s", 0.5),
        ("filter_coefficient", 10),
        ("interruption_range_s", (0.2, 0.1)),
        ("q_in_db", -9.0),
        ("n310", 0),
    ],
)
def test_values_that_the_standard_does_not_have_are_refused(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=field):
        HandoverParameters(**{field: value})  # type: ignore[arg-type]


def fleet(height_m: float, uavs: int = 8, duration_s: float = 200.0) -> Fleet:
    """UAVs on broken lines at 10 m/s, on the same paths at any height."""
    generator = np.random.default_rng(7)
    flights = []
    for _ in range(uavs):
        place = generator.uniform(-800.0, 800.0, (int(duration_s / 30.0), 2))
        time = np.append(0.0, np.linalg.norm(np.diff(place, axis=0), axis=1).cumsum() / 10.0)
        flights.append(Trajectory(time, np.column_stack([place, np.full(len(place), height_m)])))
    return Fleet([f"uav-{k}" for k in range(uavs)], flights)


CITY = hexagonal_grid(8, 8, 500.0)


def test_a_uav_has_the_same_handovers_alone_and_in_a_fleet() -> None:
    together = fleet(60.0, 6)
    whole = attach_a3(together, CITY, RadioParameters(), HandoverParameters(), 100.0, STEP_S, SEED)
    alone = Fleet(["uav-4"], [together.trajectory(4)])
    found = attach_a3(alone, CITY, RadioParameters(), HandoverParameters(), 100.0, STEP_S, SEED)
    own = whole.uav == 4
    assert found.handover_count() > 3
    for column in ("time_s", "source", "target", "cause", "interruption_s"):
        assert np.array_equal(getattr(whole, column)[own], getattr(found, column)), column


def test_measuring_few_cells_between_the_seconds_changes_no_a3_handover() -> None:
    radio = RadioParameters(interference_load=0.0)
    arguments = (fleet(60.0), CITY, radio, HandoverParameters(), 100.0, STEP_S, SEED)
    every, few = attach_a3(*arguments, candidates=len(CITY)), attach_a3(*arguments, candidates=8)
    assert every.handover_count() > 30
    assert np.array_equal(every.time_s, few.time_s)
    assert np.array_equal(every.target, few.target)


def test_link_quality_is_that_of_the_serving_cell() -> None:
    flying = fleet(60.0, 3)
    radio = RadioParameters()
    found = attach_a3(flying, CITY, radio, HandoverParameters(), 60.0, STEP_S, SEED)
    link = link_quality(flying, CITY, radio, found, np.arange(0.0, 60.0, 2.0), SEED)
    assert np.array_equal(link.cell, found.cell_at(link.time_s))
    assert link.rsrp_dbm.shape == (3, 30)
    assert ((link.rsrp_dbm > -120.0) & (link.rsrp_dbm < -50.0)).all()
    assert np.isfinite(link.sinr_db).all()


def flown(height_m: float, radio: RadioParameters, inter_site_distance_m: float = 500.0) -> tuple[int, float]:
    """Changes of cell and mean serving RSRP in dBm of the fleet at a height."""
    flying = fleet(height_m, 12)
    cells = hexagonal_grid(8, 8, inter_site_distance_m)
    found = attach_a3(flying, cells, radio, HandoverParameters(), 200.0, STEP_S, SEED)
    link = link_quality(flying, cells, radio, found, np.arange(0.0, 200.0, 5.0), SEED)
    return found.handover_count(), float(link.rsrp_dbm.mean())


def test_handovers_rise_with_height_under_down_tilted_antennas() -> None:
    on_the_ground = flown(1.5, RadioParameters())[0]
    in_the_air = np.mean([flown(height, RadioParameters())[0] for height in (60.0, 90.0, 120.0)])
    assert on_the_ground > 50
    assert in_the_air > 1.4 * on_the_ground


def test_it_is_the_side_lobes_that_do_it() -> None:
    isotropic = RadioParameters(antenna=None)
    assert flown(60.0, isotropic)[0] < flown(1.5, isotropic)[0]


def test_where_sites_are_far_apart_the_uav_receives_more_than_the_ground() -> None:
    above, below = (flown(height, RadioParameters(), 1000.0)[1] for height in (60.0, 1.5))
    assert 10.0 < above - below < 25.0
