"""A deprecated use by one of our integrations fails the test that brings it about."""

import logging
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers.deprecation import DeprecatedConstant, check_if_deprecated_constant
from homeassistant.helpers.frame import report_usage
from homeassistant.loader import async_get_integration
import pytest

from custom_components.irhub.errors import list_reasons

from .files import every
from .log_lines import Deprecated


@every
async def test_a_reported_use(hass: HomeAssistant, deprecated: Deprecated, folder: Path) -> None:
    integration = await async_get_integration(hass, folder.name)
    report_usage("does what is old", integration_domain=integration.domain)
    [line] = deprecated.lines
    assert f"custom integration '{folder.name}' does what is old" in line
    deprecated.lines.clear()


@pytest.mark.usefixtures("hass")
def test_a_deprecated_constant(deprecated: Deprecated) -> None:
    old = DeprecatedConstant(1, "NEW", "2027.8")
    module = {"__name__": "homeassistant.const", "_DEPRECATED_OLD": old}
    # The function of ours calls this one: Home Assistant looks for us among the callers.
    list_reasons({"": ""}, tell=lambda _: str(check_if_deprecated_constant("OLD", module)))
    [line] = deprecated.lines
    assert "The deprecated constant OLD was used from irhub." in line
    deprecated.lines.clear()


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ("Detected blocking call to open by custom integration 'rest' at a.py, line 1: …", True),
        ("Entity a.b (<class 'custom_components.irhub.fan.Fan'>) is using deprecated x", True),
        ("Entity a.b (<class 'custom_components.other.fan.Fan'>) is using deprecated x", False),
        ("Detected that integration 'rest' calls what is old. Please create a report", False),
        ("Detected that custom integration 'resting' calls what is old. Please …", False),
        ("The deprecated constant OLD was used from rest. Use NEW instead", False),  # core's rest
        ("Setting up irhub.fan", False),
    ],
)
def test_other_lines(deprecated: Deprecated, line: str, *, is_ours: bool) -> None:
    logging.getLogger("homeassistant.helpers").warning(line)
    assert bool(deprecated.lines) is is_ours
    deprecated.lines.clear()
