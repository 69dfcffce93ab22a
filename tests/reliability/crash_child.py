"""A Home Assistant with only a remote, to be killed by tests.

Run as a program (folder, host, port, MAC) it imports everything once, and forks one Home
Assistant for each line it reads. They report on standard output, as one JSON value per
line, the data loaded, their actions, and the results reported to the caller.
"""

import asyncio
from itertools import count
import json
import os
import sys
from typing import Any

from homeassistant import bootstrap, core_config, loader
from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from custom_components.irhub import remote  # noqa: F401  (forked, too)
from custom_components.irhub.actions import services  # noqa: F401
from custom_components.irhub.hub import hub_learning, learning
from custom_components.irhub.yaml import reload  # noqa: F401

REMOTE = "remote.broadlink"
ALTERNATING_EVERY = 3


def say(**what: object) -> None:
    """Write one complete line at once."""
    os.write(sys.stdout.fileno(), json.dumps(what).encode() + b"\n")


async def start(config_dir: str, entry: dict[str, Any]) -> HomeAssistant:
    """Set up the parts of Home Assistant that a remote needs."""
    hass = HomeAssistant(config_dir)
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, {})
    assert await bootstrap.async_load_base_functionality(hass)
    await core_config.async_process_ha_core_config(hass, {})
    assert await persistent_notification.async_setup(hass, {})
    assert await async_setup_component(hass, "remote", {"remote": [entry]})
    await hass.async_block_till_done()
    return hass


async def live(config_dir: str, entry: dict[str, Any]) -> None:
    """Learn and send until killed."""
    learning.BETWEEN_PRESSES_S = hub_learning.LEARNING_READ_S = 0.02  # type: ignore[misc]  # live fast
    hass = await start(config_dir, entry)

    async def codes() -> dict[str, Any]:
        response: Any = await hass.services.async_call(
            "irhub", "export_codes", {"entity_id": REMOTE}, blocking=True, return_response=True
        )
        return dict(response["codes"])

    async def use(service: str, name: str, **data: object) -> None:
        data |= {"entity_id": REMOTE, "device": "tv", "command": name}
        await hass.services.async_call("remote", service, data, blocking=True)

    stored = await codes()
    say(codes=stored)
    while (state := hass.states.get(REMOTE)) is None or state.state == "unavailable":  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    for number in count(len(stored.get("tv", {}))):
        name = f"key {number}"
        say(doing="learn")
        await use("learn_command", name, alternative=number % ALTERNATING_EVERY == 0)
        say(learned=name, **{"as": (await codes())["tv"][name]})
        if "key 0" in (await codes())["tv"]:
            say(doing="send")
            await use("send_command", "key 0")
            await hass.async_block_till_done()  # writes the next packet of a command
            say(sent="key 0")
        say(doing="nothing")


def main() -> None:
    """Fork a Home Assistant per line of input, one at a time."""
    config_dir, host, port, mac = sys.argv[1:]
    entry = {"platform": "irhub", "host": host, "port": int(port), "mac": mac, "min_gap": 0}
    for _ in sys.stdin:
        if (child := os.fork()) == 0:
            try:
                say(pid=os.getpid())
                asyncio.run(live(config_dir, entry))
            except BaseException as err:  # noqa: BLE001  (the test is to see it)
                say(error=repr(err))
            finally:
                os._exit(1)
        os.waitpid(child, 0)
        say(dead=child)


if __name__ == "__main__":
    main()
