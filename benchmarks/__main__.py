"""`python -m benchmarks`: run every benchmark in a process of its own and write `benchmarks/results/latest.md`.

Each runs three times, one after the other; the median of each figure counts. Exits with 1 if one misses its aim.
"""

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, number

MODULES = ("city_migrations", "pam_predictions", "radio_chain")
REPETITIONS = 3
RESULTS = Path(__file__).parent / "results" / "latest.md"


def main() -> int:
    """Run all, print what they print, write the table; returns the exit code."""
    figures = [(module, figure) for module in MODULES for figure in _median_figures(module)]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {platform.system()} {platform.machine()}"
    rows = [
        f"| {module} | {figure.name} | {number(figure.value)} {figure.unit} | {figure.bound} {number(figure.aim)} "
        f"| {figure.verdict} |"
        for module, figure in figures
    ]
    lines = (
        "# Benchmarks",
        "",
        f"Written by `make benchmarks`. Each figure is the median of {REPETITIONS} runs. {machine}.",
        "",
        "| benchmark | figure | value | aim | met? |",
        "|---|---|---|---|---|",
        *rows,
    )
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written: {RESULTS}")
    return 0 if all(figure.met for _, figure in figures) else 1


def _median_figures(module: str) -> list[Figure]:
    runs = [_figures(module) for _ in range(REPETITIONS)]
    return [replace(same[0], value=median(figure.value for figure in same)) for same in zip(*runs, strict=True)]


def _figures(module: str) -> list[Figure]:
    """The figures that one run of a benchmark prints. A fresh process: neither memory nor caches are inherited."""
    command = [sys.executable, "-m", f"benchmarks.{module}"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout  # noqa: S603
    print(f"{module}\n{text}", flush=True)
    return [figure for line in text.splitlines() if (figure := Figure.parse(line))]


if __name__ == "__main__":
    sys.exit(main())
