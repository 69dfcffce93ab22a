"""Proof: decide which states may be offered.

A model that fits all presses may still be wrong. It is proven by presses that were predicted before
they were received: some of the base mode, and of modes in which a prediction was wrong. States that
follow from a single press, which may be a mistake, are offered only after another press confirms it
(`levels`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import or_

from ..states import messages
from ..states.messages import Layout
from ..states.state import ATTRIBUTES, NAMED, OFF, State, Value, attributes, value
from . import limits
from .hypotheses import Effect
from .levels import Level, unconfirmed_levels
from .model import Model
from .observations import Observations, Press
from .other_layout import OtherLayout, other_layouts
from .selection import lacks_check
from .special import SpecialValues
from .temperature_effects import TemperatureEffects


@dataclass(frozen=True)
class Proof:
    """The proven part of a model, given the presses that it was fitted to."""

    observations: Observations
    model: Model

    # What may be offered

    def message(self, state: State) -> int | None:
        """Return the message of a state if it is known and proven, else None."""
        model = self.model
        if model.unshown or self._lacks_check or state in model.outliers or state in model.doubtful:
            return None
        if self._is_like_outlier(state) or self._has_unconfirmed_level(state):
            return None
        if self.special.is_unconfirmed(state):
            return None
        if state in model.sole_exceptions:
            return None
        if (received := model.evidence.messages.get(state)) is not None:
            is_right = model.is_press_confirmed(state) and model.has_right_checks(received)
            is_certain = is_right and not model.unchecked and not self._may_be_mistake(state)
            return received if is_certain else None
        return self._predicted(state)

    @cached_property
    def special(self) -> SpecialValues:
        """Return what special values set."""
        return SpecialValues(self.observations, self.model)

    @cached_property
    def temperatures(self) -> TemperatureEffects:
        """Return what the presses show of the effect of temperatures."""
        return TemperatureEffects(self.model)

    @cached_property
    def other_layouts(self) -> Sequence[OtherLayout]:
        """Return the layouts in which some values are sent, unlike others."""
        if self.model.volatile:
            return []  # nobody knows where the other layout has these bits
        return [*other_layouts(self.observations, self.message)]

    def in_other_layout(self, state: State, layout: Layout) -> int | None:
        """Return the message of a state in another layout; None if it is not proven."""
        found = (other for other in self.other_layouts if other.layout == layout)
        return next((other.message(state) for other in found), None)

    @cached_property
    def pressed(self) -> Mapping[State, bytes]:
        """Return the packets that may be sent as received, the last one of each state."""
        return {
            press.state: press.packet
            for press in self.observations.presses
            if isinstance(press.state, State) and self._is_certain(press, press.state)
        }

    @cached_property
    def off(self) -> bytes | None:
        """Return the packet for off; None if it was not received, or equals that of a state."""
        if self.is_off_doubtful:
            return None
        return next((press.packet for press in reversed(self.observations.of(OFF))), None)

    @cached_property
    def is_off_doubtful(self) -> bool:
        """Return whether the only packet received for off is that of a state."""
        presses = self.observations.of(OFF)
        if len(presses) != 1 or presses[0].twice:
            return False
        decoded = messages.read(presses[0].packet, like=self.observations.layout)
        return decoded is not None and self.is_of_a_state(decoded)

    def is_of_a_state(self, decoded: tuple[Layout, int]) -> bool:
        """Return whether this is the message of a known state."""
        layout, message = decoded
        capabilities = self.observations.capabilities
        return (
            layout == self.observations.layout
            and self.model.has_right_checks(message)
            and any(
                self.model.is_sent_for(state, message)
                for mode in capabilities
                for state in capabilities.states(mode)
            )
        )

    def _is_certain(self, press: Press, state: State) -> bool:
        model = self.model
        if press.twice:
            return True
        if self._may_be_mistake(state):
            return False
        if state in model.repeated:
            return True
        return (
            state in model.evidence.messages
            and state not in model.outliers
            and state not in model.doubtful
            and model.is_press_confirmed(state)
            and not self._has_unconfirmed_level(state)
            and state not in model.sole_exceptions
        )

    def _may_be_mistake(self, state: State) -> bool:
        """Return whether a press may be a mistake, in a mode that is not understood."""
        return not self.model.is_understood(state.mode) and (
            self._is_contradicted(state)
            or self._has_contradicted_level(state)
            or self._has_mixed_value(state)
        )

    def _is_contradicted(self, state: State) -> bool:
        """Return whether presses of a state differ in bits that are the same in those of any other.

        Then one of them may be a mistake, not a clock.
        """
        differing: dict[State, int] = {}
        first: dict[State, int] = {}
        for other, message in self.model.evidence.received:
            differing[other] = differing.get(other, 0) | first.setdefault(other, message) ^ message
        elsewhere = reduce(or_, (bits for other, bits in differing.items() if other != state), 0)
        return bool(differing.get(state, 0) & ~elsewhere)

    def _has_contradicted_level(self, state: State) -> bool:
        """Return whether most other presses with a level of a state contradict the rest.

        Then it may be the mistake.
        """
        model = self.model
        for attribute in NAMED:
            setting = value(state, attribute)
            others = [
                other
                for other in model.evidence.messages
                if other != state and value(other, attribute) == setting
            ]
            contradicting = sum(other in model.outliers for other in others)
            if setting is not None and contradicting > len(others) / 2:
                return True
        return False

    def _has_mixed_value(self, state: State) -> bool:
        """Return whether a swing of a state flips bits of fan speeds, too.

        Another fan speed may have been pressed by mistake when the swing was requested.
        """
        flips = self._flips_of_base
        return bool(flips["swing"].get(state.swing, 0) & reduce(or_, flips["fan"].values(), 0))

    def _predicted(self, state: State) -> int | None:
        """Return the message of a state that was not pressed, if it is known and proven."""
        model = self.model
        if any(self.lacks_proofs(mode) for mode in (state.mode, model.evidence.base_mode)):
            return None
        if not model.is_understood(state.mode) or not self._is_in_range(state):
            return None
        if self.observations.is_like_foreign(state) or self.observations.is_column_missing(state):
            return None
        if self.temperatures.are_unknown(state) or not model.is_proven(state):
            return None
        if any(self.may_interact(state)) or self._may_be_summed(state):
            return None
        predicted = model.predict(state)
        is_sure = len(predicted) == 1 and not model.unconfirmed_presses(state)
        return next(iter(predicted)) if is_sure else None

    def _is_like_outlier(self, state: State) -> bool:
        """Return whether a state differs from an outlier only in attributes without effect."""
        model = self.model
        return any(
            other.mode == state.mode
            and all(
                value(other, attribute) == value(state, attribute)
                or model.effect(state.mode, attribute) is Effect.NONE
                for attribute in ATTRIBUTES
            )
            for other in model.outliers
        )

    @cached_property
    def unconfirmed_levels(self) -> Collection[Level]:
        """Return the levels that only a single press shows."""
        return unconfirmed_levels(self.model)

    def _has_unconfirmed_level(self, state: State) -> bool:
        return any(
            (state.mode, attribute, setting) in self.unconfirmed_levels
            for attribute, setting in attributes(state)
        )

    @cached_property
    def _lacks_check(self) -> bool:
        return lacks_check(self.model)

    def _is_in_range(self, state: State) -> bool:
        """Return whether a temperature is between the pressed ones of its mode.

        One that only an outlier has may be beyond the limits of the mode. If there are many
        temperatures, each must have been shown by a press, in its mode or in another one, until
        some were predicted.
        """
        if state.temperature is None:
            return True
        temperatures = {
            press.temperature
            for press in self.model.evidence.messages.keys() - {*self.model.outliers}
            if press.mode == state.mode and press.temperature is not None
        }
        if not temperatures or not min(temperatures) <= state.temperature <= max(temperatures):
            return False
        return (
            len(self.model.evidence.temperatures) <= limits.MANY_TEMPERATURES
            or not self.lacks_temperatures
            or state.temperature in temperatures
            or state.temperature in self._temperatures_shown
        )

    def may_interact(self, state: State) -> Iterator[tuple[str, str]]:
        """Yield special values of a state, each with an attribute that it may affect.

        Turbo sets the fan speed of some remote controls, or stops the swing. Presses with two
        values of the other attribute show that it does not, if all are as predicted.
        """
        levels = self.observations.capabilities[state.mode]
        for table in NAMED:
            setting = value(state, table)
            if not self.observations.is_special(table, setting):
                continue
            for other in NAMED:
                if other != table and len(levels.values(other)) > 1:
                    pressed = self._pressed_with(table, setting, state.mode, other)
                    if len(pressed) < limits.VALUES_TO_SHOW_INDEPENDENCE and (
                        value(state, other) not in pressed
                    ):
                        yield table, other

    def _may_be_summed(self, state: State) -> bool:
        """Return whether a value of a state flips bits that another attribute flips, too.

        These may be a sum that is not known as a check: then both together flip other bits
        than each of them does alone.
        """
        flips = self._flips_of_base
        bits = {
            attribute: known.get(value(state, attribute), 0) for attribute, known in flips.items()
        }
        return any(
            bits[attribute] and bits[other] and bits[attribute] & reduce(or_, flips[other].values())
            for attribute, other in combinations(flips, 2)
        )

    @cached_property
    def _flips_of_base(self) -> Mapping[str, Mapping[Value | None, int]]:
        """Return the bits that values flip, except for presets, which may set temperatures."""
        data = self.model.data
        return {
            attribute: {
                setting: bits & data for setting, bits in self.model.flips(attribute).items()
            }
            for attribute in ATTRIBUTES
            if attribute != "preset"
        }

    def sets_others(self, table: str, setting: Value) -> bool:
        """Return whether a special value affects other attributes, or may do so."""
        base = self.model.evidence.base_mode
        levels = self.observations.capabilities[base]
        return self.observations.is_special(table, setting) and (
            any((table, setting) in extra.values for extra in self.model.extras(base))
            or any(
                len(self._pressed_with(table, setting, base, other))
                < limits.VALUES_TO_SHOW_INDEPENDENCE
                for other in NAMED
                if other != table and len(levels.values(other)) > 1
            )
        )

    def is_beside_usual(self, table: str, setting: Value) -> bool:
        """Return whether a value is sent in a further frame, beside the usual message."""
        flips = self.model.flips(table).get(setting, 0)
        return bool(flips & self.model.data & ~self.observations.unmarked)

    def _pressed_with(
        self, table: str, setting: Value | None, mode: str, other: str
    ) -> Collection[Value | None]:
        """Return the values of another attribute that were pressed with a value as predicted.

        Modes with an extra term for the value show nothing about other modes, nor these about them.
        """
        apart = {
            name
            for name in self.model.hypotheses
            for extra in self.model.extras(name)
            if (table, setting) in extra.values and not extra.toggles
        }
        return {
            value(press, other)
            for press in self.model.evidence.messages
            if value(press, table) == setting
            and (press.mode == mode or not {press.mode, mode} & apart)
            and press not in self.model.outliers
            and press not in self.model.doubtful
        }

    # What was predicted

    def expected(self, state: State) -> Collection[int] | None:
        """Return the predicted messages of a press; None if there are none."""
        if state in self.model.evidence.messages:
            return None
        return self.model.predict(state) or None

    def likely(self, state: State) -> Collection[int]:
        """Return the guessed messages of a press, even if too little is known."""
        return () if state in self.model.evidence.messages else self.model.guess(state)

    def was_predicted(self, press: Press) -> bool | None:
        """Return whether a press was predicted, apart from volatile bits; None: no prediction."""
        if press.message is None:
            return False if press.expected else None
        if press.expected:
            return self.model.matches(press.message, press.expected)
        return True if self.model.matches(press.message, press.likely) else None

    @cached_property
    def proofs(self) -> Mapping[str, int]:
        """Return the number of correct predictions of each mode since the last wrong one."""
        proofs = dict.fromkeys(self.observations.capabilities, 0)
        for press in self.observations.presses:
            if isinstance(press.state, State):
                match self.was_predicted(press):
                    case True:
                        proofs[press.state.mode] += 1
                    case False:
                        proofs[press.state.mode] = 0
        return proofs

    @cached_property
    def proofs_needed(self) -> Mapping[str, int]:
        """Return the total number of correct predictions that each mode needs."""
        base = self.model.evidence.base_mode
        needed = {
            press.state.mode: limits.PROOFS_AFTER_REFUTED
            for press in self.observations.presses
            if isinstance(press.state, State)
            and self.was_predicted(press) is False
            and not self._is_usual_exception(press.state)
        }
        others = sum(
            max(count, self.model.confirmations_like_base(mode))
            for mode, count in self.proofs.items()
            if mode != base and not self.model.is_apart(mode)
        )
        of_base = limits.PROOFS_OF_BASE
        if not self.model.counts_apart:
            of_base -= min(2, others)
        if self.proofs[base] < of_base:
            left = {*self.observations.capabilities.states(base)}
            left -= {*self.observations.missing, *self.model.evidence.messages}
            of_base = min(of_base, len(left) + self.proofs[base])
        return {**dict.fromkeys(self.proofs, 0), **needed, base: of_base}

    def _is_usual_exception(self, state: State) -> bool:
        """Return whether a state has an extra term that enough presses have confirmed."""
        model = self.model
        return any(
            extra.applies_to(state) and model.is_confirmed_exception(state.mode, extra)
            for extra in model.extras(state.mode)
        )

    def lacks_proofs(self, mode: str) -> bool:
        """Return whether a mode needs more correct predictions."""
        return self.proofs[mode] < self.proofs_needed[mode]

    @cached_property
    def presses_in_reserve(self) -> int:
        """Return the number of presses needed to prove and confirm what is known."""
        base = self.model.evidence.base_mode
        lacking = max(0, self.proofs_needed[base] - self.proofs[base])
        unconfirmed = len(self.unconfirmed_levels) + len(self.sole_exceptions)
        levels = min(limits.LEVELS_IN_RESERVE, unconfirmed)
        return lacking + levels + sum(layout.wanted for layout in self.other_layouts)

    @cached_property
    def sole_exceptions(self) -> Sequence[State]:
        """Return presses that alone show that a term depends on several values."""
        exceptions = self.model.sole_exceptions.items()
        return [state for state, extra in exceptions if len(extra.values) > 1]

    @cached_property
    def lacks_temperatures(self) -> bool:
        """Return whether too few temperatures were predicted before any press had them.

        Only presses of modes that encode temperatures like the base mode count.
        """
        seen: set[float | None] = {None}
        proven = 0
        for press in self.observations.presses:
            if isinstance(press.state, State) and self._encodes_temperatures(press.state.mode):
                if press.state.temperature not in seen and (press.expected or press.likely):
                    proven = proven + 1 if self.was_predicted(press) else 0
                seen.add(press.state.temperature)
        capabilities = self.observations.capabilities
        modes = filter(self._encodes_temperatures, capabilities)
        every = {temperature for mode in modes for temperature in capabilities[mode].temperatures}
        is_chance = self.observations.has_presses_to_spare and self.model.counts_apart
        needed = (
            limits.MANY_TEMPERATURES_PROVEN
            if is_chance or len(every) > limits.MANY_TEMPERATURES
            else limits.TEMPERATURES_PROVEN
        )
        return proven < needed and not every <= seen

    def is_temperature_new(self, mode: str, temperature: Value | None) -> bool:
        """Return whether a press of a mode would be the first to show a temperature."""
        return (
            temperature is not None
            and temperature not in self._temperatures_shown
            and self._encodes_temperatures(mode)
        )

    def worth_of_new(self, temperature: Value | None) -> float:
        """Return the worth of a new temperature, relative to that of the best one.

        The best one is farthest from those that were pressed: on the way there, other temperatures
        are set anyway.
        """
        largest = max(self._gaps.values(), default=0.0)
        return self._gaps[temperature] / largest if largest else 1.0

    @cached_property
    def _gaps(self) -> Mapping[Value | None, float]:
        """Return the distance of each temperature to the nearest one that was shown."""
        shown = [temperature for temperature in self._temperatures_shown if temperature is not None]
        return {
            temperature: min((abs(temperature - other) for other in shown), default=1.0)
            for temperature in self.model.evidence.temperatures
        }

    @cached_property
    def _temperatures_shown(self) -> Collection[float | None]:
        pressed = self.model.evidence.messages
        return {s.temperature for s in pressed if self._encodes_temperatures(s.mode)}

    def _encodes_temperatures(self, mode: str) -> bool:
        """Return whether temperatures have the effect in a mode that they have in the base mode."""
        return mode == self.model.evidence.base_mode or (
            self.model.effect(mode, "temperature") is Effect.SHARED
            and not any(extra.is_of_temperatures for extra in self.model.extras(mode))
        )

    @property
    def unconfirmed_press(self) -> State | None:
        """Return a state to press again, because no other press confirms it; else None."""
        return next(
            (
                state
                for state in self.model.evidence.messages
                if self.observations.pressed.get(state) == 1
                and not self.model.is_press_confirmed(state)
            ),
            None,
        )
