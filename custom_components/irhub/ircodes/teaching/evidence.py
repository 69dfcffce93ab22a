"""Evidence: the messages that a model is fitted to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import pairwise, product, takewhile
from operator import or_
from typing import Final

from ..states.capabilities import Capabilities
from ..states.checks import BYTE, NIBBLE, Check, units
from ..states.state import ATTRIBUTES, State, Value, attributes, value
from . import limits
from .check_search import find_checks

type Unknown = tuple[str, str, Value | int]
"""("mode", "", mode), (attribute, "" or the mode with an effect of its own, value), or ("extra",
mode, number)."""


MARK_BITS: Final = 8
"""Number of bits of a mark (a whole byte: it makes checks faster)."""


def is_special(table: str, setting: Value) -> bool:
    """Return whether a value is a preset, or a fan speed or swing like one."""
    return table == "preset" or limits.SPECIAL.search(str(setting)) is not None


@dataclass(frozen=True)
class Evidence:
    """Messages with the same layout, in the order received.

    A mark follows a message that was enclosed in a layout with other frames (`enclosing`).
    """

    received: Sequence[tuple[State, int]]
    """A state and its message, for each reception.

    Of the first state, the first message counts, and differences to the others show volatile bits.
    Of any other state, the last message counts."""
    frames: tuple[int, ...]
    """Number of bits of each frame, and of each mark."""
    capabilities: Capabilities
    foreign_values: Collection[tuple[str, Value]] = ()
    """Values whose messages have another layout."""
    marks: int = 0
    """Number of marks."""

    @property
    def first(self) -> State:
        """Return the state that was pressed first."""
        return self.received[0][0]

    @property
    def base_mode(self) -> str:
        """Return the mode that is explained first and that the others are compared with."""
        return self.first.mode

    @cached_property
    def messages(self) -> Mapping[State, int]:
        """Return the message of each pressed state."""
        return {**dict(self.received), self.first: self.received[0][1]}

    @cached_property
    def press(self) -> Mapping[State, int]:
        """Return a bit for each pressed state."""
        return {state: 1 << index for index, state in enumerate(self.messages)}

    @cached_property
    def changing(self) -> int:
        """Return the bits that changed when the first state was pressed again.

        A later press counts if it was received twice: it may have been a mistake. If the first
        presses were cut off and dropped, later ones are used instead.
        """
        begun = [*takewhile(lambda received: received[0] == self.first, self.received)]
        again = [received for received in self.received if received[0] == self.first]
        if len(begun) == 1:
            begun = again[: limits.SAME_AGAIN]
        twice = (received for received in again if again.count(received) > 1)
        return reduce(or_, (message ^ begun[0][1] for _, message in (*begun, *twice)), 0)

    @cached_property
    def differing(self) -> Mapping[State, int]:
        """Return the bits in which the messages of a state differ."""
        differing: dict[State, int] = {}
        for state, message in self.received:
            differing[state] = differing.get(state, 0) | message ^ self.messages[state]
        return differing

    @cached_property
    def late_repeats(self) -> int:
        """Return how often the first state was pressed again after others."""
        return sum(
            state == self.first and before != self.first
            for (before, _), (state, _) in pairwise(self.received)
        )

    @property
    def varied(self) -> int:
        """Return the bits that are not the same in all messages."""
        return reduce(or_, (message ^ self.received[0][1] for _, message in self.received), 0)

    def unshown(self, volatile: int) -> int:
        """Return the volatile bits that were never seen to change while the state was the same.

        One changed bit is enough to show that its byte is a counter or a clock. But half a byte
        that changes with most states, and never while the state is the same, belongs to the state;
        and so does a bit that changes with the values of one attribute.
        """
        shown = self.shown(volatile)
        rest = volatile & ~shown & self.varied
        of_values = sum(
            1 << bit
            for bit in range(rest.bit_length())
            if rest >> bit & 1
            and self._changes(1 << bit) > limits.CHANGES_OF_CLOCK
            and self._is_of_values(bit)
        )
        rare = sum(
            unit.mask
            for unit in units(self.frames, NIBBLE)
            if unit.mask & shown or self._changes(unit.mask & volatile) <= limits.CHANGES_OF_CLOCK
        )
        return volatile & ~(self.bytes_with(shown) & rare & ~of_values)

    def _is_of_values(self, bit: int) -> bool:
        """Return whether a bit is the same in all messages with a value, for some attribute."""
        return any(
            len({(value(state, name), message >> bit & 1) for state, message in self.received})
            == len({value(state, name) for state, _ in self.received})
            for name in ("mode", *ATTRIBUTES)
        )

    def _changes(self, bits: int) -> int:
        """Return how often some bits changed from one message to the next."""
        return sum(bool((a ^ b) & bits) for (_, a), (_, b) in pairwise(self.received))

    def shown(self, volatile: int) -> int:
        """Return the bits that were seen to change while the state was the same.

        A press that also differs in bits that are not volatile was a mistake and shows nothing.
        """
        shown = self.changing
        checked = reduce(or_, (check[0].target.mask for check in self.checks), 0)
        last: dict[State, int] = {}
        for state, message in self.received:
            differing = message ^ last.get(state, message)
            if not differing & ~(volatile | checked):
                shown |= differing
            last[state] = message
        return shown

    def repeated(self, volatile: int) -> set[State]:
        """Return the states that were received twice in a row with equal non-volatile bits."""
        last: dict[State, int] = {}
        repeated: set[State] = set()
        for state, message in self.received:
            if state in last and (state == self.first or not (last[state] ^ message) & ~volatile):
                repeated.add(state)
            last[state] = message
        return repeated

    @cached_property
    def checks(self) -> Sequence[Sequence[Check]]:
        """Return the checks of the messages, each with all formulas that fit."""
        frames = self.frames[: len(self.frames) - self.marks]
        sent = (1 << sum(frames)) - 1
        return checks_of(tuple(message & sent for _, message in self.received), frames)

    @property
    def every_bit(self) -> int:
        """Return all bits of a message."""
        return (1 << sum(self.frames)) - 1

    @cached_property
    def temperatures(self) -> Sequence[float]:
        """Return the temperatures of all modes."""
        return sorted({t for of_mode in self.capabilities.values() for t in of_mode.temperatures})

    @cached_property
    def unknowns(self) -> Mapping[Unknown, int]:
        """Return a bit for each possible unknown of an equation."""
        modes = self.capabilities
        unknowns: list[Unknown] = [("mode", "", mode) for mode in modes]
        for group in ("", *modes):
            for attribute in ATTRIBUTES:
                values = (setting for mode in modes.values() for setting in mode.values(attribute))
                unknowns += [(attribute, group, setting) for setting in dict.fromkeys(values)]
        unknowns += [
            ("extra", mode, number) for mode in modes for number in range(len(self.messages))
        ]
        return {unknown: 1 << index for index, unknown in enumerate(unknowns)}

    def pressed(self, attribute: str, mode: str = "") -> Mapping[Value, None]:
        """Return the pressed values of an attribute, in one mode or in all.

        They are in the order in which modes are explained: the base mode first.
        """
        return self._pressed.get((attribute, mode), {})

    @cached_property
    def _pressed(self) -> Mapping[tuple[str, str], Mapping[Value, None]]:
        pressed: dict[tuple[str, str], dict[Value, None]] = {}
        base_mode = self.base_mode
        for state in sorted(self.messages, key=lambda state: state.mode != base_mode):
            for attribute, setting in attributes(state):
                for mode in ("", state.mode):
                    pressed.setdefault((attribute, mode), {})[setting] = None
        return pressed

    @cached_property
    def values(self) -> Mapping[tuple[str, str], Mapping[Value, int]]:
        """Return the unknowns of each attribute's values, those that were pressed first."""
        listed: dict[tuple[str, str], dict[Value, int]] = {}
        for (attribute, group, setting), unknown in self.unknowns.items():
            listed.setdefault((attribute, group), {})[setting] = unknown
        by_group: dict[tuple[str, str], dict[Value, int]] = {}
        for key in product(ATTRIBUTES, ("", *self.capabilities)):
            unknowns = listed.get(key, {})
            pressed = {setting: unknowns[setting] for setting in self.pressed(*key)}
            by_group[key] = pressed | unknowns
        return by_group

    def unknowns_of(self, state: State) -> tuple[int, Sequence[tuple[str, int, int]]]:
        """Return the unknown of a state's mode, and those of its values.

        An attribute, the unknown of its value in all modes, and the one in this mode alone.
        """
        if (known := self._unknowns_of.get(state)) is None:
            known = self._unknowns_of[state] = (
                self.unknowns["mode", "", state.mode],
                [
                    (
                        attribute,
                        self.unknowns[attribute, "", setting],
                        self.unknowns[attribute, state.mode, setting],
                    )
                    for attribute, setting in attributes(state)
                ],
            )
        return known

    @cached_property
    def _unknowns_of(self) -> dict[State, tuple[int, Sequence[tuple[str, int, int]]]]:
        """Cache of unknowns: the same states are explained in thousands of ways."""
        return {}

    def bytes_with(self, bits: int) -> int:
        """Return all bits of the bytes that contain any of these bits."""
        return self.units_with(bits, BYTE)

    def units_with(self, bits: int, width: int) -> int:
        """Return all bits of the bytes or half bytes that contain any of these bits."""
        return sum(unit.mask for unit in units(self.frames, width) if unit.mask & bits)


@lru_cache(maxsize=4)
def checks_of(messages: tuple[int, ...], frames: tuple[int, ...]) -> Sequence[Sequence[Check]]:
    """Return the checks of messages; if there are none, the checks of all but two.

    A message that was received twice is correct: it refutes the checks that it does not have.
    """
    checks = find_checks(messages, frames)
    if checks or len(messages) < limits.CHECKED_FROM:
        return checks
    half = len(messages) // 2
    for sample in (messages[:half], messages[half:]):
        fitting = [
            [
                check
                for check in alternatives
                if len(wrong := [m for m in messages if check.compute(m, frames) != m])
                <= limits.MAX_WRONG_CHECKS
                and len({*wrong}) == len(wrong)
            ]
            for alternatives in find_checks(sample, frames)
        ]
        if checks := [alternatives for alternatives in fitting if alternatives]:
            return checks
    return []
