"""The main functions of the three integrations, step by step, through a client."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Coroutine
import json
from pathlib import Path

from virtual_home.broker import Broker
from virtual_home.control import BUTTON
from virtual_home.home import Home
from virtual_home.hub import VirtualHub

from .client import CallError, Client, Json
from .story import Story

# Samsung television, mute: another button, for commands that alternate
OTHER_BUTTON = base64.b64decode(
    "JgBGAJKVETkRORA6ERQRFBEUERQRFBE5ETkQOhAVEBUQFREUEBUQOhEUERQRORE5EBURFBA6EBUQOhE5EBUQFRA6EDoR"
    "FBEADQUAAA=="
)[: 4 + 0x46]
CORE_CODES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / ".storage" / "broadlink_remote_34ea34000006_codes").read_text()
)["data"]
"""Commands learned by core's integration: real packets whose length fields are inexact."""
TELEVISION = "television"
# LG television, volume up
VOLUME_UP = (
    "pronto:0000 006D 0022 0002 0157 00AC 0015 0016 0015 0016 0015 0041 0015 0016 0015 0016 "
    "0015 0016 0015 0016 0015 0016 0015 0041 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 "
    "0015 0041 0015 0041 0015 0016 0015 0041 0015 0016 0015 0016 0015 0016 0015 0016 0015 0016 "
    "0015 0016 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 0015 0041 0015 0041 0015 0041 "
    "0015 0689 0157 0056 0015 0E94"
)
AIR_CONDITIONER: dict[str, dict[str, dict[str, str]]] = json.loads(
    (Path(__file__).parent / "codes" / "office.json").read_text()
)["commands"]
THERMOSTAT = "climate.office"
FOLLOWED = "climate.bedroom_air_conditioner"
EMITTER = "infrared.lounge_emitter"
LG_BUTTON = "button.lg_tv_power_on"
LG_POWER = "NEC 0x04/0xc4"
DISCOVERY = """{
  "name": null, "state_topic": "home/garage/state", "unique_id": "garage-door",
  "device_class": "garage_door",
  "device": {"identifiers": "garage", "name": "Garage door", "manufacturer": "Virtual home"}
}"""


class Walk:
    """Walks through one Home Assistant on one virtual home."""

    def __init__(self, home: Home, client: Client, story: Story) -> None:
        self._home = home
        self._client = client
        self._story = story

    async def all(self) -> None:
        """Walk from the first value to the last."""
        await self.rest()
        await self.mqtt()
        await self.learn()
        await self.remote()
        await self.real_packets()
        await self.thermostat()
        await self.browser()
        await self.infrared()
        await self.switches()
        await self.sensors()

    async def rest(self) -> None:
        """Values arrive and change; other entities read the attributes."""
        story, client = self._story, self._client
        story.chapter("REST sensor")
        await story.step("A value arrives from the JSON endpoint", self._number("sensor.boiler"))
        before = client.states.get("sensor.boiler", {}).get("attributes", {}).get("counter")
        await story.step("... and changes", self._counter(before))
        await story.step(
            "A template sensor reads an attribute", self._number("sensor.boiler_counter")
        )
        await story.step(
            "... and another one reads nested data of one attribute",
            self._number("sensor.kitchen_temperature"),
        )
        await story.step(
            "A rest: block reads the same reply", self._number("sensor.boiler_humidity")
        )
        await story.step(
            "A page behind a login is read with the login's token",
            self._number("sensor.behind_a_login"),
        )

    async def mqtt(self) -> None:
        """Set MQTT up, then on, off, off_delay, availability, discovery."""
        story, contact = self._story, self._home.contact
        story.chapter("MQTT binary sensor")
        await story.step("MQTT is set up in Home Assistant's own dialogue", self._mqtt())
        await story.step(
            "The contact was online before: availability is retained",
            self._becomes("binary_sensor.window", "unknown"),
        )
        contact.report("ON")
        await story.step("The window opens", self._becomes("binary_sensor.window", "on"))
        contact.report("OFF")
        await story.step("... and closes", self._becomes("binary_sensor.window", "off"))
        await story.step(
            "The contact loses power: the broker publishes its last will",
            self._becomes("binary_sensor.window", "unavailable", after=contact.lose_power),
        )
        await story.step(
            "... and comes back",
            self._becomes("binary_sensor.window", "off", after=contact.power_up),
        )
        contact.publish("home/motion", "ON")
        await story.step("Motion is seen", self._becomes("binary_sensor.motion", "on"))
        await story.step(
            "... and off_delay (2 s) ends it", self._becomes("binary_sensor.motion", "off")
        )
        contact.publish("mqtt_binary/binary_sensor/garage/config", DISCOVERY, retain=True)
        contact.publish("home/garage/state", "ON", retain=True)
        await story.step(
            "A sensor announces itself, with its device",
            self._becomes("binary_sensor.garage_door", "on"),
        )

    async def learn(self) -> None:
        """`irhub.learn` and `irhub.send`."""
        story = self._story
        story.chapter("IR/RF hub: actions")
        await story.step(
            "irhub.learn captures a button press", self._learn(lambda: BUTTON, LG_POWER)
        )
        await story.step("irhub.send transmits it", self._send())

    async def remote(self) -> None:
        """Learned commands, by name."""
        story = self._story
        story.chapter("IR/RF hub: remote")
        await story.step(
            "remote.learn_command learns 'power' of 'television'",
            self._learn_command("power", [BUTTON]),
        )
        await story.step(
            "remote.send_command transmits exactly that packet",
            self._send_command("power", [BUTTON]),
        )
        await story.step(
            "A toggling command takes two captures",
            self._learn_command("toggle", [BUTTON, OTHER_BUTTON], alternative=True),
        )
        await story.step(
            "... which are then sent in turn",
            self._send_command("toggle", [BUTTON, OTHER_BUTTON, BUTTON]),
        )

    async def real_packets(self) -> None:
        """Real packets with additional or missing bytes compared to their length."""
        story = self._story
        story.chapter("IR/RF hub: packets of real people")
        for device, commands in CORE_CODES.items():
            await story.step(
                f"What Home Assistant's own integration learned of the {device} is sent",
                self._send_taken_over(device, commands),
            )
        heat = base64.b64decode(CORE_CODES["air conditioner"]["heat"])
        await story.step(
            "A capture is learned that has remnants of earlier data behind it",
            self._learn_command("heat", [heat], hub="attic"),
        )
        await story.step(
            "... and sent as far as its length says",
            self._send_command("heat", [_on_air(heat)], hub="attic"),
        )

    async def thermostat(self) -> None:
        """Set an air conditioner's temperature: its code file has a packet for each state."""
        story = self._story
        story.chapter("IR/RF hub: an air conditioner")
        await story.step("A code file makes a thermostat", self._becomes(THERMOSTAT, "unknown"))
        await story.step(
            "It is set to cool to 22 °C: the hub transmits that state's packet",
            self._set_thermostat("cool", 22),
        )
        await story.step("... and shows what was sent", self._becomes(THERMOSTAT, "cool"))

    async def browser(self) -> None:
        """Add a hub in the user interface, and press a button of its television."""
        story = self._story
        story.chapter("IR/RF hub: in the user interface")
        await story.step("A hub is added in the dialogue", self._add_bedroom())
        await story.step("A television's codes are imported: buttons appear", self._import())
        await story.step("A button is pressed, and the hub transmits", self._press_button())
        await story.step(
            "Another television is learned in the dialogue, press after press",
            self._learn_remote("den television", {"power": BUTTON, "mute": OTHER_BUTTON}),
        )
        await story.step(
            "An air conditioner is added beside the hub, of a code file", self._add_appliance()
        )
        await story.step(
            "... and follows its own remote control: a press of cool, 24 °C", self._followed()
        )

    async def infrared(self) -> None:
        """Use a hub as the emitter of one of Home Assistant's own integrations."""
        story = self._story
        story.chapter("IR/RF hub: infrared for other integrations")
        await story.step(
            "Home Assistant's own LG integration is set up on the hub's emitter", self._lg()
        )
        await story.step("Its button is pressed, and the hub transmits", self._press_lg())
        await story.step(
            "... what the television's own remote control says, too",
            self._learn(lambda: self._home.hubs["lounge"].transmitted[-1], LG_POWER),
        )

    async def switches(self) -> None:
        """Turn on a command switch, a plug that measures, a strip."""
        story, hubs = self._story, self._home.hubs
        story.chapter("IR/RF hub: switches")
        await story.step(
            "A command switch transmits its packet",
            self._switch("switch.television", lambda: BUTTON in hubs["lounge"].transmitted[-1:]),
        )
        await story.step(
            "A plug is switched on", self._switch("switch.lamp", lambda: hubs["lamp"].state.power)
        )
        await story.step("... and tells its power", self._power("switch.lamp"))
        await story.step("... as a sensor with its unit, too", self._number("sensor.lamp_power"))
        await story.step(
            "A slot of the power strip is switched on",
            self._switch("switch.aquarium", lambda: hubs["strip"].state.slots[0]),
        )

    async def sensors(self) -> None:
        """Read the hub's temperature and the five conditions of the air sensor."""
        story = self._story
        story.chapter("IR/RF hub: sensors")
        await story.step("The hub's temperature", self._number("sensor.lounge_temperature"))
        for name in ("temperature", "humidity", "air_quality", "light", "noise"):
            await story.step(f"The air sensor's {name}", self._number(f"sensor.air_{name}"))

    async def _becomes(
        self, entity_id: str, state: str, *, after: Callable[[], Awaitable[None]] | None = None
    ) -> str:
        if after is not None:
            await after()
        return self._shown(await self._client.wait_state(entity_id, state))

    def _shown(self, state: Json) -> str:
        unit = state["attributes"].get("unit_of_measurement", "")
        return f"{state['entity_id']} is {state['state']} {unit}".rstrip()

    async def _number(self, entity_id: str) -> str:
        def is_number(state: Json) -> bool:
            text: str = state["state"]
            return text.replace(".", "").lstrip("-").isdigit()

        return self._shown(await self._client.wait_state(entity_id, is_number))

    async def _counter(self, before: int | None) -> str:
        def moved(state: Json) -> bool:
            return bool(state["attributes"].get("counter", 0) > (before or 0))

        state = await self._client.wait_state("sensor.boiler", moved)
        count = state["attributes"]["counter"]
        return f"{self._shown(state)}, its counter went from {before} to {count}"

    async def _mqtt(self) -> str:
        broker = self._home.broker
        await set_up_mqtt(self._client, broker)
        return f"the broker at {broker.host}:{broker.port} ({broker.engine_name}) is entered"

    async def _press(self, hub: str, *packets: bytes) -> None:
        for packet in packets:
            await self._home.hubs[hub].press_when_listening(packet)

    def _lounge(self) -> str:
        hub = self._home.hubs["lounge"]
        return f"{hub.host}:{hub.port}"

    async def _during[T](
        self, call: Coroutine[None, None, T], *packets: bytes, hub: str = "lounge"
    ) -> T:
        """Press buttons while a call runs; fail as soon as either fails."""
        calling = asyncio.create_task(call)
        pressing = asyncio.create_task(self._press(hub, *packets))
        try:
            result, _ = await asyncio.gather(calling, pressing)
        finally:
            calling.cancel()
            pressing.cancel()
        return result

    async def _learn(self, packet: Callable[[], bytes], meaning: str) -> str:
        text = base64.b64encode(packet()).decode()
        call = self._client.call("irhub.learn", {"host": self._lounge()}, response=True)
        response = await self._during(call, packet())

        def shown() -> str | None:
            texts = (entry["message"] for entry in self._client.notifications.values())
            return next((message for message in texts if text in message), None)

        message = await self._client.wait(shown, what="the packet in a notification")
        if response["base64"] != text or response["description"] != meaning:
            raise CallError(f"the response holds another packet: {response}")
        return f"notification: {message.strip()}"

    async def _set_thermostat(self, mode: str, temperature: int) -> str:
        data = {"entity_id": THERMOSTAT, "hvac_mode": mode, "temperature": temperature}
        packet = base64.b64decode(AIR_CONDITIONER[mode]["auto"][str(temperature)])
        return await self._transmitted(
            lambda: self._client.call("climate.set_temperature", data), packet
        )

    async def _add_bedroom(self) -> str:
        hub = self._home.hubs["bedroom"]
        await add_hub(self._client, hub)
        return self._shown(await self._client.wait_state("remote.bedroom", "on"))

    async def _import(self) -> str:
        buttons = await import_television(self._client)
        return ", ".join(buttons)

    async def _learn_remote(self, device: str, presses: dict[str, bytes]) -> str:
        hub = self._home.hubs["bedroom"]
        await self._client.subentry_flow(
            "remote.bedroom",
            "appliance",
            {"next_step_id": "television"},
            {"next_step_id": "learn_remote"},
            {"name": device, "buttons": list(presses)},
        )
        buttons = [f"button.{device.replace(' ', '_')}_{name}" for name in presses]
        for button, packet in zip(buttons, presses.values(), strict=True):
            await hub.press_when_listening(packet)
            await self._client.wait_state(button, lambda state: state["state"] != "unavailable")
        return ", ".join(buttons)

    async def _add_appliance(self) -> str:
        await self._client.subentry_flow(
            "remote.bedroom",
            "appliance",
            {"next_step_id": "air_conditioner"},
            {"next_step_id": "file"},
            {"path": "codes/office.json"},
            {"name": "bedroom air conditioner", "more": {"follow": True}, "then": "finish"},
        )
        return self._shown(await self._client.wait_state(FOLLOWED, "unknown"))

    async def _followed(self) -> str:
        packet = base64.b64decode(AIR_CONDITIONER["cool"]["auto"]["24"])
        await self._home.hubs["bedroom"].press_when_listening(packet)
        state = await self._client.wait_state(
            FOLLOWED,
            lambda state: (state["state"], state["attributes"]["temperature"]) == ("cool", 24),
        )
        return f"{self._shown(state)}, set to {state['attributes']['temperature']:g} °C"

    async def _press_button(self) -> str:
        hub = self._home.hubs["bedroom"]
        await self._client.call("button.press", {"entity_id": f"button.{TELEVISION}_power"})
        await hub.until(lambda: hub.transmitted[-1:] == [BUTTON])
        return f"the hub transmitted {_short(hub.transmitted[-1])}"

    async def _lg(self) -> str:
        await set_up_lg(self._client)
        return (
            self._shown(await self._client.wait_state(EMITTER, "unknown")) + " (nothing sent yet)"
        )

    async def _press_lg(self) -> str:
        hub = self._home.hubs["lounge"]
        before = len(hub.transmitted)
        await self._client.call("button.press", {"entity_id": LG_BUTTON})
        await hub.until(lambda: len(hub.transmitted) > before)
        return f"{LG_BUTTON}: the hub transmitted {_short(*hub.transmitted[before:])}"

    async def _transmitted(
        self, act: Callable[[], object], *packets: bytes, hub_name: str = "lounge"
    ) -> str:
        hub = self._home.hubs[hub_name]
        before = len(hub.transmitted)
        result = act()
        if asyncio.iscoroutine(result):
            await result
        await hub.until(lambda: len(hub.transmitted) >= before + len(packets))
        sent = hub.transmitted[before:]
        if sent != list(packets):
            raise CallError(f"the hub transmitted {[packet.hex() for packet in sent]}")
        return f"the hub transmitted {_short(*sent)}"

    async def _send(self) -> str:
        data = {"host": self._lounge(), "packet": base64.b64encode(BUTTON).decode()}
        return await self._transmitted(lambda: self._client.call("irhub.send", data), BUTTON)

    async def _learn_command(
        self,
        command: str,
        packets: list[bytes],
        *,
        alternative: bool = False,
        hub: str = "lounge",
    ) -> str:
        data = {
            "entity_id": f"remote.{hub}",
            "device": "television",
            "command": command,
            "alternative": alternative,
        }
        await self._during(self._client.call("remote.learn_command", data), *packets, hub=hub)
        return f"learned from {len(packets)} button press{'es' if len(packets) > 1 else ''}"

    async def _send_command(
        self, command: str, packets: list[bytes], *, hub: str = "lounge"
    ) -> str:
        data = {"entity_id": f"remote.{hub}", "device": "television", "command": command}

        async def send() -> None:
            for _ in packets:
                await self._client.call("remote.send_command", data)

        return await self._transmitted(send, *packets, hub_name=hub)

    async def _send_taken_over(self, device: str, commands: dict[str, str]) -> str:
        data = {"entity_id": "remote.attic", "device": device, "command": list(commands)}
        packets = [_on_air(base64.b64decode(text)) for text in commands.values()]
        return await self._transmitted(
            lambda: self._client.call("remote.send_command", data), *packets, hub_name="attic"
        )

    async def _switch(self, entity_id: str, real: Callable[[], bool]) -> str:
        await self._client.wait_state(entity_id, lambda state: state["state"] != "unavailable")
        await self._client.call("switch.turn_on", {"entity_id": entity_id})
        text = await self._becomes(entity_id, "on")
        if not real():
            raise CallError(f"{entity_id} says on, but the device was not switched")
        return f"{text}, and so is the device"

    async def _power(self, entity_id: str) -> str:
        state = await self._client.wait_state(
            entity_id, lambda state: state["attributes"].get("current_power_w")
        )
        return f"{entity_id}: {state['attributes']['current_power_w']} W"


async def set_up_mqtt(client: Client, broker: Broker) -> None:
    """Enter the broker in core's MQTT config flow."""
    protocol = "5" if broker.engine_name == "mosquitto" else "3.1.1"
    answers = {
        "broker": broker.host,
        "port": broker.port,
        "protocol": protocol,
        "other_settings": {"set_client_cert": False, "set_ca_cert": "off"},
    }
    step = await client.config_flow("mqtt", answers)
    if step["type"] != "create_entry":
        raise CallError(f"the dialogue ended with {step}")
    if protocol != "5":  # the embedded broker does not support version 5
        await client.ignore_issue("mqtt", "protocol_5_migration")


async def add_hub(client: Client, hub: VirtualHub) -> None:
    """Add a hub by its address, even if the flow discovers real ones in the network."""
    host = {"host": f"{hub.host}:{hub.port}"}
    step = await client.config_flow("irhub", host, between={"choose": {"mac": "by_host"}})
    if step["type"] != "create_entry":
        raise CallError(f"the dialogue ended with {step}")


async def import_television(client: Client) -> list[str]:
    """Import a television's codes into the added hub; return its buttons once they exist."""
    codes = {
        TELEVISION: {
            "power": base64.b64encode(BUTTON).decode(),
            "mute": base64.b64encode(OTHER_BUTTON).decode(),
            "volume up": VOLUME_UP,
        }
    }
    data = {"entity_id": "remote.bedroom", "codes": codes}
    await client.wait_state("remote.bedroom", "on")
    await client.call("irhub.import_codes", data, response=True)
    buttons = [f"button.{TELEVISION}_{name}" for name in ("power", "mute", "volume_up")]
    for button in buttons:
        await client.wait_state(button, lambda state: state["state"] != "unavailable")
    return buttons


async def choose_lg_television(client: Client, entities: Json) -> None:
    """Set up a television in core's LG integration; 2026.7 has no menu for that."""
    answers = {"next_step_id": "tv"}, {"device_type": "tv", **entities}
    step = await client.config_flow("lg_infrared", *answers)
    if step["type"] != "create_entry":
        raise CallError(f"the dialogue ended with {step}")


async def set_up_lg(client: Client) -> None:
    """Set up core's LG integration with the hub as emitter, and wait for its button."""
    await choose_lg_television(client, {"infrared_entity_id": EMITTER})
    await client.wait_state(LG_BUTTON, lambda state: state["state"] != "unavailable")


def _on_air(packet: bytes) -> bytes:
    """Return a packet as a hub transmits it: cut to its length, or padded with zeros."""
    end = 4 + int.from_bytes(packet[2:4], "little")
    return packet[:end].ljust(end, b"\0")


def _short(*packets: bytes) -> str:
    return ", ".join(f"{base64.b64encode(packet).decode()[:20]}…" for packet in packets)
