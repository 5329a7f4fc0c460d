"""How many migrations PAM predicts per CPU second, vectorised: downtime and duration of each, COAT, Podman layer."""

import time

import numpy as np

from benchmarks.figure import Figure
from pam import predict

PREDICTIONS = 20_000_000
# Arrays of this length, and the temporaries made from them, stay in the processor's cache.
CHUNK = 16_384


def main() -> None:
    """Print predictions per CPU second over random states, rates, bandwidths and iterations."""
    generator = np.random.default_rng(1)
    state_bytes = generator.uniform(1e6, 1e9, CHUNK)
    dirty_page_rate = generator.uniform(0.0, 1.0, CHUNK)
    bandwidth_bps = generator.uniform(1e7, 1e10, CHUNK)
    iterations = generator.integers(0, 30, CHUNK).astype(np.float64)
    started_s = time.process_time()
    for _ in range(PREDICTIONS // CHUNK):
        predict(state_bytes, dirty_page_rate, bandwidth_bps, iterations)
    spent_s = time.process_time() - started_s
    predictions = PREDICTIONS // CHUNK * CHUNK
    print(f"{predictions} predictions in {spent_s:.2f} CPU s")
    print(Figure("speed", predictions / spent_s / 1e6, "million predictions per CPU second", "at least", 5))


if __name__ == "__main__":
    main()
