"""Try a sensor on its live topic before it is saved."""

import asyncio
from dataclasses import dataclass
from typing import Final

from homeassistant.components.binary_sensor import ENTITY_ID_FORMAT
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import slugify

from .mqtt import ReceiveMessage, async_subscribe
from .payload.reader import Reader, Value
from .payload.text import LatestJson
from .settings import Settings

TRY_S: Final = 10
"""Timeout in seconds: long enough for a retained message, not for a device that rarely reports."""
MAX_SHOWN: Final = 300
"""Maximum number of characters of a payload to show."""


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """The effect of a message: its payload, the output of the template, and the state."""

    payload: str
    output: str
    whole_output: str
    value: Value


async def async_try(hass: HomeAssistant, settings: Settings) -> TrialResult | None:
    """Return the effect of the next message on the topic; None if none arrives in TRY_S seconds."""
    first_message: asyncio.Future[ReceiveMessage] = hass.loop.create_future()

    @callback
    def received(message: ReceiveMessage) -> None:
        ignored = message.retain and settings.ignore_retained
        if not first_message.done() and not ignored:
            first_message.set_result(message)

    unsubscribe = await async_subscribe(
        hass, settings.state_topic, received, settings.qos, settings.encoding or None
    )
    try:
        async with asyncio.timeout(TRY_S):
            message = await first_message
    except TimeoutError:
        return None
    finally:
        unsubscribe()
    entity_id = ENTITY_ID_FORMAT.format(slugify(settings.name))
    reader = Reader(hass, LatestJson(), settings, entity_id, settings.name)
    return TrialResult(
        payload=_shortened(str(message.payload)),
        output=_shortened(output := reader.output(message) or ""),
        whole_output=output,
        value=reader.value(message),
    )


def _shortened(text: str) -> str:
    return text[:MAX_SHOWN] + "…" if len(text) > MAX_SHOWN else text
