"""What the oldest Home Assistant that we support lacks, and tests need."""

from typing import Final

from homeassistant.const import MAJOR_VERSION, MINOR_VERSION
import pytest

IS_OLDEST: Final = (MAJOR_VERSION, MINOR_VERSION) == (2026, 7)
"""The tests' own Home Assistant is as old as the one that they run: see scripts/test."""


def needs(what: str) -> pytest.MarkDecorator:
    """Leave a test out on the oldest Home Assistant, and say why."""
    return pytest.mark.skipif(IS_OLDEST, reason=f"Home Assistant 2026.7 lacks {what}")


needs_gree: Final = needs("air conditioners in its library infrared-protocols")
