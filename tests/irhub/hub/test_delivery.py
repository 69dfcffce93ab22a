"""Whether another receiver hears what is sent: two hubs in one house, and what tells of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.entities.use import Use
from custom_components.irhub.hub import delivery, hub_receiver, recent_signals
from custom_components.irhub.hub.delivery import Delivery
from custom_components.irhub.hub.hubs import DATA_HUBS
from custom_components.irhub.ircodes import encode, from_timings
from tests.home import Home, until
from virtual_home.hub import Passage, VirtualHub

from ..buttons import learn
from ..dialogue import add, add_of_before
from ..dialogues.appliances import act, change, press_known
from ..entities.appliances import appliance
from ..home import entry as yaml_entry, set_up
from ..infrared_entities import EMITTER, RECEIVER, RECEIVER_NAME, Blaster

PLAYER = "media_player.tv"
SENSOR = "sensor.tv_delivery"
ENOUGH = 12
"""So many transmissions teach that a receiver hears nearly everything."""
LAMP = from_timings([560, -30_000, 560, -25_000, 560, -30_000])
KNOWN_WAY = {
    "version": 1,
    "minor_version": 1,
    "data": {"pairs": {"34ea34000001": {"34ea34000002": {"heard": 29.0, "silent": 0.0}}}},
}
BUTTONS = {"on": 1, "off": 2, "volume up": 3, "hdmi 1": 4}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read hubs more often, and wait less for what they tell."""
    monkeypatch.setattr(hub_receiver, "READ_S", 0.05)
    monkeypatch.setattr(hub_receiver, "SETTLED_S", 0.1)
    monkeypatch.setattr(recent_signals, "ECHO_S", 0.35)


@pytest.fixture
def known_way(hass_storage: dict[str, Any]) -> None:
    """Let it be known that the attic hears whatever is sent in the lounge."""
    hass_storage["irhub_reach"] = KNOWN_WAY


def nec(number: int, address: int = 0x20) -> bytes:
    packet = encode("NEC", address=address, command=number)
    assert packet is not None
    return packet


@dataclass(kw_only=True)
class House:
    """A television that the hub of the lounge controls, and a hub in the attic."""

    hass: HomeAssistant
    lounge: VirtualHub
    attic: VirtualHub
    way: Passage
    """From the lounge to the attic."""
    entry: ConfigEntry[Use]
    home: Home

    @property
    def delivery(self) -> Delivery:
        """Return what judges what is transmitted."""
        return self.hass.data[DATA_HUBS].shared.delivery

    async def act(self, action: str, **data: object) -> None:
        """Let the player do something; return when all is told of it that will be."""
        await self.act_at_once(action, **data)
        await until(lambda: not self.delivery._pending)  # noqa: SLF001  (nobody else is told)
        await self.hass.async_block_till_done()

    async def act_at_once(self, action: str, **data: object) -> None:
        """Let the player do something."""
        await act(self.hass, "media_player", action, entity_id=PLAYER, **data)

    async def listens(self) -> None:
        """Wait until the hub of the attic has listened for a while."""
        await self.attic.until(lambda: self.attic.receiver.listening == "ir")
        await asyncio.sleep(0.1)

    async def teach(self, times: int = ENOUGH) -> None:
        """Use the television as ever."""
        for number in range(times):
            await self.listens()
            await self.act("turn_on" if number % 2 else "turn_off")

    async def enable(self) -> None:
        """Enable the sensor, as its user does."""
        er.async_get(self.hass).async_update_entity(SENSOR, disabled_by=None)
        assert await self.hass.config_entries.async_reload(self.entry.entry_id)
        await until(lambda: self.entry.runtime_data.hub.available)
        await self.hass.async_block_till_done()
        await self.listens()

    async def send_again(self) -> None:
        """Turn on that what is in doubt is sent again, on the page of the television."""
        dialogue = await change(self.hass, self.entry)
        more = {**dialogue.suggested["more"], "resend": True}
        await dialogue.submit(**{**dialogue.suggested, "then": "finish", "more": more})
        await self.hass.async_block_till_done()
        await until(lambda: self.home.value(PLAYER) != "unavailable")
        await self.listens()

    @property
    def outcome(self) -> str:
        """Return the state of the sensor."""
        return self.home.value(SENSOR)

    @property
    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the sensor."""
        state = self.hass.states.get(SENSOR)
        assert state is not None
        return dict(state.attributes)

    def sent(self) -> list[str]:
        """Return the names of what the hub of the lounge has transmitted."""
        names = {nec(number): name for name, number in BUTTONS.items()}
        return [names[packet] for packet in self.lounge.transmitted]


type BuildHouse = Callable[[], Awaitable[House]]


@pytest.fixture
def build_house(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, lounge: VirtualHub, attic: VirtualHub
) -> BuildHouse:
    """Return a function that sets the house up, for tests that write a file before."""

    async def build() -> House:
        attic.quirks.noise = False
        way = Passage(attic)
        lounge.near = [way]
        entry = await add(hass, lounge)
        await learn(hass, tv={name: nec(number).hex() for name, number in BUTTONS.items()})
        await add_of_before(hass, entry, appliance("tv", "media_player"))
        await add(hass, attic)
        await until(lambda: hass.states.get(PLAYER) is not None)
        await until(lambda: er.async_get(hass).async_get(SENSOR) is not None)
        await until(lambda: entry.runtime_data.hub.available)
        return House(
            hass=hass,
            lounge=lounge,
            attic=attic,
            way=way,
            entry=entry,
            home=Home(hass, caplog),
        )

    return build


@pytest.fixture
async def home(build_house: BuildHouse) -> House:
    """Return the house."""
    return await build_house()


async def test_nobody_listens_for_it_until_somebody_wants_it(
    hass: HomeAssistant, home: House
) -> None:
    registered = er.async_get(hass).async_get(SENSOR)
    assert registered is not None
    assert registered.disabled_by is er.RegistryEntryDisabler.INTEGRATION
    await home.act("turn_on")
    assert home.attic.count("learn") == 0
    await home.enable()
    assert home.outcome == "unknown"
    assert home.home.value("sensor.attic_listening_for") == "delivery"


async def test_the_first_command_that_is_received_is_confirmed(home: House) -> None:
    await home.enable()
    await home.act_at_once("turn_on")
    await home.home.wait_for(SENSOR, "confirmed", timeout=5)
    attic = f"Attic ({home.attic.host}:{home.attic.port})"
    assert home.attributes["heard_by"] == [attic]
    assert home.attributes["sent_again"] == 0
    assert home.sent() == ["on"]


async def test_what_a_receiver_misses_is_in_doubt_only_if_it_hears_nearly_everything(
    home: House,
) -> None:
    await home.enable()
    home.way.closed = True
    await home.act("turn_on")
    assert home.outcome == "unknown", "it has never heard the other hub"
    home.way.closed = False
    await home.teach()
    home.way.closed = True
    await home.listens()
    await home.act("turn_off")
    assert home.outcome == "in_doubt"
    attic = f"Attic ({home.attic.host}:{home.attic.port})"
    assert (home.attributes["heard_by"], home.attributes["missed_by"]) == ([], [attic])
    assert home.sent() == ["on", *["off", "on"] * (ENOUGH // 2), "off"]


@pytest.mark.usefixtures("known_way")
@pytest.mark.parametrize("why", ["gone", "learns", "something else"])
async def test_a_receiver_that_does_not_listen_says_nothing(
    hass: HomeAssistant, home: House, why: str
) -> None:
    await home.enable()
    home.way.closed = True
    if why == "gone":
        home.attic.stop()
        await home.act("turn_on")
    elif why == "learns":
        data = {"entity_id": "remote.attic", "device": "tv", "command": "x", "timeout": 1}
        learning = hass.async_create_task(
            hass.services.async_call("remote", "learn_command", data, blocking=True)
        )
        await asyncio.sleep(0.2)
        await home.act("turn_on")
        with pytest.raises(HomeAssistantError):
            await learning  # nobody presses anything
    else:
        await asyncio.gather(home.act("turn_on"), _soon(home.attic, LAMP))
    assert (home.outcome, home.attributes["missed_by"]) == ("unknown", [])


async def test_a_receiver_that_received_something_else_proves_nothing(
    hass: HomeAssistant, build_house: BuildHouse, hass_storage: dict[str, Any]
) -> None:
    pairs = {"34ea34000001": {RECEIVER: {"heard": 29.0, "silent": 0.0}}}
    hass_storage["irhub_reach"] = {"version": 1, "minor_version": 1, "data": {"pairs": pairs}}
    blaster = Blaster(hass)
    await blaster.begin()
    home = await build_house()
    home.lounge.near = []
    await home.enable()
    await home.act_at_once("turn_on")
    blaster.press(LAMP)
    await until(lambda: not home.delivery._pending)  # noqa: SLF001  (nobody else is told)
    assert home.outcome == "unknown"
    await home.act("turn_off")
    assert home.outcome == "in_doubt"
    assert home.attributes["missed_by"] == [RECEIVER_NAME]


@pytest.mark.parametrize(
    ("version", "data"), [(9, {"pairs": []}), (1, {"pairs": []}), (1, {}), (1, [])]
)
async def test_a_file_that_cannot_be_used_stays_as_it_is(
    hass: HomeAssistant,
    build_house: BuildHouse,
    hass_storage: dict[str, Any],
    version: int,
    data: object,
) -> None:
    """It is of a newer version, or somebody has edited it."""
    newer = {"version": version, "minor_version": 1, "data": data}
    hass_storage["irhub_reach"] = dict(newer)
    home = await build_house()
    await home.enable()
    await home.act("turn_on")
    assert home.outcome == "confirmed"
    [warning] = [line for line in home.home.log() if "which emitter" in line.casefold()]
    assert "irhub_reach stays as it is" in warning
    await hass.async_stop()
    assert hass_storage["irhub_reach"] == newer


async def _soon(hub: VirtualHub, packet: bytes) -> None:
    await asyncio.sleep(0.02)
    await hub.press_when_listening(packet)


async def test_a_press_of_another_button_confirms_nothing(home: House) -> None:
    await home.enable()
    home.way.closed = True
    await asyncio.gather(home.act("turn_on"), _soon(home.attic, nec(2)))
    assert home.outcome == "unknown"


@pytest.mark.usefixtures("known_way")
async def test_a_state_is_sent_again_until_it_is_received(home: House) -> None:
    await home.enable()
    await home.send_again()
    home.way.lost_next = 1
    await home.act_at_once("turn_on")
    assert home.sent() == ["on"], "nothing waits for what is heard"
    await home.home.wait_for(SENSOR, "confirmed", timeout=5)
    assert home.attributes["sent_again"] == 1
    await asyncio.sleep(0.8)
    assert home.sent() == ["on"] * 2


@pytest.mark.usefixtures("known_way")
async def test_it_is_sent_again_twice_at_most(home: House) -> None:
    """The setting alone is enough: the sensor may stay disabled."""
    await home.send_again()
    home.way.closed = True
    await home.act("turn_off")
    await until(lambda: len(home.lounge.transmitted) == 3)
    await asyncio.sleep(0.8)
    assert home.sent() == ["off"] * 3


@pytest.mark.usefixtures("known_way")
async def test_without_the_setting_nothing_is_sent_again(home: House) -> None:
    await home.enable()
    home.way.closed = True
    await home.act("turn_on")
    assert home.outcome == "in_doubt"
    await asyncio.sleep(0.8)
    assert home.sent() == ["on"]


@pytest.mark.usefixtures("known_way")
@pytest.mark.parametrize("action", ["volume_up", "remote control", "something else"])
async def test_what_steps_or_is_overtaken_is_not_sent_again(home: House, action: str) -> None:
    await home.enable()
    await home.send_again()
    if action == "remote control":
        await change_follow(home)
    home.way.closed = True
    if action == "volume_up":
        await home.act("volume_up")
        assert home.outcome == "in_doubt"
        sent = ["volume up"]
    elif action == "remote control":
        await home.act_at_once("turn_on")
        await home.lounge.press_when_listening(nec(2))
        await home.home.wait_for(PLAYER, "off", timeout=5)
        sent = ["on"]
    else:
        await home.act_at_once("turn_on")
        await home.act("select_source", source="hdmi 1")
        sent = ["on", "hdmi 1"]
    await asyncio.sleep(0.8)
    assert home.sent() == sent


async def change_follow(home: House) -> None:
    """Let the television follow its own remote control."""
    dialogue = await change(home.hass, home.entry)
    more = {**dialogue.suggested["more"], "follow": True}
    await dialogue.submit(**{**dialogue.suggested, "then": "finish", "more": more})
    await home.hass.async_block_till_done()
    await home.lounge.until(lambda: home.lounge.receiver.listening == "ir")


async def test_counts_and_the_fields_of_a_newer_version_are_kept(
    hass: HomeAssistant, build_house: BuildHouse, hass_storage: dict[str, Any]
) -> None:
    pair = {"heard": 25.0, "silent": 0.0, "newer": True}
    data = {"pairs": {"34ea34000001": {"34ea34000002": pair, "x": 1}}, "newer": [1]}
    hass_storage["irhub_reach"] = {"version": 1, "minor_version": 2, "data": data}
    home = await build_house()
    await home.enable()
    home.way.closed = True
    await home.act("turn_on")
    assert home.outcome == "in_doubt"
    await hass.async_stop()
    data = hass_storage["irhub_reach"]["data"]
    assert data["newer"] == [1]
    of_lounge = data["pairs"]["34ea34000001"]
    assert of_lounge["x"] == 1
    assert of_lounge["34ea34000002"]["newer"] is True
    assert of_lounge["34ea34000002"]["silent"] == 1


async def test_a_receiver_of_home_assistant_tells_of_it(blaster: Blaster, home: House) -> None:
    home.lounge.near = [Passage(blaster)]
    await home.enable()
    await home.act("turn_on")
    assert home.outcome == "confirmed"
    assert home.attributes["heard_by"] == [RECEIVER_NAME]


async def test_a_receiver_that_is_given_another_id_keeps_what_was_learned(
    hass: HomeAssistant, build_house: BuildHouse, hass_storage: dict[str, Any]
) -> None:
    new = "infrared.shelf"
    hass_storage["irhub_reach"] = {
        "version": 1,
        "minor_version": 1,
        "data": {"pairs": {"34ea34000001": {RECEIVER: {"heard": 29.0, "silent": 0.0}}}},
    }
    blaster = Blaster(hass)
    await blaster.begin()
    home = await build_house()
    await home.enable()
    er.async_get(hass).async_update_entity(RECEIVER, new_entity_id=new)
    await hass.async_block_till_done()
    await hass.async_stop()
    of_lounge = hass_storage["irhub_reach"]["data"]["pairs"]["34ea34000001"]
    assert of_lounge == {new: {"heard": 29.0, "silent": 0.0}}


async def test_a_transmission_is_not_confirmed_by_the_emitters_own_receiver(
    hass: HomeAssistant, blaster: Blaster, home: House
) -> None:
    dialogue = await change(hass, home.entry)
    more = {**dialogue.suggested["more"], "emitter": [EMITTER]}
    await dialogue.submit(**{**dialogue.suggested, "then": "finish", "more": more})
    await home.enable()
    await home.act("turn_on")
    assert len(blaster.heard) == 1, "its own receiver has heard it"
    assert home.outcome == "unknown"
    blaster.near = [home.attic]
    await home.listens()
    await home.act("turn_off")
    assert home.outcome == "confirmed"
    assert home.attributes["heard_by"] == [f"Attic ({home.attic.host}:{home.attic.port})"]
    assert home.lounge.transmitted == []


@pytest.mark.usefixtures("known_way")
async def test_nothing_is_left_of_what_is_waited_for(hass: HomeAssistant, home: House) -> None:
    await home.enable()
    await home.send_again()
    home.way.closed = True
    await home.act_at_once("turn_on")
    assert home.delivery._pending  # noqa: SLF001  (nobody is told of it)
    assert await hass.config_entries.async_unload(home.entry.entry_id)
    assert not home.delivery._pending  # noqa: SLF001
    await home.attic.until(lambda: home.attic.receiver.listening is None)
    await asyncio.sleep(0.5)
    assert home.sent() == ["on"]


@pytest.mark.usefixtures("known_way", "no_pauses")
async def test_a_state_that_a_rule_makes_is_sent_again(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    attic.quirks.noise = False
    lounge.near = [way := Passage(attic)]
    await add(hass, attic)
    entry = await add(hass, lounge)
    await known_thermostat(hass, lounge, entry, resend=True)
    await attic.until(lambda: attic.receiver.listening == "ir")
    await asyncio.sleep(0.1)
    way.lost_next = 1
    data = {"entity_id": "climate.air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    await until(lambda: len(lounge.transmitted) == 2)
    await asyncio.sleep(0.8)
    first, again = lounge.transmitted
    assert first == again


async def known_thermostat(
    hass: HomeAssistant, hub: VirtualHub, entry: ConfigEntry[Use], **more: object
) -> None:
    """Add an air conditioner of a known protocol by two presses."""
    dialogue = await press_known(hass, entry, hub, "GREE")
    suggested = dialogue.suggested["more"]
    await dialogue.submit(name="Air conditioner", then="finish", more={**suggested, **more})
    await hass.async_block_till_done()


async def test_an_appliance_of_yaml_sends_again(
    hass: HomeAssistant, hass_storage: dict[str, Any], lounge: VirtualHub, attic: VirtualHub
) -> None:
    hass_storage["irhub_reach"] = KNOWN_WAY
    attic.quirks.noise = False
    lounge.near = [way := Passage(attic)]
    await set_up(hass, "remote", yaml_entry(lounge), yaml_entry(attic, name="Attic"))
    codes = {"tv": {name: nec(number).hex() for name, number in BUTTONS.items()}}
    data = {"entity_id": "remote.broadlink", "codes": codes}
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)
    player = yaml_entry(lounge, name="TV", device="tv", resend=True)
    await set_up(hass, "media_player", player)
    await attic.until(lambda: attic.receiver.listening == "ir")
    await asyncio.sleep(0.1)
    way.lost_next = 1
    await act(hass, "media_player", "turn_on", entity_id=PLAYER)
    await until(lambda: len(lounge.transmitted) == 2)
    assert lounge.transmitted == [nec(1)] * 2


@pytest.mark.usefixtures("known_way")
async def test_transmissions_missed_within_a_minute_count_once(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stands in the way may stay; an emitter that is broken is in doubt for a while."""
    await home.enable()
    home.way.closed = True
    for _ in range(6):
        await home.act("turn_on")
        assert home.outcome == "in_doubt"
    monkeypatch.setattr(delivery, "MISSED_S", 0)
    for _ in range(4):
        await home.act("turn_on")
    assert home.outcome == "unknown"
