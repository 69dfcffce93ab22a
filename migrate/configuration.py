"""Reads a configuration as Home Assistant does, and finds what in it concerns us."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
import re
from typing import Any, Final, override

from annotatedyaml.loader import FastSafeLoader, LoaderType, add_constructor
from homeassistant.config import config_per_platform
from homeassistant.util.yaml import SECRET_YAML, Secrets, load_yaml_dict
import yaml

DOMAINS: Final = ("binary_sensor", "button", "infrared", "notify", "remote", "sensor", "switch")
"""Where entries of ours may stand; a platform in front is core's or nobody's."""
BLOCKS: Final = ("mqtt", "rest")
"""Integrations whose own key concerns us."""
ACTION_KEYS: Final = ("action", "service")
OLD_ACTION: Final = re.compile(
    r"\b(?:switch\.broadlink_|broadlink\.)(learn|send)(?:_command|_packet)?(?:_(\w+))?\b"
)
"""Actions of 0.36 to 0.114: up to 0.86 each hub had its own, with its address at the end."""
_INCLUDES: Final = {
    tag: FastSafeLoader.yaml_constructors[tag]
    for tag in (
        "!include",
        "!include_dir_list",
        "!include_dir_merge_list",
        "!include_dir_merge_named",
        "!include_dir_named",
    )
}

type Raw = Any
"""Whatever YAML holds."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a word stands: a file of the configuration, and the line in it."""

    file: Path | None
    line: int

    @classmethod
    def of(cls, value: object) -> Place:
        """Return the place that the loader noted; a secret's or the environment's has no file."""
        file = getattr(value, "__config_file__", None)
        if not file or Path(file).name == SECRET_YAML:
            return cls(file=None, line=0)
        return cls(file=Path(file).resolve(), line=int(getattr(value, "__line__", 0)))

    def text(self, config_dir: Path) -> str:
        """Return the place as people write it."""
        if self.file is None:
            return "(from a secret or the environment)"
        inside = self.file.is_relative_to(config_dir)
        return f"{self.file.relative_to(config_dir) if inside else self.file}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A list item under a domain, with its platform."""

    domain: str
    platform: str
    config: dict[str, Raw]

    @property
    def place(self) -> Place:
        """Return where the platform's name stands."""
        return Place.of(self.platform)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One mapping under an integration's own key, such as `mqtt:`."""

    key: str
    config: dict[str, Raw]
    alone: bool
    """Whether nothing else stands under the key."""

    @property
    def place(self) -> Place:
        """Return where the key stands."""
        return Place.of(self.key)


@dataclass(frozen=True, kw_only=True)
class Call:
    """An action of core's old hub integration in an automation, script or scene.

    `key` names it; a template, or another integration's key, can only contain it.
    """

    key: str
    action: str
    config: dict[str, Raw]

    @property
    def place(self) -> Place:
        """Return where the action's name stands."""
        return Place.of(self.action)


class Configuration:
    """All of configuration.yaml, with its includes, packages and secrets."""

    def __init__(self, config_dir: Path) -> None:
        """Read it; HomeAssistantError and FileNotFoundError name the file and the line."""
        _read_absolute_includes_from(config_dir)
        self._root = load_yaml_dict(config_dir / "configuration.yaml", _Secrets(config_dir))

    def _parts(self) -> Iterator[dict[str, Raw]]:
        """Yield configuration.yaml itself and its packages."""
        yield self._root
        core = self._root.get("homeassistant")
        packages = core.get("packages") if isinstance(core, dict) else None
        for package in packages.values() if isinstance(packages, dict) else []:
            if isinstance(package, dict):
                yield package

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of every platform, also those in packages."""
        for part in self._parts():
            for domain in DOMAINS:
                for platform, item in config_per_platform(part, domain):
                    if isinstance(platform, str):
                        yield Entry(domain=domain, platform=platform, config=item)

    def blocks(self) -> Iterator[Block]:
        """Yield the mappings under the keys of whole integrations, also those in packages."""
        for part in self._parts():
            for key, value in part.items():
                if isinstance(key, str) and key.partition(" ")[0] in BLOCKS:
                    alone = not isinstance(value, list)
                    for config in [value] if alone else value:
                        if isinstance(config, dict):
                            yield Block(key=key, config=config, alone=alone)

    def calls(self) -> Iterator[Call]:
        """Yield the old actions, wherever they are named, each place once."""
        seen = set()
        for mapping in _mappings(self._root):
            for key, value in mapping.items():
                if not isinstance(value, str) or not OLD_ACTION.search(value):
                    continue
                if (place := (Place.of(value), str(value))) not in seen:
                    seen.add(place)
                    yield Call(key=str(key), action=value, config=mapping)


def secrets_in(value: object, path: tuple[object, ...] | list[object] = ()) -> set[str]:
    """Return the texts that come from secrets or the environment, at a path or anywhere in it.

    A path that leads no further than a mapping means all of that mapping.
    """
    for part in path:
        match value:
            case dict() if part in value:
                value = value[part]
            case list() if isinstance(part, int) and part < len(value):
                value = value[part]
            case _:
                break
    return {text for text in _secret_texts(value) if text}


def without(secrets: set[str], text: str) -> str:
    """Return a text without those words; a part of a longer word is none of them."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "!secret", text)
    return text


def _secret_texts(value: object) -> Iterator[str]:
    match value:
        case _SecretInt() | _SecretFloat():
            yield str(value)
        case str() if Place.of(value).file is None:
            yield str(value)
        case dict():
            for inner in value.values():
                yield from _secret_texts(inner)
        case list():
            for inner in value:
                yield from _secret_texts(inner)


class _SecretInt(int):
    """A number that came from a secret: unlike text, it has no place to tell it by."""


class _SecretFloat(float):
    """The same with a fraction."""


class _Secrets(Secrets):
    """Marks the numbers it hands out."""

    @override
    def get(self, requester_path: str, secret: str) -> Raw:
        value: Raw = super().get(requester_path, secret)
        match value:
            case bool():
                return value
            case int():
                return _SecretInt(value)
            case float():
                return _SecretFloat(value)
        return value


def _read_absolute_includes_from(config_dir: Path) -> None:
    """Let `!include /config/…`, as the host itself has it, read the folder that was named."""
    for tag, original in _INCLUDES.items():
        add_constructor(tag, partial(_include, original, config_dir))


def _include(
    original: Callable[[LoaderType, yaml.ScalarNode], Raw],
    config_dir: Path,
    loader: LoaderType,
    node: yaml.ScalarNode,
) -> Raw:
    path = Path(node.value)
    if path.is_absolute() and not path.is_relative_to(config_dir):
        ends = (Path(*path.parts[start:]) for start in range(2, len(path.parts)))
        inside = next((config_dir / end for end in ends if (config_dir / end).exists()), None)
        if inside and (path.parts[1] == "config" or not path.exists()):
            node.value = str(inside)
    return original(loader, node)


def _mappings(value: object) -> Iterator[dict[str, Raw]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _mappings(inner)
