"""Air conditioners: every offered state sends exactly its packet, over UDP to the virtual hub."""

import asyncio
from itertools import product
from pathlib import Path
from typing import Any

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Context, HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import intent
from homeassistant.setup import async_setup_component
from homeassistant.util.unit_system import METRIC_SYSTEM, US_CUSTOMARY_SYSTEM, UnitSystem
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    async_capture_events,
    mock_restore_cache_with_extra_data,
)

from custom_components.irhub.ircodes import to_timings
from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, set_up, start as start_remote
from .ircodes.code_files import Codes, Commands, air_conditioner, bytes_of, paths, temperatures
from .thermostat import AC, act, attributes, reach, start

CODES = Codes()
FANS, SWINGS = ["auto", "low", "high"], ["off", "auto"]
SHAPES: dict[str, dict[str, Any]] = {
    "fan and temperature": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(FANS, temperatures(18, 24)),
            "heat": CODES.nest(["auto"], temperatures(20, 30)),
            "dry": CODES.nest(["low"], ["-"]),
            "fan_only": CODES.nest(FANS, ["-"]),
        },
        fanModes=FANS,
    ),
    "no fan, half degrees, off of each mode": air_conditioner(
        {
            "off_cool": CODES.packet(),
            "off_heat": CODES.packet(),
            "cool": CODES.nest(["18", "18.5", "19"]),
            "heat": CODES.nest(["21.5", "22"]),
        },
        operationModes=["heat", "cool"],
        precision=0.5,
    ),
    "swing": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(FANS, SWINGS, temperatures(18, 20)),
            "heat": CODES.nest(FANS, ["-"], temperatures(18, 20)),
            "auto": CODES.nest(["auto"], SWINGS),
        },
        operationModes=["cool", "heat", "auto"],
        fanModes=FANS,
        swingModes=SWINGS,
    ),
    "presets and swing": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["none", "eco"], FANS, SWINGS, temperatures(18, 20)),
            "fan_only": CODES.nest(["-"], FANS),
        },
        operationModes=["cool", "fan_only"],
        presetModes=["none", "eco"],
        fanModes=FANS,
        swingModes=SWINGS,
    ),
    "presets alone": air_conditioner(
        {"off": CODES.packet(), "heat": CODES.nest(["none", "boost"], temperatures(20, 21))},
        operationModes=["heat"],
        presetModes=["none", "boost"],
    ),
}


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no change wait for others, where hundreds come one after the other."""
    monkeypatch.setattr("custom_components.irhub.entities.batching.BATCH_S", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("shape", SHAPES)
async def test_every_offered_state_sends_the_packet_of_the_file(
    hass: HomeAssistant, config_dir: Path, shape: str, virtual_hub: VirtualHub
) -> None:
    file = SHAPES[shape]
    sent: set[bytes] = set()
    await start(hass, config_dir, virtual_hub, file)
    modes = [mode for mode in attributes(hass)["hvac_modes"] if mode != "off"]
    assert modes == file["operationModes"]
    for mode in modes:
        await act(hass, "set_hvac_mode", hvac_mode=mode)
        offered = attributes(hass)
        levels = [offered.get(f"{level}_modes") or [None] for level in ("preset", "fan", "swing")]
        step = offered["target_temp_step"]
        reachable: list[float | None] = [None]
        if "temperature" in offered:
            low, high = offered["min_temp"], offered["max_temp"]
            reachable = [low + step * i for i in range(round((high - low) / step) + 1)]
        for preset, fan, swing, temperature in product(*levels, reachable):
            wanted = {
                "preset_mode": preset,
                "fan_mode": fan,
                "swing_mode": swing,
                "temperature": temperature,
            }
            settings = {key: value for key, value in wanted.items() if value is not None}
            await reach(hass, mode, **settings)
            assert attributes(hass).items() >= {"state": mode, **settings}.items()
            path = [mode, preset, fan, swing, temperature]
            sent.add(virtual_hub.transmitted[-1])
            assert virtual_hub.transmitted[-1] == bytes_of(expected(file["commands"], path))
        await act(hass, "turn_off")
        off = file["commands"].get("off") or file["commands"][f"off_{mode}"]
        assert virtual_hub.transmitted[-1] == bytes_of(off)
    states = {text for path, text in paths(file["commands"]) if not path.startswith("off")}
    assert sent == {bytes_of(text) for text in states}


def expected(commands: Commands, path: list[str | float | None]) -> str:
    """Return what the file has for a state: at each level by its name, or for whatever."""
    found: Commands | str = commands
    for level in path:
        if isinstance(found, dict):
            name = f"{level:g}" if isinstance(level, float) else str(level)
            found = found.get(name) or found.get("-") or found
    assert isinstance(found, str)
    return found


async def test_changes_while_it_is_off_are_sent_with_the_next_turning_on(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    assert attributes(hass)["state"] == "unknown"
    assert attributes(hass)["temperature"] == 22  # comfortable, before anybody says anything
    await act(hass, "set_temperature", temperature=19)
    await act(hass, "set_fan_mode", fan_mode="high")
    assert virtual_hub.transmitted == []
    assert attributes(hass).items() >= {"state": "unknown", "temperature": 19}.items()
    await act(hass, "turn_on")
    assert attributes(hass)["state"] == "cool"
    assert virtual_hub.transmitted == [bytes_of(file["commands"]["cool"]["high"]["19"])]
    await act(hass, "set_temperature", temperature=21, hvac_mode="heat")
    assert virtual_hub.transmitted[1:] == [bytes_of(file["commands"]["heat"]["auto"]["21"])]
    await act(hass, "toggle")
    assert virtual_hub.transmitted[2:] == [bytes_of(file["commands"]["off"])]


async def test_what_a_mode_does_not_have_is_not_offered_and_not_forgotten(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await reach(hass, "cool", fan_mode="high", temperature=24)
    await act(hass, "set_hvac_mode", hvac_mode="fan_only")
    assert "temperature" not in attributes(hass)
    assert attributes(hass)["fan_mode"] == "high"
    with pytest.raises(ServiceValidationError):
        await act(hass, "set_temperature", temperature=20)
    await act(hass, "set_hvac_mode", hvac_mode="cool")
    assert attributes(hass).items() >= {"fan_mode": "high", "temperature": 24}.items()
    # What the new mode has otherwise gives way to what it has.
    await act(hass, "set_temperature", temperature=18)
    await act(hass, "set_hvac_mode", hvac_mode="heat")
    assert attributes(hass).items() >= {"fan_mode": "auto", "temperature": 20}.items()


async def test_a_state_without_a_code_is_refused_with_those_next_to_it(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["low"], ["18", "19", "20"])}
        | {"heat": CODES.nest(["low", "high"], ["25"])},
        operationModes=["cool", "heat"],
        fanModes=["low", "high"],
    )
    file["commands"]["cool"]["high"] = CODES.nest(["18"])
    del file["commands"]["cool"]["low"]["19"]
    file["commands"]["heat"]["high"] |= CODES.nest(["26"])
    await start(hass, config_dir, virtual_hub, file)
    await reach(hass, "cool", temperature=20)
    sent = len(virtual_hub.transmitted)
    with pytest.raises(ServiceValidationError) as refused:
        await act(hass, "set_fan_mode", fan_mode="high")
    assert str(refused.value) == (
        "climate.office has no command for: Cool, 20 °C, Fan mode: High. The nearest that it has:"
        " Cool, 18 °C, Fan mode: High; Cool, 20 °C, Fan mode: Low; Cool, 18 °C, Fan mode: Low"
    )
    with pytest.raises(ServiceValidationError, match="Heat, 25 °C, Fan mode: Low"):
        await act(hass, "set_temperature", temperature=20, hvac_mode="heat")
    with pytest.raises(ServiceValidationError, match="Cool, 20 °C, Fan mode: Low"):
        await act(hass, "set_temperature", temperature=19)
    assert len(virtual_hub.transmitted) == sent
    assert attributes(hass).items() >= {"fan_mode": "low", "temperature": 20}.items()


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("de", "Heizbetrieb, 20 °C, Lüftermodus: Auto; Heizbetrieb, 21 °C"),
        ("nl", "Verwarmen, 20 °C, Ventilatormodus: Automatisch; Verwarmen, 21 °C"),
    ],
)
async def test_the_nearest_states_are_named_in_the_language_of_the_home(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub, language: str, named: str
) -> None:
    hass.config.language = language
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await reach(hass, "cool", temperature=20)
    with pytest.raises(ServiceValidationError) as refused:
        await act(hass, "set_temperature", temperature=18, hvac_mode="heat")
    placeholders = refused.value.translation_placeholders
    assert placeholders is not None
    assert placeholders["nearest"].startswith(named)


async def test_a_temperature_between_two_steps_is_the_next_one(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    """Voice assistants and HomeKit know no steps."""
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    await reach(hass, "cool", temperature=20)
    codes = file["commands"]["cool"]["auto"]
    for asked, sent in ((20.6, "21"), (20.5, "20"), (20.5, "21"), (18.1, "18")):
        await act(hass, "set_temperature", temperature=asked)
        assert virtual_hub.transmitted[-1] == bytes_of(codes[sent])
        assert attributes(hass)["temperature"] == int(sent)


@pytest.mark.parametrize("precision", ["0.5", float("inf")], ids=["a smaller step", "no number"])
async def test_steps_are_those_of_the_codes(
    hass: HomeAssistant, config_dir: Path, precision: object, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(temperatures(18, 30))},
        operationModes=["cool"],
        precision=precision,
    )
    await start(hass, config_dir, virtual_hub, file)
    assert attributes(hass)["target_temp_step"] == 1


async def test_set_temperature_turns_it_on_whatever_it_was_before(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    for before in ("dry", "heat"):  # no temperature; none below 20
        await reach(hass, before)
        await act(hass, "turn_off")
        await act(hass, "set_temperature", temperature=18, hvac_mode="cool")
        assert attributes(hass).items() >= {"state": "cool", "temperature": 18}.items()
    await reach(hass, "heat")
    await act(hass, "turn_off")
    with pytest.raises(ServiceValidationError, match="Heat, 20 °C, Fan mode: Auto"):
        await act(hass, "set_temperature", temperature=18)


async def test_a_scene_brings_back_all_of_it(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    assert await async_setup_component(hass, "scene", {})
    await hass.async_block_till_done()
    await reach(hass, "cool", fan_mode="high", temperature=19)
    await hass.services.async_call(
        "scene",
        "create",
        {"scene_id": "before", "snapshot_entities": [AC]},
        blocking=True,
    )
    await act(hass, "set_hvac_mode", hvac_mode="dry")
    await act(hass, "turn_off")
    await hass.services.async_call("scene", "turn_on", {"entity_id": "scene.before"}, blocking=True)
    wanted = {"state": "cool", "fan_mode": "high", "temperature": 19}
    assert attributes(hass).items() >= wanted.items()
    assert virtual_hub.transmitted[-1] == bytes_of(file["commands"]["cool"]["high"]["19"])


async def test_actions_at_once_are_done_in_turn(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    await asyncio.gather(
        act(hass, "set_hvac_mode", hvac_mode="cool"),
        act(hass, "set_temperature", temperature=19),
        act(hass, "set_fan_mode", fan_mode="high"),
        act(hass, "turn_off"),
        act(hass, "set_temperature", temperature=24),
        act(hass, "turn_on"),
    )
    codes = file["commands"]["cool"]
    sent = [codes["auto"]["22"], codes["auto"]["19"], codes["high"]["19"]]
    sent += [file["commands"]["off"], codes["high"]["24"]]
    assert virtual_hub.transmitted == [bytes_of(text) for text in sent]
    assert attributes(hass).items() >= {"state": "cool", "temperature": 24}.items()


async def of_one_context(hass: HomeAssistant, *actions: tuple[str, dict[str, object]]) -> list[Any]:
    """Act at once, as a script does with what stands side by side; return what each raised."""
    context = Context()
    calls = (
        hass.services.async_call(
            "climate", action, {"entity_id": AC, **data}, blocking=True, context=context
        )
        for action, data in actions
    )
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_changes_of_the_same_context_are_a_single_packet(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    assert await of_one_context(
        hass,
        ("set_fan_mode", {"fan_mode": "high"}),
        ("set_temperature", {"temperature": 19}),
        ("set_hvac_mode", {"hvac_mode": "cool"}),
    ) == [None, None, None]
    assert virtual_hub.transmitted == [bytes_of(file["commands"]["cool"]["high"]["19"])]
    assert await of_one_context(hass, ("turn_on", {}), ("turn_off", {})) == [None, None]
    assert virtual_hub.transmitted[1:] == [bytes_of(file["commands"]["off"])]


async def test_a_caller_that_gives_up_does_not_end_what_others_ask_for(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    context = Context()
    first, second = (
        asyncio.create_task(
            hass.services.async_call(
                "climate", action, {"entity_id": AC, **data}, blocking=True, context=context
            )
        )
        for action, data in (
            ("set_fan_mode", {"fan_mode": "high"}),
            ("set_temperature", {"temperature": 19, "hvac_mode": "cool"}),
        )
    )
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert first.cancelled()
    assert virtual_hub.transmitted == [bytes_of(file["commands"]["cool"]["high"]["19"])]


async def test_each_change_names_its_own_mistake(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    file = {**file, "commands": {**file["commands"], "cool": {**file["commands"]["cool"]}}}
    del file["commands"]["cool"]["high"]
    file["commands"]["cool"]["high"] = CODES.nest(["18"])
    await start(hass, config_dir, virtual_hub, file)
    await reach(hass, "cool", temperature=20)
    sent = len(virtual_hub.transmitted)
    fine, wrong = await of_one_context(
        hass,
        ("set_temperature", {"temperature": 21}),
        ("set_fan_mode", {"fan_mode": "high"}),
    )
    assert fine is None
    assert isinstance(wrong, ServiceValidationError)
    assert virtual_hub.transmitted[sent:] == [bytes_of(file["commands"]["cool"]["auto"]["21"])]
    virtual_hub.faults.silent = True
    failed = await of_one_context(
        hass,
        ("set_temperature", {"temperature": 22}),
        ("set_fan_mode", {"fan_mode": "low"}),
    )
    assert all(isinstance(each, HomeAssistantError) for each in failed)
    assert attributes(hass)["temperature"] == 21


async def test_a_scene_is_a_single_packet_and_again_when_it_is_reached(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    scene = {"name": "Cold", "entities": {AC: {"state": "cool", "temperature": 19}}}
    scene["entities"][AC]["fan_mode"] = "high"  # type: ignore[index]
    assert await async_setup_component(hass, "scene", {"scene": [scene]})
    await hass.async_block_till_done()
    packet = bytes_of(file["commands"]["cool"]["high"]["19"])
    for count in (1, 2):
        await hass.services.async_call(
            "scene", "turn_on", {"entity_id": "scene.cold"}, blocking=True
        )
        assert virtual_hub.transmitted == [packet] * count
    wanted = {"state": "cool", "fan_mode": "high", "temperature": 19}
    assert attributes(hass).items() >= wanted.items()


@pytest.mark.parametrize("action", ["turn_on", "apply"])
async def test_what_a_script_does_after_a_scene_is_not_undone(
    hass: HomeAssistant, config_dir: Path, action: str, virtual_hub: VirtualHub
) -> None:
    """All of it is one context; the scene's wish was for its own packet, applied or turned on."""
    file = SHAPES["fan and temperature"]
    entities = {AC: {"state": "cool", "temperature": 19, "fan_mode": "high"}}
    scene: dict[str, dict[str, object]] = {
        "turn_on": {"target": {"entity_id": "scene.cold"}},
        "apply": {"data": {"entities": entities}},
    }
    then: list[tuple[str, dict[str, object]]] = [
        ("set_fan_mode", {"fan_mode": "low"}),
        ("set_temperature", {"temperature": 21}),
    ]
    sequence = [
        {"action": f"scene.{action}", **scene[action]},
        *({"action": f"climate.{name}", "data": {"entity_id": AC, **data}} for name, data in then),
    ]
    await start(hass, config_dir, virtual_hub, file)
    assert await async_setup_component(
        hass, "scene", {"scene": [{"name": "Cold", "entities": entities}]}
    )
    assert await async_setup_component(hass, "script", {"script": {"x": {"sequence": sequence}}})
    # the platform registers its actions in a task of its own
    await hass.async_block_till_done()
    await hass.services.async_call("script", "x", blocking=True)
    of_cool = file["commands"]["cool"]
    sent = [of_cool["high"]["19"], of_cool["low"]["19"], of_cool["low"]["21"]]
    assert virtual_hub.transmitted == [bytes_of(text) for text in sent]


async def test_a_change_has_the_context_of_its_caller(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    """Another user asks for something while the packet is under way."""
    changes = async_capture_events(hass, EVENT_STATE_CHANGED)
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await reach(hass, "cool", temperature=20)
    virtual_hub.faults.slow = 0.3
    first_context, other = Context(), Context()
    changes.clear()
    first = hass.async_create_task(
        hass.services.async_call(
            *("climate", "set_temperature", {"entity_id": AC, "temperature": 19}),
            blocking=True,
            context=first_context,
        )
    )
    await virtual_hub.until(lambda: len(virtual_hub.transmitted) == 3)
    await hass.services.async_call(
        *("climate", "set_fan_mode", {"entity_id": AC, "fan_mode": "high"}),
        blocking=True,
        context=other,
    )
    await first
    changes_of_climate = [change for change in changes if change.data["entity_id"] == AC]
    assert [change.data["new_state"].context.id for change in changes_of_climate] == [
        first_context.id,
        other.id,
    ]


async def test_on_is_sent_only_while_it_is_off(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"on": CODES.packet(), "off": CODES.packet(), "cool": CODES.nest(["20", "21"])},
        operationModes=["cool"],
    )
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "set_temperature", temperature=20, hvac_mode="cool")
    await act(hass, "set_temperature", temperature=21)
    of_cool = file["commands"]["cool"]
    sent = [file["commands"]["on"], of_cool["20"], of_cool["21"]]
    assert virtual_hub.transmitted == [bytes_of(text) for text in sent]


@pytest.mark.parametrize(
    ("modes", "first"),
    [(["heat", "cool", "auto"], "auto"), (["heat", "dry", "cool"], "cool"), (["heat"], "heat")],
)
async def test_the_first_mode_is_not_that_of_the_files_order(
    hass: HomeAssistant, config_dir: Path, modes: list[str], first: str, virtual_hub: VirtualHub
) -> None:
    commands = {mode: CODES.nest(["20"]) for mode in modes}
    file = air_conditioner({"off": CODES.packet(), **commands}, operationModes=modes)
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "turn_on")
    assert attributes(hass)["state"] == first


async def test_a_press_changes_what_its_packet_says(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    """One packet stands for "dry" at every fan speed and temperature."""
    dry = CODES.packet()
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(FANS, temperatures(18, 24)),
            "dry": {fan: dict.fromkeys(temperatures(18, 24), dry) for fan in ("low", "high")},
        },
        operationModes=["cool", "dry"],
        fanModes=FANS,
    )
    await start(hass, config_dir, virtual_hub, file, follow=True)
    for fan, shown in (("high", "high"), ("auto", "auto")):
        await reach(hass, "cool", temperature=20, fan_mode=fan)
        await virtual_hub.press_when_listening(bytes_of(dry))
        await until(lambda: hass.states.is_state(AC, "dry"))
        assert attributes(hass)["temperature"] == 20
        assert attributes(hass)["fan_mode"] == shown
        await act(hass, "set_hvac_mode", hvac_mode="cool")
        assert virtual_hub.transmitted[-1] == bytes_of(file["commands"]["cool"][fan]["20"])


async def test_on_precedes_the_state_and_a_sequence_is_a_single_code(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {
            "on": CODES.packet(),
            "off": [CODES.packet(), CODES.packet()],
            "cool": CODES.nest(["20", "21"]),
        },
        operationModes=["cool"],
    )
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "turn_on")
    on, state = file["commands"]["on"], file["commands"]["cool"]["21"]
    assert virtual_hub.transmitted == [bytes_of(on), bytes_of(state)]
    await act(hass, "turn_off")
    both = [to_timings(bytes_of(text)) for text in file["commands"]["off"]]
    pause = to_timings(virtual_hub.transmitted[2])[len(both[0])]
    assert pause == pytest.approx(-500_000, rel=0.01)
    assert to_timings(virtual_hub.transmitted[2])[:-1] == [*both[0], pause, *both[1]]


async def test_a_code_that_cannot_be_sent_costs_only_its_own_state(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["20", "21"]) | {"22": "JgAB", "23": ""}},
        operationModes=["cool"],
    )
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "turn_on")
    assert attributes(hass).items() >= {"min_temp": 20, "max_temp": 21}.items()
    assert "1 commands cannot be used: codes/ac.json → cool 22: " in caplog.text
    assert "cool 23" not in caplog.text


@pytest.mark.usefixtures("quick_retries")
async def test_a_state_that_is_not_confirmed_is_not_shown(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await reach(hass, "cool", temperature=24)
    virtual_hub.faults.silent = True
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await act(hass, "set_temperature", temperature=18)
    await until(lambda: hass.states.is_state(AC, "unavailable"))
    virtual_hub.faults.silent = False
    await until(lambda: hass.states.is_state(AC, "cool"), 60)
    assert attributes(hass)["temperature"] == 24


@pytest.mark.usefixtures("quick_retries")
async def test_what_waited_while_the_hub_fell_silent_is_never_sent(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await reach(hass, "cool", temperature=24)
    sent = [*virtual_hub.transmitted]
    virtual_hub.faults.silent = True
    first = asyncio.create_task(act(hass, "set_temperature", temperature=18))
    await asyncio.sleep(0.5)
    second = asyncio.create_task(act(hass, "set_temperature", temperature=20))
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await first
    virtual_hub.faults.silent = False
    with pytest.raises(HomeAssistantError, match="stopped answering; this was not sent"):
        await second
    await until(lambda: hass.states.is_state(AC, "cool"), 60)
    assert attributes(hass)["temperature"] == 24
    assert virtual_hub.transmitted == sent


async def test_the_state_survives_a_restart(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    kept = {"mode": "heat", "preset": None, "fan": "auto", "swing": None, "temperature": 21.0}
    mock_restore_cache_with_extra_data(
        hass, [(State(AC, "unavailable"), {"is_on": True, "kept": kept})]
    )
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    assert attributes(hass).items() >= {"state": "heat", "temperature": 21}.items()
    assert attributes(hass)["assumed_state"] is True
    assert virtual_hub.transmitted == []


async def test_a_stored_state_whose_code_is_gone(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    kept = {"mode": "cool", "preset": None, "fan": "mid", "swing": None, "temperature": 40.0}
    mock_restore_cache_with_extra_data(
        hass, [(State(AC, "unavailable"), {"is_on": False, "kept": kept})]
    )
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    await act(hass, "turn_on")
    wanted = {"state": "cool", "fan_mode": "auto", "temperature": 24}
    assert attributes(hass).items() >= wanted.items()


@pytest.mark.parametrize("kept", [{"mode": "gone", "fan": 7}, {}])
async def test_a_stored_state_that_is_no_state_any_more(
    hass: HomeAssistant, config_dir: Path, kept: dict[str, object], virtual_hub: VirtualHub
) -> None:
    mock_restore_cache_with_extra_data(hass, [(State(AC, "heat"), {"is_on": False, "kept": kept})])
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"])
    assert attributes(hass).items() >= {"state": "off", "temperature": 22}.items()


async def test_sensors_are_shown(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.states.async_set("sensor.t", "68", {"unit_of_measurement": "°F"})
    hass.states.async_set("sensor.h", "unknown")
    sensors = {"temperature_sensor": "sensor.t", "humidity_sensor": "sensor.h"}
    await start(hass, config_dir, virtual_hub, SHAPES["swing"], **sensors)
    assert attributes(hass)["current_temperature"] == 20
    assert "current_humidity" not in attributes(hass)
    hass.states.async_set("sensor.t", "21.5", {"unit_of_measurement": "°C"})
    hass.states.async_set("sensor.h", "48")
    await hass.async_block_till_done()
    assert attributes(hass)["current_temperature"] == 21.5
    assert attributes(hass)["current_humidity"] == 48
    hass.states.async_set("sensor.h", "nan")
    hass.states.async_remove("sensor.t")
    await hass.async_block_till_done()
    assert attributes(hass)["current_temperature"] is None
    assert "current_humidity" not in attributes(hass)
    hass.config.units = US_CUSTOMARY_SYSTEM
    for odd in ("inf", "nan"):
        hass.states.async_set("sensor.t", odd, {"unit_of_measurement": "°C"})
        await hass.async_block_till_done()
        assert attributes(hass)["current_temperature"] is None


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("units", "codes", "lowest"),
    [
        (US_CUSTOMARY_SYSTEM, (18, 30), (64, 2)),
        (US_CUSTOMARY_SYSTEM, (16, 30), (61, 2)),
        (METRIC_SYSTEM, (61, 86), (16.1, 0.5)),
        (METRIC_SYSTEM, (60, 88), (15.6, 0.5)),
        (METRIC_SYSTEM, (18, 30), (18, 1)),
        (US_CUSTOMARY_SYSTEM, (61, 86), (61, 1)),
    ],
)
async def test_every_step_leads_to_another_temperature_in_either_unit(
    hass: HomeAssistant,
    config_dir: Path,
    units: UnitSystem,
    codes: tuple[int, int],
    lowest: tuple[float, float],
    *,
    virtual_hub: VirtualHub,
) -> None:
    """From the lowest to the highest, as the card's + does it, and back."""
    hass.config.units = units
    names = temperatures(*codes)
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(names)},
        operationModes=["cool"],
        temperatureUnit="C" if codes[0] < 45 else "F",
    )
    await start(hass, config_dir, virtual_hub, file)
    offered = attributes(hass)
    first, step = offered["min_temp"], offered["target_temp_step"]
    assert (first, step) == lowest
    await reach(hass, "cool", temperature=first)
    sent = [virtual_hub.transmitted[-1]]
    while (shown := attributes(hass)["temperature"]) < offered["max_temp"]:
        wanted = min(shown + step, offered["max_temp"])
        await act(hass, "set_temperature", temperature=wanted)
        assert attributes(hass)["temperature"] > shown
        sent.append(virtual_hub.transmitted[-1])
    assert sent == [bytes_of(file["commands"]["cool"][name]) for name in names]
    while (shown := attributes(hass)["temperature"]) > offered["min_temp"]:
        wanted = max(shown - step, offered["min_temp"])
        await act(hass, "set_temperature", temperature=wanted)
        assert attributes(hass)["temperature"] < shown


@pytest.mark.usefixtures("at_once")
async def test_a_temperature_that_cannot_be_had_is_shown_as_it_was_sent(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.config.units = US_CUSTOMARY_SYSTEM
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(temperatures(18, 30))}, operationModes=["cool"]
    )
    await start(hass, config_dir, virtual_hub, file)
    await reach(hass, "cool", temperature=65)
    assert virtual_hub.transmitted[-1] == bytes_of(file["commands"]["cool"]["18"])
    assert attributes(hass)["temperature"] == 64


async def test_a_power_sensor_decides_what_is_on(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.states.async_set("sensor.w", "2")
    watts = {"power_sensor": "sensor.w", "power_sensor_threshold": 10, "power_sensor_delay": 0.2}
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"], **watts)

    async def draws(power: str, state: str) -> None:
        hass.states.async_set("sensor.w", power)
        await until(lambda: hass.states.is_state(AC, state))

    await reach(hass, "heat", temperature=22)
    # It is not believed at once; nobody has seen it turn on, so it is off again.
    await until(lambda: hass.states.is_state(AC, "off"))
    sent = [*virtual_hub.transmitted]
    await draws("800", "heat")  # by its own remote control: in its last mode
    assert attributes(hass)["temperature"] == 22
    await draws("3", "off")
    await draws("unavailable", "off")
    await draws("700.5", "heat")
    await draws("nonsense", "heat")
    await draws("nan", "heat")
    assert virtual_hub.transmitted == sent
    await act(hass, "turn_off")
    hass.states.async_set("sensor.w", "650")  # it takes a while
    await hass.async_block_till_done()
    assert attributes(hass)["state"] == "off"
    await draws("1", "off")


@pytest.mark.parametrize(
    ("action", "mode"),
    [
        (("set_hvac_mode", {"hvac_mode": "dry"}), "dry"),
        (("set_hvac_mode", {"hvac_mode": "cool"}), "cool"),
        (("turn_on", {}), "cool"),
        (("set_temperature", {"temperature": 23}), "cool"),
    ],
)
async def test_turned_on_by_hand_in_an_unknown_mode(
    hass: HomeAssistant,
    config_dir: Path,
    action: tuple[str, dict[str, Any]],
    mode: str,
    virtual_hub: VirtualHub,
) -> None:
    hass.states.async_set("binary_sensor.power", "off")
    keys = {"power_sensor": "binary_sensor.power", "power_sensor_restore_state": False}
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"], **keys)
    hass.states.async_set("binary_sensor.power", "on")
    await until(lambda: hass.states.is_state(AC, "unknown"))
    await act(hass, action[0], **action[1])
    assert attributes(hass)["state"] == mode


async def test_a_plug_in_kilowatts_tells_what_an_air_conditioner_does(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    kilowatts = {"unit_of_measurement": "kW"}
    hass.states.async_set("sensor.p", "0.002", kilowatts)
    hass.states.async_set("sensor.t", "27", {"unit_of_measurement": "°C"})
    keys = {
        "power_sensor": "sensor.p",
        "power_sensor_threshold": 10,
        "power_sensor_delay": 0.2,
        "temperature_sensor": "sensor.t",
    }
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"], **keys)
    assert attributes(hass)["hvac_action"] == "off"
    hass.states.async_set("sensor.p", "0.020", kilowatts)  # by hand: 20 W are on
    await until(lambda: hass.states.is_state(AC, "cool"))
    assert attributes(hass)["hvac_action"] == "idle"
    for mode, action in (("cool", "cooling"), ("heat", "heating"), ("cool", "cooling")):
        await act(hass, "set_hvac_mode", hvac_mode=mode)
        hass.states.async_set("sensor.p", "0.8", kilowatts)
        await until(lambda action=action: attributes(hass)["hvac_action"] == action)  # type: ignore[misc]
    hass.states.async_set("sensor.p", "0.05", kilowatts)
    await until(lambda: attributes(hass)["hvac_action"] == "idle")
    hass.states.async_set("sensor.p", "unavailable")  # the socket was pulled out
    await until(lambda: attributes(hass).get("hvac_action") is None)
    assert attributes(hass)["state"] == "cool"


async def test_an_appliance_that_draws_power_late_is_on_then(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.states.async_set("sensor.w", "2", {"unit_of_measurement": "W"})
    watts = {"power_sensor": "sensor.w", "power_sensor_threshold": 10, "power_sensor_delay": 0.2}
    await start(hass, config_dir, virtual_hub, SHAPES["fan and temperature"], **watts)
    await reach(hass, "heat", temperature=22)
    sent = [*virtual_hub.transmitted]
    await until(lambda: hass.states.is_state(AC, "off"))
    for reading in ("900", "3", "850", "1", "870"):
        hass.states.async_set("sensor.w", reading, {"unit_of_measurement": "W"})
        shown = "heat" if float(reading) > 10 else "off"
        await until(lambda shown=shown: hass.states.is_state(AC, shown))  # type: ignore[misc]
        assert attributes(hass)["temperature"] == 22
    assert virtual_hub.transmitted == sent


async def test_commands_that_were_learned_by_name(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    learned = {"power": CODES.packet(), "kühlen 21": CODES.packet(), "kühlen 22": CODES.packet()}
    await start_remote(hass, virtual_hub)
    await set_up(hass, "climate", entry(virtual_hub, name="Office", device="ac", delay=0))
    assert attributes(hass)["state"] == "unknown"
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.broadlink", "codes": {"ac": learned}},
        blocking=True,
    )
    await hass.async_block_till_done()
    await act(hass, "set_temperature", temperature=21, hvac_mode="cool")
    assert virtual_hub.transmitted == [bytes_of(learned[name]) for name in ("power", "kühlen 21")]
    await act(hass, "set_temperature", temperature=22)
    assert virtual_hub.transmitted[2:] == [bytes_of(learned["kühlen 22"])]  # it is on already
    await act(hass, "turn_off")
    await act(hass, "turn_off")  # it toggles, and is off already
    assert virtual_hub.transmitted[3:] == [bytes_of(learned["power"])]


async def test_a_single_button_turns_an_air_conditioner_on_and_off(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    power, cool = CODES.packet(), CODES.nest(temperatures(20, 22))
    file = air_conditioner({"on": power, "off": power, "cool": cool}, operationModes=["cool"])
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "set_temperature", temperature=21)  # remembered while it is off
    await act(hass, "turn_on")
    assert virtual_hub.transmitted == [bytes_of(power), bytes_of(str(cool["21"]))]
    await act(hass, "set_temperature", temperature=22)
    await act(hass, "turn_off")
    assert attributes(hass)["state"] == "off"
    assert virtual_hub.transmitted[2:] == [bytes_of(str(cool["22"])), bytes_of(power)]
    await act(hass, "set_hvac_mode", hvac_mode="cool")
    assert virtual_hub.transmitted[4:] == [bytes_of(power), bytes_of(str(cool["22"]))]


async def test_assist_sets_the_temperature(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    for integration in ("homeassistant", "intent"):
        assert await async_setup_component(hass, integration, {})
    file = SHAPES["fan and temperature"]
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "turn_on")
    slots = {"name": {"value": "Office"}, "temperature": {"value": 20}}
    reply = await intent.async_handle(hass, "irhub", "HassClimateSetTemperature", slots)
    assert reply.response_type is intent.IntentResponseType.ACTION_DONE
    await hass.async_block_till_done()
    assert virtual_hub.transmitted[-1] == bytes_of(file["commands"]["cool"]["auto"]["20"])
    await intent.async_handle(hass, "irhub", "HassTurnOff", {"name": {"value": "Office"}})
    await hass.async_block_till_done()
    assert virtual_hub.transmitted[-1] == bytes_of(file["commands"]["off"])


@pytest.mark.parametrize("model", ["rm_pro"])
async def test_modes_and_levels_as_other_programs_have_them(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    """`fan` is `fan_only`; levels stand in any order, one is not named, a mode is misplaced."""
    cool: Any = CODES.nest(FANS, SWINGS, ["none", "eco"], temperatures(18, 20))
    only_fan: Any = CODES.nest(SWINGS, FANS)
    dry: Any = CODES.nest(["low"], ["off"], ["eco"], temperatures(19, 20))
    file = {"dry": dry} | air_conditioner(
        {"off": CODES.packet(), "cool": cool, "fan": only_fan},
        operationModes=["cool", "dry", "fan"],
        fanModes=FANS,
        swingModes=SWINGS[:1],
        presetModes=["eco"],
    )
    await start(hass, config_dir, lounge, file)
    assert attributes(hass)["hvac_modes"] == ["off", "cool", "dry", "fan_only"]
    await act(hass, "set_temperature", hvac_mode="dry", temperature=20)
    assert lounge.transmitted[-1] == bytes_of(dry["low"]["off"]["eco"]["20"])
    await act(hass, "set_temperature", hvac_mode="cool", temperature=19)
    await act(hass, "set_fan_mode", fan_mode="high")
    await act(hass, "set_preset_mode", preset_mode="none")
    await act(hass, "set_swing_mode", swing_mode="auto")
    assert lounge.transmitted[-1] == bytes_of(cool["high"]["auto"]["none"]["19"])
    shown = attributes(hass)
    assert (shown["min_temp"], shown["max_temp"]) == (18, 20)
    assert (shown["swing_modes"], {*shown["preset_modes"]}) == (SWINGS, {"none", "eco"})
    await act(hass, "set_hvac_mode", hvac_mode="fan_only")
    await act(hass, "set_fan_mode", fan_mode="low")
    await act(hass, "set_swing_mode", swing_mode="off")
    assert lounge.transmitted[-1] == bytes_of(only_fan["off"]["low"])
