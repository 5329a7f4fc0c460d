"""Settings of all tests: examples of property tests are the same on every machine, however slow it is."""

from hypothesis import settings

settings.register_profile("skyhop", deadline=None, derandomize=True)
settings.load_profile("skyhop")
