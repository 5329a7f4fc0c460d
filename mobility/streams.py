"""Named random streams: every UAV draws from its own, whatever the rest of the fleet does."""

import zlib
from collections.abc import Sequence

import numpy as np


def named_generator(seed: np.random.SeedSequence, name: str) -> np.random.Generator:
    """The Generator that belongs to a name: the same for the same seed and name, independent of all other names."""
    # Two checksums of one name make up 64 bits; a plain hash() would differ from run to run.
    text = name.encode("utf-8")
    key = (*seed.spawn_key, zlib.crc32(text), zlib.adler32(text))
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))


class UavStreams:
    """One stream of uniform draws a UAV, created when it is first used."""

    def __init__(self, seed: np.random.SeedSequence, names: Sequence[str]) -> None:
        self._seed = seed
        self._names = names
        self._generators: dict[int, np.random.Generator] = {}

    def uniform(self, uav: int, bounds: tuple[float, float]) -> float:
        """The next draw of a UAV (by index), uniform in [low, high]."""
        generator = self._generators.get(uav)
        if generator is None:
            generator = self._generators[uav] = named_generator(self._seed, self._names[uav])
        return float(generator.uniform(*bounds))
