"""The card of a television on a dashboard, and the packets that it sends."""

import base64
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, cast

from playwright.async_api import Locator, Page

from custom_components.irhub.ircodes import encode

TELEVISION = "Den television"


FUNCTIONS = (
    *("toggle", "source", "up", "left", "ok", "right", "down", "back", "home", "menu", "info"),
    *("volume_up", "volume_down", "mute", "next", "previous", "guide", "rewind", "play", "pause"),
    *("stop", "forward", "record", "red", "green", "yellow", "blue"),
    *(f"digit {digit}" for digit in range(10)),
    *("source HDMI 1", "source HDMI 2", "source HDMI 3", "sound_mode Film", "sound_mode Music"),
)


SMALL = ("toggle", "source", "up", "left", "ok", "right", "down", "back", "volume_up")


numbers = count()


def packet(number: int) -> str:
    encoded = encode("NEC", address=0x31, command=number)
    assert encoded is not None
    return base64.b64encode(encoded).decode()


def device(
    name: str, kind: str, functions: Sequence[str], others: Sequence[str] = (), **more: object
) -> dict[str, object]:
    """Return a device in the format of an export, with a distinct packet for each command."""
    id_ = name.lower().replace(" ", "-")
    return {
        "id": id_,
        "name": name,
        "kind": kind,
        "commands": [
            {"id": f"{id_}-{number}", "name": command, "packets": [packet(next(numbers))]}
            for number, command in enumerate([*functions, *others])
        ],
        "functions": {command: f"{id_}-{number}" for number, command in enumerate(functions)},
        **more,
    }


def air_conditioner() -> dict[str, object]:
    """Return an air conditioner that has an entity, and a button that its entity does not use."""
    appliance = device(
        "Den air conditioner", "air_conditioner", ["off"], ["Display"], entity="den-ac"
    )
    states = [
        {
            "id": f"den-ac-{mode}-{temperature}",
            "name": f"{mode} {temperature}",
            "packets": [packet(next(numbers))],
            "state": {"mode": mode, "fan": "auto", "temperature": temperature},
        }
        for mode in ("cool", "heat")
        for temperature in (20, 21, 22)
    ]
    return {**appliance, "commands": [*cast("list[object]", appliance["commands"]), *states]}


DEVICES = (
    device(TELEVISION, "television", FUNCTIONS, ("Ambilight", "Netflix", "YouTube")),
    device("Small television", "television", SMALL, ("1", "2", "3", "4", "<b>3D</b>")),
    device("Den fan", "fan", ["off", "speed low", "speed high", "oscillate"], ["Timer"]),
    air_conditioner(),
)


def packet_of(name: str, config: Mapping[str, Any] = DEVICES[0]) -> bytes:
    [found] = [command for command in config["commands"] if command["name"] == name]
    return base64.b64decode(found["packets"][0])


def card_of(page: Page, config: Mapping[str, object]) -> Locator:
    """Return the card of a device on a page that shows several."""
    heading = page.get_by_role("heading", name=str(config["name"]), exact=True)
    return page.locator("irhub-remote").filter(has=heading)
