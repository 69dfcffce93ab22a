"""Reads a configuration as Home Assistant does, and finds what in it concerns us."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import re
from typing import Any, Final, override

from annotatedyaml.exceptions import YAMLException
from annotatedyaml.loader import LoaderType, add_constructor, secret_yaml
from homeassistant.config import config_per_platform
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.yaml import SECRET_YAML, Secrets, load_yaml, load_yaml_dict
import yaml

APPLIANCES: Final = ("climate", "cover", "fan", "light", "media_player")
"""Where entries of SmartIR may stand, and of irhub's appliances."""
DOMAINS: Final = (
    *APPLIANCES,
    *("binary_sensor", "button", "event", "infrared", "notify"),
    *("radio_frequency", "remote", "sensor", "switch"),
)
"""Where entries of ours may stand; a platform in front is core's or nobody's."""
BLOCKS: Final = ("mqtt", "rest")
"""Integrations whose own key concerns us."""
ACTION_KEYS: Final = ("action", "service")
OLD_ACTION: Final = re.compile(
    r"\b(?:switch\.broadlink_|broadlink\.)(learn|send)(?:_command|_packet)?(?:_(\w+))?\b"
)
"""Actions of 0.36 to 0.114: up to 0.86 each hub had its own, with its address at the end."""
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


@dataclass(frozen=True, kw_only=True)
class StoredHub:
    """A hub that was added in the user interface, of core's Broadlink integration or of irhub."""

    domain: str
    host: str
    mac: str


class Configuration:
    """All of configuration.yaml, with its includes, packages and secrets, and the stored hubs."""

    def __init__(self, config_dir: Path, secrets: ReadSecrets) -> None:
        """Read it; HomeAssistantError and FileNotFoundError say why that cannot be.

        What it includes and cannot be read is named in `unread`, and the rest goes on.
        """
        self.config_dir = config_dir
        self._secrets = secrets
        reader = _Reader(config_dir)
        reader.install()
        self._root = load_yaml_dict(config_dir / "configuration.yaml", secrets)
        self.unread = [*dict.fromkeys(reader.unread)]

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

    def sent(self) -> Iterator[Call]:
        """Yield what scripts and automations send by irhub, each place once, without templates."""
        seen = set()
        for mapping in _mappings(self._root):
            for key in ACTION_KEYS:
                value = mapping.get(key)
                data = mapping.get("data", mapping.get("data_template"))
                is_constant = not re.search(r"\{[{%]", str(data))
                if value == "irhub.send" and is_constant and Place.of(value) not in seen:
                    seen.add(Place.of(value))
                    yield Call(key=key, action=value, config=mapping)

    def stored_hubs(self) -> Iterator[StoredHub]:
        """Yield the hubs among Home Assistant's config entries, if those can be read."""
        path = self.config_dir / ".storage" / "core.config_entries"
        try:
            entries = json.loads(path.read_bytes())["data"]["entries"]
            for entry in entries:
                if (domain := entry["domain"]) in {"broadlink", "irhub"}:
                    host, mac = entry["data"]["host"], entry["data"]["mac"]
                    yield StoredHub(domain=str(domain), host=str(host), mac=str(mac))
        except OSError, ValueError, LookupError, TypeError:
            return

    def written(self, value: object) -> str | None:
        """Return a value as it is written in YAML, a secret by its name; None if it has none."""
        if not secrets_in(value):
            return json.dumps(str(value))
        name = self._secrets.name_of(value)
        return None if name is None else f"!secret {name}"


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
    """Return a text without those words, also shortened; in a longer word they are others."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "!secret", text)
    squeezed = ["".join(secret.lower().split()) for secret in secrets]
    return _SHORTENED.sub(
        lambda word: (
            "!secret" if any(word[1].lower() in secret for secret in squeezed) else word[0]
        ),
        text,
    )


_SHORTENED: Final = re.compile(r"([^\s'\"]+)…")


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


class ReadSecrets(Secrets):
    """Remembers what it hands out, and marks numbers."""

    def __init__(self, config_dir: Path) -> None:
        """Look for secrets.yaml up to this folder."""
        super().__init__(config_dir)
        self._names: dict[str, str] = {}  # of the values

    def hide(self, text: str) -> str:
        """Return what Home Assistant's loader says, without the keys in quotes that are secrets."""
        for secret in self._names:
            text = re.sub(rf"([\"']){re.escape(secret)}\1", r"\1!secret\1", text)
        return text

    def name_of(self, value: object) -> str | None:
        """Return the name of the secret that has this value."""
        return self._names.get(str(value))

    @override
    def get(self, requester_path: str, secret: str) -> Raw:
        value: Raw = super().get(requester_path, secret)
        self._names.setdefault(str(value), secret)
        match value:
            case bool():
                return value
            case int():
                return _SecretInt(value)
            case float():
                return _SecretFloat(value)
        return value


@dataclass
class _Reader:
    """Reads what Home Assistant's tags ask for, and notes what cannot be read."""

    config_dir: Path
    unread: list[str] = field(default_factory=list)

    def install(self) -> None:
        """Take the tags over."""
        add_constructor("!include", self._include)
        for tag in ("list", "merge_list", "named", "merge_named"):
            add_constructor(f"!include_dir_{tag}", self._include_folder)
        add_constructor("!secret", self._secret)
        add_constructor("!env_var", self._environment)

    def _note(self, node: yaml.Node, reason: object) -> None:
        file = os.path.relpath(node.start_mark.name, self.config_dir)
        words = " ".join(str(reason).replace(f"{self.config_dir}{os.sep}", "").split())
        self.unread.append(f"{file}:{node.start_mark.line + 1}  {node.tag} {node.value}: {words}")

    def _path(self, loader: LoaderType, node: yaml.ScalarNode) -> Path:
        """Return what a tag names; `/config/…`, as the host itself has it, is in the folder."""
        path = Path(node.value)
        if path.is_absolute() and not path.is_relative_to(self.config_dir):
            ends = (Path(*path.parts[start:]) for start in range(2, len(path.parts)))
            inside = next(
                (self.config_dir / e for e in ends if (self.config_dir / e).exists()), None
            )
            if inside and (path.parts[1] == "config" or not path.exists()):
                return inside
        return Path(loader.get_name).parent / path

    def _read(self, loader: LoaderType, node: yaml.Node, path: Path) -> Raw:
        """Return what is in a file; an empty mapping if nothing is, or it cannot be read."""
        try:
            return load_yaml(path, loader.secrets) or {}
        except FileNotFoundError:
            is_link = path.is_symlink()
            self._note(
                node, f"it is a link to {path.readlink()}, which is not there" if is_link else _GONE
            )
        except (HomeAssistantError, OSError, RecursionError) as err:
            in_folder = "" if path.name == Path(node.value).name else f"{path}: "
            self._note(node, f"{in_folder}{err}")
        return {}

    def _include(self, loader: LoaderType, node: yaml.ScalarNode) -> Raw:
        return self._read(loader, node, self._path(loader, node))

    def _include_folder(self, loader: LoaderType, node: yaml.ScalarNode) -> Raw:
        folder = self._path(loader, node)
        if not folder.is_dir():
            self._note(node, "there is no such folder")
        contents = {path: self._read(loader, node, path) for path in _files_in(folder)}
        match node.tag:
            case "!include_dir_named":
                return {path.stem: content for path, content in contents.items()}
            case "!include_dir_merge_named":
                return {
                    k: v for c in contents.values() if isinstance(c, dict) for k, v in c.items()
                }
            case "!include_dir_list":
                return [content for content in contents.values() if content]
        return [item for c in contents.values() if isinstance(c, list) for item in c]

    def _secret(self, loader: LoaderType, node: yaml.ScalarNode) -> Raw:
        try:
            return secret_yaml(loader, node)
        except YAMLException:
            self._note(node, f"{SECRET_YAML} does not have it")
        except HomeAssistantError as err:  # the file itself
            self._note(node, err)
        return Unread(f"!secret {node.value}")

    def _environment(self, _loader: LoaderType, node: yaml.ScalarNode) -> Raw:
        name, _, default = node.value.partition(" ")
        if default or name in os.environ:
            return os.environ.get(name, default.strip())
        self._note(node, "the environment does not have it")
        return Unread(f"!env_var {name}")


_GONE: Final = "there is no such file"


class Unread(str):
    """Stands for a value that could not be read."""

    __slots__ = ()


def has_unread(value: object, path: Sequence[object] = ()) -> bool:
    """Return whether a value that could not be read is at a path, or anywhere in what is there."""
    for part in path:
        match value:
            case dict() if part in value:
                value = value[part]
            case dict():
                return False  # a key is missing
            case list() if isinstance(part, int) and part < len(value):
                value = value[part]
            case _:
                break
    match value:
        case dict():
            return any(map(has_unread, [*value, *value.values()]))
        case list():
            return any(map(has_unread, value))
    return isinstance(value, Unread)


def _files_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.yaml")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.name != SECRET_YAML and not hidden:
            yield path


def is_secret(key: object) -> bool:
    """Return whether a key of a mapping is a secret itself."""
    file = getattr(key, "__config_file__", None)
    return isinstance(key, _SecretInt | _SecretFloat) or Path(file or "").name == SECRET_YAML


def _mappings(value: object) -> Iterator[dict[str, Raw]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _mappings(inner)
