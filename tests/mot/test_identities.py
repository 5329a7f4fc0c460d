"""How many objects keep their identity over a gap in the video."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mot import COASTING, NOT_COASTING, IdentitySurvival, ReadingPolicy, expected_identities_kept, frame_flow

GAPS = st.floats(0, 1e9)


def test_the_measured_pauses_are_met() -> None:
    assert expected_identities_kept([29, 23], [1.0, 3.0], COASTING) == pytest.approx([28.0, 5.0])
    assert expected_identities_kept(29, 1.0, NOT_COASTING) < 0.5


def test_no_gap_loses_no_identity() -> None:
    assert COASTING.probability(0.0) == NOT_COASTING.probability(0.0) == 1.0


def test_queued_frames_keep_all_identities_and_dropped_ones_do_not() -> None:
    def kept(policy: ReadingPolicy, survival: IdentitySurvival) -> float:
        flow = frame_flow([[5.0]], [[8.0]], duration_s=60.0, frame_rate_hz=10.0, inference_s=0.05, policy=policy)
        return float(expected_identities_kept(23, flow.outage_lost / 10.0, survival)[0, 0])

    assert kept(ReadingPolicy.QUEUE, NOT_COASTING) == 23.0
    assert kept(ReadingPolicy.NEWEST, COASTING) == pytest.approx(5.0, abs=1.0)
    assert kept(ReadingPolicy.NEWEST, NOT_COASTING) == pytest.approx(0.0, abs=1e-9)


@given(GAPS, GAPS)
def test_a_longer_gap_never_keeps_more_and_coasting_never_keeps_less(one_s: float, other_s: float) -> None:
    short, long = sorted((one_s, other_s))
    for survival in (COASTING, NOT_COASTING):
        assert 0.0 <= survival.probability(long) <= survival.probability(short) <= 1.0
    assert NOT_COASTING.probability(short) <= COASTING.probability(short)


def test_arrays_of_any_shape_are_answered_in_kind() -> None:
    assert expected_identities_kept(np.ones((2, 1)), np.zeros((1, 3)), COASTING).shape == (2, 3)


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"gap_s must be at least 0 s; got -1\.0 s"):
        COASTING.probability([0.0, -1.0])
    with pytest.raises(ValueError, match="identities must be at least 0"):
        expected_identities_kept(-3, 1.0, COASTING)
