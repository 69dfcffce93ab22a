"""Observations: the requested, received and missing states of a lesson. Immutable."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import takewhile
from operator import and_, or_
from typing import Any, Self

from ..states import messages
from ..states.capabilities import Capabilities
from ..states.messages import Layout
from ..states.state import NAMED, OFF, Off, State, Value, value
from . import keys, limits
from .enclosing import Enclosing, enclosing_layouts
from .evidence import MARK_BITS, Evidence, checks_of, is_special


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """A received press, and the state that was requested."""

    state: State | Off
    packet: bytes
    decoded: tuple[Layout, int] | None = None
    """Layout and message of the packet, if a state was requested."""
    message: int | None = None
    """The message, if it has the usual layout; other packets are only stored."""
    is_enclosed: bool = False
    """Whether that message is enclosed in the packet's; then it has the mark of its layout."""
    expected: Collection[int] | None = None
    """The predicted messages; None: nothing was predicted. Empty: the packet is that of off, or has
    another layout."""
    likely: Collection[int] = ()
    """The guessed messages, if too little was known for a prediction."""
    twice: bool = False
    """Whether it was received twice, because the first time it was doubted."""
    number: int = 0
    """Number of the press in the lesson, from 1."""


@dataclass(frozen=True)
class Observations:
    """All presses before a question of a lesson."""

    capabilities: Capabilities
    presses: Sequence[Press] = ()
    missing: Sequence[State | Off] = ()
    """States that the remote control cannot send."""
    asked: int = 0
    """Number of presses received."""

    # Changes

    def with_press(self, press: Press) -> Self:
        """Return the observations with one more press.

        If its layout is more frequent than that of the first presses, those were cut off: they are
        dropped, and will be requested again.
        """
        more = replace(self, presses=[*self.presses, press]).with_marks()
        layouts = {p.state: p.decoded[0] for p in more.presses if p.decoded}
        counts = Counter(layouts.values())
        usual = max(counts, key=counts.__getitem__, default=None)
        if usual is None or more.layout is None or counts[usual] <= counts[more.layout]:
            return more
        if _have_own_value(layouts, usual, more.layout):
            return more
        kept: list[Press] = []
        for received in more.presses:
            if received.decoded is None:
                kept.append(received)
            elif received.decoded[0] == usual:
                expected = () if more.is_off(received.decoded) else None
                usual_press = replace(received, message=received.decoded[1], expected=expected)
                kept.append(replace(usual_press, is_enclosed=False))
        return replace(more, presses=kept).with_marks()

    def aligned(self, layout: Layout) -> Self | None:
        """Return the observations decoded with a layout of more frames; None if any lacks it.

        Equal frames are not repeats if they differ in other presses.
        """
        presses: list[Press] = []
        for press in self.presses:
            if press.message is not None:
                decoded = messages.read(press.packet, like=layout)
                if decoded is None or decoded[0] != layout:
                    return None
                press = replace(press, decoded=decoded, message=decoded[1])  # noqa: PLW2901
                press = replace(press, expected=press.expected and None, likely=())  # noqa: PLW2901
            presses.append(press)
        return replace(self, presses=presses)

    def with_capabilities(self, capabilities: Capabilities) -> Self:
        """Return the observations for other capabilities, without presses of removed states."""
        presses = [
            replace(press, state=state)
            for press in self.presses
            if (state := capabilities.narrowed(press.state)) is not None
        ]
        return replace(self, capabilities=capabilities, presses=presses).with_marks()

    def without(self, state: State | Off) -> Self:
        """Return the observations without the presses of a state, which is not missing either."""
        return replace(
            self,
            presses=[press for press in self.presses if press.state != state],
            missing=[other for other in self.missing if other != state],
        ).with_marks()

    def with_marks(self) -> Self:
        """Return the observations with the usual messages that other packets enclose now."""
        presses: list[Press] = []
        for press in self.presses:
            if press.decoded is not None and press.decoded[0] != self.layout:
                message = self.enclosed(press.decoded)
                if message != press.message:
                    press = replace(  # noqa: PLW2901
                        press,
                        message=message,
                        is_enclosed=message is not None,
                        expected=() if message is None else None,
                        likely=(),
                    )
            presses.append(press)
        return replace(self, presses=presses)

    # What was pressed

    @cached_property
    def layout(self) -> Layout | None:
        """Return the usual layout."""
        of_messages = (
            press.decoded
            for press in self.presses
            if press.message is not None and not press.is_enclosed
        )
        return next((decoded[0] for decoded in of_messages if decoded is not None), None)

    @cached_property
    def enclosing(self) -> Sequence[Enclosing]:
        """Return the layouts that enclose the usual message, in the order of their marks."""
        received = [
            (press.state, *press.decoded)
            for press in self.presses
            if isinstance(press.state, State) and press.decoded is not None
        ]
        return [] if self.layout is None else [*enclosing_layouts(received, self.layout, checks_of)]

    def enclosed(self, decoded: tuple[Layout, int]) -> int | None:
        """Return the usual message that another one encloses, with the mark of its layout.

        None if there is none.
        """
        layout, message = decoded
        for mark, enclosing in self._marks.items():
            usual = enclosing.usual_message(message) if enclosing.layout == layout else None
            if usual is not None:
                return usual | mark
        return None

    def enclosed_by(self, message: int) -> Enclosing | None:
        """Return the layout whose mark a message has; None if it has none."""
        marks = (enclosing for mark, enclosing in self._marks.items() if message & mark)
        return next(marks, None)

    @property
    def unmarked(self) -> int:
        """Return the bits of a usual message, without marks."""
        return 0 if self.layout is None else (1 << sum(self.layout.frames)) - 1

    @cached_property
    def _marks(self) -> Mapping[int, Enclosing]:
        """Return the marks, bits after the usual message, with their layouts."""
        return {
            1 << sum(enclosing.usual.frames) + MARK_BITS * number: enclosing
            for number, enclosing in enumerate(self.enclosing)
        }

    def enclosed_by_press(self, press: Press) -> int | None:
        """Return the usual message that a further press encloses, with its mark; else None."""
        more = replace(self, presses=[*self.presses, press])
        return None if press.decoded is None else more.enclosed(press.decoded)

    @cached_property
    def pressed(self) -> Mapping[State, int]:
        """Return the pressed states, and how often each was pressed."""
        counts: dict[State, int] = {}
        for press in self.presses:
            if isinstance(press.state, State):
                counts[press.state] = counts.get(press.state, 0) + 1 + press.twice
        return counts

    @property
    def first(self) -> State:
        """Return the first pressed state."""
        return next(iter(self.pressed))

    def is_special(self, table: str, setting: Value | None) -> bool:
        """Return whether a value may affect others: a preset, or a fan speed like one."""
        if setting is None or setting == value(self.first, table):
            return False
        return is_special(table, setting)

    @cached_property
    def shown(self) -> State | None:
        """Return the state that the remote control displays: the last pressed one."""
        return next((p.state for p in reversed(self.presses) if isinstance(p.state, State)), None)

    def keys(self, state: State) -> int:
        """Return the number of keys to press until the remote control displays a state."""
        return keys.between(self.shown or state, state, self.capabilities)

    @property
    def early(self) -> list[Press]:
        """Return the presses of the first state before any other state.

        If there is only one, because earlier ones were cut off, later ones are included.
        """
        states = (press for press in self.presses if press.state is not OFF)
        begun = [*takewhile(lambda press: press.state == self.first, states)]
        return begun if len(begun) > 1 else self.of(self.first)[: limits.SAME_AGAIN]

    @property
    def late(self) -> int:
        """Return how often the first state was pressed again after others."""
        return len(self.of(self.first)) - len(self.early)

    def pressed_in(self, mode: str) -> list[State]:
        """Return the pressed states of a mode."""
        return [state for state in self.pressed if state.mode == mode]

    def of(self, state: State | Off) -> list[Press]:
        """Return the presses of a state."""
        return [press for press in self.presses if press.state == state]

    def is_off(self, decoded: tuple[Layout, int]) -> bool:
        """Return whether this message was received for off."""
        layout, _ = decoded
        return any(messages.read(p.packet, like=layout) == decoded for p in self.of(OFF))

    def is_of_whole_mode(self, mode: str, decoded: tuple[Layout, int]) -> bool:
        """Return whether all presses of a mode sent this message, one of them twice."""
        presses = [press for state in self.pressed_in(mode) for press in self.of(state)]
        return any(press.twice for press in presses) and all(
            press.decoded == decoded for press in presses
        )

    def is_foreign(self, press: Press) -> bool:
        """Return whether a press has another layout, or equals off unlike others of its mode."""
        if press.expected != ():
            return False
        assert isinstance(press.state, State)  # noqa: S101 - for mypy: off expects nothing
        return (
            press.decoded is None
            or press.decoded[0] != self.layout
            or any(
                isinstance(other.state, State)
                and other.state.mode == press.state.mode
                and other.message != press.message
                for other in self.presses
            )
        )

    @cached_property
    def foreign(self) -> Collection[State]:
        """Return the states whose presses are foreign."""
        return {
            press.state
            for press in self.presses
            if isinstance(press.state, State) and self.is_foreign(press)
        }

    @cached_property
    def foreign_values(self) -> frozenset[tuple[str, Value]]:
        """Return the values whose presses are all foreign, if there are several.

        States with them cannot be learned like others.
        """
        several = {
            pair for pair, count in self._foreign_counts.items() if count >= limits.FOREIGN_STATES
        }
        return frozenset(several).union(*self.other_layouts.values())

    @cached_property
    def other_layouts(self) -> Mapping[Layout, Collection[tuple[str, Value]]]:
        """Return layouts in which values are sent, with these values.

        One of the states with the layout was received twice, and another one, too.
        """
        received: dict[Layout, list[State]] = {}
        certain: dict[Layout, None] = {}
        for press in self.presses:
            if isinstance(press.state, State) and press.decoded and press.decoded[0] != self.layout:
                if press.is_enclosed:
                    continue
                layout, _ = press.decoded
                received.setdefault(layout, []).append(press.state)
                if press.twice:
                    certain[layout] = None
        return {
            layout: values
            for layout in certain
            if len({*received[layout]}) >= limits.STATES_IN_OTHER_LAYOUT
            and (
                values := [*dict.fromkeys(filter(None, map(self.foreign_value, received[layout])))]
            )
        }

    def may_be_sent_in(self, layout: Layout, state: State) -> bool:
        """Return whether a state has, or may have, a value because of which it is in a layout.

        Values of the same attribute may be, except those that were received in the usual layout.
        """
        settings = self.other_layouts.get(layout, ())
        usual = [other for other in self.pressed if other not in self.foreign]
        return not settings or any(
            value(state, table) == setting
            or all(value(other, table) != value(state, table) for other in usual)
            for table, setting in settings
        )

    def values_in(self, layout: Layout) -> Collection[tuple[str, Value]]:
        """Return the values that are sent in another layout than the usual one."""
        of_enclosing = {enclosing.layout: enclosing.settings for enclosing in self.enclosing}
        return self.other_layouts.get(layout) or of_enclosing.get(layout, ())

    def is_like_foreign(self, state: State) -> bool:
        """Return whether a state is foreign, or has a value whose states are."""
        foreign = self.foreign_values
        return state in self.foreign or any(
            (table, value(state, table)) in foreign for table in NAMED if foreign
        )

    def foreign_value(self, state: State) -> tuple[str, Value] | None:
        """Return the value because of which a state is foreign: all others of it are not."""
        if state not in self.foreign:
            return None
        values = [pair for pair in _named(state) if pair in self._foreign_counts]
        return values[0] if len(values) == 1 else None

    @cached_property
    def _foreign_counts(self) -> Mapping[tuple[str, Value], int]:
        """Return the values whose presses are all foreign, and the number of their states."""
        foreign: Counter[tuple[str, Value]] = Counter()
        others: set[tuple[str, Value]] = set()
        for state in self.pressed:
            (foreign if state in self.foreign else others).update(_named(state))
        return {pair: count for pair, count in foreign.items() if pair not in others}

    @cached_property
    def evidence(self) -> Evidence | None:
        """Return the messages for fitting a model; None if there are none."""
        wrong = self._wrong_first()
        received = [
            (press.state, press.message)
            for press in self.presses
            if isinstance(press.state, State)
            and press.message is not None
            and press is not wrong
            and not self.is_foreign(press)
            for _ in range(1 + press.twice)
        ]
        if not received or self.layout is None:
            return None
        marks = (MARK_BITS,) * len(self.enclosing)
        frames = (*self.layout.frames, *marks)
        return Evidence(received, frames, self.capabilities, self.foreign_values, len(marks))

    def _wrong_first(self) -> Press | None:
        """Return a mistaken press of the first state; None if there is none.

        Volatile bits change more than once: bits that differ in a single one of several presses
        indicate a mistake.
        """
        if not self.pressed:
            return None
        same = [press for press in self.early if press.message is not None]
        if len(self.early) < limits.SAME_AGAIN:
            return None
        received = [press.message for press in same if press.message is not None]
        ever = reduce(or_, received, 0) & ~reduce(and_, received)
        counts = [(sum(m >> bit & 1 for m in received), bit) for bit in range(ever.bit_length())]
        ever &= ~self._changing_in_others
        set_once = ever & sum(1 << bit for count, bit in counts if count == 1)
        clear_once = ever & sum(1 << bit for count, bit in counts if count == len(received) - 1)
        return next(
            (
                press
                for press, message in zip(same, received, strict=True)
                if message & set_once or ~message & clear_once
            ),
            None,
        )

    @property
    def _changing_in_others(self) -> int:
        """Return the bits that changed when a state other than the first one was pressed again."""
        last: dict[State | Off, int] = {}
        changing = 0
        for press in self.presses:
            if press.message is not None and press.state not in (self.first, OFF):
                changing |= press.message ^ last.get(press.state, press.message)
                last[press.state] = press.message
        return changing

    # What there is to press

    @property
    def has_presses_to_spare(self) -> bool:
        """Return whether a lesson probably needs no more presses than it may have."""
        return self.presses_to_spare >= 0

    @cached_property
    def presses_to_spare(self) -> int:
        """Return the estimated number of presses left when all values of all modes are shown."""
        first, *others = (self.capabilities[mode] for mode in self.modes)
        presses = limits.PRESSES_BESIDE_VALUES + limits.TEMPERATURES_FIRST
        for table in NAMED:
            new = first.values(table)[1:]
            special = sum(is_special(table, setting) for setting in new)
            presses += len(new) + limits.VALUES_TO_SHOW_INDEPENDENCE * special
        for levels in others:
            unusual = (
                sum(not limits.PLAIN.fullmatch(str(setting)) for setting in levels.values(table))
                for table in NAMED
            )
            presses += max(limits.PRESSES_PER_MODE, *unusual)
        if len(first.temperatures) > limits.MANY_TEMPERATURES:
            presses += limits.MANY_TEMPERATURES_PROVEN - limits.TEMPERATURES_PROVEN
        return limits.PRESSES - presses

    def is_at_an_end(self, state: State) -> bool:
        """Return whether a state has the lowest or the highest temperature of its mode."""
        temperatures = self.capabilities[state.mode].temperatures
        return state.temperature in (*temperatures[:1], *temperatures[-1:])

    @cached_property
    def modes(self) -> Sequence[str]:
        """Return cool, or the mode with most states, then the others by number of states."""
        counts = {mode: self.capabilities.count(mode) for mode in self.capabilities}
        return sorted(counts, key=lambda mode: (mode != "cool", -counts[mode]))

    def not_pressed(self, mode: str) -> Iterator[State]:
        """Yield the states of a mode that were not pressed, are not missing, and can be learned."""
        known = {*self.pressed, *self.missing}
        for state in self.capabilities.states(mode):
            if state not in known and not self.is_like_foreign(state):
                yield state

    def nearest(self, target: State, *, keeping: str | None = None) -> State | None:
        """Return the state not pressed yet that differs least from a target.

        Temperatures count least. The value of the attribute `keeping` is that of the target.
        """
        possible = (
            state
            for state in self.not_pressed(target.mode)
            if keeping is None or value(state, keeping) == value(target, keeping)
        )
        return min(possible, key=lambda state: distance(state, target), default=None)

    def usual(self, mode: str) -> State:
        """Return a state of a mode with a middle temperature and the values of the first state."""
        capabilities = self.capabilities[mode]
        values: dict[str, Value | None] = {}
        for table in NAMED:
            possible = capabilities.values(table)
            first = value(self.first, table) if self.pressed else None
            values[table] = first if first in possible else next(iter(possible), None)
        warm = capabilities.temperatures[len(capabilities.temperatures) // 2 :]
        return with_values(State(mode=mode, temperature=next(iter(warm), None)), values)

    def is_missing(self, mode: str) -> bool:
        """Return whether a mode is left out because none of its states could be sent."""
        missing = sum(isinstance(state, State) and state.mode == mode for state in self.missing)
        return missing >= limits.MISSING_STATES_OF_MODE and not self.pressed_in(mode)

    def missing_beside(self, state: State) -> int:
        """Return the number of missing states that differ only in temperature."""
        return self._missing_columns[without_temperature(state)] if self._missing_columns else 0

    def is_column_missing(self, state: State) -> bool:
        """Return whether states of a column are missing, and none of it was pressed.

        A column is the states that differ only in temperature.
        """
        column = without_temperature(state)
        return self.missing_beside(state) > 0 and all(
            without_temperature(other) != column for other in self.pressed
        )

    @cached_property
    def _missing_columns(self) -> Mapping[State, int]:
        states = (state for state in self.missing if isinstance(state, State))
        return Counter(map(without_temperature, states))


def _named(state: State) -> list[tuple[str, Value]]:
    """Return the values of a state except its temperature."""
    return [(table, setting) for table in NAMED if (setting := value(state, table)) is not None]


def _have_own_value(layouts: Mapping[State | Off, Layout], layout: Layout, other: Layout) -> bool:
    """Return whether all states with a layout share a value that no state with another one has."""
    received = [(state, its) for state, its in layouts.items() if isinstance(state, State)]
    states = [state for state, its in received if its == layout]
    others = [state for state, its in received if its == other]
    return any(
        len(settings := {value(state, table) for state in states}) == 1
        and settings.isdisjoint(value(state, table) for state in others)
        for table in NAMED
    )


def without_temperature(state: State) -> State:
    """Return the column of a state: the state without its temperature."""
    return State(mode=state.mode, preset=state.preset, fan=state.fan, swing=state.swing)


def with_values(state: State, values: Mapping[str, Value | None]) -> State:
    """Return a state with other values."""
    changed: dict[str, Any] = dict(values)
    return replace(state, **changed)


def distance(state: State, other: State) -> float:
    """Return the difference between two states; a temperature counts least."""
    off = 4.0 * sum(value(state, table) != value(other, table) for table in NAMED)
    if state.temperature != other.temperature:
        off += 1 + abs((state.temperature or 0) - (other.temperature or 0)) / 100
    return off
