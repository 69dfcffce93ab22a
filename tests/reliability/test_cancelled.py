"""Every action and reload cancelled at every step: what a stopped script leaves is whole."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping
import logging
from pathlib import Path
from typing import Any, override

from homeassistant.components import infrared, persistent_notification, radio_frequency
from homeassistant.config import async_hass_config_yaml
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.hub.hubs import DATA_HUBS
from custom_components.irhub.settings import Mac
from tests.home import Home, Notices, until
from tests.irhub.buttons import buttons
from tests.irhub.devices.files import written
from tests.irhub.dialogue import add
from tests.irhub.home import FAN, NEC, POWER, RC5, entry, our_hub
from tests.irhub.raw import Raw, RawRadio
from virtual_home.hub import VirtualHub

from .cancelling import Running, cancelled_at_each_step, running
from .hubs import Peer
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

MHZ = 433.92
ASKED_IN_VAIN = 2
"""So often the hub has heard nothing before the button is pressed."""

READ = ("remote", "sensor", "switch")
"""The domains whose states are what a hub says; those of the others are the times of use."""

type Commands = dict[str, dict[str, str | list[str]]]

CODES: Commands = {"tv": {"power": [RC5, NEC], "mute": NEC}, "lamp": {"on": RC5}}
SOFA: Commands = {"sofa": {"up": RC5}}
REMOTE = {"entity_id": "remote.hub"}
LOUNGE = {"entity_id": "remote.lounge"}
TV = {**REMOTE, "device": "tv"}
NEW = {**REMOTE, "device": "fan", "command": ["slow", "fast"]}

SENDS = {
    "infrared": (infrared.async_send_command, Raw([9000, -4500, 560, -1690])),
    "radio_frequency": (radio_frequency.async_send_command, RawRadio([350, -1050], 433_920_000)),
}
"""What integrations of core's call when one of their entities is used."""

ACTIONS: dict[str, Mapping[str, object]] = {
    "infrared": {},
    "radio_frequency": {},
    "irhub.learn": {},
    "irhub.learn ": {"command_type": "rf"},
    "irhub.send": {"packet": [RC5, NEC]},
    "irhub.send ": {"device": "tv", "command": ["power", "mute", "power"]},
    "irhub.import_codes": {**REMOTE, "codes": {"tv": {"mute": RC5}, "fan": {"slow": NEC}}},
    "irhub.export_codes": REMOTE,
    "irhub.rename_code": {**TV, "command": "power", "new_command": "on"},
    "irhub.rename_code ": {**TV, "new_device": "screen"},
    "irhub.delete_codes": TV,
    "remote.learn_command": {**NEW, "alternative": True},
    "remote.learn_command ": {**NEW, "command_type": "rf"},
    "remote.send_command": {**TV, "command": ["power", "mute"], "num_repeats": 2},
    "remote.delete_command": {**TV, "command": ["power", "mute"]},
    "remote.turn_on": REMOTE,
    "remote.turn_off": REMOTE,
    "remote.toggle": REMOTE,
    "button.press": {"entity_id": "button.tv_power"},
    "switch.turn_on": {"entity_id": ["switch.fan", "switch.strip_slot_1"]},
    "switch.turn_off": {"entity_id": "switch.fan"},
    "switch.toggle": {"entity_id": "switch.strip_slot_1"},
    "homeassistant.update_entity": {"entity_id": ["sensor.hub_temperature", "switch.strip_slot_1"]},
}


class PressedHub(VirtualHub):
    """A hub before which somebody presses the button, a moment after it began to listen."""

    _asked = 0

    @override
    def _receive(self, data: bytes, peer: Peer) -> None:
        super()._receive(data, peer)
        self._asked = self._asked + 1 if self.receiver.listening else 0
        if self._asked > ASKED_IN_VAIN:
            _ = self.receiver.hold(MHZ) or self.press(POWER) or self.press(FAN)


class HubHome(Home):
    """A home with a hub and a strip from YAML, and a hub added in the user interface."""

    def __init__(
        self,
        hass: HomeAssistant,
        caplog: pytest.LogCaptureFixture,
        notices: Notices,
        hubs: tuple[PressedHub, VirtualHub, VirtualHub],
    ) -> None:
        super().__init__(hass, caplog)
        self.notices = notices
        self.hub, self.strip, self.lounge = self.hubs = hubs

    async def start(self) -> None:
        """Set it up, and wait until all is connected and read."""
        ours, strip = entry(self.hub, name="hub"), entry(self.strip, type="mp1")
        packets = {"command_on": RC5, "command_off": NEC, "repeats": 2}
        yaml = {
            "homeassistant": {},
            "remote": [ours],
            "button": [entry(self.hub)],
            "infrared": [ours],
            "radio_frequency": [ours],
            "sensor": [{**ours, "monitored_conditions": ["temperature"]}],
            "switch": [
                {**entry(self.hub), "switches": {"fan": packets}},
                {**strip, "friendly_name": "strip"},
            ],
        }
        self.write(yaml)
        await self.load(await async_hass_config_yaml(self.hass))
        await add(self.hass, self.lounge)
        await self.act("irhub.import_codes", {**LOUNGE, "codes": SOFA})
        await self.begin_anew()
        await until(lambda: "unknown" not in self.shown().values())

    def stored(self) -> object:
        """Return what the file of the commands of the hub from YAML says."""
        path = Path(self.hass.config.path(".storage", "irhub_devices_34ea34000001"))
        return written(Path(self.hass.config.config_dir)) if path.exists() else {}

    async def act(self, action: str, data: Mapping[str, object]) -> Any:  # noqa: ANN401  (responses)
        """Call an action, or send through the entity of one of `SENDS`."""
        if action in SENDS:
            send, command = SENDS[action]
            return await send(self.hass, f"{action}.hub", command)
        domain, service = action.strip().split(".")
        if service in ("learn", "send"):
            data = {**data, "host": f"{self.hub.host}:{self.hub.port}"}
        return await self.hass.services.async_call(
            domain,
            service,
            dict(data),
            blocking=True,
            return_response=self.hass.services.supports_response(domain, service).value != "none",
        )

    @property
    def entry(self) -> ConfigEntry:
        """Return the config entry of the hub from the user interface."""
        [entry] = self.hass.config_entries.async_entries("irhub")
        return entry

    async def reload_entry(self) -> None:
        """Reload it."""
        await self.act("homeassistant.reload_config_entry", {"entry_id": self.entry.entry_id})

    async def codes(self) -> Commands:
        """Return the commands of the hub from YAML; see that the file has the same."""
        codes: Commands = (await self.act("irhub.export_codes", REMOTE))["codes"]
        assert self.stored() == codes
        return codes

    async def begin_anew(self) -> None:
        """Restore the commands, whose turn it is, what is on and off, and what is shown."""
        for device in await self.codes():
            await self.act("irhub.delete_codes", {**REMOTE, "device": device})
        await self.act("irhub.import_codes", {**REMOTE, "codes": CODES})
        await self.act("remote.turn_on", REMOTE)
        await self.act("switch.turn_off", {"entity_id": ["switch.fan", "switch.strip_slot_1"]})
        await self.hass.async_block_till_done()
        persistent_notification.async_dismiss_all(self.hass)
        self.hub.logs.transmitted.clear()

    def shown(self) -> dict[str, str]:
        """Return the entities that are there, and their states, but for the buttons."""
        return {
            state.entity_id: state.state if state.domain in READ else "there"
            for state in self.hass.states.async_all()
            if state.domain != "button" and not state.attributes.get("restored")
        }

    def buttons(self) -> set[str]:
        """Return the names of the buttons of commands."""
        return {*buttons(self.hass).values()}

    def connected(self) -> bool:
        """Return whether all three are."""
        return all(our_hub(self.hass, hub).available for hub in self.hubs)

    async def calm(self, before: Running | None = None) -> Running:
        """Wait until no more runs than before, and return what does."""
        await self.hass.async_block_till_done()
        now = running(self.hass)

        def is_calm() -> bool:
            nonlocal now
            now = running(self.hass)
            return self.connected() and (before is None or now.within(before))

        try:
            await until(is_calm)
        except TimeoutError:
            pytest.fail(f"{now} runs, {before} did")
        return now


@pytest.fixture
async def home(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, notices: Notices
) -> AsyncGenerator[HubHome]:
    """Run the home in leaping time."""
    hass.loop.set_debug(False)  # it would keep the source of all that ever ran
    async with (
        PressedHub("rm4_pro") as hub,
        VirtualHub("mp1", mac="34:EA:34:00:00:02") as strip,
        VirtualHub("rm_pro", mac="34:EA:34:00:00:03", name="Lounge") as lounge,
    ):
        home = HubHome(hass, caplog, notices, (hub, strip, lounge))
        with leaping(hass):
            await home.start()
            yield home


def names(codes: Commands) -> set[str]:
    """Return the names of the buttons that there are to be."""
    return {f"{device} {name}" for device, of in (codes | SOFA).items() for name in of}


@pytest.mark.parametrize("action", ACTIONS)
async def test_an_action(home: HubHome, action: str) -> None:
    """Commands are wholly there or not, packets go out in order or not, and all works after."""
    data, hub, ours = ACTIONS[action], home.hub, our_hub(home.hass, home.hub)
    original = await home.codes()
    await home.act(action, data)
    final, sent = await home.codes(), hub.transmitted
    possible = [original, final]
    if "learn_command" in action:  # one by one
        possible.append({**original, "fan": {"slow": final["fan"]["slow"]}})
    await home.begin_anew()
    shown, before = home.shown(), await home.calm()

    def is_right(states: dict[str, str]) -> bool:
        free = {key: states[key] for key in ("remote.hub", "switch.fan")}
        slot = {"switch.strip_slot_1": "on" if home.strip.state.slots[0] else "off"}
        return states == shown | free | slot

    async for _ in cancelled_at_each_step(lambda: home.act(action, data)):
        await home.calm(before)
        assert (hub.receiver.listening, ours.receiver.learning, home.notices.text) == (
            None,
            False,
            None,
        )
        codes = await home.codes()
        assert codes in possible
        assert home.buttons() == names(codes)
        assert hub.transmitted == sent[: len(hub.transmitted)]
        await until(lambda: is_right(home.shown()))
        assert home.shown()["switch.fan"] == "off" or hub.transmitted == sent
        await home.begin_anew()
        assert home.shown() == shown


async def test_reload_of_irhubs_yaml(home: HubHome) -> None:
    """A reload that has begun goes on to its end."""
    shown, buttons, before = home.shown(), home.buttons(), await home.calm()
    async for _ in cancelled_at_each_step(lambda: home.act("irhub.reload", {})):
        await home.calm(before)
        assert home.shown() == shown
        assert home.buttons() == buttons
        await home.begin_anew()


async def test_reload_of_a_hub_of_the_user_interface(home: HubHome) -> None:
    """An entry that is not loaded leaves nothing of its hub running, and can be added again."""
    hass = home.hass
    shown, buttons, before = home.shown(), home.buttons(), await home.calm()
    outcomes = Counter[ConfigEntryState]()
    async for _ in cancelled_at_each_step(home.reload_entry):
        await hass.async_block_till_done()
        outcomes[home.entry.state] += 1
        if home.entry.state is not ConfigEntryState.LOADED:
            # Home Assistant itself does nothing with such an entry but remove it.
            assert home.entry.state is ConfigEntryState.UNLOAD_IN_PROGRESS
            assert hass.data[DATA_HUBS].get(Mac(home.entry.data["mac"])) is None
            assert not {key for key in home.shown() if "lounge" in key}
            await hass.config_entries.async_remove(home.entry.entry_id)
            await add(hass, home.lounge)
        await home.calm(before)
        await until(lambda: home.shown() == shown)
        await home.act("irhub.import_codes", {**LOUNGE, "codes": {"lift": {"up": RC5}}})
        await hass.async_block_till_done()
        assert home.buttons() == buttons | {"lift up"}
        await home.act("irhub.delete_codes", {**LOUNGE, "device": "lift"})
        assert home.buttons() == buttons
    assert outcomes[ConfigEntryState.UNLOAD_IN_PROGRESS]
    assert not home.log(logging.ERROR)
