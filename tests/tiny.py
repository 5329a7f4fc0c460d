"""The smallest scenario that migrates: one UAV circles between two gNBs, its autopilot behind it."""

TINY = """
version: 1
name: tiny
uavs:
  - {name: uav, trajectory: {type: circle, radius_m: 50, speed_mps: 10}, services: [autopilot]}
cells:
  type: list
  sites: [{name: west, east_m: -100, north_m: 0}, {name: east, east_m: 100, north_m: 0}]
attachment: {type: nearest}
services:
  - {name: autopilot, type: autopilot, state_bytes: 5.0e+6, dirty_page_rate: 0.03}
flight: {simulate: false}
"""
