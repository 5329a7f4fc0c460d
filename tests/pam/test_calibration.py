"""The calibration: laws that are known are found again, and the lab's laws follow from the lab's runs."""

from pathlib import Path

import pytest

from pam.calibration import DURATION_COLUMNS, STATE_COLUMN, LinearLaw, fit_linear_laws

LAB = Path(__file__).parents[3] / "shared" / "data" / "pam_calibration_lab.csv"


def written(path: Path, rows: list[tuple[float, float]], columns: tuple[str, ...] = DURATION_COLUMNS) -> Path:
    lines = [",".join((STATE_COLUMN, *columns))]
    lines += [",".join([str(state)] + [str(duration)] * len(columns)) for state, duration in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_straight_line_is_found_again_in_spite_of_outliers(tmp_path: Path) -> None:
    sizes = (1e6, 1e7, 1e8, 1e9)
    rows = [(size, 0.1 + 2e-9 * size + late) for size in sizes for late in (0.0, 0.0, 0.0, 5.0)]
    for law in fit_linear_laws(written(tmp_path / "runs.csv", rows)).values():
        assert law.intercept_s == pytest.approx(0.1)
        assert law.slope_s_per_byte == pytest.approx(2e-9)
        assert law.r_squared == pytest.approx(1.0)


def test_a_law_that_does_not_hold_has_a_low_r_squared(tmp_path: Path) -> None:
    rows = [(1e6, 0.1), (2e6, 0.9), (3e6, 0.1), (4e6, 0.9)]
    assert fit_linear_laws(written(tmp_path / "runs.csv", rows))["runc_restore"].r_squared < 0.5


@pytest.mark.skipif(not LAB.exists(), reason="the lab's calibration runs lie beside the checkout, not in it")
def test_the_laws_of_the_lab_follow_from_its_runs() -> None:
    published = {
        "podman_checkpoint": LinearLaw(0.252, 2.71e-9, 0.999),
        "runc_checkpoint": LinearLaw(0.179, 0.510e-9, 0.989),
        "criu_frozen_time": LinearLaw(0.066, 0.514e-9, 0.994),
        "criu_memdump_time": LinearLaw(-0.0015, 0.417e-9, 0.999),
        "criu_memwrite_time": LinearLaw(-0.0018, 0.355e-9, 0.999),
        "podman_restore": LinearLaw(0.162, 1.45e-9, 0.995),
        "runc_restore": LinearLaw(0.124, 0.615e-9, 0.983),
        "criu_restore_time": LinearLaw(0.089, 0.581e-9, 0.991),
    }
    found = fit_linear_laws(LAB)
    for name, law in published.items():
        assert found[name].intercept_s == pytest.approx(law.intercept_s, abs=0.016)
        assert found[name].slope_s_per_byte == pytest.approx(law.slope_s_per_byte, rel=0.06)
        assert found[name].r_squared == pytest.approx(law.r_squared, abs=1e-3)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.csv", [(1e6, 0.1)], DURATION_COLUMNS[1:])
    with pytest.raises(ValueError, match="column 'podman_checkpoint' is missing"):
        fit_linear_laws(path)


def test_a_bad_cell_is_named_by_line_and_column(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.csv", [(1e6, 0.1)])
    path.write_text(path.read_text(encoding="utf-8").replace("1000000.0", "1 MB"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2: M_bytes is '1 MB'; it must be a number \(bytes\)"):
        fit_linear_laws(path)


def test_two_sizes_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 state sizes"):
        fit_linear_laws(written(tmp_path / "runs.csv", [(1e6, 0.1), (1e7, 0.2)]))
