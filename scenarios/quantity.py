"""Fields of the schema: every one with a unit and a sentence, which errors, JSON Schema and docs repeat."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo


class Model(BaseModel):
    """Base of every part of a scenario: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


def quantity(default: Any = ..., *, unit: str, **bounds: Any) -> Any:
    """A field that carries a physical unit; bounds as in pydantic's `Field` (ge, gt, le, lt)."""
    return Field(default, json_schema_extra={"unit": unit}, **bounds)


def _beside_the_document(path: Path, information: ValidationInfo) -> Path:
    """Resolve a relative path against the folder of the document that names it."""
    context = information.context or {}
    # The document in a folder of results names its files without having them beside it.
    if context.get("files") == "elsewhere":
        return path
    directory = context.get("directory", Path())
    resolved = path if path.is_absolute() else Path(directory) / path
    if not resolved.is_file():
        raise ValueError(f"no such file: {path} (looked for it in {directory})")
    return resolved


def _rising(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise ValueError(f"the first must not lie above the second, but {bounds[0]:g} does above {bounds[1]:g}")
    return bounds


_NotNegative = Annotated[float, Field(ge=0)]
_Positive = Annotated[float, Field(gt=0)]
Range = Annotated[tuple[_NotNegative, _NotNegative], AfterValidator(_rising)]
PositiveRange = Annotated[tuple[_Positive, _Positive], AfterValidator(_rising)]
ExistingFile = Annotated[Path, AfterValidator(_beside_the_document)]
