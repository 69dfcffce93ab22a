"""Features that tests need and the oldest supported Home Assistant lacks."""

from typing import Final

from homeassistant.const import MAJOR_VERSION, MINOR_VERSION
import pytest

IS_OLDEST: Final = (MAJOR_VERSION, MINOR_VERSION) == (2026, 7)
"""The tests' own Home Assistant has the same version as the one that they run: see scripts/test."""


def needs(feature: str) -> pytest.MarkDecorator:
    """Skip a test on the oldest Home Assistant, with the reason."""
    return pytest.mark.skipif(IS_OLDEST, reason=f"Home Assistant 2026.7 lacks {feature}")


needs_gree: Final = needs("air conditioners in its library infrared-protocols")
