"""Mobility: where UAVs are, which cells they fly over, and when they hand over.

Trajectories come from generators and traces, cells from layouts and tables of sites; a radio channel and a handover
rule, the nearest cell, or a table turn both into one `Attachment`. Positions are east, north and height in metres.
"""

from mobility.attachment import Attachment, Cause, attach_table, read_attachment
from mobility.cells import Cells, hexagonal_grid, hexagonal_rings, read_sites
from mobility.frame import LocalFrame
from mobility.handover import attach_nearest
from mobility.trajectory import Fleet, Trajectory

__all__ = [
    "Attachment",
    "Cause",
    "Cells",
    "Fleet",
    "LocalFrame",
    "Trajectory",
    "attach_nearest",
    "attach_table",
    "hexagonal_grid",
    "hexagonal_rings",
    "read_attachment",
    "read_sites",
]
