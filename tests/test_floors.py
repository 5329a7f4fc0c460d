"""The floors of the house: imports point down only, and the lowest floor needs little but NumPy."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Which of our packages each package may import beside itself; those on floor 0 import none of the others.
FLOOR_0 = frozenset({"pam", "mobility", "uav", "mot"})
MAY_IMPORT = dict.fromkeys(FLOOR_0, frozenset[str]()) | {
    "scenarios": FLOOR_0,
    "sim": FLOOR_0 | {"scenarios"},
    "executor": frozenset({"pam"}),
    "hil": frozenset({"sim", "executor", "uav", "mot", "scenarios"}),
    "skyhop": FLOOR_0 | {"scenarios", "sim", "executor", "hil"},
}
# Libraries of the lowest floor; the higher floors take whatever the project depends on.
FLOOR_0_LIBRARIES = {name: frozenset({"numpy", "scipy"}) for name in FLOOR_0}
FLOOR_0_LIBRARIES["mobility"] |= {"pyulog", "gpxpy", "pymap3d"}
HEAVY = frozenset({"torch", "ultralytics", "mavsdk", "zenoh"})


def imported(source: str) -> Iterator[str]:
    """Top-level names of everything a module imports, also inside functions; relative imports stay at home."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module.partition(".")[0]


def is_wrong(package: str, name: str) -> bool:
    if name in MAY_IMPORT:
        return name != package and name not in MAY_IMPORT[package]
    if name in HEAVY:
        return True
    return package in FLOOR_0 and name not in FLOOR_0_LIBRARIES[package] | sys.stdlib_module_names


def wrong_imports(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root).as_posix()} imports {name}"
        for package in MAY_IMPORT
        for path in sorted((root / package).rglob("*.py"))
        for name in imported(path.read_text(encoding="utf-8"))
        if is_wrong(package, name)
    ]


def test_imports_point_down_only() -> None:
    assert wrong_imports(ROOT) == []


def test_every_package_that_is_shipped_has_its_floor() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(shipped) == sorted(name for name in MAY_IMPORT if (ROOT / name / "__init__.py").is_file())


@pytest.mark.parametrize(
    ("package", "line", "name"),
    [
        ("pam", "import sim", "sim"),
        ("pam", "from mobility.cells import Cells", "mobility"),
        ("uav", "def late() -> None:\n    from mot import profile", "mot"),
        ("mot", "import os, polars.io", "polars"),
        ("uav", "import pyulog", "pyulog"),
        ("scenarios", "from sim.run import Run", "sim"),
        ("sim", "import skyhop.cli", "skyhop"),
        ("executor", "import sim", "sim"),
        ("hil", "from pam import plan", "pam"),
        ("skyhop", "import torch.nn", "torch"),
        ("mobility", "from ultralytics import YOLO", "ultralytics"),
    ],
)
def test_an_import_that_points_the_wrong_way_is_found(tmp_path: Path, package: str, line: str, name: str) -> None:
    folder = tmp_path / package / "inner"
    folder.mkdir(parents=True)
    (folder / "module.py").write_text(f"import json\n{line}\n", encoding="utf-8")
    assert wrong_imports(tmp_path) == [f"{package}/inner/module.py imports {name}"]


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("pam", "from pam import model\nimport scipy.stats\nfrom . import planner"),
        ("mobility", "import pyulog, gpxpy\nfrom pymap3d import enu2geodetic"),
        ("sim", "from scenarios import load\nimport uav, polars"),
        ("skyhop", "import hil, executor, pam, typer"),
    ],
)
def test_an_import_that_points_down_is_fine(tmp_path: Path, package: str, line: str) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "module.py").write_text(line, encoding="utf-8")
    assert wrong_imports(tmp_path) == []
