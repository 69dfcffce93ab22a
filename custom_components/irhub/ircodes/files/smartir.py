"""SmartIR's code files: JSON with `commands` nested by mode, fan, temperature and so on.

`manufacturer`, `supportedModels`, `supportedController`, `commandsEncoding` (Base64, Hex, Pronto,
Raw), `commands`: `cool: {auto: {24: …}}` is the command "cool auto 24". A list is a sequence. The
content of Raw depends on the controller: durations, Tasmota's JSON, or a code packed for Tuya's
blasters.

Read: these. Not read: codes packed for Xiaomi's own remote control.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
import json
from typing import Any, Final, cast

from ..packet.packet import join
from ..packet.text_forms import to_base64
from ..reasons import Reason, RefusedError
from ..states.capabilities import Capabilities, Levels, Steps
from ..states.head import read_head
from ..states.nested import WHATEVER, Path, path_of, states_of
from ..states.state import NAMED, State, mode_of, value
from .codes import is_code, parse_packets
from .imported import Collector, InvalidNameError, checked_name, count_of, required_name
from .notation import pairs

NAME: Final = "SmartIR"
SUFFIX: Final = ".json"
SUFFIXES: Final = (SUFFIX,)
MAX_LEVELS: Final = 20
"""Maximum nesting of commands; existing files have up to five levels."""
SEQUENCE_GAP_US: Final = 500_000
"""SmartIR's pause between the packets of a sequence."""

_BRANCHES: Final = {"sources", "default", "forward", "reverse", "sound_modes"}
_KEYS: Final = {"commandsEncoding", "supportedController", "supportedModels"}
_HEAD: Final = frozenset(
    {"commands", "commandsEncoding", "supportedController", "supportedModels", "manufacturer"}
)
"""Keys outside of `commands` that are never modes."""
_REMARKS: Final = ("_", "$", "//")
"""Prefixes of keys that contain remarks; JSON has no comments."""
_RAW: Final = "raw:"
_PREFIXES: Final = {"base64": "b64:", "hex": "hex:", "pronto": "pronto:", "raw": _RAW}


@dataclass(frozen=True, kw_only=True)
class Maker:
    """Manufacturer and models of a device, as far as known."""

    device: str = ""
    """The owner's name for the device."""
    name: str = ""
    models: Sequence[str] = ()


def fits(content: Mapping[object, object]) -> bool:
    """Return whether the content is a code file, not devices and commands."""
    return bool(_KEYS & content.keys()) and "commands" in content


def models_of(head: Mapping[Any, object]) -> list[str]:
    """Return the models that a head names, in a list or as one text."""
    models = head.get("supportedModels") or []
    return [*map(str, models if isinstance(models, list) else [models])]


def read(content: Mapping[object, object], device: str | None, collector: Collector) -> None:
    """Add the commands of a code file, with the states if it is for an air conditioner."""
    collector.manufacturer = str(content.get("manufacturer") or "")
    collector.models = models_of(content)
    collector.head = head = read_head(content)
    words = dict.fromkeys(
        [collector.manufacturer, *collector.models[:1]]
    )  # irhub's export may repeat the manufacturer as a model
    device = required_name(device or " ".join(words).strip())
    prefix = _PREFIXES.get(str(content.get("commandsEncoding", "")).lower(), "")
    leaves = [*_leaves({"": content["commands"]}, device, (), collector)]
    for name, commands in pairs(content):  # outside of `commands`, due to a misplaced brace
        if name in _HEAD:
            continue
        is_mode = isinstance(commands, Mapping) or mode_of(str(name)) is not None
        if is_mode or (isinstance(commands, str) and _is_packet(commands, prefix)):
            leaves += _leaves({name: commands}, device, (), collector)
    states: Mapping[Path, Sequence[State]] = {}
    if head is not None and head.platform == "climate":
        states = states_of((path for path, _ in leaves if path), head.levels, head.modes)
    for path, codes in leaves:
        name, path_states = " ".join(path), states.get(path, [None])
        if path and path[-1].startswith(_REMARKS) and not _is_packet(codes, prefix):
            collector.refuse(f"{device} → {name}", Reason("remark", {}))
        elif len(path_states) > 1:
            collector.refuse(f"{device} → {name}", Reason("which_level", {}))
        else:
            [state] = path_states
            preset = None if state is None or mode_of(path[0]) is not None else path[0]
            collector.add(device, name, partial(_packets, codes, prefix), state, preset=preset)


def _leaves(
    commands: Mapping[object, object], device: str, path: Path, collector: Collector
) -> Iterator[tuple[Path, object]]:
    """Yield the path and the value of each code; "" is the level that contains all commands.

    Count each code and level; refuse the codes below a level whose name is not valid.
    """
    for name, inner in pairs(commands):
        is_level = isinstance(inner, Mapping) and not is_code(inner)
        collector.count(0 if is_level else len(str(inner)))
        try:
            if name == "" and not path:
                inner_path = path
            elif _is_any_level(name, commands, path):
                inner_path = (*path, WHATEVER)
            else:
                inner_path = (*path, checked_name(name))
        except InvalidNameError as err:
            where = " ".join((device, "→", *path, str(name).strip() or "''"))
            collector.refuse(where, err.reason, max(1, count_of(inner)))
            continue
        if len(inner_path) > MAX_LEVELS:
            raise RefusedError("too_deep")
        if is_level:
            yield from _leaves(
                cast("Mapping[object, object]", inner), device, inner_path, collector
            )
        elif inner not in (None, "", []):
            yield inner_path, inner


def _is_any_level(name: object, commands: Mapping[object, object], path: Path) -> bool:
    """Return whether a level without a name stands for any value, next to levels with names.

    Example: the speeds of a fan are "low", "high" and "", each with the same levels below.
    """
    if not path or WHATEVER in commands or not isinstance(name, str) or name.strip():
        return False
    others = [inner for other, inner in commands.items() if other != name]
    return bool(others) and {_depth(commands[name])} == {*map(_depth, others)} - {0}


def _depth(commands: object) -> int:
    """Return the number of levels below a level; 0 for a code."""
    if not isinstance(commands, Mapping) or is_code(commands):
        return 0
    return 1 + max(map(_depth, commands.values()), default=0)


def _is_packet(value: object, prefix: str) -> bool:
    try:
        return bool(_packets(value, prefix))
    except ValueError:
        return False


def write(
    maker: Maker,
    commands: Iterable[tuple[str, bytes]],
    states: Mapping[str, State],
    capabilities: Capabilities,
    steps: Steps,
) -> str:
    """Return a code file; the states of an air conditioner are nested level by level.

    `states` contains the state of each command, `capabilities` the order of levels in the head; a
    level named `WHATEVER` there is nested, too. Of two commands with the same state, the second is
    written next to the modes, under its name. If a name would have to be both a packet and a level,
    nothing is nested.
    """
    texts = {name: to_base64(packet) for name, packet in commands}
    known = {state: name for name in reversed(texts) if (state := states.get(name)) is not None}
    levels = [
        level
        for level in NAMED
        if WHATEVER in capabilities.levels.values(level)
        or any(value(state, level) for state in known)
    ]
    paths = {name: path_of(state, levels) for state, name in known.items()}
    nested: dict[str, object] = {}
    if not all(_put(nested, paths.get(name) or _branch(name), texts[name]) for name in texts):
        nested, known = {**texts}, {}
    content = _head(maker, [*known][::-1], capabilities, steps) | {"commands": nested}
    return json.dumps(content, ensure_ascii=False, indent=2)


def _head(
    maker: Maker, states: Sequence[State], order: Capabilities, steps: Steps
) -> dict[str, object]:
    head: dict[str, object] = {
        "manufacturer": maker.name,
        "supportedModels": [*maker.models] or [maker.device],  # SmartIR requires one
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
    }
    for key, choices in (
        ("speed", steps.speeds),
        ("brightness", steps.brightnesses),
        ("colorTemperature", steps.kelvins),
    ):
        if choices:
            head[key] = [*choices]
    if not states:
        return head
    capabilities = Capabilities.of_states(states, order)
    levels = Levels.of_states(states, order.levels)
    head["operationModes"] = [*capabilities]
    head["fanModes"] = levels.fans or [fan for fan in order.levels.fans if fan == WHATEVER]
    if levels.swings:
        head["swingModes"] = levels.swings
    if levels.presets:
        head["presetModes"] = levels.presets
    if degrees := levels.temperatures:
        head |= {"minTemperature": degrees[0], "maxTemperature": degrees[-1]}
        step = capabilities.step or 1.0
        head["precision"] = step if all(degree % 1 == 0 for degree in degrees) else min(step, 0.5)
        head["temperatureUnit"] = capabilities.unit
    return head


def _branch(name: str) -> Path:
    first, _, rest = name.partition(" ")
    return (first, rest) if rest and first in _BRANCHES else (name,)


def _put(nested: dict[str, object], path: Path, text: str) -> bool:
    """Insert the text of a packet at a path. Return False if the path is taken."""
    *branches, last = path
    for branch in branches:
        inner = nested.setdefault(branch, {})
        if not isinstance(inner, dict):
            return False
        nested = inner
    if last in nested or not all(path):
        return False
    nested[last] = text
    return True


def _packets(value: object, prefix: str) -> list[bytes]:
    """Return the packets of a value; a list is a sequence, sent as one packet."""
    if isinstance(value, str) and value.lstrip().startswith("{") and not is_code(value):
        raise RefusedError("no_code")
    if prefix == _RAW and isinstance(value, str) and value.lstrip()[:1].isalpha():
        prefix = ""  # packed codes are detected without a prefix
    packets = parse_packets(value, prefix)
    return packets if len(packets) == 1 else [join(packets, gap_us=SEQUENCE_GAP_US)]
