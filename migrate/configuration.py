"""A configuration as Home Assistant reads it, and what in it concerns us."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, override

from homeassistant.config import config_per_platform
from homeassistant.util.yaml import SECRET_YAML, Secrets, load_yaml_dict

DOMAINS = ("binary_sensor", "infrared", "notify", "remote", "sensor", "switch")
OLD_CALLS = ("broadlink.learn", "broadlink.send")
OLDER_CALLS = {
    "switch.broadlink_learn_command": "irhub.learn",
    "switch.broadlink_send_packet": "irhub.send",
}
"""Up to 0.84 each host had actions of its own: this, and the address."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a word stands: a file of the configuration, and the line in it."""

    file: Path | None
    line: int

    @classmethod
    def of(cls, value: object) -> Place:
        """Give the place that the loader noted; a value of a secret or the environment has none."""
        file = getattr(value, "__config_file__", None)
        if not file or Path(file).name == SECRET_YAML:
            return cls(file=None, line=0)
        return cls(file=Path(file).resolve(), line=int(getattr(value, "__line__", 0)))

    def text(self, config_dir: Path) -> str:
        """Give the place as people write it."""
        if self.file is None:
            return "(from a secret or the environment)"
        inside = self.file.is_relative_to(config_dir)
        return f"{self.file.relative_to(config_dir) if inside else self.file}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A list item under a domain: its platform, and where that word stands."""

    domain: str
    platform: str
    config: dict[str, Any]
    place: Place


@dataclass(frozen=True, kw_only=True)
class Call:
    """An action in an automation, script or scene."""

    action: str
    data: dict[str, Any]
    place: Place


class Configuration:
    """All of configuration.yaml, with its includes, packages and secrets."""

    def __init__(self, config_dir: Path) -> None:
        """Read it; HomeAssistantError and FileNotFoundError name the file and the line."""
        self._secrets = _Secrets(config_dir)
        self._root = load_yaml_dict(config_dir / "configuration.yaml", self._secrets)

    def entries(self) -> Iterator[Entry]:
        """Find the entries of every platform, also those in packages."""
        core = self._root.get("homeassistant")
        packages = core.get("packages") if isinstance(core, dict) else None
        named = packages.values() if isinstance(packages, dict) else []
        for config in (self._root, *(package for package in named if isinstance(package, dict))):
            for domain in DOMAINS:
                for platform, item in config_per_platform(config, domain):
                    if isinstance(platform, str):
                        place = Place.of(platform)
                        yield Entry(domain=domain, platform=platform, config=item, place=place)

    def calls(self) -> Iterator[Call]:
        """Find the classic actions, wherever they are called."""
        seen = set()
        for mapping in _mappings(self._root):
            for key in ("action", "service"):
                name = mapping.get(key)
                if not isinstance(name, str) or not name.startswith((*OLD_CALLS, *OLDER_CALLS)):
                    continue
                place = Place.of(name)
                if (place, name) not in seen:
                    seen.add((place, name))
                    data = mapping.get("data")
                    yield Call(
                        action=name, data=data if isinstance(data, dict) else {}, place=place
                    )

    def without_secrets(self, text: str) -> str:
        """Give a text without the values that the secrets file keeps."""
        for value in sorted(self._secrets.used, key=len, reverse=True):
            text = text.replace(value, "!secret")
        return text


class _Secrets(Secrets):
    """Notes what it hands out, so that none of it is printed."""

    def __init__(self, config_dir: Path) -> None:
        super().__init__(config_dir)
        self.used: set[str] = set()

    @override
    def get(self, requester_path: str, secret: str) -> str:
        value = super().get(requester_path, secret)
        if text := str(value):
            self.used.add(text)
        return value


def _mappings(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _mappings(inner)
