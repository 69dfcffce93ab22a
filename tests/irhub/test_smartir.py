"""SmartIR's climate, a card and a script on our remote: they call `remote.send_command`."""

import base64
import json
from pathlib import Path
import re
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from virtual_home.hub import VirtualHub

from .home import HDMI, NEC, POWER, RC5, start

CODES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "smartir_climate.json").read_text()
)
GUIDE = (Path(__file__).parents[2] / "docs" / "migration.md").read_text()
REMOTE = "remote.broadlink"


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_pro"


class SmartIrClimate:
    """Calls what SmartIR's climate calls, with a code file of its format."""

    def __init__(self, hass: HomeAssistant, codes: dict[str, Any]) -> None:
        self._hass = hass
        self._commands = codes["commands"]

    async def set(self, mode: str, fan: str = "", temperature: float = 0) -> None:
        """Send the command of a state; `on` goes before it where the file has one."""
        if mode == "off":
            await self._send(self._commands["off"])
            return
        if "on" in self._commands:
            await self._send(self._commands["on"])
        await self._send(self._commands[mode][fan][f"{temperature:g}"])

    async def _send(self, command: str | list[str]) -> None:
        commands = command if isinstance(command, list) else [command]
        await self._hass.services.async_call(
            "remote",
            "send_command",
            {
                "entity_id": REMOTE,
                "command": [f"b64:{text}" for text in commands],
                "delay_secs": 0.01,
            },
            blocking=True,
        )


def packet(text: str) -> bytes:
    """Return a packet as a hub reads it: as far as its length says."""
    data = base64.b64decode(text)
    return data[: 4 + int.from_bytes(data[2:4], "little")]


async def test_every_state_of_the_code_file_is_transmitted(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    climate = SmartIrClimate(hass, CODES)
    expected = []
    for mode in CODES["operationModes"]:
        for fan in CODES["fanModes"]:
            for temperature in (20.0, 21.0):
                await climate.set(mode, fan, temperature)
                expected.append(packet(CODES["commands"][mode][fan][f"{temperature:g}"]))
    await climate.set("off")
    assert hub.transmitted == [*expected, packet(CODES["commands"]["off"])]


async def test_files_with_a_command_to_switch_on_and_with_lists(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    codes = {"commands": {"off": [RC5, NEC], "on": NEC, "heat": {"low": {"20.5": RC5}}}}
    climate = SmartIrClimate(hass, codes)
    await climate.set("heat", "low", 20.5)
    await climate.set("off")
    assert hub.transmitted == [HDMI, POWER, POWER, HDMI]


@pytest.mark.parametrize("name", ["cinema", "channel_five"])
async def test_the_scripts_of_the_guide(
    hass: HomeAssistant, name: str, virtual_hub: VirtualHub
) -> None:
    [block] = re.findall(r"```yaml\n(script:\n.*?)```", GUIDE, re.DOTALL)
    await start(hass, virtual_hub)
    learned = {"power": RC5, "source": NEC, "digit_5": NEC, "enter": RC5}
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": REMOTE, "codes": {"television": learned}},
        blocking=True,
    )
    config: Any = parse_yaml(
        block.replace("remote.living_room", REMOTE).replace(
            "192.168.1.20", f"{virtual_hub.host}:{virtual_hub.port}"
        )
    )
    assert await async_setup_component(hass, "script", config)
    await hass.services.async_call("script", name, blocking=True)
    assert virtual_hub.transmitted == {"cinema": [POWER, HDMI], "channel_five": [HDMI, POWER]}[name]
