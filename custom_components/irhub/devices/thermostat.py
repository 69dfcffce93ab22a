"""An air conditioner as it is set: what of it is offered, and what changes make of it. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..ircodes import OFF, BitRule, Levels, Off, State
from ..ircodes.states import ATTRIBUTES, Changes, agreed_state, value
from .rules import CommandRule, PacketRule, Sends


@dataclass(frozen=True, kw_only=True)
class Change:
    """What somebody wants to be changed."""

    on: bool | None = None
    """None: it stays on or off."""
    changes: Changes
    ahead: Changes
    """What the same scene will change next."""


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What several changes come to."""

    state: State | None
    """None: nothing is known, and nothing was said."""
    on: bool | None
    """None: it stays on or off, and nothing is sent."""
    refused: Sequence[State | None]
    """Of each change that cannot be made, the state that it would have made."""
    sends: Sequence[Sends] = ()
    """What sets the state; nothing of what is turned off."""

    @property
    def is_refused(self) -> bool:
        """Return whether none of the changes can be made."""
        return all(state is not None for state in self.refused)


@dataclass(frozen=True, kw_only=True)
class Thermostat:
    """An air conditioner as it is set."""

    rule: CommandRule | PacketRule
    modes: Sequence[str]
    """Those of the rule that Home Assistant knows."""
    state: State | None = None
    """What it was set to; None: nobody has said."""
    is_on: bool | None = None
    is_beyond: bool = False
    """Whether its remote control has set it to this state, which none of its own is."""
    room: float | None = None
    """In °C, what its packets are to say that the room has, if they can."""
    is_restored: bool = True
    """Whether what was turned on by hand is in its last state, and not in an unknown one."""

    @property
    def shown(self) -> State | None:
        """Return what it is set to, or was before it was turned off; None: nothing is known."""
        if self.state is not None and self.state.mode in self.modes:
            return self.state
        if self.is_beyond:
            return None
        if not self.modes or (self.is_on and not self.is_restored):
            return None
        return self.rule.usual

    @property
    def begin(self) -> State | None:
        """Return what changes begin with; None if there is no mode."""
        return self.shown or (self.rule.usual if self.modes else None)

    @property
    def levels(self) -> Levels | None:
        """Return what can be set in its mode; None if that is not known."""
        return None if (state := self.shown) is None else self.rule.capabilities.get(state.mode)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Return the lowest and the highest temperature that can be set now, if there are any.

        While it is off, one action may set the temperature and another mode; and turned on by
        hand, it is in who knows which.
        """
        capabilities, levels = self.rule.capabilities, self.levels
        offered = [levels] if self.is_on and levels is not None else capabilities.values()
        degrees = [degree for levels in offered for degree in levels.temperatures]
        return (min(degrees), max(degrees)) if degrees else None

    @property
    def fitted(self) -> State | None:
        """Return its state, or the nearest that there is: commands may have changed since."""
        state = self.state
        if state is None or self.is_beyond or state.mode not in self.modes:
            return state
        return state if self.rule.find(state) is not None else self.rule.fit(state)

    def received(self, codes: Sequence[str | State | Off]) -> State | Off | None:
        """Return what its remote control has set it to; None: that is not known.

        A press may stand for several states: what they do not agree on stays.
        """
        decoded_codes = [decoded(self.rule, code) for code in codes]
        if OFF in decoded_codes:
            return OFF
        states = [state for state in decoded_codes if isinstance(state, State)]
        if states and self.rule.find(states[0]) is None:
            return self._as_shown(states[0])
        return agreed_state(states, self.state or self.rule.usual) if states else None

    def is_as(self, change: Change) -> bool:
        """Return whether it is already as a change would have it."""
        if change.on not in (None, self.is_on):
            return False
        if (shown := self.shown) is None:
            return True
        changed = self.rule.after(shown, change.changes)
        return changed == shown and self.rule.find(changed) is not None

    def after(self, changes: Sequence[Change]) -> Reached:
        """Return what several changes come to: all that belongs together, or what there is.

        While it is off, what is changed is remembered.
        """
        begin = self.begin
        state = begin
        refused: Sequence[State | None] = [None] * len(changes)
        if begin is not None:
            ahead = Changes()
            for change in changes:
                ahead |= change.ahead
            state, refused = self.rule.after_all(
                begin, [change.changes for change in changes], ahead
            )
        made = [change for change, no in zip(changes, refused, strict=True) if no is None]
        on = next((change.on for change in reversed(made) if change.on is not None), None)
        if not made or on is False or not (on or self.is_on) or state is None:
            return Reached(state=state, on=on, refused=refused)
        return Reached(state=state, on=True, refused=refused, sends=self._setting(state))

    def _setting(self, state: State) -> Sequence[Sends]:
        """Return what sets a state, which there is, and turns it on before that if need be."""
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
        """Return what says the temperature of the room, and changes nothing; None if it is off."""
        rule = self.rule
        if not self.is_on or self.state is None or not isinstance(rule, BitRule):
            return None
        known = rule.find(self.state)
        if self.room is None or known is None:
            return None
        return rule.encode_in_room(known, self.room, only_report=True)

    def is_none_of_its_own(self, state: State) -> bool:
        """Return whether a state cannot be set, but by its remote control."""
        return state.mode not in self.modes or self.rule.find(state) is None

    def _as_shown(self, state: State) -> State:
        """Return what can be shown of a state that cannot be sent.

        A fan speed or a swing that its mode does not have is not known; what a rule does not read
        is that of the nearest of its states.
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
    """Return what a command, or what a packet said, sets an air conditioner to; None: nothing."""
    if isinstance(code, str):
        return rule.decode(code) if isinstance(rule, CommandRule) else None
    return code


def state_of_press(
    rule: CommandRule | PacketRule, codes: Sequence[str | State | Off]
) -> State | Off | None:
    """Return what a press says, and nothing of what it does not say; None: no state.

    A press may stand for several states: what they do not agree on is not said.
    """
    decoded_codes = [decoded(rule, code) for code in codes]
    if OFF in decoded_codes:
        return OFF
    states = [state for state in decoded_codes if isinstance(state, State)]
    return agreed_state(states) if len({state.mode for state in states}) == 1 else None


def kept_state(kept: Mapping[str, Any]) -> State | None:
    """Return the state that was kept over a restart; None if that is none."""
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
