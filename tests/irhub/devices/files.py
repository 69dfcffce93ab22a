"""The files in which learned commands are stored."""

import json
from pathlib import Path
from typing import Any

CODES = "irhub_devices_34ea34000001"


def put(config_dir: Path, name: str, data: object, version: int = 1) -> Path:
    """Write a file as Home Assistant's store does."""
    path = config_dir / ".storage" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": version, "key": name, "data": data}))
    return path


def stored(config_dir: Path, name: str = CODES) -> Any:  # noqa: ANN401  (JSON)
    return json.loads((config_dir / ".storage" / name).read_text())["data"]


def written(config_dir: Path) -> dict[str, dict[str, str | list[str]]]:
    """Return devices → commands → packets of the file."""
    return {
        device["name"]: {
            command["name"]: command["packets"]
            if len(command["packets"]) > 1
            else command["packets"][0]
            for command in device["commands"]
        }
        for device in stored(config_dir)["devices"]
    }
