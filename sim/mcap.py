"""A run as one MCAP file that Foxglove opens: positions, cells, services at their servers, events, and figures to plot.

Topics: `/scene/cells` and `/scene/uavs` (three dimensions, local frame), `/events` (handovers and migrations), `/fleet`
(errors over all UAVs) and, with an origin, `/map/cells` and `/map/path`. Up to `FEW_UAVS` UAVs also have topics of
their own: `/tf`, `/uav/NAME/location`, `/uav/NAME/flight`, `/service/NAME/latency` and `/service/NAME/downtime`.
Of many UAVs as many moments are shown as `MOST_POSITIONS` allows, evenly spaced. Times are those of the run.
"""

import heapq
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from mcap.writer import CompressionType, Writer
from numpy.typing import NDArray

from mobility import LocalFrame
from sim import foxglove
from sim.foxglove import Json

if TYPE_CHECKING:
    from sim.run import Run

FEW_UAVS = 10
"""Up to so many UAVs have topics of their own."""
MOST_POSITIONS = 60_000
"""Positions of UAVs in the scene, all UAVs and moments together; keeps the file of 1,000 UAVs below 50 MB."""

_ROOT = "local"
_GREY = foxglove.color(0.45, 0.45, 0.45)
_RUNNING, _DOWN = foxglove.color(0.0, 0.62, 0.45), foxglove.color(0.84, 0.37, 0.0)
# Blue while the autopilot steers, orange while its last set-point is held, vermilion in a failsafe.
_STEERED, _HELD, _FAILSAFE = foxglove.color(0.0, 0.45, 0.7), foxglove.color(0.9, 0.62, 0.0), _DOWN
_MODES = {"offboard": _STEERED, "setpoint-held": _HELD}
_POSITION = ("east_m", "north_m", "up_m")


class _Message(NamedTuple):
    """What is written, in the order of `time_ns`; `order` keeps topics apart where times are equal."""

    time_ns: int
    order: int
    channel: int
    body: Json


class _Topics:
    """Channels of a file being written, and the message streams that feed them."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._schemas: dict[str, int] = {}
        self._order = count()
        self.streams: list[Iterator[_Message]] = []

    def add(self, topic: str, schema: Json, messages: Iterator[tuple[int, Json]]) -> None:
        """Add a topic with its messages, each a time in nanoseconds and a body, in the order of time."""
        title = schema["title"]
        if title not in self._schemas:
            self._schemas[title] = self._writer.register_schema(title, "jsonschema", _dump(schema))
        channel = self._writer.register_channel(topic, "json", self._schemas[title])
        order = next(self._order)
        self.streams.append(_Message(time_ns, order, channel, body) for time_ns, body in messages)


def write_mcap(run: "Run", path: Path) -> Path:
    """Write `run` to `path`; the same run gives the same bytes."""
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD)
        writer.start(library="skyhop")
        writer.add_metadata("skyhop", {"scenario": run.scenario.name, "seed": str(run.scenario.seed)})
        topics = _Topics(writer)
        _add_topics(topics, run)
        for message in heapq.merge(*topics.streams, key=lambda message: (message.time_ns, message.order)):
            writer.add_message(message.channel, message.time_ns, _dump(message.body), message.time_ns)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


def _add_topics(topics: _Topics, run: "Run") -> None:
    trajectory = run.trajectory
    names = trajectory["uav"].unique(maintain_order=True).to_list()
    shown = _thinned(trajectory, len(names))
    topics.add("/scene/cells", foxglove.SCENE, _cells(run.cells))
    topics.add("/scene/uavs", foxglove.SCENE, _scene(run, shown))
    topics.add("/events", foxglove.LOG, _events(run))
    topics.add("/fleet", foxglove.FLEET, _fleet(shown))
    frame = _frame(run)
    if frame is not None:
        topics.add("/map/cells", foxglove.GEOJSON, iter([(0, _map_of_cells(run.cells))]))
        topics.add("/map/path", foxglove.GEOJSON, iter([(0, _map_of_paths(shown, frame))]))
    if len(names) > FEW_UAVS:
        return
    topics.add("/tf", foxglove.TRANSFORM, _transforms(trajectory.sort("time_s", maintain_order=True)))
    for (uav,), rows in trajectory.partition_by("uav", as_dict=True, maintain_order=True).items():
        topics.add(f"/uav/{uav}/flight", foxglove.FLIGHT, _flight(rows))
        if frame is not None:
            topics.add(f"/uav/{uav}/location", foxglove.LOCATION, _locations(uav, rows, frame))
    for (service,), rows in run.latency.partition_by("service", as_dict=True, maintain_order=True).items():
        topics.add(f"/service/{service}/latency", foxglove.LATENCY, _latency(rows))
        moves = run.migrations.filter(pl.col("service") == service)
        topics.add(f"/service/{service}/downtime", foxglove.DOWNTIME, _downtime(moves))


def _thinned(trajectory: pl.DataFrame, uavs: int) -> pl.DataFrame:
    """The rows at every k-th moment, k the least that keeps them to `MOST_POSITIONS`, in the order of time."""
    times = trajectory["time_s"].unique().sort()
    every = -(-len(times) * uavs // MOST_POSITIONS) if len(times) else 1
    return trajectory.filter(pl.col("time_s").is_in(times.gather_every(every).implode())).sort(
        "time_s", maintain_order=True
    )


def _cells(cells: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    """Every site as a mast as high as its antenna, named after its edge server."""
    entities = []
    for row in cells.unique("server", keep="first", maintain_order=True).iter_rows(named=True):
        east, north, up = (row[axis] for axis in _POSITION)
        mast = foxglove.cylinder([east, north, up / 2], [6.0, 6.0, max(up, 1.0)], _GREY)
        label = foxglove.text([east, north, up + 10.0], row["server"], _GREY)
        entities.append(foxglove.entity(0, _ROOT, row["server"], {}, cylinders=[mast], texts=[label]))
    yield 0, {"deletions": [], "entities": entities}


def _scene(run: "Run", shown: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    """Every UAV as a sphere, coloured by its mode, and a line to a cube for each service on its server."""
    site = {server: list(place) for server, *place in run.cells.select("server", *_POSITION).rows()}
    services = _services(run)
    for time_ns, rows in _moments(shown):
        entities = []
        for row in rows:
            uav, position = row["uav"], [row[axis] for axis in _POSITION]
            cubes, pairs, shades = [], [], []
            for level, service in enumerate(services.get(uav, [])):
                server, down = service.at(time_ns)
                east, north, up = site[server]
                # Services on one server stand one above the other.
                place = [east, north, up + 4.0 + 8.0 * level]
                shade = _DOWN if down else _RUNNING
                cubes.append(foxglove.solid(place, [6.0, 6.0, 6.0], shade))
                pairs += [position, place]
                shades += [shade, shade]
            entities.append(
                foxglove.entity(
                    time_ns,
                    _ROOT,
                    uav,
                    {"mode": row["mode"], "cell": row["cell"] or "none"},
                    spheres=[foxglove.solid(position, [8.0, 8.0, 8.0], _MODES.get(row["mode"], _FAILSAFE))],
                    cubes=cubes,
                    lines=[foxglove.lines(pairs, 2.0, shades)] if pairs else [],
                )
            )
        yield time_ns, {"deletions": [], "entities": entities}


class _Service(NamedTuple):
    """Where a service runs from when on, and when it is silent; times in nanoseconds, rising."""

    since_ns: NDArray[np.int64]
    server: list[str]
    down_ns: NDArray[np.int64]
    up_ns: NDArray[np.int64]

    def at(self, time_ns: int) -> tuple[str, bool]:
        place = max(int(np.searchsorted(self.since_ns, time_ns, side="right")) - 1, 0)
        outage = int(np.searchsorted(self.down_ns, time_ns, side="right")) - 1
        return self.server[place], outage >= 0 and time_ns < self.up_ns[outage]


def _services(run: "Run") -> dict[str, list[_Service]]:
    """The services of every UAV."""
    outages = _outages(run.migrations).partition_by("service", as_dict=True)
    services: dict[str, list[_Service]] = {}
    for (uav, name), rows in run.latency.partition_by("uav", "service", as_dict=True, maintain_order=True).items():
        down = outages.get((name,), run.migrations.clear())
        down_ns = _nanoseconds(down["down_from_s"])
        up_ns = _nanoseconds(down["down_from_s"] + down["downtime_s"])
        server = rows["server"].cast(pl.String).to_list()
        services.setdefault(str(uav), []).append(_Service(_nanoseconds(rows["time_s"]), server, down_ns, up_ns))
    return services


def _outages(migrations: pl.DataFrame) -> pl.DataFrame:
    return migrations.filter(pl.col("down_from_s").is_finite() & (pl.col("downtime_s") > 0)).sort("down_from_s")


def _events(run: "Run") -> Iterator[tuple[int, Json]]:
    """Handovers, and migrations as they start and end, in words with figures."""
    events: list[tuple[int, int, str, str]] = []
    for row in run.handovers.iter_rows(named=True):
        text = f"attached to {row['target']}"
        if row["source"] is not None:
            gap_ms = row["interruption_s"] * 1e3
            text = f"handover {row['source']} → {row['target']} ({row['cause']}), {gap_ms:.0f} ms without user data"
        events.append((_nanosecond(row["time_s"]), foxglove.INFO, row["uav"], text))
    for row in run.migrations.iter_rows(named=True):
        way = f"{row['strategy']} migration {row['source']} → {row['destination']}"
        started = f"{way} started: at most {row['predicted_downtime_s']:.3f} s down predicted"
        events.append((_nanosecond(row["started_s"]), foxglove.INFO, row["service"], started))
        ended = f"{way} {row['state']} after {row['duration_s']:.3f} s: {row['downtime_s']:.3f} s down"
        done = row["state"] == "completed"
        late = row["downtime_s"] > row["predicted_downtime_s"] + 1e-6
        ended += ("; longer than predicted" if late else "") if done else f"; {row['reason']}"
        level = (foxglove.WARNING if late else foxglove.INFO) if done else foxglove.ERROR
        events.append((_nanosecond(row["ended_s"]), level, row["service"], ended))
    events.sort(key=lambda event: event[0])
    for time_ns, level, name, text in events:
        yield time_ns, foxglove.log(time_ns, level, name, text)


def _fleet(shown: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    figures = shown.group_by("time_s", maintain_order=True).agg(
        mean_reference_error_m=pl.col("reference_error_m").mean(),
        largest_reference_error_m=pl.col("reference_error_m").max(),
        uavs_without_setpoints=(pl.col("mode") != "offboard").sum(),
    )
    return _rows(figures)


def _flight(rows: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    return _rows(
        rows.select("time_s", "radial_error_m", "reference_error_m", height_m="up_m", mode="mode", cell="cell")
    )


def _latency(rows: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    """Latency; null while no path leads to the service, since JSON knows no infinity."""
    rows = rows.drop("uav", "service")
    finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
    return _rows(rows.with_columns(finite))


def _downtime(moves: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    """1 from when the service falls silent, 0 from when it answers again."""
    yield 0, {"down": 0}
    for start_s, length_s in _outages(moves).select("down_from_s", "downtime_s").iter_rows():
        yield _nanosecond(start_s), {"down": 1}
        yield _nanosecond(start_s + length_s), {"down": 0}


def _transforms(rows: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    times = _nanoseconds(rows["time_s"]).tolist()
    for time_ns, uav, position in zip(times, rows["uav"], _positions(rows).tolist(), strict=True):
        yield time_ns, foxglove.transform(time_ns, _ROOT, uav, position)


def _locations(uav: str, rows: pl.DataFrame, frame: LocalFrame) -> Iterator[tuple[int, Json]]:
    places = [values.tolist() for values in frame.to_geodetic(_positions(rows))]
    for time_ns, *place in zip(_nanoseconds(rows["time_s"]).tolist(), *places, strict=True):
        yield time_ns, foxglove.location(time_ns, uav, *place)


def _map_of_cells(cells: pl.DataFrame) -> Json:
    features = [
        _feature("Point", [row["longitude_deg"], row["latitude_deg"]], {"name": row["cell"], "server": row["server"]})
        for row in cells.iter_rows(named=True)
    ]
    return _collection(features)


def _map_of_paths(shown: pl.DataFrame, frame: LocalFrame) -> Json:
    features = []
    for (uav,), rows in shown.partition_by("uav", as_dict=True, maintain_order=True).items():
        latitude, longitude, _ = frame.to_geodetic(_positions(rows))
        line = np.round(np.stack([longitude, latitude], axis=1), 7).tolist()
        features.append(_feature("LineString", line, {"name": uav}))
    return _collection(features)


def _feature(kind: str, coordinates: list[Any], properties: Json) -> Json:
    return {
        "type": "Feature",
        "geometry": {"type": kind, "coordinates": coordinates},
        "properties": properties,
    }


def _collection(features: list[Json]) -> Json:
    return {"geojson": json.dumps({"type": "FeatureCollection", "features": features}, separators=(",", ":"))}


def _frame(run: "Run") -> LocalFrame | None:
    origin = run.scenario.origin
    return None if origin is None else LocalFrame(origin.latitude_deg, origin.longitude_deg, origin.altitude_m)


def _moments(rows: pl.DataFrame) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Rows in the order of time, moment by moment."""
    rounded = rows.select("time_s", "uav", "mode", "cell", pl.col(_POSITION).round(3))
    for (time_s,), group in rounded.group_by("time_s", maintain_order=True):
        yield _nanosecond(time_s), group.rows(named=True)


def _rows(frame: pl.DataFrame) -> Iterator[tuple[int, Json]]:
    """Each row as a message at its `time_s`."""
    times = _nanoseconds(frame["time_s"]).tolist()
    rows = frame.drop("time_s").with_columns(pl.col(pl.Float64).round(6)).iter_rows(named=True)
    yield from zip(times, rows, strict=True)


def _positions(rows: pl.DataFrame) -> NDArray[np.float64]:
    """East, north and height (N, 3), to the millimetre."""
    return np.round(rows.select(_POSITION).to_numpy(), 3)


def _nanosecond(time_s: float) -> int:
    return round(time_s * 1e9)


def _nanoseconds(time_s: pl.Series) -> NDArray[np.int64]:
    return np.rint(time_s.to_numpy() * 1e9).astype(np.int64)


_ENCODE: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def _dump(body: Json) -> bytes:
    return _ENCODE(body).encode("utf-8")
