"""The local frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobility import LocalFrame

MELBOURNE = LocalFrame(-37.815, 144.9631, 30.0)


@given(x=st.floats(-20_000, 20_000), y=st.floats(-20_000, 20_000), z=st.floats(0, 500))
def test_going_to_the_globe_and_back_is_the_same_place(x: float, y: float, z: float) -> None:
    back = MELBOURNE.to_local(*MELBOURNE.to_geodetic(np.array([x, y, z])))
    assert back == pytest.approx([x, y, z], abs=1e-3)


def test_x_points_east_y_north_and_a_minute_of_latitude_is_a_nautical_mile() -> None:
    north = MELBOURNE.to_local(-37.815 + 1 / 60, 144.9631, 30.0)
    east = MELBOURNE.to_local(-37.815, 144.9631 + 1 / 60, 30.0)
    assert north == pytest.approx([0.0, 1850.0, 0.0], abs=2.0)
    assert east == pytest.approx([1467.0, 0.0, 0.0], abs=3.0)


def test_height_is_the_difference_of_altitudes_however_far_away() -> None:
    assert MELBOURNE.to_local(-37.9, 145.1, 90.0)[2] == 60.0


def test_many_points_keep_their_shape() -> None:
    assert MELBOURNE.to_local(np.full((2, 5), -37.8), np.full((2, 5), 145.0), 30.0).shape == (2, 5, 3)


@pytest.mark.parametrize(
    ("latitude", "longitude", "altitude"), [(91, 0, 0), (0, 200, 0), (np.nan, 0, 0), (0, 0, np.inf)]
)
def test_an_origin_that_is_no_place_is_refused(latitude: float, longitude: float, altitude: float) -> None:
    with pytest.raises(ValueError, match=r"of the origin"):
        LocalFrame(latitude, longitude, altitude)
