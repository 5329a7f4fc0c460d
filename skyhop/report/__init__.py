"""The report of a run: one HTML file that needs nothing else, to read and to file.

- `write_report` writes `report.html`.
"""

from skyhop.report.page import write_report

__all__ = ["write_report"]
