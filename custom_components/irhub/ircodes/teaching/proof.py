"""Proof: decide which states may be offered.

A model that fits all presses may still be wrong. It is proven by presses that were predicted before
they were received: some of the base mode, and of modes in which a prediction was wrong. States that
follow from a single press, which may be a mistake, are offered only after another press confirms it
(`levels`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from operator import or_

from ..states import messages
from ..states.messages import Layout
from ..states.state import ATTRIBUTES, NAMED, OFF, State, Value, attributes, value
from . import limits
from .hypotheses import Effect
from .levels import Level, unconfirmed_levels
from .model import Model
from .observations import Observations, Press, without_temperature
from .other_layout import OtherLayout, other_layouts
from .selection import lacks_check
from .special import SpecialValues
from .temperatures import agreed, explain


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
            return received if is_right and not model.unchecked else None
        return self._predicted(state)

    @cached_property
    def special(self) -> SpecialValues:
        """Return what special values set."""
        return SpecialValues(self.observations, self.model)

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
        if press.twice or state in model.repeated:
            return True
        return (
            state in model.evidence.messages
            and state not in model.outliers
            and state not in model.doubtful
            and model.is_press_confirmed(state)
            and not self._has_unconfirmed_level(state)
            and state not in model.sole_exceptions
        )

    def _predicted(self, state: State) -> int | None:
        """Return the message of a state that was not pressed, if it is known and proven."""
        model = self.model
        if any(self.lacks_proofs(mode) for mode in (state.mode, model.evidence.base_mode)):
            return None
        if not model.is_understood(state.mode) or not self._is_in_range(state):
            return None
        if self.observations.is_like_foreign(state) or self.observations.is_column_missing(state):
            return None
        if self._is_beyond(state) or not model.is_proven(state):
            return None
        if any(self.may_interact(state)):
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

    def _is_beyond(self, state: State) -> bool:
        """Return whether presses do not show the effect of the temperature of a state.

        That is the case if an extra term of the state was pressed only at other temperatures, or if
        temperatures may have no effect with its values, be limited by one of them, or count
        otherwise in its mode.
        """
        if state.temperature is None:
            return False
        return (
            self._is_temperature_untried(state)
            or self._is_temperature_hidden(state)
            or self._may_be_limited(state)
            or state.temperature in self._counted_otherwise.get(state.mode, ())
            or any(not low <= state.temperature <= high for low, high in self.extra_ranges(state))
        )

    def _is_temperature_hidden(self, state: State) -> bool:
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

    def _may_be_limited(self, state: State) -> bool:
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

    @cached_property
    def _counted_otherwise(self) -> Mapping[str, Collection[float]]:
        """Return, by mode, the temperatures whose number the presses of the mode do not show.

        A mode may flip bits of the number, or add something to it. For some temperatures that is
        the same, as 5 + 1 is 5 with another bit; for others it is not, as for 7.
        """
        model, counting, otherwise = self.model, self._counting_bits, {}
        usual = {float(t): bits & counting for t, bits in model.flips("temperature").items()}
        sent = model.evidence.messages[model.evidence.first] & counting
        modes = [m for m in model.hypotheses if model.effect(m, "temperature") is Effect.SHARED]
        for mode in modes if counting else ():
            shown = {
                state.temperature: message & counting
                for state, message in model.evidence.messages.items()
                if state.mode == mode
                and state.temperature in usual
                and state not in model.outliers
                and not self._flips_of_levels(state) & counting
            }
            flipped = {sent ^ usual[t] ^ bits for t, bits in shown.items()}
            if len(flipped) != 1 or flipped == {0} or model.extras(mode):
                continue
            first = next(iter(shown.values()))
            by_itself = explain(
                {t: bits ^ first for t, bits in shown.items()},
                self.observations.capabilities[mode].temperatures,
                model.evidence.frames,
            )
            counted = agreed(by_itself, usual) if by_itself else {}
            offset = sent ^ flipped.pop() ^ first
            otherwise[mode] = {t for t, bits in usual.items() if counted.get(t) != bits ^ offset}
        return otherwise

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

    def _is_temperature_untried(self, state: State) -> bool:
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

        If there are presses to spare, the best one is farthest from those that were pressed: on the
        way there, other temperatures are set anyway. Otherwise all are worth the same.
        """
        if not self.observations.has_presses_to_spare:
            return 1.0
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


def _in_several(messages: Iterable[int]) -> int:
    """Return the bits that several messages have."""
    once = twice = 0
    for bits in messages:
        twice |= once & bits
        once |= bits
    return twice
