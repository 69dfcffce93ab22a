"""Fans, lights and covers: each state sends its packets, over UDP to the virtual hub."""

from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, our_hub, set_up
from .ircodes.code_files import Codes, bytes_of, code_file, paths, write

CODES = Codes()


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


class Appliance:
    """An appliance of a code file, and what its hub has transmitted by the names of the file."""

    def __init__(self, hass: HomeAssistant, hub: VirtualHub, domain: str) -> None:
        self._hass = hass
        self._hub = hub
        self._domain = domain
        self._names: dict[bytes, str] = {}

    async def start(self, config_dir: Path, file: dict[str, Any], **keys: object) -> None:
        """Have the appliance, and wait until its hub is connected."""
        self._names = {bytes_of(text): path for path, text in paths(file["commands"])}
        name = write(config_dir, f"codes/{self._domain}.json", file)
        keys = {"name": "Attic", "file": name, "delay": 0, **keys}
        await set_up(self._hass, self._domain, entry(self._hub, **keys))
        await until(lambda: our_hub(self._hass, self._hub).available)
        await self._hass.async_block_till_done()

    async def act(self, action: str, **data: object) -> list[str]:
        """Call an action; return what was transmitted by it."""
        before = len(self._hub.transmitted)
        data = {"entity_id": f"{self._domain}.attic", **data}
        await self._hass.services.async_call(self._domain, action, data, blocking=True)
        return [self._names[packet] for packet in self._hub.transmitted[before:]]

    @property
    def shown(self) -> dict[str, Any]:
        """The state and its attributes."""
        state = self._hass.states.get(f"{self._domain}.attic")
        assert state is not None
        return {"state": state.state, **state.attributes}


@pytest.fixture
def fan(hass: HomeAssistant, virtual_hub: VirtualHub) -> Appliance:
    return Appliance(hass, virtual_hub, "fan")


@pytest.fixture
def light(hass: HomeAssistant, virtual_hub: VirtualHub) -> Appliance:
    return Appliance(hass, virtual_hub, "light")


@pytest.fixture
def cover(hass: HomeAssistant, virtual_hub: VirtualHub) -> Appliance:
    return Appliance(hass, virtual_hub, "cover")


async def test_a_fan_with_directions(config_dir: Path, fan: Appliance) -> None:
    speeds = ["low", "medium", "high"]
    commands = {direction: CODES.nest(speeds) for direction in ("forward", "reverse")}
    file = code_file({"off": CODES.packet(), "oscillate": CODES.packet(), **commands}, speed=speeds)
    await fan.start(config_dir, file)
    assert fan.shown["state"] == "unknown"
    assert await fan.act("turn_on") == ["forward low"]
    assert fan.shown["percentage"] == 33
    assert await fan.act("set_percentage", percentage=100) == ["forward high"]
    assert await fan.act("set_direction", direction="reverse") == ["reverse high"]
    assert await fan.act("set_direction", direction="reverse") == []
    assert await fan.act("oscillate", oscillating=True) == ["oscillate"]
    assert await fan.act("oscillate", oscillating=True) == []
    assert await fan.act("set_percentage", percentage=0) == ["off"]
    assert fan.shown["state"] == "off"
    assert await fan.act("set_direction", direction="forward") == []
    assert await fan.act("turn_on") == ["forward high"]
    assert fan.shown.items() >= {"percentage": 100, "oscillating": True}.items()


async def test_a_fan_of_learned_buttons(config_dir: Path, fan: Appliance) -> None:
    names = ["power", "speed 2", "speed 1", "natural", "reverse", "light"]
    await fan.start(config_dir, code_file(CODES.nest(names)))
    assert await fan.act("turn_on", percentage=50) == ["power", "speed 1"]
    assert await fan.act("increase_speed") == ["speed 2"]
    assert await fan.act("set_preset_mode", preset_mode="natural") == ["natural"]
    assert fan.shown["preset_mode"] == "natural"
    assert await fan.act("set_direction", direction="reverse") == ["reverse"]
    assert await fan.act("turn_off") == ["power"]
    assert await fan.act("turn_off") == []


async def test_a_fan_that_is_on_is_not_turned_on_for_a_speed(
    config_dir: Path, fan: Appliance
) -> None:
    names = ["on", "off", "low", "high", "oscillate"]
    await fan.start(config_dir, code_file(CODES.nest(names)))
    assert await fan.act("oscillate", oscillating=False) == []
    assert await fan.act("turn_on", percentage=100) == ["on", "high"]
    assert await fan.act("set_percentage", percentage=50) == ["low"]
    assert await fan.act("turn_on") == ["on", "low"]


async def test_a_light(config_dir: Path, light: Appliance) -> None:
    names = ["on", "off", "brighten", "dim", "colder", "warmer", "night"]
    file = code_file(
        CODES.nest(names), brightness=[255, 64, 128, 192], colorTemperature=[2700, 4600, 6500]
    )
    await light.start(config_dir, file)
    assert await light.act("turn_on") == ["on"]
    assert light.shown.items() >= {"brightness": None, "color_temp_kelvin": None}.items()
    assert await light.act("turn_on", brightness=255) == ["brighten"] * 3
    assert await light.act("turn_on", color_temp_kelvin=6500) == ["colder"] * 2
    assert light.shown.items() >= {"brightness": 255, "color_temp_kelvin": 6500}.items()
    assert await light.act("turn_on", brightness=190) == ["dim"]
    assert light.shown["brightness"] == 192
    assert await light.act("turn_on", brightness=10) == ["dim"] * 3  # to the end, for sure
    assert await light.act("turn_on", brightness=130) == ["brighten"]
    assert await light.act("turn_on", color_temp_kelvin=4500) == ["warmer"]
    assert light.shown["color_temp_kelvin"] == 4600
    assert await light.act("turn_on", effect="night") == ["night"]
    assert light.shown["effect"] == "night"
    with pytest.raises(HomeAssistantError, match="no command for effect disco"):
        await light.act("turn_on", effect="disco")
    assert light.shown["effect"] == "night"
    assert await light.act("turn_off") == ["off"]
    assert await light.act("turn_on", brightness=255) == ["on", *["brighten"] * 3]


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ({"brightness": 255}, ["brighten"] * 4),
        ({"brightness": 51}, ["dim"] * 4),
        ({"brightness": 102}, [*["dim"] * 4, "brighten"]),
        ({"brightness": 204}, [*["brighten"] * 4, "dim"]),
        ({"color_temp_kelvin": 6500}, ["colder"] * 2),
        ({"color_temp_kelvin": 2700}, ["warmer"] * 2),
        ({"color_temp_kelvin": 4600}, ["warmer", "warmer", "colder"]),
    ],
)
async def test_the_first_level_of_a_light_is_reached_from_wherever_it_is(
    config_dir: Path, asked: dict[str, int], sent: list[str], light: Appliance
) -> None:
    names = ["on", "off", "brighten", "dim", "colder", "warmer"]
    levels = {"brightness": [51, 102, 153, 204, 255], "colorTemperature": [2700, 4600, 6500]}
    await light.start(config_dir, code_file(CODES.nest(names), **levels))
    assert await light.act("turn_on", **asked) == ["on", *sent]
    assert light.shown.items() >= asked.items()
    assert await light.act("turn_on", **asked) == []


async def test_levels_outside_of_the_lists_are_ignored(config_dir: Path, light: Appliance) -> None:
    names = ["on", "off", "brighten", "dim", "colder", "warmer"]
    file = code_file(
        CODES.nest(names),
        brightness=[0, "128", 255.0, "bright", None],
        colorTemperature=[0, 2700, 6500],
    )
    await light.start(config_dir, file)
    assert await light.act("turn_on", color_temp_kelvin=2700) == ["on", "warmer"]
    assert light.shown["min_color_temp_kelvin"] == 2700
    assert await light.act("turn_on", brightness=255) == ["brighten"]
    assert await light.act("turn_on", brightness=100) == ["dim"]
    assert light.shown["brightness"] == 128


async def test_a_light_without_commands_for_on_and_off(config_dir: Path, light: Appliance) -> None:
    await light.start(config_dir, code_file(CODES.nest(["brighten", "dim"])))
    with pytest.raises(HomeAssistantError, match="no command for on"):
        await light.act("turn_on")
    assert light.shown["state"] == "unknown"
    assert await light.act("turn_on", brightness=255) == ["brighten"] * 9
    assert await light.act("turn_on", brightness=128) == ["dim"] * 5
    with pytest.raises(HomeAssistantError, match="no command for off"):
        await light.act("turn_off")
    assert light.shown["state"] == "on"


async def test_a_light_with_a_single_button(config_dir: Path, light: Appliance) -> None:
    await light.start(config_dir, code_file(CODES.nest(["power"])))
    assert light.shown["supported_color_modes"] == ["onoff"]
    assert await light.act("turn_on") == ["power"]
    assert await light.act("turn_on") == []
    assert await light.act("turn_off") == ["power"]
    assert await light.act("turn_off") == []


async def test_a_single_button_is_pressed_in_an_unknown_state(
    config_dir: Path, light: Appliance
) -> None:
    await light.start(config_dir, code_file(CODES.nest(["power"])))
    assert light.shown["state"] == "unknown"
    assert await light.act("turn_off") == ["power"]
    assert light.shown["state"] == "off"


async def test_a_cover(config_dir: Path, virtual_hub: VirtualHub, cover: Appliance) -> None:
    await cover.start(
        config_dir, code_file(CODES.nest(["up", "down", "stop"])), device_class="blind"
    )
    assert cover.shown.items() >= {"state": "unknown", "device_class": "blind"}.items()
    assert await cover.act("open_cover") == ["up"]
    assert cover.shown["state"] == "open"
    assert await cover.act("close_cover") == ["down"]
    assert cover.shown["state"] == "closed"
    assert await cover.act("stop_cover") == ["stop"]
    assert cover.shown["state"] == "open"
    virtual_hub.faults.silent = True
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await cover.act("close_cover")


async def test_commands_are_repeated(
    hass: HomeAssistant, config_dir: Path, cover: Appliance
) -> None:
    await set_up(hass, "remote")
    controller = {"remote_entity": "remote.any", "num_repeats": 3, "delay_secs": 0}
    await cover.start(config_dir, code_file(CODES.nest(["up"])), controller_data=controller)
    assert await cover.act("open_cover") == ["up"] * 3
