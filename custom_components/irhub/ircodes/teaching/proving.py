"""Questions that prove the model: the predicted states whose press is worth most."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from ..states.state import NAMED, State, Value, attributes, value
from . import limits
from .hypotheses import Effect
from .observations import without_temperature
from .proof import Proof

type _Pair = tuple[tuple[str, Value], tuple[str, Value]]


def worthwhile_proof(proof: Proof) -> State | None:
    """Return the predicted state whose press is worth most; None once enough is proven.

    An unconfirmed press is repeated before presses that are worth little, and at the end.
    """
    best, worth = _best(proof, proof.observations.capabilities)
    lacking = any(map(proof.lacks_proofs, proof.observations.capabilities))
    left = limits.PRESSES - proof.observations.asked
    again = proof.unconfirmed_press
    if again is not None and (
        worth < limits.WORTH_ASKING
        or (left <= limits.LEFT_TO_CONFIRM and not lacking and not _confirms(proof, best))
    ):
        return again
    enough = (
        not lacking and sum(proof.proofs.values()) >= limits.PROOFS and not proof.lacks_temperatures
    )
    return None if enough and worth < limits.WORTH_ASKING else best


def _confirms(proof: Proof, state: State | None) -> bool:
    """Return whether the press of a predicted state confirms others."""
    return state is not None and proof.model.unconfirmed_presses(state) > 0


def proof_of(proof: Proof, modes: Collection[str]) -> State | None:
    """Return the predicted state of some modes that is worth most."""
    return _best(proof, modes)[0]


def _best(proof: Proof, modes: Collection[str]) -> tuple[State | None, float]:
    """Return the predicted state of some modes that is worth most, and its worth."""
    model, proven, observations = proof.model, _Proven(proof), proof.observations
    has_several = any(len(alternatives) > 1 for alternatives in model.evidence.checks)
    best, most = None, 0.0
    for mode in modes:
        for state in observations.not_pressed(mode):
            worth = proven.worth(state) - limits.WORTH_OF_KEY * observations.keys(state)
            if best is not None and worth + limits.MAX_WORTH_PREDICTED <= most:
                continue
            unconfirmed = limits.WORTH_ASKING * model.unconfirmed_presses(state)
            at_most = worth + limits.WORTH_SEVERAL_CHECKS * has_several + unconfirmed
            if best is not None and at_most <= most:
                continue  # saves the prediction, which takes longer
            predicted = model.predict(state)
            worth += limits.WORTH_SEVERAL_CHECKS * (len(predicted) > 1)
            worth += unconfirmed
            if predicted and (best is None or worth > most):
                best, most = state, worth
    return best, most


@dataclass(frozen=True)
class _Proven:
    """The values and pairs of values pressed so far."""

    proof: Proof

    @cached_property
    def _pairs(self) -> Collection[_Pair]:
        return {pair for state in self.proof.observations.pressed for pair in _pairs(state)}

    @cached_property
    def _columns(self) -> Collection[State]:
        return {without_temperature(state) for state in self.proof.observations.pressed}

    def worth(self, state: State) -> float:
        """Return the worth of a state's press, without the part that depends on its prediction."""
        proof, worth = self.proof, 0.0
        if without_temperature(state) not in self._columns:
            worth += limits.WORTH_NEW_COLUMN
        if proof.lacks_temperatures and proof.is_temperature_new(state.mode, state.temperature):
            worth += limits.WORTH_NEW_TEMPERATURE * proof.worth_of_new(state.temperature)
        if proof.lacks_proofs(state.mode):
            is_base = state.mode == proof.model.evidence.base_mode
            worth += limits.WORTH_BASE_MODE if is_base else limits.WORTH_OPEN_MODE
        worth += limits.WORTH_SPECIAL_ONCE * _is_special_once(proof, state)
        worth += limits.WORTH_REACHING * _reaches(proof, state)
        worth += sum(
            _worth_of_pair(proof, pair, state) for pair in _pairs(state) if pair not in self._pairs
        )
        return worth


def _pairs(state: State) -> Iterator[_Pair]:
    """Yield all pairs of values of a state."""
    return combinations((("mode", state.mode), *attributes(state)), 2)


def _worth_of_pair(proof: Proof, pair: _Pair, state: State) -> float:
    """Return the worth of pressing two values together for the first time."""
    (attribute, _), (other, setting) = pair
    if other == "temperature":
        temperatures = proof.observations.capabilities[state.mode].temperatures
        is_end = setting in (temperatures[0], temperatures[-1])
        return limits.WORTH_END_TEMPERATURE if is_end else limits.WORTH_TEMPERATURE
    if attribute != "mode":
        return 1
    is_without = proof.model.effect(state.mode, other) is Effect.NONE
    return limits.WORTH_ASKING + limits.WORTH_EFFECT * (not is_without)


def _is_special_once(proof: Proof, state: State) -> bool:
    """Return whether a value such as turbo was received at a single other temperature.

    Some remote controls send a fixed temperature with it.
    """
    for table in NAMED:
        setting = value(state, table)
        if setting is not None and limits.SPECIAL.search(str(setting)):
            pressed = [s for s in proof.model.evidence.messages if s.mode == state.mode]
            temperatures = {s.temperature for s in pressed if value(s, table) == setting}
            if len(temperatures) == 1 and state.temperature not in temperatures:
                return True
    return False


def _reaches(proof: Proof, state: State) -> float:
    """Return the share of its mode's temperatures that a press would bring between pressed ones.

    0 for states without an extra term: such a term may apply at some temperatures only.
    """
    temperatures = proof.observations.capabilities[state.mode].temperatures

    def count(low: float, high: float) -> int:
        return sum(low <= temperature <= high for temperature in temperatures)

    most = 0
    for low, high in proof.temperatures.extra_ranges(state):
        reached = min(low, state.temperature or low), max(high, state.temperature or high)
        most = max(most, count(*reached) - count(low, high))
    return most / max(1, len(temperatures))
