"""A code file with faults and gaps."""

import base64
from typing import Any

from custom_components.irhub.ircodes import OFF, State

from ..ircodes.code_files import air_conditioner
from ..ircodes.teaching.remotes import sum_over_two_frames

CONTROL = sum_over_two_frames()

FANS = ("auto", "low", "medium", "high")


def text_of(state: State) -> str:
    """Return a state's packet as a code file has it."""
    return base64.b64encode(CONTROL.packet(state)).decode()


def faulty_file() -> dict[str, Any]:
    """Return a file with a neighbour's code in one place, and a gap in another."""
    commands: dict[str, Any] = {
        mode: {
            fan: {
                f"{degrees}": text_of(State(mode=mode, fan=fan, temperature=float(degrees)))
                for degrees in range(18, 26)
            }
            for fan in FANS
        }
        for mode in ("cool", "heat")
    }
    commands["cool"]["low"]["20"] = commands["cool"]["low"]["21"]
    del commands["heat"]["high"]["23"]
    commands["off"] = base64.b64encode(CONTROL.packet(OFF)).decode()
    return air_conditioner(
        commands,
        operationModes=["cool", "heat"],
        fanModes=[*FANS],
        minTemperature=18,
        maxTemperature=25,
    )
