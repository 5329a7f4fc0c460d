"""The radio channel: antennas, shadowing that belongs to places, RSRP and SINR."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobility import (
    Antenna,
    Cells,
    Channel,
    RadioParameters,
    Scenario,
    hexagonal_grid,
    hexagonal_rings,
    los_probability,
)
from mobility.antenna import GainTable, horizontal_gain_db, vertical_gain_db
from mobility.radio import sinr_db, to_mw
from mobility.shadowing import CorrelatedField

SEED = np.random.SeedSequence(11)


def gain(antenna: Antenna, elevation_deg: float, offset_deg: float = 0.0) -> float:
    vertical = vertical_gain_db(antenna, np.sin(np.deg2rad(np.array([elevation_deg]))))
    return float(vertical[0] + horizontal_gain_db(np.cos(np.deg2rad(np.array([offset_deg]))))[0])


def test_one_element_has_the_pattern_of_table_7_3_1() -> None:
    element = Antenna(downtilt_deg=0.0, vertical_elements=1)
    assert gain(element, 0.0) == pytest.approx(8.0)
    assert gain(element, 32.5) == pytest.approx(5.0)
    assert gain(element, 0.0, 32.5) == pytest.approx(5.0)
    assert gain(element, 0.0, 180.0) == pytest.approx(-22.0)


def test_a_column_is_strongest_at_its_down_tilt_and_much_weaker_above_the_horizon() -> None:
    column = Antenna(downtilt_deg=10.0, vertical_elements=8)
    elevations = np.arange(-90.0, 90.0, 0.5)
    gains = vertical_gain_db(column, np.sin(np.deg2rad(elevations)))
    assert elevations[gains.argmax()] == pytest.approx(-10.0, abs=0.5)
    assert gains.max() == pytest.approx(8.0 + 10.0 * np.log10(8.0), abs=0.5)
    assert gains[elevations > 1.0].max() < gains.max() - 12.0
    assert gains.min() == pytest.approx(8.0 + 10.0 * np.log10(8.0) - 30.0)


def test_an_antenna_that_looks_all_round_radiates_the_same_power_as_a_sector() -> None:
    table = GainTable(Antenna())
    bearing = np.deg2rad(np.arange(0.0, 360.0)).astype(np.float32)
    level = np.full(bearing.shape, np.sin(np.deg2rad(-12.0)), dtype=np.float32)
    sector = table.gain_db(level, np.cos(bearing))
    around = table.gain_db(level, np.full_like(bearing, np.nan))
    assert np.ptp(around) == 0.0
    assert to_mw(sector).mean() == pytest.approx(to_mw(around).mean(), rel=0.01)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_a_field_has_unit_variance_and_the_autocorrelation_asked_for(power: float) -> None:
    field = CorrelatedField(np.random.default_rng(4), power)
    generator = np.random.default_rng(5)
    u, v = generator.uniform(-300.0, 300.0, (2, 200_000)).astype(np.float32)
    here = field.read(u, v)
    assert here.mean() == pytest.approx(0.0, abs=0.02)
    assert here.std() == pytest.approx(1.0, abs=0.03)
    for apart in (0.25, 0.5, 1.0, 2.0):
        there = field.read(u + np.float32(0.6 * apart), v - np.float32(0.8 * apart))
        assert np.corrcoef(here, there)[0, 1] == pytest.approx(np.exp(-(apart**power)), abs=0.06), apart


def still(place: list[float], steps: int = 50) -> np.ndarray:
    return np.tile(np.array(place, dtype=float), (1, steps, 1))


def test_a_uav_that_stands_still_sees_nothing_change() -> None:
    channel = Channel(hexagonal_grid(4, 4, 500.0, sectors=True), RadioParameters(), SEED)
    for height in (1.5, 60.0):
        assert np.ptp(channel.rsrp_dbm(still([123.0, -45.0, height])), axis=1).max() == 0.0


def test_a_place_has_its_rsrp_whoever_asks_and_however() -> None:
    cells = hexagonal_grid(4, 4, 500.0, sectors=True)
    place = np.random.default_rng(1).uniform([-900, -900, 1.5], [900, 900, 120], (40, 30, 3))
    whole = Channel(cells, RadioParameters(), SEED).rsrp_dbm(place)
    again = Channel(cells, RadioParameters(), SEED)
    assert np.array_equal(again.rsrp_dbm(place[7:9, 10:11])[:, :, 0], whole[:, 10:11, 7])
    chosen = np.array([[3] * 40, [40] * 40])
    assert np.array_equal(again.rsrp_dbm(place, chosen), whole[[3, 40]])


def test_another_seed_is_another_city() -> None:
    cells = hexagonal_grid(4, 4, 500.0)
    place = still([123.0, -45.0, 1.5], 1)
    first, second = (Channel(cells, RadioParameters(), np.random.SeedSequence(k)).rsrp_dbm(place) for k in (1, 2))
    assert np.abs(first - second).max() > 1.0


def samples(height: float) -> np.ndarray:
    return np.random.default_rng(2).uniform([-3000, -3000, height], [3000, 3000, height], (4000, 1, 3))


def test_sight_is_as_frequent_as_its_probability() -> None:
    cells = Cells(("a",), np.array([[0.0, 0.0, 25.0]]), np.array([np.nan]))
    circle = np.linspace(0.0, 2.0 * np.pi, 400)
    place = np.stack([300 * np.cos(circle), 300 * np.sin(circle), np.full(400, 30.0)], axis=-1)[:, None]
    seen = [
        Channel(cells, RadioParameters(), np.random.SeedSequence(seed)).line_of_sight(place).mean()
        for seed in range(12)
    ]
    expected = los_probability(Scenario.UMA, np.array([300.0]), np.array([30.0]))[0]
    assert 0.3 < expected < 0.9
    assert np.mean(seen) == pytest.approx(expected, abs=0.08)


def test_sectors_of_one_site_share_their_shadowing() -> None:
    cells = hexagonal_rings(0, 500.0, sectors=True)
    isotropic = Channel(cells, RadioParameters(antenna=None), SEED).rsrp_dbm(samples(60.0))
    assert np.ptp(isotropic, axis=0).max() == 0.0


def test_shadowing_spreads_as_its_sigma_and_correlates_between_sites() -> None:
    cells = Cells(("a", "b"), np.array([[0.0, 0.0, 25.0], [1.0, 0.0, 25.0]]), np.full(2, np.nan))
    radio = RadioParameters(antenna=None, site_correlation=0.5)
    place = samples(150.0)
    rsrp = Channel(cells, radio, SEED).rsrp_dbm(place)[:, 0].astype(float)
    distance = np.linalg.norm(place[:, 0] - [0.0, 0.0, 25.0], axis=-1)
    shadow = rsrp - radio.element_power_dbm + 28.0 + 22.0 * np.log10(distance) + 20.0 * np.log10(3.5)
    assert shadow[0].std() == pytest.approx(4.64 * np.exp(-0.0066 * 150.0), rel=0.08)
    assert np.corrcoef(shadow)[0, 1] == pytest.approx(0.5, abs=0.1)


def test_sinr_falls_with_load_and_is_limited_by_noise_without_it() -> None:
    full, none = RadioParameters(interference_load=1.0), RadioParameters(interference_load=0.0)
    assert sinr_db(1.0, 2.0, full) == pytest.approx(0.0, abs=1e-6)
    noise_dbm = -174.0 + 10.0 * np.log10(30e3) + 9.0
    assert sinr_db(1e-9, 1.0, none) == pytest.approx(-90.0 - noise_dbm)


@given(height=st.floats(0.0, 500.0), east=st.floats(-20_000, 20_000), scenario=st.sampled_from(Scenario))
def test_rsrp_is_finite_everywhere(height: float, east: float, scenario: Scenario) -> None:
    channel = CHANNELS[scenario]
    assert np.isfinite(channel.rsrp_dbm(still([east, 0.0, height], 1))).all()


CHANNELS = {
    scenario: Channel(hexagonal_rings(1, 500.0, sectors=True), RadioParameters(scenario=scenario), SEED)
    for scenario in Scenario
}


@pytest.mark.parametrize(
    ("field", "value"), [("frequency_ghz", 0.0), ("interference_load", 1.5), ("resource_blocks", 0)]
)
def test_parameters_out_of_range_are_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}"):
        RadioParameters(**{field: value})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="vertical_elements is 0"):
        Antenna(vertical_elements=0)
