"""What every test needs before anything else is imported."""

import gc

# The test package brings an empty `custom_components` of its own. Ours must be
# the one that is imported first: otherwise Home Assistant silently loads core's
# `rest` instead of ours.
import custom_components  # noqa: F401  (imported for its effect)

# What is imported and collected lives as long as the process: each of eight workers would look for
# garbage in it again and again.
gc.disable()
gc.set_threshold(50_000)  # one collection for several tests; there is one before each file


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among what is there by now."""
    gc.freeze()
    gc.enable()
