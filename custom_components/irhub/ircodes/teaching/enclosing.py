"""Frames beside the usual message: quiet is sent with one more frame, which is always the same.

    cool, low           4a 01 12
    cool, low, quiet    4a 02 00   4a 01 12

Such a packet contains the usual message of its state as a whole. A press with quiet therefore shows
the same about modes, fan speeds and temperatures as one without it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from ..states.checks import Check
from ..states.messages import Layout
from ..states.state import NAMED, State, Value, value

type Received = tuple[State, Layout, int]
"""A state, the layout of its packet, and the message."""
type Checks = Sequence[Sequence[Check]]
"""The checks of messages, each with all formulas that fit."""
type FindChecks = Callable[[tuple[int, ...], tuple[int, ...]], Checks]
"""Returns the checks of messages with these frames."""


class Enclosing(NamedTuple):
    """A layout with the frames of the usual message and others, which are always the same."""

    layout: Layout
    usual: Layout
    start: int
    """First bit of the usual message."""
    rest: int
    """The bits of the other frames."""
    settings: Sequence[tuple[str, Value]] = ()
    """The values that all states with the layout have, and no other state."""

    @property
    def inner(self) -> int:
        """Return the bits of the usual message."""
        return ((1 << sum(self.usual.frames)) - 1) << self.start

    def usual_message(self, message: int) -> int | None:
        """Return the usual message in a message; None if the other frames differ."""
        return (message & self.inner) >> self.start if message & ~self.inner == self.rest else None

    def message(self, usual: int) -> int:
        """Return the message that contains a usual one."""
        return self.rest | usual << self.start


def enclosing_layouts(
    received: Sequence[Received], usual: Layout, find_checks: FindChecks
) -> Iterator[Enclosing]:
    """Yield the layouts that enclose the usual message.

    Their states have a value that no other state has. One of their messages contains the message of
    the state that differs in this value only, or all contain messages with the usual checks: the
    value may flip bits of the usual message, too.
    """
    by_layout: dict[Layout, list[tuple[State, int]]] = {}
    for state, layout, message in received:
        by_layout.setdefault(layout, []).append((state, message))
    others = by_layout.pop(usual, [])
    for layout, presses in by_layout.items():
        settings = _own_values([s for s, _ in presses], [s for s, _ in others])
        attributes = [attribute for attribute, _ in settings]
        fitting = [
            enclosing
            for start in _places(usual, layout)
            for enclosing in [_enclosing(layout, usual, start, presses)]
            if enclosing is not None
            and settings
            and (
                _contains_known(enclosing, presses, others, attributes)
                or _are_checked(enclosing, presses, others, find_checks)
            )
        ]
        if fitting:
            # a further frame may have the same check
            best = min(fitting, key=lambda enclosing: _differing(enclosing, presses, others))
            yield best._replace(settings=settings)


def _differing(
    enclosing: Enclosing,
    presses: Sequence[tuple[State, int]],
    others: Sequence[tuple[State, int]],
) -> int:
    """Return the least number of bits in which an enclosed message differs from another one."""
    inner, start = enclosing.inner, enclosing.start
    return min(
        (((message & inner) >> start) ^ other).bit_count()
        for _, message in presses
        for _, other in others
    )


def _places(usual: Layout, layout: Layout) -> Iterator[int]:
    """Yield the first bits of frames from which on a layout has the usual frames."""
    count = len(usual.frames)
    if layout.kind == usual.kind and len(layout.frames) > count:
        for number in range(len(layout.frames) - count + 1):
            if layout.frames[number : number + count] == usual.frames:
                yield sum(layout.frames[:number])


def _enclosing(
    layout: Layout, usual: Layout, start: int, presses: Sequence[tuple[State, int]]
) -> Enclosing | None:
    """Return the layout with the usual message at a place; None if other frames change there."""
    outside = ~Enclosing(layout, usual, start, 0).inner
    rest, *differing = {message & outside for _, message in presses}
    return None if differing else Enclosing(layout, usual, start, rest)


def _own_values(states: Sequence[State], others: Collection[State]) -> list[tuple[str, Value]]:
    """Return the values that all of some states have, and no other state."""
    return [
        (table, setting)
        for table in NAMED
        if (setting := value(states[0], table)) is not None
        and all(value(state, table) == setting for state in states)
        and all(value(other, table) != setting for other in others)
    ]


def _contains_known(
    enclosing: Enclosing,
    presses: Sequence[tuple[State, int]],
    others: Sequence[tuple[State, int]],
    attributes: Collection[str],
) -> bool:
    """Return whether a message contains that of the state with another value of an attribute."""
    return any(
        enclosing.usual_message(message) == other_message
        and _differ_only_in(state, other, attributes)
        for state, message in presses
        for other, other_message in others
    )


def _are_checked(
    enclosing: Enclosing,
    presses: Sequence[tuple[State, int]],
    others: Sequence[tuple[State, int]],
    find_checks: FindChecks,
) -> bool:
    """Return whether the enclosed messages have the checks of the others."""
    usual = tuple(message for _, message in others)
    inner = tuple((message & enclosing.inner) >> enclosing.start for _, message in presses)
    frames = enclosing.usual.frames
    targets = {check.target for check, *_ in find_checks(usual, frames)}
    return bool(targets) and targets <= {
        check.target for check, *_ in find_checks((*usual, *inner), frames)
    }


def _differ_only_in(state: State, other: State, attributes: Collection[str]) -> bool:
    names = ("mode", *NAMED, "temperature")
    differing = [name for name in names if getattr(state, name) != getattr(other, name)]
    return len(differing) == 1 and differing[0] in attributes
