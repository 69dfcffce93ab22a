"""Model of an air conditioner: its state, its limits, and the effect of changes. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..ircodes import OFF, BitRule, Levels, Off, State
from ..ircodes.states import ATTRIBUTES, Changes, agreed_state, value
from .rules import CommandRule, PacketRule, Sends


@dataclass(frozen=True, kw_only=True)
class Change:
    """A requested change."""

    on: bool | None = None
    """Whether to turn it on or off; None: unchanged."""
    changes: Changes
    upcoming: Changes
    """Changes that the same scene will request next."""


@dataclass(frozen=True, kw_only=True)
class ChangeResult:
    """The result of several changes."""

    state: State | None
    """The new state; None if unknown."""
    on: bool | None
    """Whether it is turned on or off; None: unchanged, and nothing is sent."""
    refused: Sequence[State | None]
    """For each change None, or the impossible state that it would lead to."""
    sends: Sequence[Sends] = ()
    """Commands or packets that set the state; empty when it is turned off."""

    @property
    def is_refused(self) -> bool:
        """Return whether none of the changes can be possible."""
        return all(state is not None for state in self.refused)


@dataclass(frozen=True, kw_only=True)
class Thermostat:
    """An air conditioner with its current state."""

    rule: CommandRule | PacketRule
    modes: Sequence[str]
    """Modes of the rule that Home Assistant knows."""
    state: State | None = None
    """The last state that was set; None if unknown."""
    is_on: bool | None = None
    is_beyond: bool = False
    """Whether the state was set by the remote control and cannot be set by the rule."""
    room: float | None = None
    """Temperature of the room in °C for its packets, if the protocol has it."""
    is_restored: bool = True
    """Whether it is in its last state after it was turned on by hand; else that is unknown."""

    @property
    def shown(self) -> State | None:
        """Return its state, or the one before it was turned off; None if unknown."""
        if self.state is not None and self.state.mode in self.modes:
            return self.state
        if self.is_beyond:
            return None
        if not self.modes or (self.is_on and not self.is_restored):
            return None
        return self.rule.usual

    @property
    def base_state(self) -> State | None:
        """Return the state that changes are applied to; None if there is no mode."""
        return self.shown or (self.rule.usual if self.modes else None)

    @property
    def levels(self) -> Levels | None:
        """Return the levels of its mode; None if unknown."""
        return None if (state := self.shown) is None else self.rule.capabilities.get(state.mode)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Return the lowest and the highest temperature that can be set now, if any.

        All modes count while it is off, since an action may set temperature and mode together, and
        while its mode is unknown.
        """
        capabilities, levels = self.rule.capabilities, self.levels
        offered = [levels] if self.is_on and levels is not None else capabilities.values()
        degrees = [degree for levels in offered for degree in levels.temperatures]
        return (min(degrees), max(degrees)) if degrees else None

    @property
    def fitted(self) -> State | None:
        """Return its state, or the nearest existing one: the commands may have changed."""
        state = self.state
        if state is None or self.is_beyond or state.mode not in self.modes:
            return state
        return state if self.rule.find(state) is not None else self.rule.fit(state)

    def received(self, codes: Sequence[str | State | Off]) -> State | Off | None:
        """Return the state that its remote control has set; None if unknown.

        If a press may stand for several states, settings in which they differ are kept.
        """
        decoded_codes = [decoded(self.rule, code) for code in codes]
        if OFF in decoded_codes:
            return OFF
        states = [state for state in decoded_codes if isinstance(state, State)]
        if states and self.rule.find(states[0]) is None:
            return self._displayable(states[0])
        return agreed_state(states, self.state or self.rule.usual) if states else None

    def is_unchanged_by(self, change: Change) -> bool:
        """Return whether a change would have no effect."""
        if change.on not in (None, self.is_on):
            return False
        if (shown := self.shown) is None:
            return True
        changed = self.rule.after(shown, change.changes)
        return changed == shown and self.rule.find(changed) is not None

    def after(self, changes: Sequence[Change]) -> ChangeResult:
        """Return the result of changes, applied together as far as such a state exists.

        While it is off, changes are only remembered.
        """
        base = self.base_state
        state = base
        refused: Sequence[State | None] = [None] * len(changes)
        if base is not None:
            upcoming = Changes()
            for change in changes:
                upcoming |= change.upcoming
            state, refused = self.rule.after_all(
                base, [change.changes for change in changes], upcoming
            )
        possible = [
            change
            for change, impossible in zip(changes, refused, strict=True)
            if impossible is None
        ]
        on = next((change.on for change in reversed(possible) if change.on is not None), None)
        if not possible or on is False or not (on or self.is_on) or state is None:
            return ChangeResult(state=state, on=on, refused=refused)
        return ChangeResult(state=state, on=True, refused=refused, sends=self._codes_for(state))

    def _codes_for(self, state: State) -> Sequence[Sends]:
        """Return what to send to set an existing state, including turning it on if necessary."""
        rule = self.rule
        turn_on = None if self.is_on else rule.on or rule.toggle
        known = rule.find(state) or state
        if isinstance(rule, BitRule):
            code: Sends = rule.encode_in_room(known, self.room)
        else:
            code = rule.encode(known)
        return [*([] if turn_on is None else [turn_on]), code]

    @property
    def report(self) -> Sends | None:
        """Return the packet that only reports the temperature of the room, if there is one."""
        rule = self.rule
        if not self.is_on or self.state is None or not isinstance(rule, BitRule):
            return None
        known = rule.find(self.state)
        if self.room is None or known is None:
            return None
        return rule.encode_in_room(known, self.room, only_report=True)

    def cannot_send(self, state: State) -> bool:
        """Return whether a state cannot be set by the rule, only by the remote control."""
        return state.mode not in self.modes or self.rule.find(state) is None

    def _displayable(self, state: State) -> State:
        """Return a state that cannot be sent in a form that can be shown.

        Levels that the mode does not have are unknown (None). Settings that a rule does not decode
        are those of the nearest state of the rule.
        """
        if (levels := self.rule.capabilities.get(state.mode)) is None:
            return state
        fitted = state if isinstance(self.rule, CommandRule) else self.rule.fit(state)
        shown: dict[str, Any] = {}
        for name in ATTRIBUTES:
            known = value(state, name)
            is_shown = name == "temperature" or known in levels.values(name)
            shown[name] = value(fitted, name) if known is None else known if is_shown else None
        return State(mode=state.mode, **shown)


def decoded(rule: CommandRule | PacketRule, code: str | State | Off) -> State | Off | None:
    """Return the state of a command, or a decoded state itself; None if there is none."""
    if isinstance(code, str):
        return rule.decode(code) if isinstance(rule, CommandRule) else None
    return code


def state_of_press(
    rule: CommandRule | PacketRule, codes: Sequence[str | State | Off]
) -> State | Off | None:
    """Return the state of a press with only the settings that it contains; None if it has none.

    If a press may stand for several states, settings in which they differ are omitted.
    """
    decoded_codes = [decoded(rule, code) for code in codes]
    if OFF in decoded_codes:
        return OFF
    states = [state for state in decoded_codes if isinstance(state, State)]
    return agreed_state(states) if len({state.mode for state in states}) == 1 else None


def kept_state(kept: Mapping[str, Any]) -> State | None:
    """Return the state from restored data; None if it is invalid."""
    match kept:
        case {
            "mode": str(mode),
            "preset": str() | None as preset,
            "fan": str() | None as fan,
            "swing": str() | None as swing,
            "temperature": int() | float() | None as temperature,
        }:
            return State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)
        case _:
            return None
