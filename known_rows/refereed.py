"""Remove modes of rows that the decoders of IRremoteESP8266 read differently.

The encoders of IRremoteESP8266 replace values that a protocol does not have: *cool* for *auto*, or
the middle fan speed for *auto*. A file may have recorded one mode under the name of another. The
decoders are independent of both and show what a packet really sets.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
import json
from typing import Final

from benchmarks.referee import Opinion, Referee
from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.known.row import Row
from custom_components.irhub.ircodes.states.bit_rule import BitRule, ModeBits
from custom_components.irhub.ircodes.states.capabilities import Capabilities
from custom_components.irhub.ircodes.states.rule_parts import Table
from custom_components.irhub.ircodes.states.state import OFF

_STATES: Final = 60
"""Number of states of each mode that are tested, evenly spread."""
_MOST: Final = 0.5
"""Share of the states of a mode above which they are a majority."""
_AGREED: Final = 0.9
"""Minimum share of a mode's states whose mode and temperature the decoder confirms, for it to know
the protocol."""
_PUBLISHED: Final = "IRremoteESP8266 "
_SPEEDS: Final = {"Min": "low", "Low": "low", "Medium": "medium", "High": "high", "Max": "high"}
"""Our names of its fan speeds, for speeds that a row calls automatic."""

type Opinions = Mapping[State, Opinion | None]


def refereed(lines: Sequence[str], referee: Referee) -> Iterator[str]:
    """Yield the lines of a table without contradicted modes; lines without modes are omitted.

    All packets are passed to the referee at once.
    """
    rows = [Row.from_data(json.loads(line)) for line in lines]
    numbered_states = [
        (number, state) for number, row in enumerate(rows) for state in _some_states(row.rule)
    ]
    packets = (rows[number].rule.encode(state) for number, state in numbered_states)
    opinions: dict[int, dict[State, Opinion | None]] = defaultdict(dict)
    for (number, state), opinion in zip(numbered_states, referee.opinions(packets), strict=True):
        opinions[number][state] = opinion
    for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        if (rule := _without_contradicted(row, opinions[number])) is None:
            continue
        if rule is row.rule:
            yield line
            continue
        data = json.loads(line)
        room = data["rule"].get("room")
        data["rule"] = rule.as_data() | ({} if room is None else {"room": room})
        yield json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _some_states(rule: BitRule) -> Iterator[State]:
    for name, mode in rule.modes.items():
        states = [state for state in mode.messages(name) if state not in rule.without]
        yield from states[:: max(1, len(states) // _STATES)]


def _without_contradicted(row: Row, opinions: Opinions) -> BitRule | None:
    """Return the rule of a row without contradicted modes; None if no useful mode remains."""
    rule = row.rule
    wrong = _unclear_modes(rule.modes, opinions)
    if _is_known(rule, opinions, row.unit):
        wrong |= {name for name in rule.modes if _is_contradicted(name, opinions)}
    modes = {name: mode for name, mode in rule.modes.items() if name not in wrong}
    if len(modes) < 2 and not any("temperature" in mode.tables for mode in modes.values()):  # noqa: PLR2004
        return None
    if any(source.startswith(_PUBLISHED) for source in row.sources):
        modes = {name: _with_speeds(name, mode, opinions) for name, mode in modes.items()}
    if modes == rule.modes:
        return rule
    without = frozenset(
        state for state in rule.without if state.mode in modes and modes[state.mode].message(state)
    )
    levels = rule.order.levels
    fans = dict.fromkeys(fan for mode in modes.values() for fan in mode.tables.get("fan", ()))
    levels = replace(levels, fans=[*dict.fromkeys([*levels.fans, *map(str, fans)])])
    order = Capabilities.alike(modes, levels)
    changed = replace(rule, modes=modes, without=without, order=order)
    return BitRule.from_data(json.loads(json.dumps(changed.as_data())))


def _is_known(rule: BitRule, opinions: Opinions, unit: str) -> bool:
    """Return whether the referee confirms any mode with its temperatures."""
    return any(
        _share([
            opinion is not None
            and _mode(state) == opinion.mode
            and state.temperature in {None, opinion.degrees_in(unit)}
            for state, opinion in opinions.items()
            if state.mode == name
        ])
        >= _AGREED
        for name in rule.modes
    )  # fmt: skip


def _is_contradicted(name: str, opinions: Opinions) -> bool:
    """Return whether the referee reads another mode in most states of a mode."""
    return (
        _share([
            opinion is not None and opinion.mode not in {_mode(state), OFF.value.capitalize()}
            for state, opinion in opinions.items()
            if state.mode == name
        ])
        > _MOST
    )  # fmt: skip


def _unclear_modes(modes: Mapping[str, ModeBits], opinions: Opinions) -> set[str]:
    """Return modes whose messages are mostly those of another mode, and unknown to the referee."""
    by_bits: dict[int, set[str]] = defaultdict(set)
    for name, mode in modes.items():
        for bits in mode.messages(name).values():
            by_bits[bits].add(name)
    several = Counter(name for names in by_bits.values() if len(names) > 1 for name in names)
    return {
        name
        for name, count in several.items()
        if count > _MOST * modes[name].count
        and not any(opinions[state] for state in opinions if state.mode == name)
    }


def _with_speeds(name: str, mode: ModeBits, opinions: Opinions) -> ModeBits:
    """Return a mode whose automatic fan speed has the name that the referee reads."""
    table: Table = mode.tables.get("fan", {})
    speeds = Counter(
        opinion.fan
        for state, opinion in opinions.items()
        if opinion is not None and (state.mode, state.fan) == (name, "auto")
    )
    if "auto" not in table or not speeds:
        return mode
    [(speed, count)] = speeds.most_common(1)
    if speed not in _SPEEDS or count <= _MOST * speeds.total():
        return mode
    own = _SPEEDS[speed]
    changed = {own if fan == "auto" else fan: bits for fan, bits in table.items()}
    if own in table or any("fan" in extra.values for extra in mode.extras):
        return mode
    return replace(mode, tables={**mode.tables, "fan": changed})


def _mode(state: State) -> str:
    return "auto" if state.mode == "heat_cool" else state.mode


def _share(outcomes: Collection[bool]) -> float:
    return sum(outcomes) / len(outcomes) if outcomes else 0.0
