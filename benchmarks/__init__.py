"""Benchmarks: each module has a `main` that prints the figures it measures, in CPU seconds, and their aims.

`python -m benchmarks` runs them all and writes `benchmarks/results/latest.md`.
"""
