"""irhub.send and irhub.learn, called as an automation calls them."""

import asyncio
from typing import Any

from homeassistant.components.persistent_notification import (
    _async_get_or_create_notifications as notifications_of,
)
from homeassistant.core import HomeAssistant

from custom_components.irhub.packet import parse_text, to_hex
from virtual_home.hub import VirtualHub

from .home import entry, set_up, until

RC5 = "JgAcAB0dHB44HhweGx4cHR06HB0cHhwdHB8bHhwADQUAAAAAAAAAAAAAAAA="
NEC = (
    "JgBQAAABJJMSEhISETgSEhITEBMSEhMSETcSNxMREjcSNxI3EjcSOBETERITNhM2EhITERM2EzcRNxI3ExISEhI3EjcRExET"
    "EgAFLQABJEoRAA0FAAAAAAAAAAA="
)
RF = "sgcyABgJCBkZCRkJGQkIGQgZCBkZCQgaCBkIGQgZCBkIGRgJGQkYCRkJCBoIGQj8GQkYCQgaAAAAAAAA"
POWER, HDMI, FAN = map(parse_text, (RC5, NEC, RF))


async def call(hass: HomeAssistant, service: str, **data: object) -> Any:
    return await hass.services.async_call(
        "irhub", service, data, blocking=True, return_response=True
    )


def notification(hass: HomeAssistant) -> str | None:
    shown = list(notifications_of(hass).values())
    return shown[0]["message"] if shown else None


async def test_send_transmits_and_describes(hass: HomeAssistant) -> None:
    async with VirtualHub("rm4_pro") as hub:
        await set_up(hass, "remote", entry(hub))
        answer = await call(hass, "send", host=hub.host, packet=[RC5, to_hex(FAN)])
        assert hub.transmitted == [POWER, FAN]
        first, second = answer["packets"]
        assert first["hex"] == POWER.hex()
        assert (first["kind"], second["kind"]) == ("ir", "rf")
        assert first["frequency"] is None
        assert set(first) == {"base64", "hex", "kind", "description", "frequency"}


async def test_learn_returns_what_the_hub_heard(hass: HomeAssistant) -> None:
    async with VirtualHub("rm_mini") as hub:
        await set_up(hass, "remote", entry(hub))
        learn = asyncio.create_task(call(hass, "learn", host=hub.host))
        await hub.until(lambda: hub.receiver.listening is not None)
        await until(lambda: notification(hass))
        assert notification(hass) == "Press the button of the remote control."
        hub.press(HDMI)
        answer = await learn
        assert answer["hex"] == HDMI.hex()
        assert answer["kind"] == "ir"
        assert answer["description"] == "NEC address 0x04 command 0xcc"
        assert notification(hass) == (
            f"Received packet is: {answer['base64']} (NEC address 0x04 command 0xcc)"
        )
