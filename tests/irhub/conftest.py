"""A Home Assistant with a configuration folder of its own."""

from pathlib import Path

from homeassistant.core import HomeAssistant
import pytest


@pytest.fixture(autouse=True)
def config_dir(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Give each test its own `.storage`: the test package shares one between all."""
    hass.config.config_dir = str(tmp_path)
    return tmp_path
