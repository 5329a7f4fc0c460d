"""Mobility: where UAVs are, which cells they fly over, and when they hand over.

Trajectories come from generators and traces, cells from layouts and tables of sites; a radio channel and a handover
rule, the nearest cell, or a table turn both into one `Attachment`. Positions are east, north and height in metres.
"""

from mobility.a3 import HandoverParameters
from mobility.antenna import Antenna
from mobility.attachment import Attachment, Cause, attach_table, read_attachment
from mobility.cells import Cells, hexagonal_grid, hexagonal_rings, read_sites
from mobility.frame import LocalFrame
from mobility.generators import Area, circle, gauss_markov, random_waypoint, survey, waypoints
from mobility.handover import attach_a3, attach_nearest
from mobility.link import LinkQuality, link_quality
from mobility.pathloss import Scenario, los_probability, path_loss_db, shadowing_sigma_db
from mobility.plan import read_plan
from mobility.radio import Channel, RadioParameters
from mobility.streams import named_generator
from mobility.traces import Trace, read_csv, read_gpx, read_ulog
from mobility.trajectory import Fleet, Trajectory

__all__ = [
    "Antenna",
    "Area",
    "Attachment",
    "Cause",
    "Cells",
    "Channel",
    "Fleet",
    "HandoverParameters",
    "LinkQuality",
    "LocalFrame",
    "RadioParameters",
    "Scenario",
    "Trace",
    "Trajectory",
    "attach_a3",
    "attach_nearest",
    "attach_table",
    "circle",
    "gauss_markov",
    "hexagonal_grid",
    "hexagonal_rings",
    "link_quality",
    "los_probability",
    "named_generator",
    "path_loss_db",
    "random_waypoint",
    "read_attachment",
    "read_csv",
    "read_gpx",
    "read_plan",
    "read_sites",
    "read_ulog",
    "shadowing_sigma_db",
    "survey",
    "waypoints",
]
