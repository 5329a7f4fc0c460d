"""Cells: layouts, tables of sites, the nearest one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobility import Cells, LocalFrame, hexagonal_grid, hexagonal_rings, read_sites

MELBOURNE = LocalFrame(-37.815, 144.9631)
REAL_SITES = Path(__file__).parents[3] / "shared" / "data" / "site-optus-melbCBD.csv"
REAL_COLUMNS = {"name": "SITE_ID", "latitude_deg": "LATITUDE", "longitude_deg": "LONGITUDE"}


def neighbour_distances(cells: Cells) -> np.ndarray:
    apart = np.linalg.norm(cells.site_position_m[:, None] - cells.site_position_m[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart)


def test_a_grid_has_its_sites_the_given_distance_apart_and_is_centred() -> None:
    cells = hexagonal_grid(10, 10, 500.0, 25.0)
    apart = neighbour_distances(cells)
    assert len(cells) == 100
    assert apart.min(axis=1) == pytest.approx(500.0)
    assert (np.isclose(apart, 500.0).sum(axis=1) == 6).sum() == 64
    assert cells.site_position_m.min(axis=0) == pytest.approx(-cells.site_position_m.max(axis=0))
    assert (cells.position_m[:, 2] == 25.0).all()


@pytest.mark.parametrize(("rings", "sites"), [(0, 1), (1, 7), (2, 19), (3, 37)])
def test_rings_around_the_origin(rings: int, sites: int) -> None:
    cells = hexagonal_rings(rings, 200.0)
    assert len(cells) == sites
    assert cells.site_position_m[0].tolist() == [0.0, 0.0]
    assert np.linalg.norm(cells.site_position_m, axis=1).max() == pytest.approx(rings * 200.0)


def test_three_sectors_stand_on_one_site_and_look_three_ways() -> None:
    cells = hexagonal_rings(1, 500.0, sectors=True)
    assert len(cells) == 21
    assert cells.site.tolist() == [site for site in range(7) for _ in range(3)]
    assert cells.sector_azimuth_deg[:3].tolist() == [30.0, 150.0, 270.0]


@given(seed=st.integers(0, 2**32 - 1))
def test_the_nearest_cell_is_the_one_at_the_smallest_distance(seed: int) -> None:
    generator = np.random.default_rng(seed)
    place = generator.uniform(-1000.0, 1000.0, (20, 3))
    cells = hexagonal_grid(4, 5, 300.0)
    distances = np.linalg.norm(place[:, None, :2] - cells.position_m[None, :, :2], axis=-1)
    assert np.array_equal(cells.nearest(place), distances.argmin(axis=1))


def test_of_one_site_the_sector_that_looks_there_is_nearest() -> None:
    cells = hexagonal_rings(0, 500.0, sectors=True)
    bearing = np.deg2rad([0.0, 60.0, 120.0, 200.0, 260.0, 320.0])
    place = np.column_stack([100 * np.sin(bearing), 100 * np.cos(bearing), np.zeros(6)])
    assert cells.nearest(place).tolist() == [0, 0, 1, 1, 2, 2]


def test_the_real_sites_are_read_and_lie_around_melbourne() -> None:
    if not REAL_SITES.exists():
        pytest.skip("the table of real sites is not beside this checkout")
    cells = read_sites(REAL_SITES, MELBOURNE, REAL_COLUMNS, 25.0)
    assert len(cells) == 125
    assert np.abs(cells.site_position_m).max() < 3000.0
    assert (cells.position_m[:, 2] == 25.0).all()
    assert np.isnan(cells.sector_azimuth_deg).all()


def test_a_table_may_give_height_and_azimuth(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("id,lat,lon,h,az\na,-37.815,144.9631,40,120\nb,-37.816,144.9631,30,\n", encoding="utf-8")
    columns = {
        "name": "id",
        "latitude_deg": "lat",
        "longitude_deg": "lon",
        "antenna_height_m": "h",
        "sector_azimuth_deg": "az",
    }
    cells = read_sites(path, MELBOURNE, columns)
    assert cells.names == ("a", "b")
    assert cells.position_m[:, 2].tolist() == [40.0, 30.0]
    assert cells.sector_azimuth_deg[0] == 120.0
    assert np.isnan(cells.sector_azimuth_deg[1])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the file is empty"),
        ("name,latitude_deg\n", "line 1: no column 'longitude_deg'"),
        ("name,latitude_deg,longitude_deg\n", "no sites below the header"),
        ("name,latitude_deg,longitude_deg\na,x,1\n", "line 2: column 'latitude_deg' is 'x', which is not a number"),
        (
            "name,latitude_deg,longitude_deg\na,95,1\n",
            "line 2: column 'latitude_deg' is 95; it must be a number from -90",
        ),
        ("name,latitude_deg,longitude_deg\na,nan,1\n", "line 2: column 'latitude_deg' is nan"),
        ("name,latitude_deg,longitude_deg\na,1,1\na,2,2\n", "line 3: site 'a' occurs twice"),
        ("name,latitude_deg,longitude_deg\na,1\n", "line 2: 2 cells, but the header names 3"),
        ("name,latitude_deg,longitude_deg\n,1,1\n", "line 2: column 'name' is empty"),
        ('name,latitude_deg,longitude_deg\n"a,1,1\n', "not CSV"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"sites\.csv") as error:
        read_sites(path, MELBOURNE)
    assert complaint in str(error.value)


def test_a_binary_or_missing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_bytes(b"\xff\xfe\x00name")
    with pytest.raises(ValueError, match="not a UTF-8 text file"):
        read_sites(tmp_path / "sites.csv", MELBOURNE)
    with pytest.raises(ValueError, match="no such file"):
        read_sites(tmp_path / "none.csv", MELBOURNE)


@pytest.mark.parametrize(
    ("names", "height", "complaint"),
    [((), 25.0, "no cells"), (("a", "a"), 25.0, "occurs twice"), (("a", "b"), 0.0, "must be above 0")],
)
def test_cells_that_cannot_be_are_refused(names: tuple[str, ...], height: float, complaint: str) -> None:
    position = np.full((len(names), 3), height)
    with pytest.raises(ValueError, match=complaint):
        Cells(names, position, np.full(len(names), np.nan))
