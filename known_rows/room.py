"""Add the bits of the measured room temperature to each row for which they are published.

    .venv/bin/python -m known_rows.room        adds them to the existing table

Packets of IRremoteESP8266's encoders with "I feel" and a temperature are compared with packets
without. The differing bits are accepted only if none of them belongs to the state, and if the rule
with them sends what the encoders send, for states of each mode and each temperature.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import groupby, product
import json
from operator import or_
import re
from typing import Final

from pyhvac import irhvac

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.known.row import Row
from custom_components.irhub.ircodes.known.table import TABLE
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.room_temperature import RoomTemperature

from .described import packet_of
from .tables import message_of

_MEASURED: Final = range(1, 46)
"""Temperatures in °C to try."""
_STATES: Final = 12
"""Number of states of each mode that are compared at all temperatures."""
_FEWEST: Final = 10
"""Minimum number of distinct temperatures."""
_SOURCE: Final = re.compile(r"IRremoteESP8266 (\w+)(?: model (\d+))?$")
_REPORTS: Final = {"ELECTRA_AC": 30}
"""Protocol → bit of a message with only the temperature, where published."""


def with_room(line: str) -> str:
    """Return a line of the table, with the bits of the room temperature if known."""
    data = json.loads(line)
    data["rule"].pop("room", None)
    if (published := _published(data["sources"])) is not None:
        name, model = published
        if (room := _room(Row.from_data(data), name, model)) is not None:
            data["rule"]["room"] = room.as_data()
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _published(sources: list[str]) -> tuple[str, int] | None:
    match = next(filter(None, map(_SOURCE.match, sources)), None)
    return None if match is None else (match[1], int(match[2] or -1))


def _room(row: Row, name: str, model: int) -> RoomTemperature | None:
    """Return the bits of the room temperature that the encoders of a protocol set."""
    rule = row.rule
    plain = {
        state: message
        for state in _some_states(rule)
        if (message := _message(name, model, state, rule, None)) is not None
    }
    if not plain:
        return None
    usual, base = next(iter(plain.items()))
    measured = {celsius: _message(name, model, usual, rule, celsius) for celsius in _MEASURED}
    messages = {celsius: message for celsius, message in measured.items() if message is not None}
    mask = reduce(or_, (message ^ base for message in messages.values()), 0) & ~_checked(rule)
    degrees = _distinct({celsius: message & mask for celsius, message in messages.items()})
    if mask & row.state_bits or len(messages) < len(measured) or len(degrees) < _FEWEST:
        return None
    report = 1 << _REPORTS[name] if name in _REPORTS else 0
    room = RoomTemperature(mask=mask, off=base & mask, degrees=degrees, report=report)
    with_bits = BitRule.parse({**rule.as_data(), "room": room.as_data()})
    is_right = all(
        _is_sent(with_bits, state, celsius, message ^ expected)
        for (state, message), celsius in product(plain.items(), degrees)
        if (expected := _message(name, model, state, rule, celsius)) is not None
    )
    return room if is_right else None


def _is_sent(rule: BitRule, state: State, celsius: float, flipped: int) -> bool:
    """Return whether a temperature flips the same bits as in the encoders' packets.

    The encoders have one maker's other bits, so only differences are compared.
    """
    with_it, without_it = (rule.encode_in_room(state, value) for value in (celsius, None))
    return not (_bits(with_it) ^ _bits(without_it) ^ flipped) & ~_checked(rule)


def _checked(rule: BitRule) -> int:
    return reduce(or_, (check.target.mask for check in rule.checks), 0)


def _bits(packet: bytes) -> int:
    decoded = message_of(packet)
    return 0 if decoded is None else decoded[1]


def _some_states(rule: BitRule) -> Iterator[State]:
    """Yield states of each mode, evenly spread over levels and temperatures."""
    for _, of_mode in groupby(rule.offered, lambda state: state.mode):
        states = [*of_mode]
        yield from states[:: max(1, len(states) // _STATES)]


def _message(
    name: str, model: int, state: State, rule: BitRule, celsius: float | None
) -> int | None:
    """Return the message of the encoders for a state, if it has the rule's layout, else None."""
    options: Mapping[str, object] = (
        {} if celsius is None else {"iFeel": True, "sensorTemperature": float(celsius)}
    )
    try:
        packet = packet_of(getattr(irhvac, name), model, state, options)
    except KeyError:  # a level that the encoders do not have
        return None
    decoded = message_of(packet) if packet else None
    return decoded[1] if decoded is not None and decoded[0] == rule.layout else None


def _distinct(bits: Mapping[int, int]) -> dict[float, int]:
    """Return the temperatures that are encoded differently from their neighbours.

    Temperatures below the range are sent as the lowest one, those above as the highest.
    """
    degrees: dict[float, int] = {}
    for number, run in groupby(bits, bits.__getitem__):
        alike = [*run]
        degrees[float(alike[-1] if alike[0] == _MEASURED[0] else alike[0])] = number
    return degrees


def main() -> None:
    """Add the bits to the table, and print the rows that have them."""
    lines = [with_room(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    TABLE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for data in map(json.loads, lines):
        if "room" in data["rule"]:
            print(data["protocol"], data["rule"]["room"])


if __name__ == "__main__":
    main()
