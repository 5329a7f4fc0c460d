"""The message schemas of Foxglove that a run is shown with, and the shapes they are built from.

Names and fields are those of Foxglove's published message schemas (foxglove.dev, "Foxglove schemas"), of which only
the fields that a run fills are declared.
"""

from typing import Any

Json = dict[str, Any]


def _object(title: str | None = None, **properties: Json) -> Json:
    named = {} if title is None else {"title": title}
    return named | {"type": "object", "properties": properties}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


_NUMBER: Json = {"type": "number"}
_MAYBE_NUMBER: Json = {"type": ["number", "null"]}
_INTEGER: Json = {"type": "integer"}
_TEXT: Json = {"type": "string"}
_TRUTH: Json = {"type": "boolean"}
_TIME = _object("time", sec=_INTEGER, nsec=_INTEGER)
_DURATION = _object("duration", sec=_INTEGER, nsec=_INTEGER)
_VECTOR = _object("foxglove.Vector3", x=_NUMBER, y=_NUMBER, z=_NUMBER)
_POINT = _object("foxglove.Point3", x=_NUMBER, y=_NUMBER, z=_NUMBER)
_QUATERNION = _object("foxglove.Quaternion", x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_POSE = _object("foxglove.Pose", position=_VECTOR, orientation=_QUATERNION)
_COLOR = _object("foxglove.Color", r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_SOLID = {"pose": _POSE, "size": _VECTOR, "color": _COLOR}
_ENTITY = _object(
    "foxglove.SceneEntity",
    timestamp=_TIME,
    frame_id=_TEXT,
    id=_TEXT,
    lifetime=_DURATION,
    frame_locked=_TRUTH,
    metadata=_list(_object("foxglove.KeyValuePair", key=_TEXT, value=_TEXT)),
    arrows=_list(_object("foxglove.ArrowPrimitive")),
    triangles=_list(_object("foxglove.TriangleListPrimitive")),
    models=_list(_object("foxglove.ModelPrimitive")),
    cubes=_list(_object("foxglove.CubePrimitive", **_SOLID)),
    spheres=_list(_object("foxglove.SpherePrimitive", **_SOLID)),
    cylinders=_list(_object("foxglove.CylinderPrimitive", bottom_scale=_NUMBER, top_scale=_NUMBER, **_SOLID)),
    lines=_list(
        _object(
            "foxglove.LinePrimitive",
            type=_INTEGER,
            pose=_POSE,
            thickness=_NUMBER,
            scale_invariant=_TRUTH,
            points=_list(_POINT),
            color=_COLOR,
            colors=_list(_COLOR),
            indices=_list(_INTEGER),
        )
    ),
    texts=_list(
        _object(
            "foxglove.TextPrimitive",
            pose=_POSE,
            billboard=_TRUTH,
            font_size=_NUMBER,
            scale_invariant=_TRUTH,
            color=_COLOR,
            text=_TEXT,
        )
    ),
)

SCENE = _object("foxglove.SceneUpdate", deletions=_list(_object()), entities=_list(_ENTITY))
TRANSFORM = _object(
    "foxglove.FrameTransform",
    timestamp=_TIME,
    parent_frame_id=_TEXT,
    child_frame_id=_TEXT,
    translation=_VECTOR,
    rotation=_QUATERNION,
)
LOCATION = _object(
    "foxglove.LocationFix",
    timestamp=_TIME,
    frame_id=_TEXT,
    latitude=_NUMBER,
    longitude=_NUMBER,
    altitude=_NUMBER,
    position_covariance=_list(_NUMBER),
    position_covariance_type=_INTEGER,
)
GEOJSON = _object("foxglove.GeoJSON", geojson=_TEXT)
LOG = _object("foxglove.Log", timestamp=_TIME, level=_INTEGER, message=_TEXT, name=_TEXT, file=_TEXT, line=_INTEGER)
FLIGHT = _object(
    "skyhop.Flight", radial_error_m=_NUMBER, reference_error_m=_NUMBER, height_m=_NUMBER, mode=_TEXT, cell=_TEXT
)
FLEET = _object(
    "skyhop.Fleet", mean_reference_error_m=_NUMBER, largest_reference_error_m=_NUMBER, uavs_without_setpoints=_INTEGER
)
LATENCY = _object(
    "skyhop.Latency",
    server=_TEXT,
    hops=_INTEGER,
    network_s=_MAYBE_NUMBER,
    queueing_s=_MAYBE_NUMBER,
    processing_s=_MAYBE_NUMBER,
    latency_s=_MAYBE_NUMBER,
)
DOWNTIME = _object("skyhop.Downtime", down=_INTEGER)

# Levels of a log message.
INFO, WARNING, ERROR = 2, 3, 4
_IDENTITY = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
_LINE_LIST, _COVARIANCE_KNOWN = 2, 3
_PRIMITIVES = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")


def time(nanoseconds: int) -> Json:
    """A point in time as messages hold it."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return {"sec": seconds, "nsec": rest}


def vector(position: list[float]) -> Json:
    """East, north and height in metres as a vector."""
    return {"x": position[0], "y": position[1], "z": position[2]}


def color(red: float, green: float, blue: float, alpha: float = 1.0) -> Json:
    """A colour; parts from 0 to 1."""
    return {"r": red, "g": green, "b": blue, "a": alpha}


def transform(nanoseconds: int, parent: str, child: str, position: list[float]) -> Json:
    """Where the frame `child` is in the frame `parent`."""
    return {
        "timestamp": time(nanoseconds),
        "parent_frame_id": parent,
        "child_frame_id": child,
        "translation": vector(position),
        "rotation": _IDENTITY,
    }


def location(nanoseconds: int, frame: str, latitude_deg: float, longitude_deg: float, altitude_m: float) -> Json:
    """Where `frame` is on Earth; known exactly, as a simulation does."""
    return {
        "timestamp": time(nanoseconds),
        "frame_id": frame,
        "latitude": latitude_deg,
        "longitude": longitude_deg,
        "altitude": altitude_m,
        "position_covariance": [0.0] * 9,
        "position_covariance_type": _COVARIANCE_KNOWN,
    }


def log(nanoseconds: int, level: int, name: str, message: str) -> Json:
    """A line of the log, told by `name`."""
    return {
        "timestamp": time(nanoseconds),
        "level": level,
        "message": message,
        "name": name,
        "file": "",
        "line": 0,
    }


def entity(nanoseconds: int, frame: str, name: str, metadata: dict[str, str], **primitives: list[Json]) -> Json:
    """A thing in the scene that stays until one of the same name replaces it."""
    return {
        "timestamp": time(nanoseconds),
        "frame_id": frame,
        "id": name,
        "lifetime": time(0),
        "frame_locked": False,
        "metadata": [{"key": key, "value": value} for key, value in metadata.items()],
    } | {kind: primitives.get(kind, []) for kind in _PRIMITIVES}


def solid(position: list[float], size: list[float], shade: Json) -> Json:
    """A cube or a sphere around `position`; `size` in metres."""
    return {"pose": _pose(position), "size": vector(size), "color": shade}


def cylinder(position: list[float], size: list[float], shade: Json) -> Json:
    """An upright cylinder around `position`."""
    return solid(position, size, shade) | {"bottom_scale": 1.0, "top_scale": 1.0}


def lines(pairs: list[list[float]], thickness_px: float, shades: list[Json]) -> Json:
    """Lines between points taken two by two, with one colour for each point."""
    return {
        "type": _LINE_LIST,
        "pose": _pose([0.0, 0.0, 0.0]),
        "thickness": thickness_px,
        "scale_invariant": True,
        "points": [vector(point) for point in pairs],
        "color": shades[0],
        "colors": shades,
        "indices": [],
    }


def text(position: list[float], words: str, shade: Json) -> Json:
    """A label that always faces the reader."""
    return {
        "pose": _pose(position),
        "billboard": True,
        "font_size": 14.0,
        "scale_invariant": True,
        "color": shade,
        "text": words,
    }


def _pose(position: list[float]) -> Json:
    return {"position": vector(position), "orientation": _IDENTITY}
