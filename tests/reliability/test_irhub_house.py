"""Hubs that hear each other, their appliances and remote controls.

A press is one event, and what is shown is what the appliances were told, or what was heard.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, override

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.event import async_track_state_change_event
import pytest

from custom_components.irhub.ircodes import encode, from_timings, to_timings
from tests.irhub.home import entry, our_hub, set_up
from tests.irhub.ircodes.code_files import Codes, air_conditioner, bytes_of, temperatures, write
from tests.irhub.jitter import jittered
from virtual_home.hub import VirtualHub

from .hubs import back, outcome
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

HUBS = 3
MINUTES = 60
SETTLED_S = 4
"""After so long without a press or an action everything has been read and shown."""
HELD = 15
FRAME_S = 0.11
"""Between two frames of a button that is held."""
REBOOT_EVERY = 10
DOWN_S = 5
CODES = Codes()

type Shown = dict[str, object]
type Meaning = Callable[[Shown], Shown]
"""What a command changes of what an appliance shows."""
type Action = tuple[str, dict[str, object]]


def means(**shown: object) -> Meaning:
    return lambda _before: shown


def turns(before: Shown) -> Shown:
    return {"state": "off" if before["state"] == "on" else "on"}


class HouseHub(VirtualHub):
    """A hub that tells the appliances what it transmits, and knows whose press it has lost."""

    appliances: list[Appliance]
    unread: tuple[Appliance, int] | None = None
    """The press that it has heard last: of which appliance, and which of those it took."""
    lost = 0

    @override
    def _is_heard(self, packet: bytes) -> None:
        super()._is_heard(packet)
        for appliance in self.appliances:
            appliance.take(packet)

    @override
    def _receive(self, data: bytes, peer: tuple[str, int]) -> None:
        super()._receive(data, peer)
        self._forget_lost()

    @override
    def reboot(self, downtime: float = 0.0) -> None:
        super().reboot(downtime)
        self._forget_lost()

    def _forget_lost(self) -> None:
        if self.receiver.lost > self.lost and self.unread is not None:
            appliance, number = self.unread
            appliance.taken[number] = means()
        self.lost = self.receiver.lost


@dataclass(kw_only=True)
class Appliance:
    """An appliance that does what it is told, by hubs and by its remote control."""

    entity_id: str
    hub: HouseHub
    buttons: dict[str, bytes]
    meanings: dict[str, Meaning]
    actions: list[Action]
    off: str = "off"
    taken: list[Meaning] = field(default_factory=list)

    def take(self, packet: bytes) -> bool:
        """Do what a packet says, if it is one of its own."""
        for name, known in self.buttons.items():
            if to_timings(known) == to_timings(packet):
                self.taken.append(self.meanings[name])
                return True
        return False

    @property
    def wanted(self) -> Shown:
        """Return what is to be shown of it."""
        shown: Shown = {"state": self.off}
        for meaning in self.taken:
            shown |= meaning(shown)
        if shown["state"] == "off" and self.entity_id.startswith("media_player"):
            return {"state": "off"}
        return shown


class House:
    """The hubs, the appliances, and the person with all the remote controls."""

    def __init__(self, hass: HomeAssistant, hubs: list[HouseHub], random: Random) -> None:
        self.hass = hass
        self.hubs = hubs
        self.random = random
        self.appliances: list[Appliance] = []
        self.heard = 0

    async def set_up(self, config_dir: Path) -> None:
        """Set up ten appliances with each hub; two of the first hub's are sent by the second."""
        remotes = [entry(hub, name=f"hub {n}") for n, hub in enumerate(self.hubs)]
        remotes[0]["emitters"] = {"player 5": EMITTER, "fan 7": EMITTER}
        infrared = [entry(hub, name=f"ir {n}") for n, hub in enumerate(self.hubs)]
        await set_up(self.hass, "infrared", *infrared)
        await set_up(self.hass, "remote", *remotes)
        entities: dict[str, list[dict[str, Any]]] = {}
        for number, hub in enumerate(self.hubs):
            codes: dict[str, dict[str, str]] = {}
            for kind, count in (("ac", 3), ("tv", 2), ("player", 2), ("fan", 2), ("light", 1)):
                for _ in range(count):
                    name = f"{kind} {len(self.appliances)}"
                    appliance, domain, keys = MAKE[kind](name, hub, config_dir)
                    self.appliances.append(appliance)
                    if "device" in keys:
                        buttons = appliance.buttons
                        codes[name] = {key: packet.hex() for key, packet in buttons.items()}
                    entities.setdefault(domain, []).append(
                        entry(hub, name=name, follow=True, delay=0, **keys)
                    )
            data = {"entity_id": f"remote.hub_{number}", "codes": codes}
            await self.hass.services.async_call("irhub", "import_codes", data, blocking=True)
        for hub in self.hubs:
            hub.appliances = self.appliances
        for domain, of_domain in entities.items():
            await set_up(self.hass, domain, *of_domain)
        for hub in self.hubs:
            await back(self.hass, hub)
            await hub.until(lambda hub=hub: hub.receiver.listening == "ir")  # type: ignore[misc]

    def press(self, appliance: Appliance, name: str) -> bool:
        """Press a button; return whether the appliance's hub has heard it."""
        heard = self.frame(appliance, name)
        if heard:
            self.takes(appliance, name)
        return heard

    def frame(self, appliance: Appliance, name: str) -> bool:
        """Send a button's code once; return whether the appliance's hub has heard it."""
        packet = from_timings(jittered(to_timings(appliance.buttons[name]), self.random))
        heard = [hub for hub in self.hubs if hub.press(packet)]
        for hub in heard:
            hub.unread = None
        return appliance.hub in heard

    def takes(self, appliance: Appliance, name: str) -> None:
        """Note that a press was heard."""
        self.heard += 1
        appliance.hub.unread = appliance, len(appliance.taken)
        appliance.taken.append(appliance.meanings[name])

    async def hold(self, appliance: Appliance, name: str) -> None:
        """Hold a button."""
        taken = False
        for _ in range(HELD):
            if self.frame(appliance, name) and not taken:
                taken = True
                self.takes(appliance, name)
            await asyncio.sleep(FRAME_S)

    async def act(self, appliance: Appliance, after: float = 0.0) -> None:
        """Have Home Assistant do something."""
        await asyncio.sleep(after)
        action, data = self.random.choice(appliance.actions)
        domain = appliance.entity_id.partition(".")[0]
        call = {"entity_id": appliance.entity_id, **data}
        error = await outcome(self.hass.services.async_call(domain, action, call, blocking=True))
        assert error is None, f"{appliance.entity_id} {action}: {error}"

    async def turn_off(self) -> None:
        """Turn everything off: of a new appliance nothing is known."""
        for appliance in self.appliances:
            domain, _, _ = appliance.entity_id.partition(".")
            await self.hass.services.async_call(
                domain,
                "close_cover" if domain == "cover" else "turn_off",
                {"entity_id": appliance.entity_id},
                blocking=True,
            )
            appliance.taken.clear()

    def some(self, count: int) -> list[Appliance]:
        """Return some of the appliances."""
        return self.random.sample(self.appliances, count)

    def button(self, appliance: Appliance) -> str:
        """Return one of its buttons."""
        return self.random.choice([*appliance.buttons])

    def wrong(self) -> dict[str, tuple[Shown, Shown]]:
        """Return what is not shown as it is to be: what is shown, and what is to be."""
        wrong = {}
        for appliance in self.appliances:
            state = self.hass.states.get(appliance.entity_id)
            assert state is not None
            shown = {"state": state.state, **state.attributes}
            shown = {key: shown.get(key) for key in appliance.wanted}
            if shown != appliance.wanted:
                wrong[appliance.entity_id] = shown, appliance.wanted
        return wrong


EMITTER = "infrared.ir_1"


def nec(address: int, command: int) -> bytes:
    packet = encode("NEC", address=address, command=command)
    assert packet is not None
    return packet


_address = iter(range(1, 200))


def air_conditioner_of(
    name: str, hub: HouseHub, config_dir: Path
) -> tuple[Appliance, str, dict[str, object]]:
    degrees = temperatures(18, 21)
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["auto", "low"], degrees)},
        operationModes=["cool"],
        fanModes=["auto", "low"],
    )
    buttons = {"off": bytes_of(file["commands"]["off"])}
    meanings = {"off": means(state="off")}
    for fan, of_fan in file["commands"]["cool"].items():
        for temperature, text in of_fan.items():
            button = f"{fan} {temperature}"
            buttons[button] = bytes_of(text)
            meanings[button] = means(state="cool", fan_mode=fan, temperature=int(temperature))
    actions: list[Action] = [
        ("turn_off", {}),
        *(("set_temperature", {"temperature": int(t), "hvac_mode": "cool"}) for t in degrees),
    ]
    path = write(config_dir, f"codes/{name.replace(' ', '_')}.json", file)
    entity_id = f"climate.{name.replace(' ', '_')}"
    return (
        Appliance(
            entity_id=entity_id, hub=hub, buttons=buttons, meanings=meanings, actions=actions
        ),
        "climate",
        {"file": path},
    )


def of_buttons(
    domain: str, meanings: dict[str, Meaning], actions: list[Action]
) -> Callable[[str, HouseHub, Path], tuple[Appliance, str, dict[str, object]]]:
    def make(
        name: str, hub: HouseHub, _config_dir: Path
    ) -> tuple[Appliance, str, dict[str, object]]:
        address = next(_address)
        return (
            Appliance(
                entity_id=f"{domain}.{name.replace(' ', '_')}",
                hub=hub,
                buttons={key: nec(address, n) for n, key in enumerate(meanings)},
                meanings=meanings,
                actions=actions,
            ),
            domain,
            {"device": name},
        )

    return make


MAKE: dict[str, Callable[[str, HouseHub, Path], tuple[Appliance, str, dict[str, object]]]] = {
    "ac": air_conditioner_of,
    "tv": of_buttons("media_player", {"power": turns}, [("turn_on", {}), ("turn_off", {})]),
    "player": of_buttons(
        "media_player",
        {
            "on": means(state="on"),
            "off": means(state="off"),
            "source A": means(source="A"),
            "source B": means(source="B"),
        },
        [
            ("turn_on", {}),
            ("turn_off", {}),
            ("select_source", {"source": "A"}),
            ("select_source", {"source": "B"}),
        ],
    ),
    "fan": of_buttons(
        "fan",
        {
            "off": means(state="off", percentage=0),
            "speed low": means(state="on", percentage=50),
            "speed high": means(state="on", percentage=100),
        },
        [
            ("turn_off", {}),
            ("set_percentage", {"percentage": 50}),
            ("set_percentage", {"percentage": 100}),
        ],
    ),
    "light": of_buttons(
        "light",
        {"on": means(state="on"), "off": means(state="off")},
        [("turn_on", {}), ("turn_off", {})],
    ),
}


BUTTONS = {f"button {n}": nec(200, n) for n in range(5)}
LAMP = nec(201, 0)
PRESSES = 120
REMOTES = ("remote.first", "remote.second")
REPEATS = 20
"""Of a lamp's command, so that its transmission takes a second or so."""


class Events:
    """The events of two hubs that follow the same remote control."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.fired: list[str] = []
        self.held: list[str] = []
        async_track_state_change_event(hass, ["event.first", "event.second"], self._changed)

    def clear(self) -> None:
        """Forget what was fired."""
        self.fired.clear()
        self.held.clear()

    @callback
    def _changed(self, event: Event[EventStateChangedData]) -> None:
        before, state = event.data["old_state"], event.data["new_state"]
        assert state is not None
        if before is None or "unavailable" not in (before.state, state.state):
            event_type = str(state.attributes.get("event_type"))
            (self.held if event_type.endswith(" held") else self.fired).append(event_type)


@asynccontextmanager
async def two_hubs(hass: HomeAssistant) -> AsyncIterator[tuple[tuple[HouseHub, HouseHub], Events]]:
    """Follow a television's remote control with two hubs, which can send a lamp's command."""
    async with HouseHub("rm4_pro") as first, HouseHub("rm_pro", mac="34:EA:34:00:00:02") as second:
        for hub, other in ((first, second), (second, first)):
            hub.appliances, hub.near, hub.quirks.air_time = [], [other], 1
        entries = [entry(first, name="first"), entry(second, name="second")]
        await set_up(hass, "remote", *entries)
        codes = {
            "tv": {name: packet.hex() for name, packet in BUTTONS.items()},
            "lamp": {"on": bytes([LAMP[0], REPEATS, *LAMP[2:]]).hex()},
        }
        for remote in ("remote.first", "remote.second"):
            data = {"entity_id": remote, "codes": codes}
            await hass.services.async_call("irhub", "import_codes", data, blocking=True)
        await set_up(hass, "event", *({**each, "device": "tv"} for each in entries))
        for hub in (first, second):
            await hub.until(lambda hub=hub: hub.receiver.listening == "ir")  # type: ignore[misc]
        events = Events(hass)
        with leaping(hass):
            yield (first, second), events


async def test_a_press_that_two_hubs_hear_is_one_event(hass: HomeAssistant) -> None:
    """Whatever they transmit meanwhile, how long it is held, and if one of them reboots."""
    random, heard = Random(7), 0
    async with two_hubs(hass) as (hubs, events):
        for number in range(PRESSES):
            button, what = f"button {number % len(BUTTONS)}", number % 4
            sending: Awaitable[object] = asyncio.create_task(asyncio.sleep(0))
            if what == 0:
                lamp = {"entity_id": random.choice(REMOTES), "device": "lamp", "command": "on"}
                sending = asyncio.create_task(
                    hass.services.async_call("remote", "send_command", lamp, blocking=True)
                )
            elif what == 1:
                random.choice(hubs).reboot(DOWN_S)
            await asyncio.sleep(random.uniform(0, 2))
            was_heard = False
            for _ in range(HELD if what == 2 else 1):
                packet = from_timings(jittered(to_timings(BUTTONS[button]), random))
                was_heard |= any([hub.press(packet) for hub in hubs])  # noqa: C419  (each of them)
                await asyncio.sleep(FRAME_S)
            await sending
            await asyncio.sleep(SETTLED_S + DOWN_S)
            assert events.fired == [button] * was_heard, number
            assert {*events.held} == ({f"{button} held"} if what == 2 else set()), number
            events.clear()
            heard += was_heard
        assert heard > PRESSES / 2
        assert [hub.receiver.lost for hub in hubs] == [0, 0]


@asynccontextmanager
async def house(hass: HomeAssistant, config_dir: Path) -> AsyncIterator[House]:
    """Run the house in leaping time."""
    async with AsyncExitStack() as stack:
        hubs = [
            await stack.enter_async_context(HouseHub("rm4_pro", mac=f"34:EA:34:00:00:0{n + 1}"))
            for n in range(HUBS)
        ]
        for hub in hubs:
            hub.appliances = []
            hub.quirks.air_time = 1
            hub.near = [other for other in hubs if other is not hub]
        home = House(hass, hubs, Random(42))
        await home.set_up(config_dir)
        hass.loop.set_debug(False)
        with leaping(hass):
            await home.turn_off()
            yield home


async def test_an_hour_of_thirty_appliances(hass: HomeAssistant, config_dir: Path) -> None:
    async with house(hass, config_dir) as home:
        random, loop = home.random, hass.loop
        for minute in range(MINUTES):
            ends = loop.time() + 60
            # actions at once, and presses while the hubs transmit
            acting, pressing = (some := home.some(8))[:4], some[4:]
            calls = [asyncio.create_task(home.act(each, random.uniform(0, 1))) for each in acting]
            for each in pressing:
                await asyncio.sleep(random.uniform(0, 0.5))
                home.press(each, home.button(each))
            await asyncio.gather(*calls)
            await asyncio.sleep(SETTLED_S)
            assert not home.wrong(), minute
            # a person and an automation want something of the same appliance
            for each in home.some(3):
                home.press(each, home.button(each))
                await home.act(each, random.uniform(0, 1))
                await asyncio.sleep(SETTLED_S)
                assert not home.wrong(), minute
            [held] = home.some(1)
            await home.hold(held, home.button(held))
            await asyncio.sleep(SETTLED_S)
            assert not home.wrong(), minute
            if minute % REBOOT_EVERY == 0:
                [each] = home.some(1)
                home.press(each, home.button(each))
                await asyncio.sleep(random.uniform(0, 1))
                each.hub.reboot(random.choice([0, DOWN_S]))
                await asyncio.sleep(30)
                assert each.hub.receiver.listening == "ir"
                assert our_hub(hass, each.hub).available
            await asyncio.sleep(ends - loop.time())
        assert not home.wrong()
        assert home.heard > 4 * MINUTES
        assert sum(hub.lost for hub in home.hubs) <= MINUTES / REBOOT_EVERY
