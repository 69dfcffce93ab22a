"""A deprecated use that a Home Assistant in a process of its own reports fails the run."""

from pathlib import Path
import shutil

import pytest

from demo.host import ROOT, Host, HostError

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

HUB = """
remote:
  - platform: irhub
    host: 127.0.0.1
    port: 9 # nobody is there
    mac: 34:EA:34:00:00:01
"""
USE = """
from homeassistant.helpers.frame import report_usage
report_usage("does what is old")
"""


async def test_a_deprecated_use_in_a_process(tmp_path: Path) -> None:
    config, integrations = tmp_path / "config", tmp_path / "custom_components"
    shutil.copytree(Path(__file__).parent / "fresh", config)
    with (config / "configuration.yaml").open("a") as file:
        file.write(HUB)
    shutil.copytree(ROOT / "custom_components", integrations)
    with (integrations / "irhub" / "remote.py").open("a") as file:
        file.write(USE)
    with pytest.raises(HostError, match="custom integration 'irhub' does what is old"):
        async with Host(config, {}, integrations=integrations):
            pass
