"""The key figures of a run in words: one row a figure, with its unit."""

from collections.abc import Mapping
from typing import Any

from skyhop.units import BYTES, METRES, SECONDS

_UNITS = {"_s": SECONDS.show, "_m": METRES.show, "_bytes": BYTES.show}


def summary_rows(summary: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Section, figure and value of everything in `summary` that tells something, in its order."""
    rows = []
    for section, figures in summary.items():
        for name, value in figures.items():
            suffix = next((each for each in _UNITS if name.endswith(each)), "")
            text = _text(name, suffix, value)
            if text:
                rows.append((section.replace("_", " "), name.removesuffix(suffix).replace("_", " "), text))
    return rows


def _text(name: str, suffix: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_text(name, suffix, each)}" for key, each in value.items())
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if suffix:
        return _UNITS[suffix](value)
    if name.startswith("share"):
        return f"{100.0 * value:.1f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"
