"""Draws the pictures of the documentation with Skyhop itself: `python docs/pictures.py`, from the repository root."""

from pathlib import Path

import matplotlib as mpl

import skyhop
from scenarios import load
from scenarios.budget import Budget
from skyhop.budget import assess
from skyhop.budget_picture import draw

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Draw the flight over Melbourne and the stopping budget of the PAM paper's Table IV."""
    IMAGES.mkdir(exist_ok=True)
    run = skyhop.simulate(skyhop.load("scenarios/melbourne.yaml"))
    skyhop.plot(run).savefig(IMAGES / "melbourne.png", dpi=90)
    budget = load(Path("scenarios/budgets/table-iv.yaml"), Budget)
    # Without a date and with a fixed salt the same picture is the same file.
    with mpl.rc_context({"svg.hashsalt": "skyhop"}):
        draw(budget, assess(budget)).savefig(IMAGES / "budget.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
