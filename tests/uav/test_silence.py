import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uav import Silence

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 12)), max_size=30)


def table(items: list[tuple[int, int, int]]) -> Silence:
    columns = np.array(items, dtype=np.float64).reshape(-1, 3)
    return Silence.of(columns[:, 0], columns[:, 1], columns[:, 1] + columns[:, 2])


def silent(silence: Silence, uav: int, time: float) -> bool:
    return bool(np.any((silence.uav == uav) & (silence.start_s <= time) & (time < silence.end_s)))


@given(rows)
def test_a_union_is_silent_exactly_when_one_of_its_intervals_is(items: list[tuple[int, int, int]]) -> None:
    silence = table(items)
    union = silence.union()
    for uav in range(4):
        for time in np.arange(0, 53, 0.5):
            assert silent(union, uav, time) == silent(silence, uav, time)


@given(rows)
def test_a_union_is_sorted_and_its_intervals_neither_overlap_nor_touch(items: list[tuple[int, int, int]]) -> None:
    union = table(items).union()
    assert np.all(union.start_s < union.end_s)
    same = union.uav[1:] == union.uav[:-1]
    assert np.all(np.diff(union.uav) >= 0)
    assert np.all(union.start_s[1:][same] > union.end_s[:-1][same])


def test_joined_tables_hold_the_rows_of_all() -> None:
    both = Silence.joined([Silence.of(0, 1.0, 2.0), Silence.none(), Silence.of([1, 2], 3.0, 4.0)])
    assert both.uav.tolist() == [0, 1, 2]
    assert Silence.joined([]).uav.size == 0


def test_an_interval_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match=r"row 1: end_s = 1\.0 s is before start_s = 2\.0 s"):
        Silence.of([0, 0], [0.0, 2.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="uav = -1"):
        Silence.of(-1, 0.0, 1.0)
