"""Prior: known air conditioners are the first hypotheses of a lesson.

While all presses fit a known protocol, a lesson asks for states that show each mode, fan speed and
swing once, several with one press if possible, and the lowest and the highest temperature. The
values shown are proven; all other states follow from the protocol. A value whose press does not fit
the protocol is left to the lesson, and the lesson starts anew if a press contradicts the others.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from ..known.narrowing import is_certain, unlikeliness
from ..known.row import KnownReading
from ..known.table import KnownAirConditioners
from ..states.bit_rule import BitRule
from ..states.state import ATTRIBUTES, OFF, Off, State, value
from . import limits
from .known_remote import NAMES, USUAL_FAN, Claim, KnownRemote
from .observations import Observations, Press

_WEAK: Final = 0.5
"""Worth of the press of a mode with values that other modes had, too."""
_MOST_IN_MODE: Final = 3
"""Presses of a mode after which it is left to the lesson, if its values are still unclear."""
_FEWEST_STATES: Final = 4
"""Minimum number of pressed states before anything is proven."""
_MOST_ROWS: Final = 4
"""Maximum number of fitting protocols that are compared."""


@dataclass(frozen=True)
class Prior:
    """The known protocols that fit the presses of a lesson."""

    observations: Observations
    load: Callable[[], KnownAirConditioners] | None = None
    """Returns the table, which is loaded after the first press. None: there is no table."""

    @cached_property
    def fitting(self) -> Sequence[KnownRemote]:
        """Return the protocols that explain most of the presses, the likeliest first."""
        presses = [press for press in self.observations.presses if isinstance(press.state, State)]
        if self.load is None or not presses:
            return ()
        table, read = self.load(), list[tuple[State, Mapping[int, KnownReading]]]()
        for press in presses:
            assert isinstance(press.state, State)  # noqa: S101 - for mypy
            readings = filter(is_certain, table.readings(press.packet))
            read.append((press.state, {id(reading.row): reading for reading in readings}))
        rows = dict.fromkeys(number for _, readings in read for number in readings)
        remotes = [
            remote
            for number in rows
            if (
                remote := KnownRemote.of(
                    [(state, of.get(number)) for state, of in read], self.observations.capabilities
                )
            )
        ]
        remotes.sort(key=lambda remote: (len(remote.unexplained), *unlikeliness(remote.reading)))
        return [
            remote for remote in remotes if len(remote.unexplained) == len(remotes[0].unexplained)
        ][:_MOST_ROWS]

    def judge(self, press: Press) -> bool | None:
        """Return whether a press fits the protocol; None if too few presses were received."""
        if not self.fitting:
            return None
        more = replace(self.observations, presses=[*self.observations.presses, press])
        after = Prior(more, self.load).fitting
        if after and len(after[0].unexplained) == len(self.fitting[0].unexplained):
            return True
        if isinstance(press.state, State) and self.fitting[0].is_unshown_exception(press.state):
            return None
        return False if self.fitting[0].is_settled else None

    @cached_property
    def question(self) -> State | Off | None:
        """Return the state whose press shows most; None if nothing is open."""
        if not self.fitting or self.observations.asked >= limits.PRESSES:
            return None
        observations = self.observations
        if observations.pressed[observations.first] == 1:
            return observations.first
        if (state := self._most_open) is not None:
            return state
        lacks_off = OFF not in observations.missing and not observations.of(OFF)
        return OFF if lacks_off and self.rule is not None else None

    @cached_property
    def is_complete(self) -> bool:
        """Return whether all states of the remote control are proven or missing."""
        if self.rule is None or self.question is not None:
            return False
        states, missing = self.rule.states, {*self.observations.missing}
        every = self.observations.capabilities.states()
        return all(state in states or state in missing for state in every)

    @property
    def is_over(self) -> bool:
        """Return whether no protocol fits any more, or the fitting one cannot prove any state."""
        return not self.fitting or (self.question is None and self.rule is None)

    @property
    def left(self) -> int:
        """Return the estimated number of remaining presses."""
        attributes = [attribute for attribute, _ in self._open]
        return 1 + max(map(attributes.count, attributes), default=0)

    @cached_property
    def reading(self) -> KnownReading | None:
        """Return the first press's reading by the proven protocol; None if there is none."""
        return None if self.rule is None else self.fitting[0].reading

    @cached_property
    def rule(self) -> BitRule | None:
        """Return the rule of the proven states; None if there are none."""
        if not self.fitting or not self._has_pressed_enough:
            return None
        rule, *others = (remote.rule(self.observations) for remote in self.fitting)
        doubtful = {
            state
            for other in others
            for state in rule.states & other.states
            if _message(rule, state) != _message(other, state)
        }
        rule = replace(rule, without=rule.without | doubtful)
        return rule if rule.states else None

    def completed(self, taught: BitRule | None) -> BitRule | None:
        """Return the rule of the proven states, extended by those that the lesson proves."""
        if (rule := self.rule) is None or taught is None:
            return taught
        others = {state: taught.encode(state) for state in taught.states - rule.states}
        return replace(rule, pressed=others, off=taught.off)

    @property
    def _has_pressed_enough(self) -> bool:
        capabilities = self.observations.capabilities
        explained = {asked for asked, _ in self.fitting[0].pairs}
        return len(explained) >= min(_FEWEST_STATES, sum(map(capabilities.count, capabilities)))

    @cached_property
    def _most_open(self) -> State | None:
        """Return the state whose press shows most, with the fewest keys."""
        observations, remote = self.observations, self.fitting[0]
        best, most = None, 0.0
        for state in observations.capabilities.states():
            if (
                state.preset not in (observations.first.preset, None)
                or state in observations.pressed
                or state in observations.missing
            ):
                continue
            if not remote.is_settled and new_values_of(state, observations.pressed) > 1:
                continue
            if worth := sum(self._worth(state, claim) for claim in self._open):
                worth -= limits.WORTH_OF_KEY * observations.keys(state)
                if not remote.is_doubtful(state) and (best is None or worth > most):
                    best, most = state, worth
        return best

    @cached_property
    def _open(self) -> Sequence[Claim]:
        """Return the claims still to show: modes, fan speeds, swings, and two temperatures."""
        observations, remote = self.observations, self.fitting[0]
        levels = observations.capabilities.levels
        claims: list[Claim] = [("mode", mode) for mode in observations.capabilities]
        claims += [(name, known) for name in NAMES for known in levels.values(name)]
        if degrees := levels.temperatures:
            claims += [("temperature", min(degrees)), ("temperature", max(degrees))]
        missing = [state for state in observations.missing if isinstance(state, State)]
        return [
            claim
            for claim in dict.fromkeys(claims)
            if not remote.is_shown(claim)
            and claim not in remote.refuted
            and not (claim[0] == "mode" and len(remote.pressed_in(str(claim[1]))) >= _MOST_IN_MODE)
            and sum(value(state, claim[0]) == claim[1] for state in missing)
            < limits.MISSING_STATES_OF_MODE
        ]

    def _worth(self, state: State, claim: Claim) -> float:
        """Return the worth of a state's press for a claim.

        For the claim of a mode, it must show what values mean there: a remote control may send the
        values of earlier presses, whatever it displays.
        """
        attribute, known = claim
        remote, levels = self.fitting[0], self.observations.capabilities[state.mode]
        if value(state, attribute) != known:
            return 0
        if attribute != "mode":
            is_base = state.mode == remote.base_mode
            is_telling = is_base if attribute == "temperature" else True
            return 1 if is_telling and remote.is_plain(state.mode, attribute) else 0
        before = remote.pressed_in(state.mode)
        usual = before or [self.observations.first, State(mode=state.mode, fan=USUAL_FAN)]
        for name in (*NAMES, "temperature"):
            is_open = not before or remote.meaning(state.mode, name) is None
            setting = value(state, name)
            is_usual = any(setting == value(other, name) for other in usual) or (
                not before and not remote.tells(state.mode, name, setting)
            )
            if before and remote.lacks_usual(state.mode, name):
                is_usual |= setting != USUAL_FAN
            if is_open and is_usual and len(levels.values(name)) > 1:
                return 0 if before else _WEAK
        return 1


def new_values_of(state: State, pressed: Collection[State]) -> int:
    """Return the number of values of a state that were not pressed yet."""
    return sum(
        value(state, name) is not None
        and all(value(state, name) != value(other, name) for other in pressed)
        for name in ("mode", *ATTRIBUTES)
    )


def _message(rule: BitRule, state: State) -> int | None:
    """Return the message of a state with its checks."""
    if (message := rule.modes[state.mode].message(state)) is None:
        return None
    for check in rule.checks:
        message = check.compute(message, rule.layout.frames)
    return message
