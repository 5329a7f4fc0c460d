"""How figures look: one palette, one type size, and the same bytes for the same figure."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW = "#56B4E9", "#CC79A7", "#F0E442"
INK, GREY, PALE = "#222222", "#767676", "#D9D9D9"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, GREY)

_RULES: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "skyhop",
    # Names may hold dollar signs; they are no formulas.
    "text.parse_math": False,
}
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_GROUP = re.compile(r'<g id="[^"<>]*">')
_NAMESPACE = re.compile(r' xmlns(:xlink)?="[^"]*"')


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of Skyhop while it lasts."""
    with mpl.rc_context(_RULES):
        yield


def svg(figure: Figure, label: str) -> Markup:
    """`figure` as an SVG element to stand in a page, described by `label` to those who cannot see it."""
    text = StringIO()
    with style():
        FigureCanvasSVG(figure).print_svg(text, metadata=_NO_METADATA)  # type: ignore[no-untyped-call]
    drawn = text.getvalue()
    # A page needs neither prologue nor name spaces; identifiers of groups would occur once for every figure.
    element = _GROUP.sub("<g>", _NAMESPACE.sub("", drawn[drawn.index("<svg") :], count=2))
    return Markup('<svg role="img" aria-label="{}"').format(label) + Markup(element.removeprefix("<svg"))  # noqa: S704


def legend_above(axes: Axes, columns: int = 6) -> None:
    """A legend in a line above the axes, to the right, where it hides no data."""
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2, handlelength=1.4)


def strategy_words(strategy: str) -> str:
    """The name of a strategy as people write it."""
    return strategy.replace("iterative-", "iterative ")
