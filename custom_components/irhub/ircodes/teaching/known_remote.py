"""A known protocol, matched to the presses of a lesson and the values of the remote control.

A remote control may use other names for fan speeds than the protocol, may lack some of them, and
may send a fixed speed in a mode whatever it displays.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

from ..known.row import KnownReading
from ..states.bit_rule import BitRule, ModeBits
from ..states.capabilities import Capabilities
from ..states.rule_parts import Extra
from ..states.state import ATTRIBUTES, State, Value, attributes, value
from .observations import Observations

type Claim = tuple[str, Value]
"""An attribute of State, or "mode", and a value whose meaning a press should show."""

NAMES: Final = ("fan", "swing")
"""Attributes whose values may have other names in a protocol."""
USUAL_FAN: Final = "auto"
"""A mode may send this speed whatever is displayed: its press shows less."""
_SAME_MODES: Final = ({"auto", "heat_cool"},)
_MOST_UNEXPLAINED, _SETTLED = 3, 3
"""Maximum number of presses that a protocol may leave unexplained, and minimum number that it must
explain before that."""
_FIXED: Final = frozenset({"auto", "dry", "fan_only", "heat_cool"})
"""Modes that may have a fixed fan speed or temperature whatever is displayed: two values must be
pressed."""
_FEW: Final = 2
"""Values are exceptions if so many times as many others flip the same bits in two modes."""
_ALWAYS_PLAIN: Final = ("fan_only", "fan")
"""A mode, and an attribute that always has an effect in it."""


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """The values of an attribute in a mode, as values of the protocol."""

    known: Mapping[Value | None, Value | None]
    """Value of the remote control → value of the protocol."""
    always: Value | None = None
    """The fixed value, if `is_plain` is False."""
    is_plain: bool = True
    """Whether the displayed value is sent."""

    def of(self, setting: Value | None) -> Value | None:
        """Return the protocol's value; None if it is unknown or the mode does not have it."""
        return self.known.get(setting) if self.is_plain else self.always


@dataclass(frozen=True, kw_only=True)
class KnownRemote:
    """A protocol, and the values that presses have shown."""

    reading: KnownReading
    """The reading of the first press."""
    pairs: Sequence[tuple[State, State]]
    """Requested state, and the state that was read."""
    flips: Mapping[str, int]
    """The protocol's mode → flipped bits of its presses."""
    unexplained: Sequence[State]
    """Requested states whose presses do not fit the protocol."""
    capabilities: Capabilities
    """Of the remote control."""

    @classmethod
    def of(
        cls, presses: Sequence[tuple[State, KnownReading | None]], capabilities: Capabilities
    ) -> Self | None:
        """Return the match of a protocol and presses; None if they do not fit."""
        first = presses[0][0]
        pairs: list[tuple[State, State]] = []
        flips: dict[str, int] = {}
        unexplained: list[State] = []
        first_reading = presses[0][1]
        if first_reading is None or first_reading.unexplained or _lacks_value(first, first_reading):
            return None
        for asked, reading in presses:
            if asked.preset not in (first.preset, None):
                continue
            known = None if reading is None else reading.state
            if (
                reading is None
                or not isinstance(known, State)
                or (known.mode != asked.mode and {known.mode, asked.mode} not in _SAME_MODES)
                or not _may_have(first_reading, known.mode, reading.flips)
                or flips.setdefault(known.mode, reading.flips) != reading.flips
            ):
                if len({state for state, _ in pairs}) < _SETTLED:
                    return None
                unexplained.append(asked)
            else:
                pairs.append((asked, _same_by(reading.row.rule.modes[known.mode], asked, known)))
        if not pairs or pairs[0][0] != first:
            return None
        remote = cls(
            reading=first_reading,
            pairs=pairs,
            flips=flips,
            unexplained=unexplained,
            capabilities=capabilities,
        )
        contradicting = [asked for asked, _ in pairs if remote._is_contradicted(asked.mode, asked)]
        if contradicting:
            remote = replace(
                remote,
                pairs=[pair for pair in pairs if pair[0] not in contradicting],
                unexplained=[*unexplained, *contradicting],
            )
        return remote if remote.is_possible else None

    @property
    def is_settled(self) -> bool:
        """Return whether enough presses are explained to doubt one that is not."""
        return len({asked for asked, _ in self.pairs}) >= _SETTLED

    @property
    def is_possible(self) -> bool:
        """Return whether each unexplained press can be attributed to a single unknown value.

        It may be no mode: what the lesson would have to show of it takes too many presses.
        """
        if len(self.unexplained) > _MOST_UNEXPLAINED or not self.pairs:
            return False
        if any(attribute == "mode" for attribute, _ in self.refuted):
            return False
        return all(
            len(self._culprits(state)) == 1 or self.is_unshown_exception(state)
            for state in self.unexplained
        )

    @cached_property
    def refuted(self) -> frozenset[Claim]:
        """Return the values that the protocol does not have, as unexplained presses show."""
        culprits = map(self._culprits, self.unexplained)
        return frozenset(claims[0] for claims in culprits if len(claims) == 1)

    def pressed_in(self, mode: str) -> Sequence[State]:
        """Return the explained requested states of a mode."""
        return [asked for asked, _ in self.pairs if asked.mode == mode]

    def is_doubtful(self, state: State) -> bool:
        """Return whether a state has a value outside the protocol, or several new values."""
        claims = [claim for claim in _claims(state) if not self.is_shown(claim)]
        order = self.reading.row.rule.order
        strange = sum(
            known not in (order if attribute == "mode" else order.levels.values(attribute))
            for attribute, known in claims
        )
        return not self.refuted.isdisjoint(claims) or (strange > 0 and len(claims) > 1)

    def is_shown(self, claim: Claim) -> bool:
        """Return whether presses show the meaning of a value."""
        attribute, known = claim
        if attribute == "mode":
            mode = str(known)
            return bool(self.pressed_in(mode)) and all(
                self.meaning(mode, name) is not None for name in ATTRIBUTES
            )
        return any(
            value(asked, attribute) == known and self.is_plain(asked.mode, attribute)
            for asked, _ in self.pairs
            if attribute != "temperature" or asked.mode == self.base_mode
        )

    @property
    def base_mode(self) -> str:
        """Return the mode of the first press."""
        return self.pairs[0][0].mode

    def is_plain(self, mode: str, attribute: str) -> bool:
        """Return whether a mode sends the displayed value, as far as known."""
        meaning = self.meaning(mode, attribute)
        return meaning.is_plain if meaning is not None else not self.pressed_in(mode)

    def meaning(self, mode: str, attribute: str) -> Meaning | None:
        """Return the meaning of values in a mode; None if another press is needed to show it."""
        here = self._pairs_of(mode, attribute)
        asked, known = {setting for setting, _ in here}, {meant for _, meant in here}
        if asked == {None}:
            [always, *others] = known
            return None if others else Meaning(known={}, always=always, is_plain=False)
        common = self._common[attribute]
        if None not in known and all(common.get(setting) == meant for setting, meant in here):
            is_telling = mode not in _FIXED or attribute == "swing" or mode == self.base_mode
            is_telling &= any(self.tells(mode, attribute, setting) for setting in asked)
            values = self.capabilities[mode].values(attribute)
            is_shown = is_telling or len(values) == 1 or len(asked) > 1
            if self.lacks_usual(mode, attribute):
                is_shown = False
            return Meaning(known=common) if is_shown else None
        is_fixed = mode in _FIXED and (mode, attribute) != _ALWAYS_PLAIN
        if is_fixed and len(asked) > 1 and len(known) == 1:
            return Meaning(known={}, always=known.pop(), is_plain=False)
        return None

    def lacks_usual(self, mode: str, attribute: str) -> bool:
        """Return whether the usual fan speed must be pressed in a mode, as it may differ there."""
        return (
            attribute == "fan"
            and mode in _FIXED
            and mode != self.base_mode
            and USUAL_FAN in self.capabilities[mode].fans
            and all(asked.fan != USUAL_FAN for asked in self.pressed_in(mode))
        )

    def tells(self, mode: str, attribute: str, setting: Value | None) -> bool:
        """Return whether the protocol has no other value with the same bits in this mode."""
        if len(self.capabilities[mode].values(attribute)) < 2:  # noqa: PLR2004
            return True
        known = self.reading.row.rule.modes.get(self._modes.get(mode, mode))
        table: Mapping[Any, int] = {} if known is None else known.tables.get(attribute, {})
        meant = self._common[attribute].get(setting, setting)
        return meant in table and [*table.values()].count(table[meant]) == 1

    def rule(self, observations: Observations) -> BitRule:
        """Return the rule of what is shown, with the remote control's names of values."""
        known = replace(self.reading, in_modes=self.flips).rule()
        capabilities = observations.capabilities
        shown = [mode for mode in capabilities if self.is_shown(("mode", mode))]
        modes = {
            mode: bits
            for mode in shown
            if (bits := self._mode_bits(known.modes[self._modes[mode]], mode, observations))
        }
        rule = replace(
            known, order=capabilities, modes=modes, without=frozenset(), pressed={}, off=None
        )
        without = {state for state in observations.missing if isinstance(state, State)}
        if known.without:
            without |= {s for s in rule.states if self._as_known(s) not in known.states}
        without.update(filter(self.is_unshown_exception, rule.states))
        return replace(rule, without=frozenset(without))

    def is_unshown_exception(self, state: State) -> bool:
        """Return whether a state is an exception in its mode, unlike all that were pressed.

        An exception of a row may be a mistake in a code file from which it was made.
        """
        exceptions = self._exceptions(state)
        return bool(exceptions) and all(
            self._exceptions(asked) != exceptions for asked in self.pressed_in(state.mode)
        )

    def _exceptions(self, state: State) -> frozenset[object]:
        """Return the extra terms of a state, and its values that are exceptions in its mode."""
        if (mode := self._modes.get(state.mode)) is None:
            return frozenset()
        extras, irregular = self.reading.row.rule.modes[mode].extras, self._irregular[mode]
        if not extras and not irregular:
            return frozenset()
        known = self._as_known(state)
        terms = (number for number, extra in enumerate(extras) if extra.applies_to(known))
        return frozenset([*terms, *(claim for claim in attributes(known) if claim in irregular)])

    @cached_property
    def _irregular(self) -> Mapping[str, Collection[Claim]]:
        """Return the protocol's modes → values that flip other bits there than in the base mode.

        Not if several values do: then they mean something else in that mode.
        """
        modes = self.reading.row.rule.modes
        base = modes[self._modes[self.base_mode]].tables
        irregular: dict[str, list[Claim]] = {}
        for mode in self._modes.values():
            irregular[mode] = []
            for attribute, table in modes[mode].tables.items():
                of_base: Mapping[Any, int] = base.get(attribute, {})
                flips = {v: bits ^ of_base[v] for v, bits in table.items() if v in of_base}
                counts = Counter(flips.values())
                most = max(counts.values(), default=0)
                irregular[mode] += [
                    (attribute, setting)
                    for setting, other in flips.items()
                    if counts[other] * _FEW <= most
                ]
        return irregular

    @cached_property
    def _modes(self) -> Mapping[str, str]:
        """Return explained modes → the protocol's names."""
        return {asked.mode: known.mode for asked, known in self.pairs}

    def _mode_bits(self, known: ModeBits, mode: str, observations: Observations) -> ModeBits | None:
        """Return the bits of a mode with the remote control's names; None if it has no values."""
        levels, bits = observations.capabilities[mode], known.bits
        tables: dict[str, Mapping[Any, int]] = {}
        meant: dict[str, dict[Value | None, Value | None]] = {}
        for attribute in ATTRIBUTES:
            settings: Sequence[Value | None] = levels.values(attribute)
            if attribute == "preset" and settings:
                settings = [observations.first.preset]
            meaning = self.meaning(mode, attribute)
            assert meaning is not None  # noqa: S101 - for mypy: else the mode is not shown
            meant[attribute] = {setting: meaning.of(setting) for setting in settings or [None]}
            flips: Mapping[Any, int] = known.tables.get(attribute, {None: 0})
            table = {s: flips[of] for s, of in meant[attribute].items() if of in flips}
            if not table:
                return None
            if settings:
                tables[attribute] = table
            else:
                bits ^= table[None]
        extras = (_translated(extra, meant) for extra in known.extras)
        return ModeBits(bits=bits, tables=tables, extras=tuple(e for e in extras if e is not None))

    def _as_known(self, state: State) -> State:
        """Return a state with the protocol's values."""
        values: dict[str, Any] = {}
        mode = self._modes[state.mode]
        for attribute in self.reading.row.rule.modes[mode].tables:
            meaning = self._meanings[state.mode][attribute]
            values[attribute] = None if meaning is None else meaning.of(value(state, attribute))
        return State(mode=mode, **values)

    @cached_property
    def _meanings(self) -> Mapping[str, Mapping[str, Meaning | None]]:
        return {
            mode: {attribute: self.meaning(mode, attribute) for attribute in ATTRIBUTES}
            for mode in self._modes
        }

    @cached_property
    def _common(self) -> Mapping[str, Mapping[Value | None, Value | None]]:
        """Return the meaning of values, for all modes that have them."""
        degrees = {asked.temperature: asked.temperature for asked, _ in self.pairs}
        every = self.reading.row.rule.order.levels.temperatures
        common: dict[str, dict[Any, Any]] = {
            "preset": {asked.preset: known.preset for asked, known in self.pairs},
            "temperature": {**degrees, **{known: known for known in every}},
        }
        for attribute in NAMES:
            names = {value(asked, attribute) for asked, _ in self.pairs}
            own = self.reading.row.rule.order.levels.values(attribute)
            table: dict[Any, Any] = {}
            for asked, known in self.pairs:
                setting, meant = value(asked, attribute), value(known, attribute)
                is_own = setting in own
                if setting == meant or (not is_own and meant not in {*names, *table.values()}):
                    table.setdefault(setting, meant)
            common[attribute] = table
        return common

    def _pairs_of(self, mode: str, name: str) -> Sequence[tuple[Value | None, Value | None]]:
        return [(value(a, name), value(known, name)) for a, known in self.pairs if a.mode == mode]

    def _is_contradicted(self, mode: str, asked: State) -> bool:
        """Return whether a press contradicts the meaning that other presses show."""
        for attribute in (*NAMES, "temperature"):
            here = self._pairs_of(mode, attribute)
            several = mode not in _FIXED or len({setting for setting, _ in here}) > 1
            if several and self.meaning(mode, attribute) is None:
                common = self._common[attribute]
                setting = value(asked, attribute)
                known = next(value(k, attribute) for a, k in self.pairs if a == asked)
                if common.get(setting) != known:
                    return True
        return False

    def _culprits(self, state: State) -> Sequence[Claim]:
        """Return the values that may be the reason for an unexplained press."""
        return [claim for claim in _claims(state) if not self.is_shown(claim)]


def _lacks_value(asked: State, reading: KnownReading) -> bool:
    """Return whether a protocol has no bits for a value that its mode displays.

    Presses cannot show what that value means, so that nothing of the mode could be proven.
    """
    known = reading.state
    return isinstance(known, State) and any(
        value(asked, attribute) is not None and value(known, attribute) is None
        for attribute in ATTRIBUTES
        if attribute == "preset" or asked.mode not in _FIXED
    )


def _may_have(first: KnownReading, mode: str, flips: int) -> bool:
    """Return whether the other bits are those of the first press or of a variant."""
    return flips == first.flips or any(known.in_mode(mode) == flips for known in first.variants)


def _same_by(mode: ModeBits, asked: State, known: State) -> State:
    """Return the pressed state, with requested values where both have the same bits."""
    tables: Mapping[str, Mapping[Any, int]] = mode.tables
    same: dict[str, Any] = {
        attribute: value(asked, attribute)
        for attribute, table in tables.items()
        if (setting := value(asked, attribute)) in table
        and table[setting] == table.get(value(known, attribute))
    }
    return replace(known, **same)


def _claims(state: State) -> Iterator[Claim]:
    yield "mode", state.mode
    for name in NAMES:
        if (setting := value(state, name)) is not None:
            yield name, setting


def _translated(
    extra: Extra, meant: Mapping[str, Mapping[Value | None, Value | None]]
) -> Extra | None:
    """Return an extra with the remote control's names; None if it does not apply."""
    values: dict[str, frozenset[Value]] = {}
    for attribute, of_row in extra.values.items():
        having = {setting for setting, known in meant[attribute].items() if known in of_row}
        if not having:
            return None
        if None not in having:
            values[attribute] = frozenset(setting for setting in having if setting is not None)
    return Extra(flips=extra.flips, values=values)
