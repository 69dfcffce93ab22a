"""The blueprints are loaded and used as Home Assistant's user interface would."""

import asyncio
from pathlib import Path
import shutil

from homeassistant.core import Event, HomeAssistant, ServiceCall, callback
from homeassistant.setup import async_setup_component
import pytest

from custom_components.irhub.ircodes import OFF, State
from tests.files import ROOT
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from .dialogue import add, add_of_before, configure
from .entities.appliances import appliance
from .followed import TV, pressed, teach
from .home import HDMI, POWER, entry, set_up
from .ircodes.code_files import Codes, air_conditioner, bytes_of, temperatures, write
from .received import CODES, House

FOLDER = ROOT / "blueprints/automation/irhub"


async def use(hass: HomeAssistant, config_dir: Path, name: str, **inputs: object) -> None:
    """Make an automation of a blueprint."""
    there = config_dir / "blueprints/automation/irhub"
    there.mkdir(parents=True)
    shutil.copy(FOLDER / name, there / name)
    of = {"use_blueprint": {"path": f"irhub/{name}", "input": inputs}}
    assert await async_setup_component(hass, "automation", {"automation": [of]})
    await hass.async_block_till_done()
    [automation] = hass.states.async_all("automation")
    assert automation.state == "on"


async def test_a_spare_button_starts_anything(
    home: Home, config_dir: Path, lounge: VirtualHub
) -> None:
    hass, heard = home.hass, list[str]()

    @callback
    def tell(event: Event) -> None:
        heard.append(str(event.event_type))

    hass.bus.async_listen("spare", tell)
    remote = "event.tv_remote_control"
    ours = await add(hass, lounge)
    await teach(home, "remote.lounge", tv=TV)
    dialogue = await (await configure(hass, ours)).choose("follow")
    await dialogue.submit(followed=["tv"])
    await use(
        hass,
        config_dir,
        "spare_button.yaml",
        remote_control=remote,
        button="hdmi",
        actions=[{"event": "spare"}],
    )
    await lounge.press_when_listening(pressed(POWER))
    await home.wait_for(remote, lambda state: state.attributes["event_type"] == "power")
    assert heard == []
    await lounge.press_when_listening(pressed(HDMI))
    await until(lambda: heard)

    # The hub goes and comes: nobody has pressed anything.
    lounge.faults.silent = True
    ours.runtime_data.own_hub.connection.check_now()
    await home.wait_for(remote, "unavailable")
    lounge.faults.silent = False
    ours.runtime_data.own_hub.connection.check_now()
    await home.wait_for(remote, lambda state: state.state != "unavailable")
    await hass.async_block_till_done()
    assert heard == ["spare"]


@pytest.mark.parametrize(
    ("window", "person", "presence", "off"),
    [
        ("on", "home", ["person.a"], True),
        ("off", "not_home", ["person.a"], True),
        ("off", "home", ["person.a"], False),
        ("on", "home", [], True),
        ("off", "not_home", [], False),
    ],
)
async def test_an_air_conditioner_goes_off(
    *,
    hass: HomeAssistant,
    config_dir: Path,
    window: str,
    person: str,
    presence: list[str],
    off: bool,
) -> None:
    calls: list[ServiceCall] = []

    @callback
    def turned_off(call: ServiceCall) -> None:
        calls.append(call)

    hass.services.async_register("climate", "turn_off", turned_off)
    for entity_id, state in (
        ("climate.ac", "cool"),
        ("binary_sensor.w", "off"),
        ("person.a", "home"),
    ):
        hass.states.async_set(entity_id, state)
    await use(
        hass,
        config_dir,
        "air_conditioner.yaml",
        air_conditioner="climate.ac",
        windows=["binary_sensor.w"],
        presence=presence,
        wait={"seconds": 0},
    )
    hass.states.async_set("binary_sensor.w", window)
    hass.states.async_set("person.a", person)
    await hass.async_block_till_done()
    assert [call.data["entity_id"] for call in calls] == ([["climate.ac"]] if off else [])


async def test_its_hub_sends_the_code_after_a_while(
    home: Home, config_dir: Path, lounge: VirtualHub
) -> None:
    hass, window = home.hass, "binary_sensor.w"
    codes = Codes()
    states = {name: codes.packet() for name in ("cool auto 22", "cool auto 23", "off")}
    ours = await add(hass, lounge)
    await teach(home, "remote.lounge", ac=states)
    await add_of_before(hass, ours, appliance("ac", "climate"))
    await home.wait_for("climate.ac", "unknown")
    data = {"entity_id": "climate.ac", "hvac_mode": "cool"}
    await hass.services.async_call("climate", "set_hvac_mode", data, blocking=True)
    hass.states.async_set(window, "off")
    inputs = {"air_conditioner": "climate.ac", "windows": [window], "wait": {"seconds": 1}}
    await use(hass, config_dir, "air_conditioner.yaml", **inputs)
    sent = len(lounge.transmitted)
    for state in ("on", "off", "on"):  # somebody looked out, and opened it again later
        assert hass.states.is_state("climate.ac", "cool")
        hass.states.async_set(window, state)
        await asyncio.sleep(0.2)
    await home.wait_for("climate.ac", "off")
    assert lounge.transmitted[sent:] == [bytes_of(states["off"])]


async def test_the_remote_control_of_one_room_sets_the_thermostat_of_another(
    home: Home, config_dir: Path, lounge: VirtualHub, attic: VirtualHub
) -> None:
    hass, bedroom = home.hass, "climate.bedroom"
    fans, degrees = ["auto", "low"], temperatures(18, 26)
    codes = {
        "off": CODES.packet(),
        "cool": CODES.nest(fans, degrees),
        "heat": CODES.nest(["auto"], temperatures(20, 24)),
    }
    file = write(config_dir, "codes/bedroom.json", air_conditioner(codes, fanModes=fans))
    await set_up(hass, "climate", entry(attic, name="Bedroom", file=file, delay=0))
    await home.wait_for(bedroom, "unknown")
    house = House(hass, lounge)
    await house.start(events=True)
    await use(
        hass,
        config_dir,
        "other_room.yaml",
        remote_control="event.acme_a1_remote_control",
        thermostat=bedroom,
    )
    for remote_state, state, shown in (
        (State(mode="cool", fan="low", swing="on", temperature=24.0), "cool", (24, "low")),
        (State(mode="cool", fan="high", swing="off", temperature=30.0), "cool", (26, "low")),
        (State(mode="heat", fan="low", swing="off", temperature=21.0), "heat", (21, "auto")),
        (OFF, "off", (21, "auto")),
    ):
        await house.press(remote_state)
        await home.wait_for(
            bedroom,
            lambda at, state=state, shown=shown: (  # type: ignore[misc]
                at.state == state
                and (at.attributes["temperature"], at.attributes["fan_mode"]) == shown
            ),
        )
        await hass.async_block_till_done()
    before = len(attic.transmitted)
    await house.press(State(mode="dry", fan="low", swing="off", temperature=21.0))
    await home.wait_for(
        "event.acme_a1_remote_control", lambda at: at.attributes["event_type"] == "dry"
    )
    await hass.async_block_till_done()
    assert home.value(bedroom) == "off"  # it has no such mode
    assert len(attic.transmitted) == before
    assert lounge.transmitted == []
