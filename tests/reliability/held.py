"""Resources held by the process."""

import asyncio
from dataclasses import astuple, dataclass
from pathlib import Path

from homeassistant.components import mqtt
from homeassistant.util.async_ import get_scheduled_timer_handles

from custom_components.mqtt_binary.data import DATA
from tests.mqtt_binary.home import MqttHome

FAR_S = 1_800.0  # beyond it: off_delay, expire_after and little else


@dataclass(frozen=True, kw_only=True)
class Held:
    """Numbers of resources held while idle."""

    tasks: int
    timers: int
    files: int
    subscriptions: int
    members: int

    def within(self, limit: Held) -> bool:
        """Return whether no number has grown."""
        return all(now <= then for now, then in zip(astuple(self), astuple(limit), strict=True))


def held(home: MqttHome) -> Held:
    """Return the resources held now."""
    hass = home.hass
    return Held(
        tasks=len(asyncio.all_tasks()),
        timers=sum(
            not timer.cancelled() and timer.when() > hass.loop.time() + FAR_S
            for timer in get_scheduled_timer_handles(hass.loop)
        ),
        files=len(list(Path("/proc/self/fd").iterdir())),
        subscriptions=len(list(hass.data[mqtt.DATA_MQTT].client.subscriptions)),
        members=len(hass.data[DATA].connection.members_of(object)),
    )
