"""The local frame: east, north and height in metres around a WGS-84 origin."""

from dataclasses import dataclass

import numpy as np
import pymap3d
from numpy.typing import ArrayLike, NDArray

EARTH_RADIUS_M = 6_371_000.0


@dataclass(frozen=True, slots=True)
class LocalFrame:
    """A tangent plane at a WGS-84 origin: x east, y north, z height above the origin's altitude, in metres.

    x and y are those of the east-north-up frame of the point below, at the origin's altitude; z is the difference of
    altitudes, so that it stays the height above level ground however far from the origin (the plain up coordinate
    would sink by 8 m at 10 km). Raises ValueError for an origin that is no place on Earth.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float = 0.0

    def __post_init__(self) -> None:
        if not -90.0 < self.latitude_deg < 90.0:
            raise ValueError(f"latitude_deg of the origin is {self.latitude_deg}°; it must lie between -90 and 90")
        if not -180.0 <= self.longitude_deg <= 180.0:
            raise ValueError(f"longitude_deg of the origin is {self.longitude_deg}°; it must lie in -180 to 180")
        if not np.isfinite(self.altitude_m):
            raise ValueError(f"altitude_m of the origin is {self.altitude_m}; it must be a finite number of metres")

    def to_local(self, latitude_deg: ArrayLike, longitude_deg: ArrayLike, altitude_m: ArrayLike) -> NDArray[np.float64]:
        """Local positions (..., 3) in metres of WGS-84 points given as arrays of one shape (...)."""
        latitude, longitude, altitude = np.broadcast_arrays(
            np.asarray(latitude_deg, np.float64),
            np.asarray(longitude_deg, np.float64),
            np.asarray(altitude_m, np.float64),
        )
        level = np.full(latitude.shape, self.altitude_m)
        east, north, _ = pymap3d.geodetic2enu(
            latitude, longitude, level, self.latitude_deg, self.longitude_deg, self.altitude_m
        )
        return np.stack([east, north, altitude - self.altitude_m], axis=-1)

    def to_geodetic(
        self, position_m: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Latitude and longitude in degrees and altitude in metres, each (...), of local positions (..., 3)."""
        position = np.asarray(position_m, np.float64)
        east, north, height = position[..., 0], position[..., 1], position[..., 2]
        up = -(east**2 + north**2) / (2.0 * EARTH_RADIUS_M)
        # The second pass removes what the spherical guess of the sinking plane leaves on the ellipsoid.
        for _ in range(2):
            latitude, longitude, altitude = pymap3d.enu2geodetic(
                east, north, up, self.latitude_deg, self.longitude_deg, self.altitude_m
            )
            up = up - (altitude - self.altitude_m)
        return np.asarray(latitude), np.asarray(longitude), height + self.altitude_m
