"""Commands as people bring them: our export, core's store, one packet, a SmartIR code file.

A large text takes a second: call `parse_codes` in the executor.
"""

from collections.abc import Iterator, Mapping, Sequence
import json
import re
from typing import Any, Final, override

import yaml

try:
    from yaml import CBaseLoader as FastestBaseLoader
except ImportError:
    from yaml import BaseLoader as FastestBaseLoader  # type: ignore[assignment]

from ..errors import list_names
from ..packets.packet import join
from ..packets.text_forms import parse_text

MAX_TEXT: Final = 16 * 1024 * 1024
"""Characters; the largest code file of SmartIR has a fifth of it."""
MAX_YAML: Final = 4 * 1024 * 1024
"""Characters, of what is not JSON: YAML takes ten times as long."""
MAX_COMMANDS: Final = 20_000
MAX_NAME: Final = 255
"""Characters, as a state may have."""
MAX_LEVELS: Final = 20
"""Of the commands in a SmartIR file; those that exist have up to five."""
ALTERNATING: Final = 2
"""So many packets of one command may alternate."""
SEQUENCE_GAP_US: Final = 500_000
"""What SmartIR waits between the packets of a sequence."""

_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""JSON can hold one (`"\\ud83d"`), files and browsers cannot."""
_SMARTIR_KEYS: Final = {"commandsEncoding", "supportedController", "supportedModels"}
_SMARTIR_PREFIXES: Final = {"base64": "b64:", "hex": "hex:", "pronto": "pronto:", "raw": "raw:"}

type Codes = dict[str, dict[str, list[bytes]]]
"""Device → command → packets: one, or two that alternate."""
_NO_COMMAND: Final = object()
"""Stands for what holds commands or is empty, so that it counts: aliases multiply both."""
type _Commands = Iterator[tuple[str, str, object]]
"""Device, command, and what stands for its packets."""


class _Loader(FastestBaseLoader):
    """Makes texts only: to a loader that knows types, the command off is False."""

    @override
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Refuse what stands under an alias: with aliases of aliases, a text has no end."""
        if node in self.constructed_objects:
            raise yaml.YAMLError("aliases (*) are not read; write out what they stand for")
        return super().construct_object(node, deep=deep)

    @override
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a name that stands twice."""
        made: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        if len(made) != len(node.value):
            unique_names([(name.value, value) for name, value in node.value])
        return made


def parse_codes(given: object, *, device: str | None = None, command: str | None = None) -> Codes:
    """Return the commands of a text (YAML or JSON) or of what was read from one.

    `device` names the device, and `command` the command, where `given` does not: of a single
    packet (in any form of `parse_text`) both, of commands without a device and of a SmartIR
    file the device. Raise ValueError with one sentence if anything cannot be read.
    """
    content = _read(given) if isinstance(given, str) else given
    encoding = ""
    if isinstance(content, Mapping):
        content = _unwrapped(content)
    if isinstance(content, Mapping) and _SMARTIR_KEYS & content.keys() and "commands" in content:
        encoding = str(content.get("commandsEncoding", "")).lower()
        commands = _smartir(content, device)
    elif isinstance(content, Mapping):
        commands = _devices(content, device)
    elif device and command:
        commands = iter([(device, command, content)])
    else:
        raise ValueError(
            "no devices with commands, and not a packet that has the name of a device and a command"
        )
    return _parsed(commands, _SMARTIR_PREFIXES.get(encoding), sequences=bool(encoding))


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise ValueError if a name stands twice, which `json` would not."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {double!r} stands twice in one place")
    return content


def _read(text: str) -> object:
    """Return what a text holds: a packet's text as it is, else what JSON or YAML say."""
    text = text.strip()
    if not text:
        raise ValueError("the text is empty")
    if len(text) > MAX_TEXT:
        raise ValueError(f"a text of {len(text)} characters is longer than {MAX_TEXT}")
    if text.startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=unique_names)
        except (json.JSONDecodeError, RecursionError) as err:
            problem = err  # It may be YAML all the same.
    else:
        problem = None
    if len(text) > MAX_YAML:
        raise ValueError(
            f"a text of {len(text)} characters that is not JSON is longer than {MAX_YAML}"
        )
    try:
        content: object = yaml.load(text, _Loader)  # noqa: S506  # nosec B506  (makes texts only)
    except (yaml.YAMLError, RecursionError) as err:
        raise ValueError(
            f"neither a packet nor YAML nor JSON: {_first_line(problem or err)}"
        ) from err
    return content if isinstance(content, Mapping | list) and not _is_packet(text) else text


def _is_packet(text: str) -> bool:
    """Tell `hex: 26 00 …` from YAML."""
    try:
        parse_text(text)
    except ValueError:
        return text.partition(":")[0].lower() in {"b64", "hex", "pronto", "raw"}
    return True


def _first_line(err: Exception) -> str:
    return str(err).partition("\n")[0]


def _unwrapped(content: Mapping[object, object]) -> object:
    """Return what is in the response of an export, or in a file of `.storage`."""
    match content:
        case {"version": _, "data": Mapping() as data}:
            return data
        case {"codes": Mapping() as codes} if len(content) == 1 and all(
            isinstance(commands, Mapping) for commands in codes.values()
        ):
            return codes
        case _:
            return content


def _devices(content: Mapping[object, object], device: str | None) -> _Commands:
    """Walk devices and their commands, or the commands of one device."""
    if device and not any(isinstance(of, Mapping) for of in content.values()):
        content = {device: content}
    for name, commands in content.items():
        if not isinstance(commands, Mapping):
            raise ValueError(  # noqa: TRY004  (callers expect one kind of error)
                f"{_name(name)}: no commands with packets stand under this device"
            )
        for command, packets in commands.items():
            yield _name(name), _name(command), packets


def _smartir(content: Mapping[object, object], device: str | None) -> _Commands:
    """Walk the commands of a code file: `cool: {auto: {24: …}}` is "cool auto 24"."""
    if not device:
        models = content.get("supportedModels")
        first = models[0] if isinstance(models, list) and models else ""
        device = f"{content.get('manufacturer') or ''} {first}".strip()
    if not device:
        raise ValueError("the file does not say what it is for: give the name of the device")
    device = _name(device)

    def walk(commands: object, path: tuple[str, ...]) -> _Commands:
        if len(path) > MAX_LEVELS:
            raise ValueError(f"commands are nested deeper than {MAX_LEVELS} levels")
        if isinstance(commands, Mapping):
            yield device, " ".join(path), _NO_COMMAND
            for name, inner in commands.items():
                yield from walk(inner, (*path, _name(name)))
        else:
            empty = commands in (None, "", [])
            yield device, " ".join(path), _NO_COMMAND if empty else commands

    return walk(content["commands"], ())


def _name(value: object) -> str:
    """Return a name as text; YAML reads a bare `on` or `off` as a truth value."""
    text = ("off", "on")[value] if isinstance(value, bool) else str(value).strip()
    if not text or value is None:
        raise ValueError("a name is empty")
    if len(text) > MAX_NAME:
        raise ValueError(f"a name of {len(text)} characters is longer than {MAX_NAME}")
    if not text.isascii() and _LONE_SURROGATE.search(text):
        raise ValueError(f"a name has half a character: {text!a}")
    return text


def _parsed(commands: _Commands, prefix: str | None, *, sequences: bool) -> Codes:
    """Return the packets of all commands, or raise with the names of those that have none."""
    codes: Codes = {}
    problems: dict[str, str] = {}
    size = 0
    for number, (device, command, packets) in enumerate(commands, 1):
        if number > MAX_COMMANDS:
            raise ValueError(f"more than {MAX_COMMANDS} commands")
        if packets is _NO_COMMAND:
            continue
        size += sum(map(len, map(str, packets))) if isinstance(packets, list) else len(str(packets))
        if size > MAX_TEXT:
            raise ValueError(f"the packets are longer than {MAX_TEXT} characters")
        where = f"{device} → {command}"
        if command in codes.get(device, {}):
            raise ValueError(f"{where}: two commands have this name")
        try:
            parsed = _packets(packets, prefix, sequences=sequences)
        except ValueError as err:
            problems[where] = str(err)
            parsed = []
        codes.setdefault(device, {})[command] = parsed
    if not codes:
        raise ValueError("there are no commands")
    if problems:
        (where, problem), *others = problems.items()
        also = f"; nor are these: {list_names(name for name, _ in others)}" if others else ""
        raise ValueError(f"{where}: {problem}{also}")
    return codes


def _packets(value: object, prefix: str | None, *, sequences: bool) -> list[bytes]:
    """Return the packets of a command: of SmartIR's, a list is a sequence, else they alternate."""
    packets = [_packet(text, prefix) for text in _texts(value)]
    if sequences and len(packets) > 1:
        packets = [join(packets, gap_us=SEQUENCE_GAP_US)]
    if not 1 <= len(packets) <= ALTERNATING:
        raise ValueError(f"{len(packets)} packets; a command has one, or two that alternate")
    return packets


def _texts(packets: object) -> Sequence[object]:
    """Return the texts of a command; a list of numbers is one packet in microseconds."""
    match packets:
        case str():
            return [packets]
        case list() if packets and all(_is_duration(item) for item in packets):
            return [" ".join(str(item) for item in packets)]
        case list():
            return packets
        case _:
            raise ValueError(f"{type(packets).__name__} is not the text of a packet")


def _is_duration(item: object) -> bool:
    return isinstance(item, int) or (isinstance(item, str) and item.lstrip("+-").isdecimal())


def _packet(text: object, prefix: str | None) -> bytes:
    if not isinstance(text, str):
        raise ValueError(f"{type(text).__name__} is not the text of a packet")  # noqa: TRY004
    return parse_text(f"{prefix}{text}" if prefix and ":" not in text else text)
