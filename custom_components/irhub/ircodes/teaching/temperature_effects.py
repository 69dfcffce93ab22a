"""Temperatures of states that were not pressed: whether the presses show their effect.

Temperatures that flip the same bits in several modes have the same effect there, unless a value
limits or hides them, or the mode counts them otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from operator import and_, or_

from ..states.state import NAMED, State, Value, attributes, value
from . import limits
from .hypotheses import Effect
from .levels import Level
from .model import Model
from .observations import without_temperature
from .temperatures import agreed, explain


@dataclass(frozen=True)
class TemperatureEffects:
    """What the presses of a model show of the effect of temperatures."""

    model: Model

    def are_unknown(self, state: State) -> bool:
        """Return whether presses do not show the effect of the temperature of a state.

        That is the case if an extra term of the state was pressed only at other temperatures, or if
        temperatures may have no effect with its values, be limited by one of them, or count
        otherwise in its mode.
        """
        if state.temperature is None:
            return False
        return (
            self._are_untried(state)
            or self._are_hidden(state)
            or self._are_limited(state)
            or self._is_counted_otherwise(state)
            or self._is_bit_untried(state)
            or any(not low <= state.temperature <= high for low, high in self.extra_ranges(state))
        )

    def _are_hidden(self, state: State) -> bool:
        """Return whether a value may have temperatures in a mode in which others have none.

        The mode sends the same for all temperatures. A press of the temperature that it sends does
        not show that its value ignores it. Plain values are like each other.
        """
        model = self.model
        if model.effect(state.mode, "temperature") is not Effect.NONE:
            return False
        of_mode = [press for press in model.evidence.messages if press.mode == state.mode]
        for table in NAMED:
            setting = value(state, table)
            pressed = [
                press for press in of_mode if setting is not None and value(press, table) == setting
            ]
            if (
                pressed
                and not limits.PLAIN.fullmatch(str(setting))
                and all(map(self._shows_its_temperature, pressed))
                and any(press.temperature != state.temperature for press in pressed)
            ):
                return True
        return False

    def _shows_its_temperature(self, pressed: State) -> bool:
        """Return whether the bits of temperatures are those of the base mode at a temperature."""
        evidence, flips = self.model.evidence, self.model.flips("temperature")
        first, temperature = evidence.first.temperature, pressed.temperature
        if first is None or temperature is None or not {first, temperature} <= flips.keys():
            return False
        varied = reduce(or_, flips.values()) & self.model.data
        usual = evidence.messages[evidence.first] ^ flips[first] ^ flips[temperature]
        return not (evidence.messages[pressed] ^ usual) & varied

    def _are_limited(self, state: State) -> bool:
        """Return whether a value that may limit temperatures was pressed at another one only."""
        return any(
            self._only_temperatures.get((state.mode, *pair), state.temperature) != state.temperature
            for pair in attributes(state)
        )

    @cached_property
    def _only_temperatures(self) -> Mapping[Level, float]:
        """Return the values that flip bits of temperatures, if pressed at a single temperature.

        Either another temperature was pressed by mistake, or the value sets or limits it.
        """
        model, only = self.model, {}
        counting = self._counting_bits
        modes = [m for m in model.hypotheses if model.effect(m, "temperature") is not Effect.NONE]
        for mode, table in product(modes if counting else (), NAMED):
            effect = model.effect(mode, table)
            flips = model.flips(table, mode if effect is Effect.OWN else "")
            for setting, bits in flips.items() if effect is not Effect.NONE else ():
                if bits & counting and not self._has_extra(mode, table, setting):
                    temperatures = self._temperatures_with(mode, table, setting)
                    if len(temperatures) == 1:
                        only[mode, table, setting] = temperatures.pop()
        return only

    def _temperatures_with(self, mode: str, table: str, setting: Value) -> set[float]:
        """Return the temperatures at which a value was pressed with its effect in a mode."""
        model = self.model
        effect = model.effect(mode, table)
        return {
            state.temperature
            for state in model.evidence.messages.keys() - {*model.outliers}
            if state.temperature is not None
            and value(state, table) == setting
            and model.effect(state.mode, table) is effect
            and (state.mode == mode or effect is Effect.SHARED)
            and model.effect(state.mode, "temperature") is Effect.SHARED
            and not self._has_extra(state.mode, table, setting)
        }

    def _has_extra(self, mode: str, table: str, setting: Value) -> bool:
        """Return whether an extra term of a mode depends on a value."""
        return any((table, setting) in extra.values for extra in self.model.extras(mode))

    def _is_counted_otherwise(self, state: State) -> bool:
        """Return whether a mode may count the temperature of a state otherwise than the base mode.

        It may flip bits of the number, or add something to it. For some temperatures that is the
        same, as 5 + 1 is 5 with another bit; for others it is not, as for 7.
        """
        numbers, counting = self._numbers_of_modes.get(state.mode), self._counting_bits
        if numbers is None or state.temperature is None or self._flips_of_levels(state) & counting:
            return False
        number = numbers.get(state.temperature)
        return any(message & counting != number for message in self.model.predict(state))

    @cached_property
    def _numbers_of_modes(self) -> Mapping[str, Mapping[float, int]]:
        """Return the numbers of temperatures that the presses of a mode show by themselves.

        Of modes with other numbers than the base mode. Unknown ones are missing.
        """
        model, counting = self.model, self._counting_bits
        numbers: dict[str, Mapping[float, int]] = {}
        usual = {float(t): bits & counting for t, bits in model.flips("temperature").items()}
        sent = model.evidence.messages[model.evidence.first] & counting
        for mode in model.hypotheses.keys() - {model.evidence.base_mode} if counting else ():
            shown = {
                state.temperature: message & counting
                for state, message in model.evidence.messages.items()
                if state.mode == mode
                and state.temperature in usual
                and state not in model.outliers
                and not self._flips_of_levels(state) & counting
            }
            flipped = {sent ^ usual[t] ^ bits for t, bits in shown.items()}
            if model.effect(mode, "temperature") is not Effect.SHARED or flipped <= {0}:
                continue
            first = next(iter(shown.values()))
            ways = explain(
                {t: bits ^ first for t, bits in shown.items()},
                model.evidence.capabilities[mode].temperatures,
                model.evidence.frames,
            )
            if ways or len(flipped) == 1:
                counted = agreed(ways, usual) if ways else {}
                numbers[mode] = {t: bits ^ first for t, bits in counted.items()}
        return numbers

    def _flips_of_levels(self, state: State) -> int:
        """Return the bits that any of its levels flips in the base mode."""
        return reduce(
            or_,
            (
                self.model.flips(attribute).get(setting, 0)
                for attribute, setting in attributes(state)
                if attribute in NAMED
            ),
            0,
        )

    @cached_property
    def _counting_bits(self) -> int:
        """Return the bits that count temperatures: several pressed ones have them, several do not.

        A bit that differs at one of them only may be the last button's. If no known encoding fits,
        all may be bits of an unknown check.
        """
        model = self.model
        if model.is_uncounted or model.counts_apart:
            return 0
        pressed = model.evidence.pressed("temperature", model.evidence.base_mode)
        flips = [bits for t, bits in model.flips("temperature").items() if t in pressed]
        return model.data & _in_several(flips) & _in_several(~bits for bits in flips)

    def _is_bit_untried(self, state: State) -> bool:
        """Return whether a bit of the temperature was the same in all presses of another mode.

        That matters if temperatures are clipped: other modes differ from the base mode more often.
        """
        model, flips = self.model, self.model.flips("temperature")
        if (
            not model.is_clipped
            or state.mode == model.evidence.base_mode
            or model.effect(state.mode, "temperature") is not Effect.SHARED
            or state.temperature is None
            or state.temperature not in flips
        ):
            return False
        differing = [
            flips[state.temperature] ^ flips[other.temperature]
            for other in model.evidence.messages.keys() - {*model.outliers}
            if other.mode == state.mode
            and other.temperature is not None
            and other.temperature in flips
        ]
        return bool(differing and reduce(and_, differing) & model.data)

    def _are_untried(self, state: State) -> bool:
        """Return whether temperatures may have no effect with the values of a state.

        If that depends on values in a mode, a value pressed at one temperature does not show it.
        """
        model = self.model
        depends = state.mode != model.evidence.base_mode and any(
            extra.toggles == "temperature" and extra.origin is None
            for extra in model.extras(state.mode)
        )
        if not depends:
            return False
        column = without_temperature(state)
        pressed = sum(without_temperature(other) == column for other in model.evidence.messages)
        return pressed < limits.TEMPERATURES_THAT_COUNT

    def extra_ranges(self, state: State) -> Iterator[tuple[float, float]]:
        """Yield the range of temperatures at which each extra term of a state was pressed."""
        if self.model.effect(state.mode, "temperature") is Effect.NONE:
            return
        for extra in self.model.extras(state.mode):
            if extra.is_of_values and extra.applies_to(state):
                temperatures = [
                    other.temperature
                    for other in self.model.evidence.messages
                    if other.mode == state.mode
                    and other.temperature is not None
                    and extra.applies_to(other)
                ]
                if temperatures:
                    yield min(temperatures), max(temperatures)


def _in_several(messages: Iterable[int]) -> int:
    """Return the bits that several messages have."""
    once = twice = 0
    for bits in messages:
        twice |= once & bits
        once |= bits
    return twice
