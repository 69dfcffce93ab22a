"""Export rows as the lines of the table that irhub ships."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
import json
from pathlib import Path
import re
from typing import Any

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.known import in_celsius
from custom_components.irhub.ircodes.packet.bits import Signal
from custom_components.irhub.ircodes.states import messages, rule_parts as parts
from custom_components.irhub.ircodes.states.bit_rule import BitRule, ModeBits
from custom_components.irhub.ircodes.states.capabilities import Capabilities
from custom_components.irhub.ircodes.states.checks import Check
from custom_components.irhub.ircodes.states.state import MODES, Value

from .merge import Row, is_alike, is_same

SAMPLE = 20
"""Number of states that are tested before a row is written."""
ALIKE, UNREAD = 0.7, 0.1
"""Minimum share of a recording's states that are equal in another row, and maximum share that it
cannot read, for the recording to be a copy of that row with errors."""
SHARED = {"fan": 2, "temperature": 3}
"""Attribute → number of values that must be encoded alike in two modes to share the others."""
OTHER = " 2"
"""Suffix of a fan speed whose name in the file is used twice; it is omitted from rows."""
LEVELS = (
    ("auto", "quiet", "silent", "min", "low", "medium_low", "medium", "medium_high", "high", "max"),
    ("off", "vertical", "horizontal", "both"),
)
_BRAND = re.compile(r"Brand:\s*([^,(]+?)\s*(?:\([^)]*\))?\s*,\s*Model:\s*(.*)")
_OF_PROTOCOL = re.compile(r"\(([A-Z0-9_]+)\)\s*$")


def makers_of(headers: Path) -> dict[str, list[str]]:
    """Return protocol → makers, as listed in the headers of IRremoteESP8266."""
    makers: dict[str, dict[str, None]] = defaultdict(dict)
    for file in sorted(headers.glob("ir_*.h")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("//") and (match := _BRAND.search(line)):
                named = _OF_PROTOCOL.search(match[2])
                protocol = named[1] if named else file.stem.removeprefix("ir_").upper()
                makers[protocol][match[1].strip()] = None
    return {protocol: [*names] for protocol, names in makers.items()}


def line_of(row: Row, makers: Mapping[str, Sequence[str]]) -> dict[str, Any] | None:
    """Return the JSON of a row; None if its rule cannot be reproduced from it."""
    rule = rule_of(row)
    if rule is None:
        return None
    described = [member.table for member in row.members if member.table.protocol]
    names = [table.protocol for table in described]
    brands: dict[str, None] = {}
    for member in sorted(row.members, key=lambda member: bool(member.table.protocol)):
        makers_of_table = member.table.makers or makers_named(makers, member.table.protocol)
        brands |= dict.fromkeys(maker for maker in map(usual_maker, makers_of_table) if maker)
    frames = row.layout.frames
    bits = "+".join(map(str, frames))
    protocol = names[0] if names else f"{next(iter(brands), 'unknown')} {bits}"
    data: dict[str, Any] = {
        "protocol": protocol,
        "makers": sorted(brands, key=str.casefold),
        "sources": sources_of(row),
        "frames": [*frames],
        "unit": row.unit,
        "carried": parts.bits_text((row.free | row.optional) & row.data & ~row.field),
        "variants": variants_of(row, makers),
        "left_out": sum(member.left_out for member in row.members),
        "rule": rule.as_data(),
    }
    return {key: value for key, value in data.items() if value or key == "makers"}


def makers_named(makers: Mapping[str, Sequence[str]], protocol: str) -> Sequence[str]:
    """Return the makers of a protocol, which headers may write without its suffix."""
    short = protocol.removesuffix("AC").removesuffix("_")
    return makers.get(protocol) or makers.get(short) or makers.get(protocol.replace("_", "")) or ()


def usual_maker(maker: str) -> str:
    """Return a maker's name with normalized spaces."""
    return " ".join(maker.split())


def sources_of(row: Row) -> list[str]:
    """Return the sources of a row: one entry per collection, with its files."""
    files_by_collection: dict[str, list[str]] = defaultdict(list)
    for member in row.members:
        collection, _, file = member.table.source.rpartition(" ")
        if member.table.protocol:
            files_by_collection[member.table.source] = []
        else:
            files_by_collection[collection].append(file.removeprefix("climate/"))
    return [" ".join([collection, *files]) for collection, files in files_by_collection.items()]


def variants_of(row: Row, makers: Mapping[str, Sequence[str]]) -> list[list[Any]]:
    """Return the variants of a row, those of most files first."""
    by_flips: dict[str, dict[str, None]] = defaultdict(dict)
    counted = Counter[str]()
    for member in row.members:
        flips = member.constants
        usual = Counter(flips.values()).most_common(1)[0][0] if flips else 0
        by_mode = {"": f"0x{usual:x}"} | {
            mode: f"0x{bits:x}" for mode, bits in sorted(flips.items()) if bits != usual
        }
        key = json.dumps({mode: bits for mode, bits in by_mode.items() if bits != "0x0" or mode})
        makers_of_table = member.table.makers or makers_named(makers, member.table.protocol)
        by_flips[key] |= dict.fromkeys(map(usual_maker, makers_of_table))
        counted[key] += 1
    return [
        [sorted(maker for maker in by_flips[key] if maker), json.loads(key)]
        for key, _ in counted.most_common()
    ]


def rule_of(row: Row) -> BitRule | None:
    """Return the rule of a row; None if it does not reproduce the row's states."""
    modes = {
        name: single_temperature(mode)
        for name, mode in sorted(united(row.modes).items(), key=lambda item: _place(item[0], MODES))
    }
    states = [state for name, mode in modes.items() for state in mode.messages(name)]
    order = Capabilities.of_states(states)
    levels = order.levels
    ordered = replace(
        levels,
        fans=sorted(levels.fans, key=lambda fan: _place(fan, LEVELS[0])),
        swings=sorted(levels.swings, key=lambda swing: _place(swing, LEVELS[1])),
    )
    checks = tuple(alternatives[0] for alternatives in reversed(row.checks))
    signal = signal_of(row, modes, checks)
    off = None if row.off is None or is_state(row, row.off) else row.off & row.data
    rule = BitRule(
        signal=signal,
        order=Capabilities.alike(modes, ordered),
        modes=modes,
        checks=checks,
        volatile=row.rolling,
        without=frozenset(
            state
            for name, mode in modes.items()
            for state, bits in mode.messages(name).items()
            if bits == off  # the packet of "off", named as a state by a file
        ),
        pressed={},
        off=None if row.off is None else messages.write(signal, row.off),
    )
    try:
        reread = BitRule.from_data(json.loads(json.dumps(rule.as_data())))
    except ValueError:
        return None
    states = [state for state in states if state not in rule.without]
    sample = states[:: max(1, len(states) // SAMPLE)]
    checked = (is_coming_back(rule, reread, state) for state in sample)
    return reread if all(checked) else None


def is_coming_back(rule: BitRule, reread: BitRule, state: State) -> bool:
    """Return whether a rule read from JSON sends the same bits, and they can be read."""
    message = messages.read_as(reread.encode(state), rule.layout)
    return message is not None and message == messages.read_as(rule.encode(state), rule.layout)


def signal_of(row: Row, modes: Mapping[str, ModeBits], checks: Sequence[Check]) -> Signal:
    """Return the signal of a state in which no frame looks like a repeat of another one."""
    sent = messages.decode(row.signal)
    rolling = sent[1] & row.rolling if sent else 0
    first: Signal | None = None
    for name, mode in modes.items():
        for bits in mode.messages(name).values():
            message = bits | rolling
            for check in checks:
                message = check.compute(message, row.layout.frames)
            signal = messages.signal_of(row.signal, message)
            decoded = messages.decode(signal)
            if decoded is not None and decoded[0] == row.layout:
                return signal
            first = first or signal
    if first is None:
        raise ValueError(f"a row without states: {row.members[0].table.source}")
    return first


def is_state(row: Row, message: int) -> bool:
    """Return whether the message of "off" is that of a state: "off" is then a toggle."""
    described = [member.table for member in row.members if member.table.protocol]
    return not described or any(
        not (known ^ message) & row.data for table in described for known in table.states.values()
    )


def single_temperature(mode: ModeBits) -> ModeBits:
    """Return the mode without temperatures if there is only one, which cannot be set."""
    table = mode.tables.get("temperature", {})
    if len(table) != 1:
        return mode
    [flips] = table.values()
    tables = {name: values for name, values in mode.tables.items() if name != "temperature"}
    extras = tuple(
        replace(extra, values={k: v for k, v in extra.values.items() if k != "temperature"})
        for extra in mode.extras
    )
    return ModeBits(bits=mode.bits ^ flips, tables=tables, extras=extras)


def write(rows: Iterable[Row], makers: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lines of the table, those of most makers first.

    A row that is a copy of another one with errors is omitted: its labels are wrong.
    """
    rows_and_lines = [(row, line) for row in rows if (line := line_of(row, makers)) is not None]
    lines = [
        line
        for row, line in rows_and_lines
        if not any(is_copy(row, other) for other, _ in rows_and_lines)
    ]
    lines.sort(key=place_of)
    return [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]


def place_of(line: Mapping[str, Any]) -> tuple[int, str]:
    """Return the place of a line among the others: a row of many makers is found first."""
    return -len(line["makers"]), line["protocol"]


def is_copy(row: Row, other: Row) -> bool:
    """Return whether a row made from one recording is another row with errors.

    A remote control in °F that sends whole °C may be one in °C, too.
    """
    if (
        row is other
        or row.layout != other.layout
        or (row.unit, other.unit) == ("C", "F")
        or weight(row) >= weight(other)
        or weight(row) > 1
        or not is_alike(row.signal, other.signal)
    ):
        return False
    states = row.members[0].table.states
    alike = unread = 0
    for state, message in states.items():
        is_checked = all(
            alternatives[0].compute(message, row.layout.frames) == message
            for alternatives in other.checks
        )
        known, own = other.decode(message) if is_checked else ((), 0)
        if row.unit != other.unit and own & ~other.free & other.data:
            known = ()  # these may be the bit of °F
        shown = in_unit(state, row.unit, other.unit)
        alike += any(is_same(candidate, shown) for candidate in known)
        unread += not known
    return alike >= ALIKE * len(states) and unread <= UNREAD * len(states)


def in_unit(state: State, unit: str, target_unit: str) -> State:
    """Return a state in °F converted to °C if required, else unchanged."""
    if state.temperature is None or (unit, target_unit) != ("F", "C"):
        return state
    return replace(state, temperature=float(in_celsius(state.temperature)))


def weight(row: Row) -> int:
    """Return the number of recordings and published protocols (counted twice) in a row."""
    recordings: list[frozenset[bytes]] = []
    for member in row.members:
        if member.table.protocol:
            recordings += [frozenset()] * 2
        elif not any(member.table.packets & known for known in recordings):
            recordings.append(member.table.packets)
    return len(recordings)


def united(modes: Mapping[str, ModeBits]) -> dict[str, ModeBits]:
    """Return the modes, each extended by fan speeds and temperatures that others encode alike.

    Two modes encode alike if several values flip the same bits; a file may list only some values.
    """
    result = dict(modes)
    for attribute, shared in SHARED.items():
        known: dict[str, dict[Value, int]] = {
            name: dict(mode.tables[attribute])
            for name, mode in modes.items()
            if attribute in mode.tables
        }
        for name, table in known.items():
            for other in known.values():
                common = [setting for setting in table if setting in other]
                if len(common) < shared:
                    continue
                moved = table[common[0]] ^ other[common[0]]
                if all(table[setting] ^ other[setting] == moved for setting in common):
                    for setting, flips in other.items():
                        table.setdefault(setting, flips ^ moved)
            named = {
                setting: flips
                for setting, flips in table.items()
                if not str(setting).endswith(OTHER)
            }
            tables = {**result[name].tables, attribute: in_order(named)}
            result[name] = replace(result[name], tables=tables)
    return result


def in_order(table: Mapping[Value, int]) -> dict[Value, int]:
    """Return a table sorted by value."""
    return dict(sorted(table.items(), key=lambda item: (isinstance(item[0], str), str(item[0]))))


def _place(name: str, order: Sequence[str]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)
