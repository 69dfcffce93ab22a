"""An air conditioner from two presses of its remote control, without a file."""

from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, State as HassState
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.devices.device import Protocol
from custom_components.irhub.devices.rules import protocol_rule
from custom_components.irhub.dialogues import listening
from custom_components.irhub.dialogues.from_remote import REQUESTED_DEGREES
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.errors import UserError
from custom_components.irhub.ircodes import OFF, Off, State, from_timings, meaning, to_base64
from custom_components.irhub.ircodes.protocols import (
    PROTOCOLS,
    Fields,
    air_conditioners,
    protocol_rule as protocol_rule_module,
    readings,
    same_button,
)
from custom_components.irhub.ircodes.protocols.air_conditioners import (
    PRESSED_OFF,
    ClimateProtocol,
    written,
)
from custom_components.irhub.ircodes.protocols.protocols import Command, air_conditioner
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import REMOTE, buttons, devices, learn
from ..dialogue import Dialogue, add, add_of_before
from ..home import HDMI as NEC_PACKET, NEC, POWER, known
from ..jitter import jittered
from .air_conditioners import packet
from .appliances import act, begin, change, finish

pytestmark = pytest.mark.usefixtures("no_pauses")

OFFERED = [name for name, protocol in PROTOCOLS.items() if OFF in protocol.states({})]
"""Those of this host's library; older ones have none."""
of_each_protocol = pytest.mark.parametrize("protocol", OFFERED)
of_gree = pytest.mark.parametrize("protocol", [name for name in OFFERED if name == "Gree AC"])


of_lg = pytest.mark.parametrize("protocol", [name for name in OFFERED if name == "LG AC"])


def lg_timings(
    leader: tuple[int, int], temperature: int, *, mode: int = 0, runs: bool = False
) -> list[int]:
    """Return LG's packet of a mode, fan low: it switches on, or changes what runs."""
    nibbles = [8, 8, 0, mode + 8 * runs, temperature - 15, 0]
    frame = "".join(f"{nibble:04b}" for nibble in [*nibbles, sum(nibbles) % 16])
    bits = [us for bit in frame for us in (550, -1600 if bit == "1" else -550)]
    return [*leader, *bits, 550, -50_000]


def fujitsus_off(seed: int) -> bytes:
    """Return the short message with which Fujitsu's remote control turns off, as a hub hears it."""
    bits = [byte >> place & 1 for byte in bytes.fromhex("146300101002fd") for place in range(8)]
    ends = [us for bit in bits for us in (420, -1200 if bit else -420)]
    return from_timings(jittered([3300, -1600, *ends, 420, -50_000], Random(seed)))


def last_transmitted(protocol: str, hub: VirtualHub) -> State | Off:
    """Return what the last packet says that the hub has transmitted."""
    read = PROTOCOLS[protocol].read(hub.transmitted[-1])
    assert read is not None
    return read[0]


def transmitted_state(protocol: str, hub: VirtualHub) -> State:
    """Return the state that the hub has transmitted last."""
    state = last_transmitted(protocol, hub)
    assert isinstance(state, State)
    return state


async def press_off_at_first(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press a button that says something else than what is asked for, and go on with that."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await dialogue.progress("press_state")
    await hub.press_when_listening(packet(OFFERED[0], power=False))
    await dialogue.arrive("heard")
    await dialogue.choose("second_state")
    assert dialogue.step == "from_remote"
    return dialogue


async def start(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Choose to do without a file; the hub listens then."""
    return await (await press_off_at_first(hass, entry, hub)).submit()


async def press(dialogue: Dialogue, hub: VirtualHub, packet: bytes, *, asked: str) -> None:
    """Press a button when the dialogue asks for it."""
    await dialogue.wait(
        lambda: (
            dialogue.shown.get("progress_action") == "set_state"
            and dialogue.texts["asked"] == asked
        )
    )
    await hub.press_when_listening(packet)


def in_unit_of(protocol: str, degrees: tuple[int, int], fields: Fields | None = None) -> int:
    """Return the temperature of (°C, °F) in the unit that the protocol has."""
    return degrees[PROTOCOLS[protocol].unit(fields or {}) == "F"]


async def press_twice(
    dialogue: Dialogue, hub: VirtualHub, protocol: str, fields: Fields | None = None
) -> None:
    """Press what is asked for, in the unit that the protocol has."""
    for degrees in REQUESTED_DEGREES:
        asked = in_unit_of(protocol, degrees, fields)
        pressed = packet(protocol, fields, mode="cool", temperature=asked)
        await press(dialogue, hub, pressed, asked="{} °C ({} °F)".format(*degrees))


async def press_both(
    dialogue: Dialogue, hub: VirtualHub, protocol: str, fields: Fields | None = None
) -> None:
    """Press what is asked for, and come to the levels."""
    await press_twice(dialogue, hub, protocol, fields)
    await dialogue.arrive("levels")


def degrees_of(protocol: str) -> list[float]:
    """Return the temperatures that a protocol has."""
    states = PROTOCOLS[protocol].states({})
    return sorted(
        {
            state.temperature
            for state in states
            if state is not OFF and state.temperature is not None
        }
    )


def subentry_of(entry: ConfigEntry) -> ConfigSubentry:
    [subentry] = entry.subentries.values()
    return subentry


def state(hass: HomeAssistant, entity_id: str) -> HassState:
    found = hass.states.get(entity_id)
    assert found is not None
    return found


@of_each_protocol
async def test_from_two_presses_to_an_air_conditioner(
    hass: HomeAssistant, protocol: str, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await start(hass, entry, lounge)
    await press_both(dialogue, lounge, protocol)
    assert dialogue.texts["heard"].startswith(f"{protocol}: Cool, ")
    levels = {
        key: [option["value"] for option in field.config["options"]]
        for key, field in dialogue.fields.items()
    }
    await dialogue.submit(**levels)
    assert dialogue.step == "ready"
    assert dialogue.suggested["name"] == f"{protocol.split(maxsplit=1)[0]} Air conditioner"
    assert "buttons" not in dialogue.folded
    assert "Cool" in dialogue.texts["found"].splitlines()[0]

    await dialogue.submit(name="Office", then="try_it")
    offered = dialogue.fields["command"].config["options"]
    [cooling] = [name for name in offered if name.startswith("Cool, ")]
    tried = float(cooling.split("°")[0].removeprefix("Cool, "))
    degrees = degrees_of(protocol)
    assert degrees[len(degrees) // 4] < tried < degrees[-len(degrees) // 4], "in the middle"
    await dialogue.submit(command="Off")
    assert dialogue.texts["note"] == "Off was sent. Did it react?"
    assert last_transmitted(protocol, lounge) == OFF
    await finish(hass, dialogue, "climate.office")
    assert subentry_of(entry).data.keys() == {
        "kind",
        "device",
        "protocol",
        "protocol_fields",
        "levels",
    }

    data = {"entity_id": "climate.office", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    degrees_sent = in_unit_of(protocol, (21, 70))
    first = transmitted_state(protocol, lounge)
    assert first.fan == levels["fans"][0]
    assert first.swing in (None, *levels.get("swings", ())[:1])
    for fan in levels["fans"]:
        await act(hass, "climate", "set_fan_mode", entity_id="climate.office", fan_mode=fan)
        asked = transmitted_state(protocol, lounge)
        assert (asked.mode, asked.fan, asked.temperature) == ("cool", fan, degrees_sent)
    swings = levels.get("swings", [])
    for swing in swings if len(swings) > 1 else ():
        await act(hass, "climate", "set_swing_mode", entity_id="climate.office", swing_mode=swing)
        assert transmitted_state(protocol, lounge).swing == swing
    for mode in levels["modes"]:
        await act(hass, "climate", "set_hvac_mode", entity_id="climate.office", hvac_mode=mode)
        assert transmitted_state(protocol, lounge).mode == mode
        assert state(hass, "climate.office").state == mode
    await act(hass, "climate", "turn_off", entity_id="climate.office")
    assert last_transmitted(protocol, lounge) == OFF
    assert [*buttons(hass)] == []


@of_each_protocol
def test_states_of_a_protocol_are_created_once(protocol: str) -> None:
    """To make them takes up to half a second, and an off as it was pressed changes none."""
    known = PROTOCOLS[protocol]
    assert known.states({PRESSED_OFF: "JgAA"}) is known.states({})


@of_each_protocol
def test_every_state_is_decoded_as_encoded(protocol: str) -> None:
    states = PROTOCOLS[protocol].states({})
    assert len(states) > 100
    for state, command in states.items():
        read = PROTOCOLS[protocol].read(written(command))
        assert read is not None
        assert read[0] == state


@of_gree
async def test_other_fields_of_the_packets_are_preserved(
    hass: HomeAssistant, protocol: str, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await start(hass, entry, lounge)
    await press_both(dialogue, lounge, protocol, {"display": False})
    await dialogue.submit(modes=["cool", "dry"], fans=["auto"], swings=["off"])
    assert dialogue.texts["found"] == "- Cool, Dry, Off\n- 16 \N{EN DASH} 30 °C"
    await finish(hass, dialogue, "climate.office", name="Office")
    assert known(hass).named("Office").rule == Protocol(name=protocol, fields={"display": False})
    office = state(hass, "climate.office")
    assert office.attributes["hvac_modes"] == ["off", "cool", "dry"]
    assert "fan_modes" not in office.attributes
    await act(hass, "climate", "turn_on", entity_id="climate.office")
    assert PROTOCOLS[protocol].read(lounge.transmitted[-1]) == (
        last_transmitted(protocol, lounge),
        {"display": False},
        "C",
    )
    assert (transmitted_state(protocol, lounge).fan, transmitted_state(protocol, lounge).swing) == (
        "auto",
        "off",
    )


@of_gree
async def test_an_air_conditioner_is_changed_and_follows_its_remote_control(
    hass: HomeAssistant, protocol: str, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await start(hass, entry, lounge)
    await press_both(dialogue, lounge, protocol)
    await dialogue.submit(modes=["cool"], fans=["auto"], swings=["off"])
    await finish(hass, dialogue, "climate.office", name="Office")

    dialogue = await change(hass, entry)
    await dialogue.submit(then="levels")
    assert dialogue.texts["heard"] == protocol
    assert dialogue.fields["fans"].config["options"] == [
        {"value": value, "label": label}
        for value, label in (
            ("auto", "Auto"),
            ("low", "Low"),
            ("medium", "Medium"),
            ("high", "High"),
        )
    ]
    await dialogue.submit(modes=["cool", "heat"], fans=["auto", "high"])
    assert dialogue.error.startswith("Nothing could be set any more")
    await dialogue.submit(modes=["cool", "heat"], fans=["auto", "high"], swings=["off"])
    await dialogue.submit(more={"follow": True}, then="finish")
    await until(
        lambda: (
            (office := hass.states.get("climate.office")) is not None
            and "heat" in office.attributes.get("hvac_modes", ())
        )
    )
    await lounge.until(lambda: lounge.receiver.listening == "ir")

    async def receive(pressed: bytes) -> HassState:
        await lounge.press_when_listening(pressed)
        await lounge.until(lambda: lounge.receiver.listening == "ir")
        return state(hass, "climate.office")

    heard = packet(protocol, {"turbo": True}, mode="heat", temperature=27, fan="high")
    office = await receive(heard)
    assert office.state == "heat"
    assert (office.attributes["temperature"], office.attributes["fan_mode"]) == (27, "high")
    # A swing that is not offered is none of the states; the rest of it is taken over.
    office = await receive(
        packet(protocol, mode="cool", temperature=19, fan="auto", swing="vertical")
    )
    assert (office.state, office.attributes["temperature"]) == ("cool", 19)
    # It no longer cools, and a mode that is not offered is not shown.
    assert (await receive(packet(protocol, mode="dry", temperature=19))).state == "unknown"
    assert (await receive(NEC_PACKET)).state == "unknown"
    assert (await receive(packet(protocol, power=False))).state == "off"
    assert lounge.transmitted == []


@of_lg
@pytest.mark.parametrize("leader", [(3200, -9900), (8500, -4250)])
async def test_what_lg_sends_while_it_runs_is_read_and_followed_but_never_sent(
    hass: HomeAssistant, protocol: str, leader: tuple[int, int], lounge: VirtualHub
) -> None:
    """Such a packet does not switch on: one press has to be the one that does."""

    def lg(temperature: int, *, runs: bool, seed: int = 1) -> bytes:
        return from_timings(jittered(lg_timings(leader, temperature, runs=runs), Random(seed)))

    entry = await add(hass, lounge)
    dialogue = await start(hass, entry, lounge)
    await press(dialogue, lounge, lg(24, runs=True), asked="24 °C (75 °F)")
    await press(dialogue, lounge, lg(25, runs=True, seed=2), asked="25 °C (77 °F)")
    await dialogue.arrive("state_heard")
    assert dialogue.texts["problem"].startswith(
        f"The presses say {protocol}: Cool, 25 °C, Fan mode: Low, and more"
    )
    assert "set 24 °C (75 °F) and switch it off" in dialogue.texts["problem"]

    dialogue = await (await dialogue.choose("from_remote")).submit()
    await press(dialogue, lounge, lg(24, runs=False), asked="24 °C (75 °F)")
    await press(dialogue, lounge, lg(25, runs=True, seed=2), asked="25 °C (77 °F)")
    await dialogue.arrive("levels")
    await dialogue.submit(modes=["cool"], fans=["low"])
    await finish(hass, dialogue, "climate.office", name="Office", more={"follow": True})
    data = {"entity_id": "climate.office", "temperature": 26, "hvac_mode": "cool"}
    await act(hass, "climate", "set_temperature", **data)
    assert same_button(lounge.transmitted[-1], lg(26, runs=False))

    await lounge.until(lambda: lounge.receiver.listening == "ir")
    await lounge.press_when_listening(lg(27, runs=True))
    await until(lambda: state(hass, "climate.office").attributes["temperature"] == 27)


@of_each_protocol
async def test_an_air_conditioner_stays_while_commands_are_learned(
    hass: HomeAssistant, protocol: str, monkeypatch: pytest.MonkeyPatch, entry: IrhubConfigEntry
) -> None:
    """It has no commands of its own there; and its states are not encoded before they are sent."""
    data = {"kind": "climate", "device": "Office", "protocol": protocol}
    office = ConfigSubentry(
        data=MappingProxyType(data), subentry_type="appliance", title="Office", unique_id=None
    )
    encoded: list[Command] = []

    def count(command: Command) -> bytes:
        encoded.append(command)
        return written(command)

    monkeypatch.setattr(protocol_rule_module, "written", count)
    await add_of_before(hass, entry, office)
    await until(lambda: hass.states.get("climate.office"))
    made = devices(hass, entry)["Office"].id, er.async_get(hass).async_get("climate.office")

    await hass.config_entries.async_reload(entry.entry_id)
    await learn(hass, tv={"power": NEC})
    gone = {"entity_id": REMOTE, "device": "tv", "command": ["power"]}
    await act(hass, "remote", "delete_command", **gone)
    # One that was learned under its name, and moves on, leaves it where it is.
    await learn(hass, Office={"lamp": NEC})
    moved = {"device": "Office", "command": "lamp", "new_device": "Lamp"}
    await act(hass, "irhub", "rename_code", entity_id=REMOTE, **moved)
    await hass.async_block_till_done()
    assert subentry_of(entry).data["device"] == "Office"
    kept = devices(hass, entry)["Office"].id, er.async_get(hass).async_get("climate.office")
    assert kept == made
    await until(lambda: hass.states.is_state("climate.office", "unknown"))
    read = {air_conditioner(command) for command in encoded}
    assert {each[0] for each in read if each is not None} == {OFF}


@of_gree
async def test_presses_that_do_not_prove_the_protocol_are_rejected(
    hass: HomeAssistant,
    protocol: str,
    monkeypatch: pytest.MonkeyPatch,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await start(hass, entry, lounge)

    async def refused(pressed: bytes, asked: str = "24 °C (75 °F)") -> str:
        await press(dialogue, lounge, pressed, asked=asked)
        await dialogue.arrive("state_heard")
        problem = dialogue.texts["problem"]
        await (await dialogue.choose("from_remote")).submit()
        return problem

    assert "not a state of an air conditioner" in await refused(NEC_PACKET)
    assert "Heard: \N{EN DASH}" in await refused(POWER[:20] + POWER[-2:])
    problem = await refused(packet(protocol, mode="cool", temperature=23))
    assert f"read as {protocol}: Cool, 23 °C, Fan mode: Auto, not Cool, 24 °C (75 °F)" in problem
    assert "Heat, 24 °C" in await refused(packet(protocol, mode="heat", temperature=24))
    assert f"{protocol}: Off" in await refused(packet(protocol, power=False))

    asked = packet(protocol, mode="cool", temperature=24)
    await press(dialogue, lounge, asked, asked="24 °C (75 °F)")
    assert "not Cool, 25 °C" in await refused(asked, "25 °C (77 °F)")
    await press(dialogue, lounge, asked, asked="24 °C (75 °F)")
    assert "not a state" in await refused(NEC_PACKET, "25 °C (77 °F)")
    other = next(name for name in OFFERED if name != protocol)
    await press(dialogue, lounge, asked, asked="24 °C (75 °F)")
    assert f"read as {other}" in await refused(
        packet(other, mode="cool", temperature=25), "25 °C (77 °F)"
    )

    with monkeypatch.context() as patch:  # no two protocols are as alike as that
        twins = dict.fromkeys((protocol, "Twin"), PROTOCOLS[protocol])
        patch.setattr(air_conditioners, "PROTOCOLS", twins)
        await press_both(dialogue, lounge, protocol)  # what it is said to mean decides
        assert dialogue.texts["heard"].startswith(protocol)

    dialogue = await start(hass, entry, lounge)
    with monkeypatch.context() as patch:
        twins = dict.fromkeys(("One", "Other"), PROTOCOLS[protocol])
        patch.setattr(air_conditioners, "PROTOCOLS", twins)
        await press(dialogue, lounge, asked, asked="24 °C (75 °F)")
        problem = await refused(packet(protocol, mode="cool", temperature=25), "25 °C (77 °F)")
        assert "Several protocols fit" in problem
        assert problem.endswith("One, Other. Use a code file, or learn the commands")


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.keys() & {"Fujitsu AC"} - set(OFFERED)))
async def test_a_protocol_without_a_packet_that_turns_off(
    hass: HomeAssistant,
    protocol: str,
    monkeypatch: pytest.MonkeyPatch,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    """A third press gives it: it is sent as it was heard, and known again."""
    dialogue = await start(hass, entry, lounge)
    await press_twice(dialogue, lounge, protocol)
    await dialogue.arrive("ask_off")
    assert dialogue.texts["heard"].startswith(f"{protocol}: Cool, 25 °C")
    assert dialogue.texts["problem"] == ""
    options = ["hear_off", "from_remote", "teach", "which_file", "how"]
    assert dialogue.shown["menu_options"] == options

    await dialogue.choose("hear_off")
    await dialogue.progress("press_off")
    await lounge.press_when_listening(packet(protocol, mode="cool", temperature=25))
    await dialogue.arrive("ask_off")
    assert f"read as {protocol}: Cool, 25 °C, " in dialogue.texts["problem"]
    assert "not Off" in dialogue.texts["problem"]

    with monkeypatch.context() as patch:
        patch.setattr(listening, "LEARN_WINDOW_S", 0.3)
        await dialogue.choose("hear_off")
        await dialogue.arrive("ask_off")
    assert "No signal was received" in dialogue.texts["problem"]

    pressed = fujitsus_off(seed=1)
    await dialogue.choose("hear_off")
    await dialogue.progress("press_off")
    await lounge.press_when_listening(pressed)
    await dialogue.arrive("levels")
    await dialogue.submit(modes=["cool"], fans=["auto"], swings=["off"])
    await finish(hass, dialogue, "climate.office", name="Office", more={"follow": True})
    kept = Protocol(name=protocol, fields={"off": to_base64(pressed)})
    assert known(hass).named("Office").rule == kept

    cool = {"entity_id": "climate.office", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **cool)
    assert transmitted_state(protocol, lounge).temperature == 21
    await act(hass, "climate", "turn_off", entity_id="climate.office")
    assert lounge.transmitted[-1] == pressed
    assert state(hass, "climate.office").state == "off"

    await act(hass, "climate", "set_temperature", **cool)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    await lounge.press_when_listening(fujitsus_off(seed=2))
    await until(lambda: state(hass, "climate.office").state == "off")


@of_each_protocol
async def test_off_is_sent_as_received_if_the_library_encodes_it_otherwise(
    hass: HomeAssistant, protocol: str, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """It is pressed, now or later, and is sent as it was heard, and known again."""
    dialogue = await start(hass, entry, lounge)
    await press_both(dialogue, lounge, protocol)
    await dialogue.submit(**{**dialogue.suggested, "modes": ["cool"]})
    await finish(hass, dialogue, "climate.office", name="Office", more={"follow": True})
    await act(hass, "climate", "turn_off", entity_id="climate.office")
    assert last_transmitted(protocol, lounge) == OFF

    dialogue = await change(hass, entry)
    await dialogue.submit(then="own_off")
    await dialogue.progress("press_off")
    asked = packet(protocol, mode="cool", temperature=in_unit_of(protocol, REQUESTED_DEGREES[0]))
    await lounge.press_when_listening(asked)
    await dialogue.arrive("ready")
    assert "not Off" in dialogue.error

    pressed = fujitsus_off(seed=1)
    await dialogue.submit(then="own_off")
    await dialogue.progress("press_off")
    await lounge.press_when_listening(pressed)
    await dialogue.arrive("ready")
    assert dialogue.texts["note"] == "Off is sent as it was pressed."
    await dialogue.submit(more={"follow": True}, then="finish")
    rule = known(hass).named("Office").rule
    assert isinstance(rule, Protocol)
    assert rule.fields["off"] == to_base64(pressed)
    await until(lambda: (office := hass.states.get("climate.office")) and office.state == "off")
    for heard in (fujitsus_off(seed=2), packet(protocol, power=False)):
        await lounge.until(lambda: lounge.receiver.listening == "ir")
        await lounge.press_when_listening(asked)
        await until(lambda: state(hass, "climate.office").state == "cool")
        await lounge.until(lambda: lounge.receiver.listening == "ir")
        await lounge.press_when_listening(heard)
        await until(lambda: state(hass, "climate.office").state == "off")
    await act(hass, "climate", "turn_off", entity_id="climate.office")
    assert lounge.transmitted[-1] == pressed


@pytest.mark.parametrize("protocol", OFFERED[:1])
@pytest.mark.parametrize("off", ["Zm9v", "!", 1.5])
def test_a_stored_off_that_is_no_packet_is_rejected(protocol: str, off: str | float) -> None:
    with pytest.raises(UserError) as err:
        protocol_rule(protocol, {"off": off})
    assert err.value.translation_key == "no_protocol"


async def test_protocols_are_not_offered_if_the_library_has_none(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await (await begin(hass, entry)).choose("press_button")
    none: Mapping[str, ClimateProtocol] = {}
    monkeypatch.setattr("custom_components.irhub.dialogues.press.PROTOCOLS", none)
    await dialogue.progress("press_state")
    await lounge.press_when_listening(NEC_PACKET)
    await dialogue.arrive("heard")
    assert dialogue.shown["menu_options"] == ["teach", "which_file", "press_button", "how"]


def test_a_library_class_without_resolvable_types_is_rejected() -> None:
    """Its types may be imported for a type checker alone; the others' protocols stay."""

    class FutureAcCommand:
        def __init__(self, mode: Elsewhere, temperature: int) -> None:  # type: ignore[name-defined]  # noqa: F821
            self.mode = mode
            self.temperature = temperature

        def get_raw_timings(self) -> list[int]:
            return []

    with pytest.raises(TypeError, match="Future AC does not say"):
        ClimateProtocol(FutureAcCommand)


@of_gree
async def test_names_nobody_presses_and_a_hub_that_is_gone(
    hass: HomeAssistant,
    protocol: str,
    monkeypatch: pytest.MonkeyPatch,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    dialogue = await press_off_at_first(hass, entry, lounge)
    with monkeypatch.context() as patch:
        patch.setattr(listening, "LEARN_WINDOW_S", 0.3)
        await dialogue.submit()
        await dialogue.arrive("state_heard")
    assert "No signal was received" in dialogue.texts["problem"]
    await dialogue.choose("from_remote")
    await dialogue.submit()
    await press_both(dialogue, lounge, protocol)
    chosen = {"modes": ["cool"], "fans": ["auto"], "swings": ["off"]}
    await dialogue.submit(**chosen)
    await dialogue.submit(name=" ", then="finish")
    assert dialogue.step == "ready"
    assert dialogue.error
    await finish(hass, dialogue, "climate.office", name="Office")

    dialogue = await start(hass, entry, lounge)
    await press_both(dialogue, lounge, protocol)
    await dialogue.submit(**chosen)
    await finish(hass, dialogue, "climate.office_2", name="Office")

    dialogue = await press_off_at_first(hass, entry, lounge)
    assert await hass.config_entries.async_unload(entry.entry_id)
    await dialogue.submit()
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "not_loaded"


async def test_a_protocol_that_the_library_lacks_is_reported(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, entry: IrhubConfigEntry
) -> None:
    await act(
        hass,
        "irhub",
        "import_codes",
        entity_id="remote.lounge",
        codes={"fan": {"off": NEC, "speed 1": NEC}},
    )
    subentries = [
        ConfigSubentry(
            data=MappingProxyType({"device": title, **data}),
            subentry_type="appliance",
            title=title,
            unique_id=title,
        )
        for title, data in (
            ("Office", {"kind": "climate", "protocol": "Future AC", "protocol_fields": {}}),
            (
                "Den",
                {"kind": "climate", "protocol": "Gree AC", "protocol_fields": {"wings": 2}},
            ),
            ("fan", {"kind": "fan"}),
        )
    ]
    await add_of_before(hass, entry, *subentries)
    await until(lambda: hass.states.get("fan.fan") is not None)
    await hass.async_block_till_done()
    assert hass.states.async_entity_ids("climate") == []
    errors = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert [line.partition(": ")[0] for line in errors] == ["Office", "Den"]
    assert "cannot write Future AC as the appliance needs it" in errors[0]

    flows = hass.config_entries.subentries
    office = next(each for each in entry.subentries.values() if each.title == "Office")
    shown = await flows.async_init(
        (entry.entry_id, "appliance"),
        context={"source": "reconfigure", "subentry_id": office.subentry_id},
    )
    assert (shown["type"], shown["reason"]) == (FlowResultType.ABORT, "failed")
    assert "cannot write Future AC" in (shown["description_placeholders"] or {})["error"]


@of_lg
def test_a_press_that_cannot_be_encoded_again_is_not_read(protocol: str) -> None:
    """LG's library reads over the temperature that "dry" was pressed with, and writes another."""
    timings = lg_timings((3200, -9900), 20, mode=1)
    pressed = from_timings(timings)
    assert PROTOCOLS[protocol]._cls.from_raw_timings(timings[:-1]) is not None  # noqa: SLF001
    assert protocol not in readings(pressed)
    read = meaning(pressed)
    assert read is None or read.state is None


def test_a_packet_for_a_running_air_conditioner_is_not_decoded_as_off() -> None:
    """Fujitsu's says only that it does not turn on."""
    for name in PROTOCOLS.keys() & {"Fujitsu AC"}:
        protocol = PROTOCOLS[name]
        running = protocol._cls(temperature=24, power=False)  # noqa: SLF001
        read = meaning(written(running))
        assert read is not None
        assert read.text == "Fujitsu AC: auto, 24 °C, fan auto"
