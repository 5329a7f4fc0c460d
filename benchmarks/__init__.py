"""Benchmarks: each module has a `main` that prints the figures it measures, in CPU seconds."""
