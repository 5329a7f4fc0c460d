"""What a tracking service weighs."""

import pytest

from mot import (
    MEASURED,
    MOSE_2025,
    TABLE_IV_STATE_BYTES,
    YoloSize,
    fitted_state_bytes,
    normalised_dirty_page_rate,
)
from pam.model import downtime, least_bandwidth


@pytest.mark.parametrize("size", YoloSize)
def test_the_measured_state_grows_by_8_5_mb_per_million_parameters(size: YoloSize) -> None:
    profile = MEASURED[320][size]
    assert profile.state_bytes == pytest.approx(fitted_state_bytes(profile.parameters_millions), rel=0.01)


def test_a_larger_model_takes_longer_and_a_larger_picture_too() -> None:
    for px in (320, 640):
        times = [MEASURED[px][size].inference_s or 0.0 for size in YoloSize]
        assert times == sorted(times)
    assert MEASURED[320][YoloSize.N].inference_s == 0.025
    assert MEASURED[640][YoloSize.X].inference_s == 1.35


def test_the_measured_dirty_rate_is_the_share_of_the_state_touched_in_a_period() -> None:
    assert MEASURED[320][YoloSize.N].dirty_page_rate == pytest.approx(16.5 / 275, rel=1e-3)
    assert normalised_dirty_page_rate(4096.0, 1e6) == 0.0
    assert normalised_dirty_page_rate(1e6, 1e6) == 1.0
    with pytest.raises(ValueError, match="dirty_bytes must lie between one page"):
        normalised_dirty_page_rate(2e6, 1e6)


def test_the_paper_gives_its_dirty_rate_and_no_state_per_size() -> None:
    assert {profile.dirty_page_rate for profile in MOSE_2025.values()} == {0.66}
    assert [profile.parameters_millions for profile in MOSE_2025.values()] == [3.2, 11.2, 25.9, 43.7, 68.2]
    assert {profile.state_bytes for profile in MOSE_2025.values()} == {None}


@pytest.mark.parametrize(("target_s", "bandwidth_bps"), [(15.0, 651.60e6), (60.0, 94.20e6)])
def test_the_state_of_table_iv_explains_both_bandwidths(target_s: float, bandwidth_bps: float) -> None:
    assert least_bandwidth(TABLE_IV_STATE_BYTES, 1.0, target_s) == pytest.approx(bandwidth_bps, rel=0.005)


def test_the_state_of_table_iv_bounds_the_measured_cold_migration() -> None:
    measured_s = 11.83
    assert measured_s < downtime(TABLE_IV_STATE_BYTES, 1.0, 1e9) < 1.1 * measured_s


def test_every_profile_says_where_it_comes_from() -> None:
    for profiles in (*MEASURED.values(), MOSE_2025):
        assert all(len(profile.origin) > 20 for profile in profiles.values())


def test_a_network_has_no_negative_size() -> None:
    with pytest.raises(ValueError, match="parameters_millions must be at least 0"):
        fitted_state_bytes(-1.0)
