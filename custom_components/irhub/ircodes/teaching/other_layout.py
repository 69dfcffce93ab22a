"""Values that are sent in another layout: turbo with a longer frame, quiet with one more frame.

A message in the other layout is compared with that of the same state with the usual value. Each of
its frames has a frame of that message as its origin, and each of its bits is

    copied  that of the origin at the same position, or its opposite
    fixed   the same whatever the origin is
    a check, found as those of the usual layout

Values with the same layout differ in constants. A press may be a mistake: a bit is known if the
presses show what it is without any one of them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import accumulate
from operator import and_, or_
from typing import NamedTuple, Self

from ..states.checks import Check
from ..states.messages import Layout
from ..states.rule_parts import Extra
from ..states.state import ATTRIBUTES, State, Value, value
from . import limits
from .check_search import find_checks
from .observations import Observations, with_values

type Setting = tuple[str, Value]
"""An attribute and its value."""
type Placing = tuple[int, int, int]
"""Of a frame: its first bit, the first bit of its origin, and the number of common bits."""
type UsualMessage = Callable[[State], int | None]
"""Returns the proven message of a state in the usual layout."""


class Compared(NamedTuple):
    """A press in the other layout, beside the usual message of its state."""

    state: State
    setting: Setting
    message: int
    origin: int
    """The bits of the usual message, where the other layout has them."""
    is_certain: bool
    """Whether it was received twice."""


class _Shown(NamedTuple):
    """What presses show about bits: those that follow their origin, or do not, or do sometimes."""

    copied: int
    fixed: int
    contradicting: int


class _Tested(NamedTuple):
    """The bits that presses test: their origins differ in presses of the same value."""

    bits: int
    first: Mapping[Setting, int]
    """Value → the origin of its first press."""

    @classmethod
    def by(cls, presses: Sequence[Compared]) -> Self:
        """Return what some presses test."""
        first: dict[Setting, int] = {}
        bits = 0
        for press in presses:
            bits |= first.setdefault(press.setting, press.origin) ^ press.origin
        return cls(bits, first)

    def with_press(self, setting: Setting, origin: int) -> int:
        """Return the bits that are tested together with one more press."""
        return self.bits | (self.first.get(setting, origin) ^ origin)


@dataclass(frozen=True, kw_only=True)
class OtherLayout:
    """The values that are sent in another layout, as far as presses show how."""

    observations: Observations
    usual_message: UsualMessage
    layout: Layout
    settings: Collection[Setting]
    """The values."""
    placings: Sequence[Placing]
    """Of each frame."""
    presses: Sequence[Compared]
    """Those whose usual message is proven, except one that contradicts all others."""
    left_out: State | None = None
    """The state of that one."""
    received: int
    """Number of all presses."""

    # What is sent

    def message(self, state: State) -> int | None:
        """Return the message of a state; None if it is not proven."""
        setting = _setting_of(state, self.settings)
        if setting is None or self.is_contradicted or state == self._doubtful:
            return None
        if not self._is_shown(setting, state.mode):
            return None
        usual = self.usual_message(usual_state(self.observations, state, setting))
        bits = None if usual is None else self._bits(setting, placed(usual, self.placings))
        if bits is None:
            return None
        messages = {bits}
        for alternatives in reversed(self.checks):
            messages = {
                check.compute(message, self.layout.frames)
                for message in messages
                for check in alternatives
            }
        return messages.pop() if len(messages) == 1 else None

    def is_likely(self, state: State, message: int) -> bool:
        """Return whether a message is that of a state in all bits that presses show, maybe once."""
        setting = _setting_of(state, self.settings)
        presses = [] if setting is None else self._of(setting)
        if setting is None or not presses or self.is_contradicted:
            return False
        if (usual := self.usual_message(usual_state(self.observations, state, setting))) is None:
            return False
        origin, first = placed(usual, self.placings), presses[0]
        new = reduce(and_, (press.origin ^ origin for press in presses)) & ~self._tested.bits
        likely = first.message ^ (origin ^ first.origin) & self._shown.copied
        return not (likely ^ message) & self.data & ~new

    @cached_property
    def messages(self) -> Mapping[State, int]:
        """Return the messages of all proven states."""
        return {
            state: message
            for state in self.observations.capabilities.states()
            if (message := self.message(state)) is not None
        }

    @cached_property
    def checks(self) -> Sequence[Sequence[Check]]:
        """Return the checks of the messages, each with all formulas that fit."""
        return find_checks([press.message for press in self.presses], self.layout.frames)

    @cached_property
    def data(self) -> int:
        """Return all bits except those of checks."""
        checked = reduce(or_, (check[0].target.mask for check in self.checks), 0)
        return ((1 << sum(self.layout.frames)) - 1) & ~checked

    @property
    def contradicting(self) -> int:
        """Return the bits, including those of checks, in which presses contradict each other."""
        return self._shown.contradicting

    @property
    def is_contradicted(self) -> bool:
        """Return whether presses contradict each other."""
        return self.contradicting & self.data != 0

    def extras_like(self, extra: Extra) -> Iterator[Extra]:
        """Yield an extra of the usual layout as it applies to the values of this one."""
        flips = placed(extra.flips, self.placings) & self._shown.copied & self.data
        for table, setting in self.settings if flips else ():
            values = dict(extra.values)
            usual = value(self.observations.first, table)
            if usual in values.get(table, (usual,)):
                yield Extra(values={**values, table: frozenset([setting])}, flips=flips)

    def _bits(self, setting: Setting, origin: int) -> int | None:
        """Return the bits of a message without checks; None if presses do not show them all.

        A bit that is not known must have the origin that it had in two presses of the value.
        """
        presses = self._of(setting)
        once = twice = 0
        for press in presses:
            alike = ~(press.origin ^ origin)
            twice |= alike if press.is_certain else alike & once
            once |= alike
        if self.data & ~(self._known | twice):
            return None
        first = presses[0]
        return (first.message ^ ((origin ^ first.origin) & self._shown.copied)) & self.data

    def _is_shown(self, setting: Setting, mode: str) -> bool:
        """Return whether presses show what is sent for a value in a mode.

        Each other attribute must have had several values: the value may set it.
        """
        modes = self._modes[setting]
        return (
            len(self._of(setting)) >= limits.VALUES_TO_SHOW_INDEPENDENCE
            and (mode in modes or len(modes) >= limits.MODES_ALIKE)
            and not self._too_few[setting]
        )

    # What to press

    def question(self) -> State | None:
        """Return the state whose press shows most; None if there is nothing left to show."""
        if self._doubtful is not None:
            return self._doubtful
        if self.received >= limits.MOST_IN_OTHER_LAYOUT:
            return None
        candidates = [*self._candidates()]
        origins = [origin for _, _, origin in candidates]
        varied = reduce(or_, origins, 0) & ~reduce(and_, origins, -1) & self.data
        best, most = None, 0.0
        for state, setting, origin in candidates:
            if (worth := self._worth(state, setting, origin, varied)) > most:
                worth -= limits.WORTH_OF_KEY * self.observations.keys(state)
                if worth > most:
                    best, most = state, worth
        return best

    @property
    def _doubtful(self) -> State | None:
        """Return the state that is left out, until it is pressed again."""
        if self.left_out is None or self.observations.pressed[self.left_out] > 1:
            return None
        return self.left_out

    @property
    def wanted(self) -> int:
        """Return the estimated number of presses that are still needed."""
        of_values = limits.PRESSES_OF_VALUE_IN_LAYOUT * len(self.settings)
        return max(0, max(limits.PRESSES_OF_LAYOUT, of_values) - self.received)

    def _worth(self, state: State, setting: Setting, origin: int, varied: int) -> float:
        """Return what a press is worth: the bits that it tests, and its new values."""
        known = self._tested.bits  # by the others, should this press be a mistake
        for tested in self._tested_without_each:
            known &= tested.with_press(setting, origin)
        once = self._tested.with_press(setting, origin)
        worth = (known & ~self._known & varied).bit_count()
        worth += (once & ~self._tested.bits & varied).bit_count()
        modes = self._modes[setting]
        new = int(state.mode not in modes and len(modes) < limits.MODES_ALIKE)
        for name, pressed in self._too_few[setting].items():
            new += value(state, name) not in pressed
        return worth + limits.WORTH_OF_NEW_VALUE * new

    def _candidates(self) -> Iterator[tuple[State, Setting, int]]:
        """Yield states that can be pressed, with their values and origins."""
        observations = self.observations
        known = {*observations.pressed, *observations.missing}
        messages: dict[State, int | None] = {}
        for state in observations.capabilities.states():
            if state not in known and (setting := _setting_of(state, self.settings)) is not None:
                usual = usual_state(observations, state, setting)
                if usual not in messages:
                    messages[usual] = self.usual_message(usual)
                if (message := messages[usual]) is not None:
                    yield state, setting, placed(message, self.placings)

    # What presses show

    @cached_property
    def _modes(self) -> Mapping[Setting, Collection[str]]:
        """Return the modes in which each value was pressed."""
        return {
            setting: {press.state.mode for press in self._of(setting)} for setting in self.settings
        }

    @cached_property
    def _too_few(self) -> Mapping[Setting, Mapping[str, Collection[Value | None]]]:
        """Return the attributes of which too few values were pressed with each value, and these."""
        every = self.observations.capabilities.values()
        too_few: dict[Setting, dict[str, Collection[Value | None]]] = {}
        for setting in self.settings:
            too_few[setting] = {}
            for name in ATTRIBUTES:
                pressed = {value(press.state, name) for press in self._of(setting)} - {None}
                available = max(len(levels.values(name)) for levels in every)
                wanted = min(available, limits.VALUES_TO_SHOW_INDEPENDENCE)
                if name != setting[0] and len(pressed) < wanted:
                    too_few[setting][name] = pressed
        return too_few

    def _of(self, setting: Setting) -> list[Compared]:
        return [press for press in self.presses if press.setting == setting]

    @cached_property
    def _tested(self) -> _Tested:
        return _Tested.by(self.presses)

    @cached_property
    def _tested_without_each(self) -> Sequence[_Tested]:
        """Return what presses test without any one of those that may be a mistake."""
        return [
            _Tested.by([other for other in self.presses if other is not press])
            for press in self.presses
            if not press.is_certain
        ]

    @cached_property
    def _known(self) -> int:
        """Return the bits that presses test without any one of them."""
        tested = (tested.bits for tested in self._tested_without_each)
        return reduce(and_, tested, self._tested.bits)

    @cached_property
    def _shown(self) -> _Shown:
        copied = fixed = differing = 0
        first: dict[Setting, Compared] = {}
        for press in self.presses:
            before = first.setdefault(press.setting, press)
            of_origin, of_message = before.origin ^ press.origin, before.message ^ press.message
            copied |= of_origin & of_message
            fixed |= of_origin & ~of_message
            differing |= of_message & ~of_origin
        return _Shown(copied, fixed, copied & fixed | differing)


def other_layouts(observations: Observations, usual_message: UsualMessage) -> Iterator[OtherLayout]:
    """Yield the other layouts in which values are sent.

    A press that contradicts all others is left out.
    """
    for layout, settings in observations.other_layouts.items():
        found = _with_origins(
            OtherLayout(
                observations=observations,
                usual_message=usual_message,
                layout=layout,
                settings=settings,
                placings=(),
                presses=[],
                received=sum(
                    press.decoded is not None and press.decoded[0] == layout
                    for press in observations.presses
                ),
            )
        )
        if found.is_contradicted and len(found.presses) >= limits.LEAVE_OUT_OF_LAYOUT_FROM:
            without = (
                replace(
                    found,
                    presses=[other for other in found.presses if other is not press],
                    left_out=press.state,
                )
                for press in found.presses
                if not press.is_certain
            )
            fitting = [other for other in without if not other.is_contradicted]
            if len(fitting) == 1:
                [found] = fitting
        yield found


def usual_state(observations: Observations, state: State, setting: Setting) -> State:
    """Return a state with the usual value of an attribute."""
    table, _ = setting
    return with_values(state, {table: value(observations.first, table)})


def placed(usual: int, placings: Sequence[Placing]) -> int:
    """Return the bits of a usual message where another layout has them."""
    return sum(
        (usual >> of_origin & ((1 << count) - 1)) << start for start, of_origin, count in placings
    )


def _with_origins(found: OtherLayout) -> OtherLayout:
    """Return the layout with its presses, and with the origins that fit them best."""
    observations, usual_layout = found.observations, found.observations.layout
    assert usual_layout is not None  # noqa: S101 - for mypy: there are messages
    received = [
        (press.state, setting, press.decoded[1], usual, press.twice)
        for press in observations.presses
        if isinstance(press.state, State) and press.decoded and press.decoded[0] == found.layout
        if (setting := _setting_of(press.state, found.settings)) is not None
        for usual in [found.usual_message(usual_state(observations, press.state, setting))]
        if usual is not None
    ]

    def compared(placings: Sequence[Placing]) -> OtherLayout:
        presses = [
            Compared(state, setting, message, placed(usual, placings), is_certain)
            for state, setting, message, usual, is_certain in received
        ]
        return replace(found, placings=placings, presses=presses)

    data = compared([]).data
    placings: list[Placing] = []
    origins = [*zip(_starts(usual_layout.frames), usual_layout.frames, strict=True)]
    widths = found.layout.frames
    for number, (start, width) in enumerate(zip(_starts(widths), widths, strict=True)):
        in_frame = (1 << start + width) - (1 << start) & data

        def misfit(placing: Placing, bits: int = in_frame) -> int:
            return (compared([placing]).contradicting & bits).bit_count()

        possible = [(start, of_origin, min(width, size)) for of_origin, size in origins]
        same = possible[number % len(possible)]
        placings.append(min((same, *possible), key=misfit))
    return compared(placings)


def _starts(widths: Sequence[int]) -> list[int]:
    return [*accumulate(widths, initial=0)][:-1]


def _setting_of(state: State, settings: Collection[Setting]) -> Setting | None:
    """Return the value because of which a state is sent in a layout; None if it is unclear."""
    own = [(table, setting) for table, setting in settings if value(state, table) == setting]
    return own[0] if len(own) == 1 else None
