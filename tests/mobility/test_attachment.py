"""Attachments: tables, validation, nearest cell."""

from pathlib import Path

import numpy as np
import pytest

from mobility import Attachment, Cause, Fleet, Trajectory, attach_nearest, attach_table, hexagonal_grid, read_attachment
from mobility.attachment import AttachmentLog

SEED = np.random.SeedSequence(5)


def flight_along_a_row(names: tuple[str, ...] = ("uav-0",)) -> Fleet:
    """100 s at 10 m/s eastward over a row of cells 200 m apart, which stand at -400, -200, 0, 200 and 400 m."""
    line = Trajectory(np.array([0.0, 100.0]), np.array([[-500.0, 0, 50], [500, 0, 50]]))
    return Fleet(names, [line] * len(names))


def test_the_nearest_cell_changes_half_way_between_two_sites() -> None:
    found = attach_nearest(flight_along_a_row(), hexagonal_grid(1, 5, 200.0), 100.0, 0.1, SEED)
    assert found.target.tolist() == [0, 1, 2, 3, 4]
    assert found.source.tolist() == [-1, 0, 1, 2, 3]
    assert found.time_s == pytest.approx([0.0, 20.0, 40.0, 60.0, 80.0], abs=0.11)
    assert found.cause.tolist() == [Cause.INITIAL] + [Cause.NEAREST] * 4
    assert ((found.interruption_s[1:] >= 0.05) & (found.interruption_s[1:] <= 0.15)).all()
    assert found.handover_count() == 4


def test_hysteresis_delays_the_change_by_half_of_it() -> None:
    found = attach_nearest(flight_along_a_row(), hexagonal_grid(1, 5, 200.0), 100.0, 0.1, SEED, hysteresis_m=40.0)
    assert found.time_s[1:] == pytest.approx([22.0, 42.0, 62.0, 82.0], abs=0.11)


def test_a_uav_draws_the_same_interruptions_whatever_the_rest_of_the_fleet() -> None:
    cells = hexagonal_grid(1, 5, 200.0)
    alone = attach_nearest(flight_along_a_row(("b",)), cells, 100.0, 0.1, SEED)
    among = attach_nearest(flight_along_a_row(("a", "b", "c")), cells, 100.0, 0.1, SEED)
    assert np.array_equal(among.interruption_s[among.uav == 1], alone.interruption_s)
    assert not np.array_equal(among.interruption_s[among.uav == 0], alone.interruption_s)


def test_the_cell_at_a_time_is_that_of_the_last_change() -> None:
    found = attach_table([0.0, 10.0, 5.0, 5.0], [0, 0, 1, 0], [2, 1, 0, 2], 0.1, 2)
    assert found.cell_at([0.0, 9.9, 10.0, 99.0]).tolist() == [[2, 2, 1, 1], [0, 0, 0, 0]]
    assert len(found) == 3
    assert found.initial_cell.tolist() == [2, 0]
    assert found.handover_count(0) == 1


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_names_becomes_an_attachment(tmp_path: Path) -> None:
    path = write(tmp_path / "cells.csv", "time_s,uav,cell\n0,a,east\n12.5,a,west\n3,b,west\n")
    found = read_attachment(path, ("a", "b"), ("west", "east"), 0.08)
    assert found.time_s.tolist() == [0.0, 3.0, 12.5]
    assert found.target.tolist() == [1, 0, 0]
    assert found.interruption_s.tolist() == [0.0, 0.0, 0.08]
    assert found.cause.tolist() == [Cause.INITIAL, Cause.INITIAL, Cause.TABLE]


def test_a_table_may_say_how_long_each_interruption_is(tmp_path: Path) -> None:
    path = write(tmp_path / "cells.csv", "time_s,uav,cell,interruption_s\n0,a,x,0\n1,a,y,0.25\n")
    assert read_attachment(path, ("a",), ("x", "y")).interruption_s.tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("0,c,x\n", "line 2: no UAV is named 'c'"),
        ("0,a,z\n", "line 2: no cell is named 'z'"),
        ("0,a,x\n0,a,y\n0,b,x\n", "line 3: UAV 'a' has two cells at 0 s"),
        ("-1,a,x\n", "line 2: column 'time_s' is -1"),
        ("soon,a,x\n", "line 2: column 'time_s' is 'soon', which is not a number"),
        ("0,a,x\n", "UAV 'b' has no line"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(tmp_path: Path, lines: str, complaint: str) -> None:
    path = write(tmp_path / "cells.csv", "time_s,uav,cell\n" + lines)
    with pytest.raises(ValueError, match=r"cells\.csv") as error:
        read_attachment(path, ("a", "b"), ("x", "y"))
    assert complaint in str(error.value)


def test_a_uav_has_one_cell_at_a_time_and_at_least_one() -> None:
    with pytest.raises(ValueError, match="two lines at 1 s"):
        attach_table([0.0, 1.0, 1.0], [0, 0, 0], [0, 1, 2], 0.0, 1)
    with pytest.raises(ValueError, match="UAV 1 has no line"):
        attach_table([0.0], [0], [0], 0.0, 2)


def attachment(lines: list[tuple[float, int, int, int, int]]) -> Attachment:
    log = AttachmentLog()
    for time, uav, source, target, cause in lines:
        log.add(time, uav, source, target, cause, 0.0)
    return log.finish()


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([(0.0, 0, -1, 3, 0), (1.0, 0, 2, 4, 1)], "without being there"),
        ([(0.0, 0, -1, 3, 0), (0.0, 1, -1, 3, 1)], "INITIAL"),
        ([(0.0, 0, -1, 3, 0), (1.0, 1, 3, 4, 1)], "INITIAL"),
        ([(0.0, 0, 2, 3, 0)], "INITIAL with source -1"),
        ([(0.0, 1, -1, 3, 0)], "one INITIAL line"),
        ([(float("nan"), 0, -1, 3, 0)], "must be finite"),
    ],
)
def test_an_attachment_that_contradicts_itself_is_refused(
    lines: list[tuple[float, int, int, int, int]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        attachment(lines)


def test_lines_come_out_sorted_by_time_then_uav() -> None:
    found = attachment([(1.0, 1, 5, 6, 1), (0.0, 1, -1, 5, 0), (0.0, 0, -1, 4, 0), (1.0, 0, 4, 5, 1)])
    assert found.uav.tolist() == [0, 1, 0, 1]
    assert found.time_s.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_a_clock_that_does_not_run_is_refused() -> None:
    with pytest.raises(ValueError, match=r"step_s is 0"):
        attach_nearest(flight_along_a_row(), hexagonal_grid(1, 5, 200.0), 100.0, 0.0, SEED)
