"""Questions about modes other than the base mode: find the most informative press.

States wait until their mode, and each of their values in it, was pressed. The state is requested
whose press may determine most states. A mode that was pressed often enough, but has several
hypotheses left, is requested with the state on which they differ most.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..states.state import ATTRIBUTES, NAMED, State, Value, value
from . import limits
from .hypotheses import Effect
from .observations import Observations, distance, with_values, without_temperature
from .proof import Proof

type _Needs = Mapping[tuple[object, ...], float]
"""(mode,) or (mode, attribute, value) → number of states that wait for a press with it."""


def about_other_modes(proof: Proof) -> State | None:
    """Ask for the state that determines most states of other modes.

    If there are presses for all modes, each is pressed once before one is pressed again, and so on:
    the mode key leads from one to the next.
    """
    observations = proof.observations
    modes = [mode for mode in observations.modes if mode != observations.first.mode]
    needs = _needs(proof, modes)
    presses = {mode: len(observations.pressed_in(mode)) for mode in modes}
    by_presses = sorted(modes, key=presses.__getitem__)
    few = [mode for mode in modes if presses[mode] < limits.PRESSES_PER_MODE]
    asked = None
    if _presses_left_over(proof) >= limits.LEFT_FOR_ROUNDS:
        fewest = min(map(presses.__getitem__, few), default=0)
        asked = _most_needed(proof, [m for m in few if presses[m] == fewest], needs)
    asked = asked or _most_needed(proof, few, needs)
    for mode in by_presses:
        if asked is None and presses[mode] < limits.PRESSES_TO_CONFIRM:
            asked = _decide(proof, mode, needs)
    asked = asked or _most_needed(proof, modes, needs)
    for mode in by_presses:
        asked = asked or _decide(proof, mode, needs)
    return asked


def between_hypotheses(
    proof: Proof, mode: str, pressed: Sequence[State], needs: _Needs
) -> State | None:
    """Return the state on which the hypotheses of a mode differ most, or where a term begins."""
    observations, model = proof.observations, proof.model
    counts_keys = observations.has_presses_to_spare and mode != observations.first.mode
    best, most = None, (1, 0.0, 0.0, 0.0, 0, 0.0)
    near = model.hypotheses.get(mode, ())
    has_several = len(near) > 1
    is_one_likeliest = has_several and near[0].cost < near[1].cost
    for state in observations.not_pressed(mode) if has_several else ():
        if observations.missing_beside(state):
            continue
        each = [*model.each_answer(state, strict=False)]
        answers = {*each}
        if len(answers) > 1:
            rank = (
                len(answers),
                -float(None in answers),
                float(is_far(proof, state)),
                _needed(needs, state),
                -(is_one_likeliest and each.count(each[0])),  # what is left if it is right
                -float(counts_keys and observations.keys(state)),
            )
            if rank > most:
                best, most = state, rank
    if best is not None:
        return best
    for extra, between in model.undecided(mode):
        target = with_values(pressed[0], dict(extra.values))
        if between:
            target = replace(target, temperature=between[len(between) // 2])
        if (nearest := observations.nearest(target)) is not None:
            return nearest
    return None


def unknown_temperature(proof: Proof, like: State, *, is_own: bool = False) -> State | None:
    """Return a state like this one with a temperature whose bits are not known; the ends first.

    If the mode encodes temperatures in its own way, it is about that way.
    """
    observations, model = proof.observations, proof.model
    temperatures = observations.capabilities[like.mode].temperatures
    pressed = {s.temperature for s in observations.pressed_in(like.mode)} - {None}
    ends = [t for t in (*temperatures[:1], *temperatures[-1:]) if t not in pressed]
    mode = like.mode if is_own else model.evidence.base_mode
    near = model.hypotheses.get(mode)
    counts = (near[0].counts if near else None) or ()

    def tells(temperature: float) -> tuple[int, float]:
        ways = sum(len({guess.get(temperature) for guess in group}) for group in counts)
        return ways, min((abs(temperature - t) for t in pressed if t), default=0)

    known = model.flips("temperature", like.mode if is_own else "")
    unknown = [t for t in temperatures if t not in known and t not in pressed]
    ends.reverse()  # up to the highest, then down to the lowest, where other modes begin
    for temperature in [*ends, *sorted(unknown, key=tells, reverse=True)]:
        target = replace(like, temperature=temperature)
        if (state := observations.nearest(target, keeping="temperature")) is not None:
            return _on_the_way(proof, state)
    return None


def _presses_left_over(proof: Proof) -> int:
    """Return the number of presses left when each mode has been pressed often enough."""
    observations = proof.observations
    left = limits.PRESSES - observations.asked - proof.presses_in_reserve
    for mode in observations.modes:
        if mode != observations.first.mode and not observations.is_missing(mode):
            wanted = min(limits.PRESSES_PER_MODE, observations.capabilities.count(mode))
            left -= max(0, wanted - len(observations.pressed_in(mode)))
    return left


def _on_the_way(proof: Proof, target: State) -> State:
    """Return a state that is displayed on the way to another one, or the other one.

    It takes no keys, and is asked for while the mode needs more temperatures than the other one's,
    in other modes than the base mode only if presses are to spare.
    """
    observations, mode = proof.observations, target.mode
    shown, end = observations.shown, target.temperature
    pressed = {s.temperature for s in observations.pressed_in(mode) if s.temperature is not None}
    lacking = _temperatures_wanted(observations, mode) - len(pressed)
    has_stops = mode == observations.first.mode or observations.has_presses_to_spare
    if not has_stops or not pressed or lacking <= 1:
        return target
    if shown is None or shown.temperature is None or end is None or end in pressed:
        return target
    temperatures = observations.capabilities[mode].temperatures
    apart = (temperatures[-1] - temperatures[0]) / limits.STOPS
    low, high = sorted((shown.temperature, end))
    column = without_temperature(target)
    best, most = target, (False, 0.0)
    for state in observations.not_pressed(mode):
        temperature = state.temperature
        if temperature is None or not low <= temperature <= high:
            continue
        gap = min(abs(temperature - other) for other in (*pressed, end))
        if gap >= apart and without_temperature(state) == column:
            is_new = proof.lacks_temperatures and proof.is_temperature_new(mode, temperature)
            if (is_new, gap) > most:
                best, most = state, (is_new, gap)
    return best


def _temperatures_wanted(observations: Observations, mode: str) -> int:
    """Return the number of temperatures of a mode up to its second end."""
    if mode == observations.first.mode:
        return limits.TEMPERATURES_FIRST - (not observations.has_presses_to_spare)
    return limits.VALUES_TESTED + len(_beside_lowest(observations, mode))


def _beside_lowest(observations: Observations, mode: str) -> Sequence[float]:
    """Return the temperature beside the lowest one of a mode, if presses are to spare for it.

    Some remote controls send another one there. From the lowest one it takes a key.
    """
    lowest, *others = observations.capabilities[mode].temperatures or (None,)
    was_lowest = any(state.temperature == lowest for state in observations.pressed_in(mode))
    has_room = observations.presses_to_spare >= len(observations.modes) - 1
    return others[:1] if was_lowest and has_room else []


def _decide(proof: Proof, mode: str, needs: _Needs) -> State | None:
    """Return the state that decides best between the hypotheses of a mode."""
    if not (pressed := proof.observations.pressed_in(mode)):
        return None
    asked = between_hypotheses(proof, mode, pressed, needs)
    if asked is None and proof.model.effect(mode, "temperature") is Effect.OWN:
        asked = unknown_temperature(proof, pressed[0], is_own=True)
    return asked


def _most_needed(proof: Proof, modes: Sequence[str], needs: _Needs) -> State | None:
    """Return the state of some modes for which most states wait."""
    observations = proof.observations
    every = _count(proof, *observations.capabilities)
    best, most = None, 0.0
    for mode in modes:
        if observations.is_missing(mode):
            continue
        usual = observations.usual(mode)
        columns = Counter(map(without_temperature, observations.pressed_in(mode)))
        for state in observations.not_pressed(mode):
            worth = _needed(needs, state)
            if worth > limits.LEAST_NEEDED * every and (best is None or worth > most):
                worth -= observations.missing_beside(state) * every
                keys = observations.keys(state) + limits.KEYS_FOR_USUAL * distance(state, usual)
                keys += limits.KEYS_FOR_OTHER_VALUES * columns[without_temperature(state)]
                worth -= limits.WAITING_KEY * every * keys
                if best is None or worth > most:
                    best, most = state, worth
    return None if best is None else _on_the_way(proof, best)


def _needed(needs: _Needs, state: State) -> float:
    needed = needs.get((state.mode,), 0.0)
    for attribute in ATTRIBUTES:
        needed += needs.get((state.mode, attribute, value(state, attribute)), 0.0)
    return needed


def _needs(proof: Proof, modes: Sequence[str]) -> _Needs:
    """Return how many states wait for each mode, and for each value in it."""
    capabilities = proof.observations.capabilities
    every = _count(proof, *capabilities)
    needs: dict[tuple[object, ...], float] = {}
    for mode in modes:
        pressed = len(proof.observations.pressed_in(mode))
        own = _count(proof, mode)
        count = max(own, every // (3 * len(capabilities)))
        enough = min(limits.PRESSES_PER_MODE - proof.model.is_like_others(mode), own)
        if pressed < enough:
            needs[mode,] = count * (enough - pressed) / enough
        elif not proof.model.is_confirmed(mode) and pressed < limits.PRESSES_TO_CONFIRM:
            needs[mode,] = count / 2
        for table in NAMED:
            for setting in _untried(proof, mode, table):
                plain_first = limits.PLAIN_FIRST - proof.is_beside_usual(table, setting)
                if pressed < plain_first and proof.sets_others(table, setting):
                    continue  # the first presses of a mode show what others do in it
                values = capabilities[mode].values(table)
                waiting = _waiting(proof, mode, table, setting) * count / len(values)
                if len(proof.model.modes_with(table, setting)) == limits.MODES_ALIKE - 1:
                    waiting_for_it = [m for m in modes if setting in _untried(proof, m, table)]
                    waiting *= 1 + limits.WAITING_ELSEWHERE * len(waiting_for_it)
                needs[mode, table, setting] = waiting
        for setting in _untried(proof, mode, "temperature"):
            needs[mode, "temperature", setting] = count * _waiting_at(proof, mode, setting)
    return needs


def _count(proof: Proof, *modes: str) -> int:
    """Return the number of states of some modes."""
    return sum(proof.observations.capabilities.count(mode) for mode in modes)


def _untried(proof: Proof, mode: str, attribute: str) -> list[Value]:
    """Return the values not pressed in a mode, if it has several.

    A value pressed twice with an unusual layout is not tried again.
    """
    values = proof.observations.capabilities[mode].values(attribute)
    if len(values) < 2:  # noqa: PLR2004
        return []
    messages = proof.model.evidence.messages
    understood = {value(state, attribute) for state in messages if state.mode == mode}
    tried = Counter(value(state, attribute) for state in proof.observations.pressed_in(mode))
    foreign = proof.observations.foreign_values
    return [
        setting
        for setting in values
        if setting not in understood and tried[setting] <= 1 and (attribute, setting) not in foreign
    ]


def _waiting(proof: Proof, mode: str, table: str, setting: Value) -> float:
    """Return the share of a mode's states with a value that waits for its press."""
    model = proof.model
    effect = model.effect(mode, table)
    plain, special = limits.PLAIN.fullmatch(str(setting)), limits.SPECIAL.search(str(setting))
    if not model.has_tested(mode, table):
        values = proof.observations.capabilities[mode].values(table)
        is_everywhere = len(model.modes_with(table, setting)) >= limits.MODES_ALIKE
        return len(values) / limits.PRESSES_PER_MODE + (
            limits.WAITING_SPECIAL - limits.WAITING_KNOWN * is_everywhere
            if special
            else limits.WAITING_PLAIN
            if plain
            else limits.WAITING_UNUSUAL
        )
    sets_others = any((table, setting) in extra.values for extra in model.extras(mode))
    is_known = effect is Effect.NONE or sets_others or setting in model.flips(table)
    if is_known and model.is_confirmed(mode) and model.is_tried(mode, table, setting):
        return limits.WAITING_KNOWN
    waits = (
        effect is Effect.OWN
        or (effect is Effect.SHARED and setting not in model.flips(table))
        or (effect is not Effect.NONE and not plain)
        or special
        or not model.is_clean
        or model.extras(mode)
    )
    return 1.0 if waits else limits.WAITING_KNOWN


def _waiting_at(proof: Proof, mode: str, temperature: Value) -> float:
    """Return the share of a mode's states that waits for a temperature."""
    model = proof.model
    observations = proof.observations
    lowest, *_, highest = observations.capabilities[mode].temperatures
    waiting = 0.0
    if temperature in (lowest, highest, *_beside_lowest(observations, mode)) and (
        observations.has_presses_to_spare or model.effect(mode, "temperature") is not Effect.NONE
    ):
        waiting += limits.WAITING_END
    if not model.has_tested(mode, "temperature"):
        waiting += limits.WAITING_UNTESTED
    if proof.lacks_temperatures and proof.is_temperature_new(mode, temperature):
        waiting += limits.WAITING_UNPROVEN * proof.worth_of_new(temperature)
    return waiting


def is_far(proof: Proof, state: State) -> bool:
    """Return whether a temperature is far from all pressed ones with the same values."""
    temperatures = proof.observations.capabilities[state.mode].temperatures
    column = without_temperature(state)
    beside = [s for s in proof.observations.pressed if without_temperature(s) == column]
    far = (temperatures[-1] - temperatures[0]) / 3 if temperatures else 0.0
    return all(abs((state.temperature or 0) - (s.temperature or 0)) >= far for s in beside)
