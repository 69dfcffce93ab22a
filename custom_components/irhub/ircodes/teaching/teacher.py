"""The teacher: asks for presses of a remote control until its rule is known and proven.

In the base mode it asks for one state repeatedly (differences are volatile bits), for off, for each
fan speed, swing and preset once, and for temperatures until their encoding is clear. Then for two
or three states of each other mode that together have all values, more if a mode is not as expected.
Finally for states that were not pressed: they must be predicted bit by bit. The order is one in
which a person presses few keys; if presses are short, temperatures come before other values.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from enum import Enum
from typing import Final, Self

from ..known.row import KnownReading
from ..known.table import KnownAirConditioners
from ..states import messages
from ..states.bit_rule import BitRule
from ..states.capabilities import Capabilities, Levels
from ..states.state import NAMED, OFF, Off, State
from . import limits
from .doubt import Doubt, earlier_doubt, looks_like, same_as_another, with_another_value
from .observations import Observations, Press
from .prior import Prior, new_values_of
from .proof import Proof
from .record import KeptPress, LessonRecord
from .rule_from_model import make_rule
from .selection import find_model
from .strategy import next_question

PRESSES = limits.PRESSES
_MORE: Final = 10
"""Additional presses when a lesson is continued after its end."""


class Verdict(Enum):
    """Judgement of a press."""

    ACCEPTED = "accepted"
    CONTRADICTS = "contradicts"
    """It contradicts the others: the same state is requested again."""
    UNREADABLE = "unreadable"
    """It cannot be read: the same state is requested again."""


class Teacher:
    """Asks for presses of a remote control, one after the other."""

    def __init__(
        self, capabilities: Capabilities, known: Callable[[], KnownAirConditioners] | None = None
    ) -> None:
        """Start a lesson for these capabilities; known protocols are tried first (`prior`).

        Raise ValueError without modes, RefusedError if there are too many states for a rule.
        """
        if not capabilities:
            raise ValueError("no mode to teach")
        capabilities.check_count()
        self._observations = Observations(capabilities)
        self._known = known
        self._prior = Prior(self._observations, known)
        self._spare: list[KeptPress] | None = None
        """Presses for a dropped known protocol, used when the same state is requested again.

        None: no protocol was dropped."""
        self._before: list[Observations] = []
        """The observations before each step, for going back."""
        self._proof: Proof | None = None
        self._doubted: int | None = None
        """The message that was doubted when it was first received."""
        self._doubt: Doubt | None = None
        """The doubt about that press."""
        self._ask = next_question(self._observations, None)

    @classmethod
    def resume(
        cls, record: LessonRecord, known: Callable[[], KnownAirConditioners] | None = None
    ) -> Self:
        """Return a teacher with the presses of an earlier lesson.

        Raise as the constructor does. Takes about half as long as the computation in the lesson
        did.
        """
        teacher = cls(record.capabilities, known if record.dropped is None else None)
        teacher._spare = None if record.dropped is None else [*record.dropped]
        teacher._observations = replace(teacher._observations, missing=[*record.missing])
        for number, kept in enumerate(record.presses, 1):
            teacher._observations = replace(teacher._observations, asked=number)
            press = teacher._press_of(kept)
            teacher._append(replace(press, twice=kept.twice, number=number))
        teacher._observations = replace(teacher._observations, asked=record.asked)
        teacher._go_on()
        return teacher

    @property
    def record(self) -> LessonRecord:
        """Return the presses, to resume the lesson later."""
        observations = self._observations
        return LessonRecord(
            capabilities=observations.capabilities,
            presses=_kept(observations),
            missing=observations.missing,
            asked=observations.asked,
            dropped=None if self._spare is None else [*self._spare],
        )

    @property
    def capabilities(self) -> Capabilities:
        """Return the capabilities of the remote control."""
        return self._observations.capabilities

    @property
    def asked(self) -> int:
        """Return the number of presses received."""
        return self._observations.asked

    @property
    def ask(self) -> State | Off | None:
        """Return the state to press next; None if the lesson is finished."""
        return self._ask

    @property
    def doubt(self) -> Doubt | None:
        """Return the doubt for which a state is requested again; None if there is none."""
        if self._doubt is None and self._proof is not None:
            return earlier_doubt(self._proof, self._ask)
        return self._doubt

    @property
    def shown(self) -> State | None:
        """Return the state that the remote control shows, or showed before off; None at first."""
        return self._observations.shown

    @property
    def is_off(self) -> bool:
        """Return whether off was pressed last."""
        presses = self._observations.presses
        return bool(presses) and presses[-1].state is OFF

    @property
    def keys(self) -> int:
        """Return the estimated number of keys until the requested state is displayed."""
        if not isinstance(self._ask, State):
            return 1
        return self._observations.keys(self._ask) + self.is_off

    @property
    def left(self) -> int:
        """Return the estimated number of remaining presses."""
        if self._ask is None:
            return 0
        if self._prior.question is not None:
            return min(self._prior.left, PRESSES - self.asked)
        base, *others = self._observations.modes
        values = [len(self.capabilities[base].values(table)) for table in NAMED]
        temperatures = len(self.capabilities[base].temperatures)
        of_others = [self.capabilities.count(mode) for mode in others]
        expected = (
            3
            + limits.PROOFS
            + sum(max(0, count - 1) for count in values)
            + min(temperatures, limits.PRESSES_TO_EXPLAIN)
            + sum(min(limits.PRESSES_PER_MODE, count) for count in of_others)
        )
        return max(1, min(PRESSES - self.asked, expected - self.asked))

    def take(self, packet: bytes) -> Verdict:
        """Process a press. Raise ValueError if nothing is requested."""
        if self._ask is None:
            raise ValueError("nothing is asked for")
        self._observations = replace(self._observations, asked=self.asked + 1)
        verdict = self._take(self._ask, packet)
        self._take_spare()
        return verdict

    def _take(self, state: State | Off, packet: bytes) -> Verdict:
        decoded = messages.read(packet, like=self._observations.layout)
        if isinstance(state, Off):
            press = Press(state=OFF, packet=packet)
            is_doubtful = (
                decoded is not None
                and self._proof is not None
                and (self._proof.is_of_a_state(decoded) or self._is_other_off(decoded))
            )
        elif decoded is None:
            self._end_after_last()
            return Verdict.UNREADABLE
        else:
            press, is_doubtful = self._judge(state, packet, decoded)
        message = None if decoded is None else decoded[1]
        if is_doubtful and message != self._doubted:
            self._doubted = message
            self._doubt = self._doubt_of(state, decoded)
            is_known = decoded is not None and decoded[0] in self._observations.other_layouts
            if self.asked >= PRESSES and (press.message is not None or is_known):
                # No press is left to repeat it: what it refutes must not be offered.
                self._keep(replace(press, number=self.asked))
            self._end_after_last()
            return Verdict.CONTRADICTS
        self._keep(replace(press, twice=is_doubtful, number=self.asked))
        return Verdict.ACCEPTED

    def skip(self) -> None:
        """Record that the remote control cannot send the requested state.

        If it was requested again, its earlier presses are dropped: they were of something else.
        """
        if self._ask is not None:
            before = self._observations
            self._before.append(before)
            presses = [press for press in before.presses if press.state != self._ask]
            missing = [*before.missing, self._ask]
            after = replace(before, presses=presses, missing=missing)
            self._observations = after.with_marks()
            if len(presses) < len(before.presses):
                self._fit()
            else:
                self._prove()
            self._go_on()
            self._take_spare()

    def correct(self, mode: str, levels: Levels | None) -> None:
        """Change the levels of a mode; None removes the mode.

        Presses of removed states are dropped. Raise ValueError if no mode remains.
        """
        if not (capabilities := self.capabilities.with_mode(mode, levels)):
            raise ValueError("no mode to teach")
        self._before.append(self._observations)
        self._observations = self._observations.with_capabilities(capabilities)
        self._fit()
        self._go_on()

    @property
    def can_go_back(self) -> bool:
        """Return whether there is an earlier step."""
        return bool(self._before)

    def back(self) -> None:
        """Request the previous state again."""
        if self._before:
            self._observations = self._before.pop()
            self._fit()
            self._go_on()

    def ask_for(self, state: State | Off) -> None:
        """Ask for a state next; its press takes the place of those that were received for it.

        Raise ValueError if the remote control does not have it.
        """
        if self.capabilities.narrowed(state) != state:
            raise ValueError(f"the remote control does not have {state}")
        observations = self._observations
        self._before.append(observations)
        self._observations = replace(
            observations.without(state), asked=min(observations.asked, PRESSES - _MORE)
        )
        self._fit()
        self._prior = Prior(self._observations, self._known)
        self._doubted = self._doubt = None
        self._ask = state

    def allow_more(self) -> None:
        """Ask on after the end of a lesson: for some more presses, also of a missing off."""
        observations = self._observations
        self._observations = replace(
            observations,
            missing=[state for state in observations.missing if state is not OFF],
            asked=min(observations.asked, PRESSES - _MORE),
        )
        self._prove()
        self._go_on()

    def rule(self) -> BitRule | None:
        """Return the rule of proven and received states; None at first."""
        return self._prior.completed(None if self._proof is None else make_rule(self._proof))

    @property
    def known(self) -> KnownReading | None:
        """Return the first press's reading by the proven known protocol; None if there is none."""
        return self._prior.reading

    def open(self) -> dict[str, list[State]]:
        """Return the states of each mode that are not offered, except missing ones."""
        rule = self.rule()
        known = {*self._observations.missing, *(rule.states if rule is not None else ())}
        missing = {
            mode: [state for state in self.capabilities.states(mode) if state not in known]
            for mode in self.capabilities
        }
        return {mode: of_mode for mode, of_mode in missing.items() if of_mode}

    def _judge(
        self, state: State, packet: bytes, decoded: tuple[messages.Layout, int]
    ) -> tuple[Press, bool]:
        """Return the press of a state, and whether it is doubtful."""
        layout, message = decoded
        if layout != self._observations.layout:
            self._align(layout)
        observations = self._observations
        press = Press(state=state, packet=packet, decoded=decoded, message=message)
        if layout == (observations.layout or layout):
            return self._judge_usual(press, state, message)
        if (enclosed := observations.enclosed_by_press(press)) is None:
            return self._judge_foreign(press, state, decoded)
        press = replace(press, message=enclosed, is_enclosed=True)
        if all(enclosing.layout != layout for enclosing in observations.enclosing):
            return press, False  # no other value has shown what these frames are
        return self._judge_usual(press, state, enclosed)

    def _judge_foreign(
        self, press: Press, state: State, decoded: tuple[messages.Layout, int]
    ) -> tuple[Press, bool]:
        """Return a press with another layout, and whether it is doubtful."""
        layout, message = decoded
        was_received = any(
            other.twice and other.decoded and other.decoded[0] == layout and not other.is_enclosed
            for other in self._observations.presses
        ) and self._observations.may_be_sent_in(layout, state)
        predicted = None if self._proof is None else self._proof.in_other_layout(state, layout)
        is_doubtful = not was_received or predicted not in (None, message)
        return replace(press, message=None, expected=()), is_doubtful

    def _judge_usual(self, press: Press, state: State, message: int) -> tuple[Press, bool]:
        """Return a press with the usual layout, and whether it is doubtful."""
        observations, proof = self._observations, self._proof
        if press.decoded is not None and observations.is_off(press.decoded):
            return replace(press, expected=()), not observations.is_of_whole_mode(
                state.mode, press.decoded
            )
        if proof is None:
            return press, False
        is_late = len(observations.early) > 1 and len(observations.pressed) > 1
        if state == observations.first and is_late:  # only bits that depend on time may differ
            first = proof.model.evidence.messages[state]
            return press, not proof.model.agrees(message, {first})
        likely = proof.likely(state) or proof.special.like_alone(state)
        press = replace(press, expected=proof.expected(state), likely=likely)
        if (is_known := self._prior.judge(press)) is None:
            return press, self._is_doubtful(state, message, press.expected)
        return press, not is_known

    def _is_doubtful(self, state: State, message: int, expected: Collection[int] | None) -> bool:
        """Return whether a message contradicts the other presses."""
        assert self._proof is not None  # noqa: S101 - for mypy: else nothing is expected
        if self._proof.model.is_sent_as_in_base(state, message):
            return False
        if expected is None and state not in self._observations.pressed:
            return (
                same_as_another(self._proof, state, message) is not None
                or with_another_value(self._proof, state, message) is not None
            )
        if expected is None or self._proof.model.agrees(message, expected):
            return False
        return not (
            self._proof.model.has_right_checks(message)
            and self._proof.special.what_it_sets(state, message)
        )

    def _is_other_off(self, decoded: tuple[messages.Layout, int]) -> bool:
        """Return whether off was different before; a press that differs each time is accepted."""
        layout, message = decoded
        others = [messages.read(press.packet) for press in self._observations.of(OFF)]
        if self._proof is None or self._doubted is not None or not others:
            return False
        data = self._proof.model.data
        return layout == self._observations.layout and all(
            other is not None and (other[0] != layout or (other[1] ^ message) & data)
            for other in others
        )

    def _press_of(self, kept: KeptPress) -> Press:
        """Return a kept press, judged anew."""
        decoded = messages.read(kept.packet, like=self._observations.layout)
        if isinstance(kept.state, Off) or decoded is None:
            return Press(state=kept.state, packet=kept.packet)
        return self._judge(kept.state, kept.packet, decoded)[0]

    def _align(self, layout: messages.Layout) -> None:
        """Decode all presses with another layout, if they have it."""
        aligned = self._observations.aligned(layout)
        if self._proof is not None and aligned is not None:
            self._observations = aligned
            self._fit()

    def _doubt_of(self, asked: State | Off, decoded: tuple[messages.Layout, int] | None) -> Doubt:
        """Return the doubt about the last press."""
        proof = self._proof
        like = None if proof is None or decoded is None else looks_like(proof, asked, decoded)
        return Doubt(number=self.asked, asked=asked, looks_like=like)

    def _keep(self, press: Press) -> None:
        was_known = bool(self._prior.fitting)
        self._append(press)
        if was_known and Prior(self._observations, self._known).is_over:
            self._begin_anew()
        self._go_on()

    def _begin_anew(self) -> None:
        """Drop the known protocols: the lesson continues as if there were none.

        Requests of a known protocol have several new values at once, so that the bits cannot be
        assigned to single values. Presses are kept as spare ones. They count, so that the lesson
        does not become longer.
        """
        self._known = None
        before = self._observations
        self._spare = _kept(before)
        self._observations = Observations(
            before.capabilities, missing=before.missing, asked=before.asked
        )
        self._proof = None

    def _append(self, press: Press) -> None:
        before = self._observations
        self._before.append(replace(before, asked=before.asked - 1))
        self._observations = before.with_press(press)
        after = self._observations
        is_read_otherwise = (after.layout, after.enclosing) != (before.layout, before.enclosing)
        if press.message is not None or is_read_otherwise:
            self._fit(0 if self._proof is None else self._proof.model.ignored)
        else:
            self._prove()

    def _prove(self) -> None:
        """Renew the proof after a change of the observations that needs no other model."""
        if self._proof is not None:
            self._proof = Proof(self._observations, self._proof.model)

    def _fit(self, ignored: int = 0) -> None:
        evidence = self._observations.evidence
        self._proof = None
        if evidence is not None:
            model = find_model(evidence, ignored=ignored)
            self._proof = Proof(self._observations, model)

    def _go_on(self) -> None:
        self._doubted = self._doubt = None
        self._prior = Prior(self._observations, self._known)
        ask = self._prior.question
        if ask is None and not self._prior.is_complete:
            ask = next_question(self._observations, self._proof)
        self._ask = ask  # assigned once: a reader in another thread takes None for the end

    def _take_spare(self) -> None:
        """Process spare presses that answer the request, or show as much."""
        spare = self._spare or []
        while self._ask is not None and (press := next(filter(self._is_usable, spare), None)):
            spare.remove(press)
            verdict = self._take(press.state, press.packet)
            if verdict is Verdict.CONTRADICTS and press.twice:
                verdict = self._take(press.state, press.packet)
            if verdict is Verdict.CONTRADICTS:
                self._doubted = self._doubt = None  # nobody can press it again now

    def _is_usable(self, press: KeptPress) -> bool:
        """Return whether a spare press is of the requested state, or has one new value at most.

        The first state must have been pressed; if it is requested again, only that is.
        """
        pressed = self._observations.pressed
        if press.state == self._ask or isinstance(press.state, Off) or not pressed:
            return press.state == self._ask
        return self._ask not in pressed and new_values_of(press.state, pressed) <= 1

    def _end_after_last(self) -> None:
        if self.asked >= PRESSES:
            self._ask = None


def _kept(observations: Observations) -> list[KeptPress]:
    """Return the presses as in a record."""
    return [
        KeptPress(state=press.state, packet=press.packet, twice=press.twice)
        for press in observations.presses
    ]
