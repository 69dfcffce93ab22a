"""Strategy: decide which state to press next.

Each question is a function that examines what is proven so far and returns a state to ask for, or
None. The first question that returns a state is asked.
"""

from collections.abc import Callable, Sequence
from typing import Final

from ..states.state import NAMED, OFF, Off, State, value
from . import doubt, limits
from .observations import Observations, with_values, without_temperature
from .other_modes import about_other_modes, between_hypotheses, is_far, unknown_temperature
from .proof import Proof
from .proving import proof_of, worthwhile_proof

_PRESETS_LAST: Final = sorted(NAMED, key="preset".__eq__)

type Question = Callable[[Proof], State | Off | None]
"""Returns the state to ask for, or None. Its docstring states the reason for asking."""


def next_question(observations: Observations, proof: Proof | None) -> State | Off | None:
    """Return the state to press next; None if nothing is left to ask."""
    if observations.asked >= limits.PRESSES:
        return None
    if proof is None:
        return observations.nearest(observations.usual(observations.modes[0]))
    has_room = observations.asked < limits.PRESSES - proof.presses_in_reserve
    questions = (*OPENING, *(EXPLORING if has_room else ()), *PROVING)
    states = (question(proof) for question in questions)
    return next((state for state in states if state is not None), None)


def first_again(proof: Proof) -> State | None:
    """Ask for the first state again: bits that differ are volatile."""
    return proof.observations.first if len(proof.observations.early) == 1 else None


def first_changing(proof: Proof) -> State | None:
    """Ask for the first state several times if it is not the same each time.

    It is pressed again later, when others differ in bits that are no part of the state by all that
    is known: a clock goes on meanwhile.
    """
    observations = proof.observations
    first = observations.first
    received = [press.message for press in observations.early]
    if len({*received}) > 1 and len(received) < limits.SAME_AGAIN:
        return first
    is_late = all(press.state != first for press in observations.presses[-limits.LATE_GAP :])
    has_time = is_late and observations.late < limits.LATE_REPEATS
    return first if proof.model.unshown and has_time else None


def off(proof: Proof) -> Off | None:
    """Ask for off, which has a packet of its own."""
    observations = proof.observations
    return None if OFF in observations.missing or observations.of(OFF) else OFF


def off_later(proof: Proof) -> Off | None:
    """Ask for off a second time, when enough is proven: the first press may be a mistake."""
    presses = proof.observations.of(OFF)
    return OFF if len(presses) == 1 and not presses[0].twice else None


def counted_outlier_again(proof: Proof) -> State | None:
    """Ask for the last outlier once more, if it is known how temperatures are encoded.

    Otherwise a check may fit by chance, which a press of another value shows: values come first.
    """
    return None if proof.model.is_uncounted else outlier_again(proof)


def outlier_again(proof: Proof) -> State | None:
    """Ask for the last outlier once more: it was either a mistake, or will be received again."""
    pressed = proof.observations.pressed
    return next((s for s in reversed(proof.model.outliers) if pressed.get(s) == 1), None)


def alike_again(proof: Proof) -> State | None:
    """Ask again for a state with the message of another one: one of them was a mistake."""
    return next(iter(doubt.alike(proof)), None)


def beside_outlier(proof: Proof) -> State | None:
    """Ask for an outlier at another temperature: whether it is alone, or all of its column are so.

    That temperature is far from those that were pressed.
    """
    observations = proof.observations
    for outlier in proof.model.outliers:
        column = without_temperature(outlier)
        beside = [s for s in observations.pressed if without_temperature(s) == column]
        pressed = [s.temperature for s in beside if s.temperature is not None]
        if len(beside) <= limits.GOOD_BESIDE_OUTLIER and pressed:
            distances = {
                min(abs(state.temperature - t) for t in pressed): state
                for state in observations.not_pressed(outlier.mode)
                if state.temperature is not None and without_temperature(state) == column
            }
            if distances:
                return distances[max(distances)]
    return None


def counted_beside_outlier(proof: Proof) -> State | None:
    """Ask for an outlier at another temperature, if it is known how temperatures are encoded."""
    return None if proof.model.is_uncounted else beside_outlier(proof)


def first_temperatures(proof: Proof) -> State | None:
    """Ask for some temperatures before other modes: most of what there is to learn."""
    pressed = proof.observations.pressed_in(proof.observations.first.mode)
    few = len({state.temperature for state in pressed}) < limits.TEMPERATURES_FIRST
    return temperature_of_base_mode(proof) if few else None


def temperature_of_base_mode(proof: Proof) -> State | None:
    """Ask for an unknown temperature: several encodings fit, or none."""
    return unknown_temperature(proof, proof.observations.first)


def value_of_base_mode(proof: Proof) -> State | None:
    """Ask for a fan speed, swing or preset not pressed yet: only its press shows its bits.

    That is at the first temperature, where each takes one key. Presets come last: they may be sent
    in another layout, and then be combined with other values.
    """
    observations, first = proof.observations, proof.observations.first
    messages = proof.model.evidence.messages
    foreign = {state: observations.foreign_value(state) for state in observations.foreign}
    for table in _PRESETS_LAST:
        pressed = [
            setting
            for state in observations.pressed_in(first.mode)
            if (setting := value(state, table)) is not None
            and foreign.get(state) in (None, (table, setting))
        ]
        understood = {value(s, table) for s in messages if s.mode == first.mode}
        for setting in proof.observations.capabilities[first.mode].values(table):
            is_foreign = (table, setting) in proof.observations.foreign_values
            if setting not in understood and pressed.count(setting) <= 1 and not is_foreign:
                target = with_values(first, {table: setting})
                if (table, setting) in foreign.values():
                    target = _with_other_values(proof, target, keeping=table)
                if state := proof.observations.nearest(target, keeping=table):
                    return state
    return None


def special_with_others(proof: Proof) -> State | None:
    """Ask for a special value with another fan speed and swing: it may set them."""
    first = proof.observations.first
    levels = proof.observations.capabilities[first.mode]
    for table in NAMED:
        others = [o for o in NAMED if o != table and len(levels.values(o)) > 1]
        for setting in levels.values(table):
            target = with_values(first, {table: setting})
            if (
                not proof.observations.is_special(table, setting)
                or target not in proof.observations.pressed
                or (table, setting) in proof.observations.foreign_values
                or (
                    proof.is_beside_usual(table, setting)
                    and proof.special.may_be_shown_elsewhere(table, setting, others)
                )
            ):
                continue
            state = _with_other_values(proof, target, keeping=table)
            if (
                state != target
                and state not in proof.observations.pressed
                and state not in proof.observations.missing
                and any(proof.may_interact(state))
            ):
                return state
    return None


def usual_special_with_others(proof: Proof) -> State | None:
    """Ask for that before other temperatures, where it takes few keys.

    In a further frame it would be compared with a prediction before the check is known.
    """
    return None if proof.observations.enclosing else special_with_others(proof)


def _with_other_values(proof: Proof, target: State, *, keeping: str) -> State:
    """Return a state of the base mode with other values than the first state, except for one."""
    first = proof.observations.first
    levels = proof.observations.capabilities[first.mode]
    others = {
        other: next(v for v in levels.values(other) if v != value(first, other))
        for other in NAMED
        if other != keeping and len(levels.values(other)) > 1
    }
    return with_values(target, others)


def in_other_layout(proof: Proof) -> State | None:
    """Ask for values that are sent in another layout, until it is known what is sent there.

    Their messages are compared with those of the base mode, which must be proven.
    """
    if proof.lacks_proofs(proof.model.evidence.base_mode):
        return None
    questions = (layout.question() for layout in proof.other_layouts)
    return next((state for state in questions if state is not None), None)


def special_with_third(proof: Proof) -> State | None:
    """Ask for a special value that seems to set others, with other values of these once more.

    The press that shows it may be a mistake. It is asked for at another temperature, after those
    of the base mode, the last of which is near.
    """
    third = proof.special.with_third_values()
    return None if third is None else special_with_others(proof) or third


def hypotheses_of_base_mode(proof: Proof) -> State | None:
    """Ask for a state on which hypotheses with nearly the same cost differ."""
    first = proof.observations.first
    return between_hypotheses(proof, first.mode, [first], {})


def first_proof(proof: Proof) -> State | None:
    """Ask for a predicted state of the base mode in time: without one nothing is offered."""
    base = proof.model.evidence.base_mode
    left = limits.PRESSES - proof.observations.asked
    is_open = not proof.proofs[base] and proof.proofs_needed[base]
    return proof_of(proof, [base]) if is_open and left <= limits.LEFT_TO_PROVE else None


def level_again(proof: Proof) -> State | None:
    """Ask for a level once more, in another state, if only a single press shows what it is.

    The mode with most states comes first, and a temperature that is far from the one before. The
    last presses are left to proofs that a mode lacks: without them none of its states is offered.
    """
    observations = proof.observations
    if _needs_rest_for_proofs(proof):
        return None
    count = observations.capabilities.count
    levels = proof.unconfirmed_levels
    for mode, table, setting in sorted(levels, key=lambda level: (-count(level[0]), str(level))):
        pressed = observations.pressed_in(mode)
        once = next((state for state in pressed if value(state, table) == setting), None)
        if once is None:
            continue  # it follows from another temperature
        far = _far_from(proof, once)
        again = min(far, key=observations.keys, default=observations.nearest(once, keeping=table))
        return once if again is None else again
    return None


def exception_again(proof: Proof) -> State | None:
    """Ask again, at another temperature, for what alone shows that a term needs several values."""
    for state in () if _needs_rest_for_proofs(proof) else proof.sole_exceptions:
        return min(_far_from(proof, state), key=proof.observations.keys, default=state)
    return None


def _needs_rest_for_proofs(proof: Proof) -> bool:
    """Return whether the modes lack as many proofs as there are presses left."""
    lacking = sum(
        max(0, needed - proof.proofs[mode]) for mode, needed in proof.proofs_needed.items()
    )
    return limits.PRESSES - proof.observations.asked <= lacking


def _far_from(proof: Proof, pressed: State) -> Sequence[State]:
    """Return states like a pressed one, at temperatures far from all that were pressed."""
    observations, column = proof.observations, without_temperature(pressed)
    return [
        state
        for state in observations.not_pressed(pressed.mode)
        if without_temperature(state) == column
        and is_far(proof, state)
        and not (proof.model.counts_apart and observations.is_at_an_end(state))
    ]


def off_again(proof: Proof) -> Off | None:
    """Ask for off again if its packet was that of a state."""
    return OFF if proof.is_off_doubtful else None


def still_open(proof: Proof) -> State | None:
    """Ask for a state in the middle of the column of which most is not offered: presses are left.

    What the remote control cannot send at one temperature is not asked for at others.
    """
    observations = proof.observations
    foreign = {without_temperature(state) for state in observations.foreign}
    columns: dict[State, list[State]] = {}
    for mode in observations.capabilities:
        if not proof.model.is_understood(mode):
            continue
        temperatures = observations.capabilities[mode].temperatures
        last = len(temperatures) - 1
        sample: list[float | None] = [temperatures[last * n // 4] for n in range(5) if temperatures]
        for state in observations.not_pressed(mode):
            column = without_temperature(state)
            if (
                state.temperature in (sample or [None])
                and column not in foreign
                and not observations.missing_beside(state)
                and proof.message(state) is None
            ):
                columns.setdefault(column, []).append(state)
    most = max(columns.values(), key=len, default=())
    return most[len(most) // 2] if len(most) > 1 else None


OPENING: Final[Sequence[Question]] = (first_again, off, first_changing)
EXPLORING: Final[Sequence[Question]] = (
    counted_outlier_again,
    alike_again,
    counted_beside_outlier,
    value_of_base_mode,
    usual_special_with_others,
    first_temperatures,
    special_with_others,
    special_with_third,
    outlier_again,
    beside_outlier,
    temperature_of_base_mode,
    hypotheses_of_base_mode,
    first_proof,
    about_other_modes,
)
"""Skipped when the remaining presses are needed to prove the base mode."""
PROVING: Final[Sequence[Question]] = (
    level_again,
    exception_again,
    in_other_layout,
    worthwhile_proof,
    off_again,
    off_later,
    still_open,
)
