"""Invented code files in all shapes of SmartIR's format, with a distinct packet per code."""

import base64
from collections.abc import Iterator, Mapping
import json
from pathlib import Path
from typing import Any

from custom_components.irhub.ircodes.packet.packet import from_durations

type Commands = dict[str, Commands | str]


class Codes:
    """Makes distinct packets."""

    def __init__(self) -> None:
        self._number = 0

    def packet(self) -> str:
        """Return a packet's text."""
        self._number += 1
        bits = f"{self._number:016b}"
        marks = [time for bit in bits for time in (560, 1690 if bit == "1" else 560)]
        return base64.b64encode(from_durations([9000, 4500, *marks, 560])).decode()

    def nest(self, first: list[str], *others: list[str]) -> Commands:
        """Return a packet for each path through the levels."""
        return {name: self.nest(*others) if others else self.packet() for name in first}


def code_file(commands: Mapping[str, Any], **head: object) -> dict[str, Any]:
    """Return a file with these commands."""
    return {
        "manufacturer": "Acme",
        "supportedModels": ["A1", "A2"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        **head,
        "commands": commands,
    }


def air_conditioner(commands: Mapping[str, Any], **head: object) -> dict[str, Any]:
    """Return the file of an air conditioner, with the levels of its commands."""
    usual = {
        "minTemperature": 16,
        "maxTemperature": 30,
        "precision": 1,
        "operationModes": ["cool", "heat", "dry", "fan_only"],
        "fanModes": [],
    }
    return code_file(commands, **usual | head)


def temperatures(lowest: int, highest: int) -> list[str]:
    """Return temperatures as the keys of a file."""
    return [str(temperature) for temperature in range(lowest, highest + 1)]


def paths(commands: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each part of a file."""
    for name, inner in commands.items():
        path = f"{before} {name}".strip()
        if isinstance(inner, dict):
            yield from paths(inner, path)
        else:
            yield path, inner


def write(folder: Path, name: str, content: Mapping[str, Any]) -> str:
    """Write a file into the configuration folder; return its name there."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return name


def bytes_of(text: str) -> bytes:
    """Return the packet of a text."""
    return base64.b64decode(text)
