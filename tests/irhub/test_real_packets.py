"""Packets that other integrations send and that announce a length which is not exact.

What stands behind the length is cut off, wherever the packet comes from; a body a few bytes
short is sent as it is.
"""

import asyncio
import json
from pathlib import Path
from typing import Any, cast

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.ircodes import to_base64
from custom_components.irhub.ircodes.protocols import learned
from tests.home import until
from virtual_home.hub import VirtualHub

from .devices.files import written
from .home import HDMI, NEC, entry, our_hub, send, set_up, start
from .ircodes.captured import lenient, more_types

REMOTE = "remote.broadlink"
INFRARED = 0x26
EXAMPLES = [*lenient(), *more_types()]
HEARD = [example for example in EXAMPLES if len(example.packet) == len(example.transmitted)]
STORED = {str(number): to_base64(example.packet) for number, example in enumerate(EXAMPLES)}
TRANSMITTED = [example.transmitted for example in EXAMPLES]


async def remote(hass: HomeAssistant, service: str, **data: object) -> None:
    data = {"entity_id": REMOTE, "device": "climate", **data}
    await hass.services.async_call("remote", service, data, blocking=True)


async def send_at_once(hass: HomeAssistant, commands: list[str]) -> None:
    """Send commands without the pause between them."""
    await remote(hass, "send_command", command=commands, delay_secs=0)


async def codes(hass: HomeAssistant, service: str, **data: object) -> Any:  # noqa: ANN401  (JSON)
    return await hass.services.async_call(
        "irhub", service, {"entity_id": REMOTE, **data}, blocking=True, return_response=True
    )


async def learn_radio(
    hass: HomeAssistant, hub: VirtualHub, frequency: float, packet: bytes
) -> dict[str, Any]:
    """Call irhub.learn, press the button, and return the response."""
    learn = asyncio.create_task(
        hass.services.async_call(
            "irhub",
            "learn",
            {"host": hub.host, "command_type": "rf", "frequency": frequency},
            blocking=True,
            return_response=True,
        )
    )
    await hub.press_when_listening(packet)
    answer: Any = await learn
    return cast("dict[str, Any]", answer)


def store(config_dir: Path, integration: str) -> Path:
    return config_dir / ".storage" / f"{integration}_remote_34ea34000001_codes"


def test_the_examples_are_of_every_kind() -> None:
    assert len(EXAMPLES) >= 29
    assert len(HEARD) < len(EXAMPLES)
    assert {example.packet[0] for example in EXAMPLES} == {0x26, 0x78, 0x79, 0xB0, 0xB2, 0xE9}


async def test_each_is_sent(hass: HomeAssistant, hub: VirtualHub) -> None:
    for example in EXAMPLES:
        await send(hass, hub, example.base64)
        await send(hass, hub, example.raw.hex(" "))
    assert hub.transmitted == [packet for packet in TRANSMITTED for _ in range(2)]


@pytest.mark.usefixtures("no_pauses")
async def test_each_is_learned_stored_and_sent(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    infrared = [example for example in HEARD if example.packet[0] == INFRARED]
    names = [f"key {number}" for number, _ in enumerate(infrared)]
    await start(hass, virtual_hub)
    learn = asyncio.create_task(remote(hass, "learn_command", command=names))
    for example in infrared:
        await virtual_hub.press_when_listening(example.raw)
    await learn
    # those of RC-5 and RC-6 get company, with the other toggle bit
    stored = [[*map(to_base64, learned([example.packet]))] for example in infrared]
    assert [len(texts) for texts in stored].count(2) == 2
    assert written(config_dir)["climate"] == {
        name: texts[0] if len(texts) == 1 else texts
        for name, texts in zip(names, stored, strict=True)
    }
    await send_at_once(hass, names)
    assert virtual_hub.transmitted == [example.packet for example in infrared]


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_each_radio_packet_is_learned_and_sent(hass: HomeAssistant, hub: VirtualHub) -> None:
    radio = [example for example in HEARD if example.packet[0] != INFRARED]
    for example in radio:
        answer = await learn_radio(hass, hub, 433.92, example.raw)
        assert answer["base64"] == to_base64(example.packet)
        assert answer["kind"] == "rf"
        await send(hass, hub, answer["base64"])
    assert hub.transmitted == [example.packet for example in radio]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_each_is_imported_exported_and_sent(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    published = {str(number): example.base64 for number, example in enumerate(EXAMPLES)}
    await start(hass, virtual_hub)
    await codes(hass, "import_codes", codes={"climate": published})
    assert (await codes(hass, "export_codes"))["codes"] == {"climate": STORED}
    await send_at_once(hass, list(published))
    assert virtual_hub.transmitted == TRANSMITTED


async def test_each_is_taken_over_from_core(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    core = store(config_dir, "broadlink")
    core.parent.mkdir()
    learned = {"climate": {str(number): x.base64 for number, x in enumerate(EXAMPLES)}}
    core.write_text(json.dumps({"version": 1, "key": core.name, "data": learned}))
    await start(hass, virtual_hub)
    await send_at_once(hass, list(learned["climate"]))
    assert virtual_hub.transmitted == TRANSMITTED
    assert (await codes(hass, "export_codes"))["codes"] == {"climate": STORED}


def late(packet: bytes) -> bytes:
    """Return a capture with its carrier as if the hub had begun inside the pulse before it."""
    body = packet[4:8] + b"\x05" + packet[8:]
    return packet[:2] + len(body).to_bytes(2, "little") + body


FRAMES = [x for x in more_types() if x.packet[1] == 0xC0]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_capture_that_began_inside_a_pulse_is_put_right(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    assert {x.packet[0] for x in FRAMES} == {0x78, 0xB0}
    core = store(config_dir, "broadlink")
    core.parent.mkdir()
    learned = {"fan": {str(number): to_base64(late(x.packet)) for number, x in enumerate(FRAMES)}}
    core.write_text(json.dumps({"version": 1, "key": core.name, "data": learned}))
    await start(hass, virtual_hub)
    await remote(hass, "send_command", device="fan", command=list(learned["fan"]))
    for example in FRAMES:
        answer = await learn_radio(hass, virtual_hub, 315, late(example.packet))
        assert answer["base64"] == to_base64(example.packet)
    assert virtual_hub.transmitted == [example.packet for example in FRAMES]


async def test_one_in_yaml_takes_no_neighbour_along(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    switches = {
        str(number): {"command_on": example.base64, "command_off": NEC}
        for number, example in enumerate(EXAMPLES)
    }
    await set_up(hass, "switch", entry(virtual_hub, switches=switches))
    await until(lambda: our_hub(hass, virtual_hub).available)
    for number, example in enumerate(EXAMPLES):
        for service, packet in (("turn_on", example.transmitted), ("turn_off", HDMI)):
            await hass.services.async_call(
                "switch", service, {"entity_id": f"switch.{number}"}, blocking=True
            )
            assert virtual_hub.transmitted[-1] == packet
