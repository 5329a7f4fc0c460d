"""The cells UAVs fly over: where their antennas stand and which way they look."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mobility.frame import LocalFrame
from mobility.table import read_table

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

THREE_SECTORS_DEG = (30.0, 150.0, 270.0)
SITE_COLUMNS: Mapping[str, str] = {"name": "name", "latitude_deg": "latitude_deg", "longitude_deg": "longitude_deg"}


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells as arrays: `names` (C), `position_m` (C, 3) of the antennas, `sector_azimuth_deg` (C,).

    The height is the antenna's above ground. Azimuths run clockwise from north; NaN is an antenna that looks all
    round. Cells at one horizontal position stand on one site. `site` (C,) is the index of each cell's site, in order
    of first appearance; `site_position_m` (S, 2) where the sites stand. Raises ValueError on arrays that do not match.
    """

    names: tuple[str, ...]
    position_m: NDArray[np.float64]
    sector_azimuth_deg: NDArray[np.float64]
    site: NDArray[np.int64] = field(init=False)
    site_position_m: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        position = np.array(self.position_m, dtype=np.float64)
        azimuth = np.array(self.sector_azimuth_deg, dtype=np.float64)
        if not names:
            raise ValueError("there are no cells; at least one is needed")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"cell name {twice!r} occurs twice; names must be unique")
        if position.shape != (len(names), 3) or azimuth.shape != (len(names),):
            raise ValueError(
                f"{len(names)} cells need position_m ({len(names)}, 3) and sector_azimuth_deg ({len(names)},); "
                f"got {position.shape} and {azimuth.shape}"
            )
        if not np.isfinite(position).all() or np.isinf(azimuth).any():
            raise ValueError("a cell has a position or azimuth that is not a finite number")
        if (position[:, 2] <= 0.0).any():
            worst = int(np.argmin(position[:, 2]))
            raise ValueError(f"the antenna of cell {names[worst]!r} is at {position[worst, 2]} m; it must be above 0")
        _, first, inverse = np.unique(position[:, :2], axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "position_m", position)
        object.__setattr__(self, "sector_azimuth_deg", azimuth)
        object.__setattr__(self, "site", rank[inverse.reshape(-1)].astype(np.int64))
        object.__setattr__(self, "site_position_m", position[first[order], :2])

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _tree(self) -> "cKDTree":
        # SciPy takes 40 MiB: imported where it is used, a run whose attachment is given goes without.
        from scipy.spatial import cKDTree

        return cKDTree(self.site_position_m)

    def nearest(self, position_m: ArrayLike) -> NDArray[np.int64]:
        """Index (...) of the cell nearest to each position (..., 3), by horizontal distance.

        Of the sectors of the nearest site it is the one whose azimuth is closest to the direction of the position.
        """
        position = np.asarray(position_m, np.float64)
        flat = position.reshape(-1, 3)
        _, site = self._tree.query(flat[:, :2])
        offset = flat[:, :2] - self.site_position_m[site]
        bearing = np.arctan2(offset[:, 0], offset[:, 1])
        best = np.full(site.shape, -1, dtype=np.int64)
        best_alignment = np.full(site.shape, -np.inf)
        for cell_of_site in self._sectors():
            cell = cell_of_site[site]
            azimuth = np.deg2rad(np.nan_to_num(self.sector_azimuth_deg[cell]))
            alignment = np.where(cell >= 0, np.cos(bearing - azimuth), -np.inf)
            better = alignment > best_alignment
            best = np.where(better, cell, best)
            best_alignment = np.where(better, alignment, best_alignment)
        return best.reshape(position.shape[:-1])

    def _sectors(self) -> NDArray[np.int64]:
        """Cell index (sectors, S) of the first, second ... cell of every site; -1 where a site has no more."""
        counts = np.bincount(self.site)
        table = np.full((counts.max(), counts.size), -1, dtype=np.int64)
        filled = np.zeros(counts.size, dtype=np.int64)
        for cell, site in enumerate(self.site):
            table[filled[site], site] = cell
            filled[site] += 1
        return table


def hexagonal_grid(
    rows: int, columns: int, inter_site_distance_m: float, antenna_height_m: float = 25.0, *, sectors: bool = False
) -> Cells:
    """`rows` x `columns` sites on a hexagonal lattice centred on the origin.

    Sites in a row stand `inter_site_distance_m` apart from west to east; every other row is shifted by half of it.
    With `sectors` each site has three cells, looking at 30, 150 and 270 degrees. Raises ValueError on sizes below 1.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a grid of {rows} x {columns} sites is empty; rows and columns must be at least 1")
    row, column = np.divmod(np.arange(rows * columns), columns)
    lattice = np.stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)], axis=-1)
    lattice -= (lattice.min(axis=0) + lattice.max(axis=0)) / 2.0
    return _sites_to_cells(lattice, inter_site_distance_m, antenna_height_m, sectors)


def hexagonal_rings(
    rings: int, inter_site_distance_m: float, antenna_height_m: float = 25.0, *, sectors: bool = False
) -> Cells:
    """A site at the origin and `rings` rings of sites around it: 1, 7, 19, 37, ... sites; else as `hexagonal_grid`."""
    if rings < 0:
        raise ValueError(f"rings is {rings}; it must be 0 or more")
    axial = [(q, r) for r in range(-rings, rings + 1) for q in range(-rings, rings + 1) if abs(q + r) <= rings]
    # Inner rings first, so that the site at the origin is site 0 whatever the number of rings.
    axial.sort(key=lambda qr: (max(abs(qr[0]), abs(qr[1]), abs(qr[0] + qr[1])), qr[1], qr[0]))
    q, r = np.array(axial, dtype=np.float64).T
    return _sites_to_cells(
        np.stack([q + 0.5 * r, r * np.sqrt(0.75)], axis=-1), inter_site_distance_m, antenna_height_m, sectors
    )


def _sites_to_cells(
    lattice: NDArray[np.float64], inter_site_distance_m: float, antenna_height_m: float, sectors: bool
) -> Cells:
    if not inter_site_distance_m > 0.0:
        raise ValueError(f"inter_site_distance_m is {inter_site_distance_m} m; it must be above 0")
    sites = np.column_stack([lattice * inter_site_distance_m, np.full(len(lattice), antenna_height_m)])
    digits = len(str(len(sites) - 1))
    gnbs = [f"gnb-{index:0{digits}d}" for index in range(len(sites))]
    if not sectors:
        return Cells(tuple(gnbs), sites, np.full(len(sites), np.nan))
    names = tuple(f"{gnb}-{sector}" for gnb in gnbs for sector in range(len(THREE_SECTORS_DEG)))
    return Cells(names, np.repeat(sites, len(THREE_SECTORS_DEG), axis=0), np.tile(THREE_SECTORS_DEG, len(sites)))


def read_sites(
    path: str | Path,
    frame: LocalFrame,
    columns: Mapping[str, str] = SITE_COLUMNS,
    antenna_height_m: float = 25.0,
    *,
    sectors: bool = False,
) -> Cells:
    """Cells from a CSV file of sites, one a line.

    `columns` maps `name`, `latitude_deg`, `longitude_deg` and, if the file has them, `antenna_height_m` and
    `sector_azimuth_deg` (empty: all round) to the file's column names. `antenna_height_m` in metres above ground holds
    where no such column is mapped. With `sectors` every line becomes three cells. Raises ValueError naming file, line
    and column.
    """
    known = {*SITE_COLUMNS, "antenna_height_m", "sector_azimuth_deg"}
    unknown = sorted(set(columns) - known)
    missing = sorted(set(SITE_COLUMNS) - set(columns))
    if unknown or missing:
        raise ValueError(f"columns must map {', '.join(sorted(SITE_COLUMNS))}; unknown {unknown}, missing {missing}")
    if sectors and "sector_azimuth_deg" in columns:
        raise ValueError("sectors and a column for sector_azimuth_deg exclude each other")
    path = Path(path)
    names: list[str] = []
    places: list[tuple[float, float, float]] = []
    azimuths: list[float] = []
    for row in read_table(path, list(columns.values())):
        name = row.text(columns["name"])
        if name in names:
            raise row.error(f"site {name!r} occurs twice; names must be unique")
        height = (
            row.number(columns["antenna_height_m"], 0.1, 1000.0) if "antenna_height_m" in columns else antenna_height_m
        )
        azimuth = np.nan
        if "sector_azimuth_deg" in columns and not row.empty(columns["sector_azimuth_deg"]):
            azimuth = row.number(columns["sector_azimuth_deg"], -360.0, 360.0)
        names.append(name)
        places.append(
            (row.number(columns["latitude_deg"], -90, 90), row.number(columns["longitude_deg"], -180, 180), height)
        )
        azimuths.append(azimuth)
    if not names:
        raise ValueError(f"{path}: no sites below the header line")
    latitude, longitude, heights = np.array(places).T
    position = frame.to_local(latitude, longitude, frame.altitude_m + heights)
    if not sectors:
        return Cells(tuple(names), position, np.array(azimuths))
    count = len(THREE_SECTORS_DEG)
    return Cells(
        tuple(f"{name}-{sector}" for name in names for sector in range(count)),
        np.repeat(position, count, axis=0),
        np.tile(THREE_SECTORS_DEG, len(names)),
    )
