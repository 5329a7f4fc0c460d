"""Predicted beside simulated: did the bounds hold?"""

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from skyhop.report.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, VERMILION, legend_above, strategy_words, style

# A prediction is a bound; a thousandth of a millisecond is the rounding of the clock.
_ROUNDING_S = 1e-6
_MARKS = {
    "cold": ("o", BLUE),
    "pre-copy": ("s", ORANGE),
    "iterative-pre-copy": ("D", GREEN),
    "post-copy": ("v", VERMILION),
    "hybrid": ("P", PURPLE),
}


def held() -> pl.Expr:
    """Whether a migration kept to the predicted downtime and duration."""
    return (pl.col("downtime_s") <= pl.col("predicted_downtime_s") + _ROUNDING_S) & (
        pl.col("duration_s") <= pl.col("predicted_duration_s") + _ROUNDING_S
    )


def draw_predictions(migrations: pl.DataFrame) -> Figure:
    """Simulated downtime and duration of completed migrations over the predicted ones."""
    done = migrations.filter(pl.col("state") == "completed")
    with style():
        figure = Figure(figsize=(9.6, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        _against(left, done, "downtime")
        _against(right, done, "duration")
        legend_above(right)
    return figure


def say_predictions(migrations: pl.DataFrame) -> str:
    """How many bounds held, and how tight they were."""
    done = migrations.filter(pl.col("state") == "completed")
    within = done.filter(held()).height
    silent = done.filter(pl.col("predicted_downtime_s") > 0)
    tight = ""
    if silent.height:
        share = np.median((silent["downtime_s"] / silent["predicted_downtime_s"]).to_numpy())
        tight = f"; the median downtime was {100 * share:.0f} % of the predicted one"
    return f"{within:,} of {done.height:,} completed migrations kept within their predicted bounds{tight}."


def _against(axes: Axes, done: pl.DataFrame, what: str) -> None:
    predicted, simulated = f"predicted_{what}_s", f"{what}_s"
    for strategy, (marker, colour) in _MARKS.items():
        # Migrations of equal figures fall on one point, and thousands of them would make the page heavy.
        rows = done.filter(pl.col("strategy") == strategy).select(pl.col(predicted, simulated).round(3)).unique(
            maintain_order=True)  # fmt: skip
        if rows.height:
            axes.scatter(rows[predicted], rows[simulated], s=26, marker=marker, facecolor=colour, edgecolor="white",
                         linewidth=0.5, label=strategy_words(strategy), rasterized=rows.height > 3000)  # fmt: skip
    top = 1.08 * max(float(np.max(done.select(predicted, simulated).to_numpy(), initial=0.0)), 1e-3)
    axes.plot([0, top], [0, top], color=GREY, linewidth=1, zorder=1)
    axes.fill_between([0, top], [0, top], [top, top], color=VERMILION, alpha=0.08, linewidth=0)
    axes.annotate("longer than predicted", (0.03, 0.94), xycoords="axes fraction", color=INK, fontsize=8)
    axes.set_xlim(0, top)
    axes.set_ylim(0, top)
    axes.set_aspect("equal")
    axes.set_xlabel(f"predicted {what} (s)")
    axes.set_ylabel(f"simulated {what} (s)")
