"""Translated texts about devices and states, with Home Assistant's own terms."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from .._common.markdown import Markdown, bullets, escaped
from ..climate_terms import ClimateTerms
from ..const import DOMAIN
from ..devices.device import Device
from ..devices.kinds import Kind
from ..devices.name_parsing import values
from ..devices.profile import Profile
from ..ircodes import Meaning, Off, State
from ..ircodes.states import Lacks
from ..ircodes.teaching import Doubt

_SPEED: Final = "speed"

_ATTRIBUTES: Final = {
    "preset": "preset_mode",
    "fan": "fan_mode",
    "swing": "swing_mode",
    "temperature": "temperature",
}
"""Attribute of a state → attribute of Home Assistant's climate entities."""


class Words(ClimateTerms):
    """The texts of one language."""

    def kind(self, kind: Kind) -> str:
        """Return the name of a kind of device."""
        return self._option("kind", kind)

    def function(self, function: str, kind: Kind) -> str:
        """Return the name of a function."""
        name, _, value = function.partition(" ")
        called = self._option("function", kind.traits.called_by(name))
        return " ".join(filter(None, (called, value)))

    def display(self, state: State | Off) -> str:
        """Return a state as the remote control displays it: "COOL 23° FAN AUTO"."""
        if isinstance(state, Off):
            return self._climate("state.off", "off").upper()
        parts = [self.mode(state.mode)]
        if state.temperature is not None:
            parts.append(f"{state.temperature:g}°")
        for attribute in ("fan", "swing", "preset"):
            if (level := getattr(state, attribute)) is not None:
                parts += [
                    self._common(f"display_{attribute}"),
                    self.level(_ATTRIBUTES[attribute], level),
                ]
        return " ".join(parts).upper()

    def lesson_change(self, changes: str, keys: int) -> str:
        """Return a text with the changes for the next press and the number of keys they take."""
        return self._common("lesson_change").format(changes=changes, keys=keys)

    def lesson_same(self) -> str:
        """Return what to do if the display shows the requested state already."""
        return self._common("lesson_same")

    def lesson_how(self, requested: State | Off) -> str:
        """Return how to press the requested state, or off, so that only that is received."""
        return self._common("lesson_off" if isinstance(requested, Off) else "lesson_set")

    def doubt(self, doubt: Doubt) -> Markdown:
        """Return which press is doubtful: "Press 6 (Cool, Fan mode: Low) looks like …"."""
        values = {"number": str(doubt.number), "asked": escaped(self.state(doubt.asked))}
        if doubt.looks_like is None:
            return Markdown(self._common("doubt_does_not_fit").format(**values))
        values["looks_like"] = escaped(self._difference(doubt.asked, doubt.looks_like))
        return Markdown(self._common("doubt_looks_like").format(**values))

    def _difference(self, requested: State | Off, other: State | Off) -> str:
        """Return the levels of `other` that differ, like "Fan mode: High", or all if none does."""
        if isinstance(requested, Off) or isinstance(other, Off):
            return self.state(other)
        requested_levels = dict(self._levels(requested))
        differing = [
            f"{name} {level}".strip()
            for name, level in self._levels(other)
            if requested_levels.get(name) != level
        ]
        return ", ".join(differing) or self.state(other)

    def changes(self, before: State, after: State, *, was_off: bool = False) -> str:
        """Return the changes between two states: "23° → 24°, Fan mode: Low → High"."""
        old, new = dict(self._levels(before)), dict(self._levels(after))
        if was_off:
            old[""] = self._climate("state.off", "off")
        changed = [name for name, level in new.items() if old.get(name) != level]
        return ", ".join(
            f"{name} {old[name]} \N{RIGHTWARDS ARROW} {new[name]}".strip()
            if name in old
            else f"{name} {new[name]}"
            for name in changed
        )

    def _levels(self, state: State) -> Iterable[tuple[str, str]]:
        """Yield pairs of an attribute's name (empty for the mode) and its level."""
        yield "", self.mode(state.mode)
        if state.temperature is not None:
            yield f"{self._attribute('climate', 'temperature')}:", f"{state.temperature:g}°"
        for attribute in ("fan", "swing", "preset"):
            if (level := getattr(state, attribute)) is not None:
                of_climate = _ATTRIBUTES[attribute]
                yield f"{self._attribute('climate', of_climate)}:", self.level(of_climate, level)

    def set_to(self, state: State | Off, unit: str) -> str:
        """Return the state that a packet sets: "Cool, 24 °C, fan mode: low"."""
        visible = state if isinstance(state, Off) else replace(state, preset=None, swing=None)
        return self.state(visible, f" °{unit}")

    def meaning(self, decoded: Meaning | None) -> str:
        """Return the meaning of a packet as text, a dash if unknown."""
        if decoded is None:
            return "\N{EN DASH}"
        return (
            decoded.text
            if decoded.state is None
            else f"{decoded.protocol}: {self.set_to(decoded.state, decoded.unit)}"
        )

    def device_class(self, domain: str, device_class: str) -> str:
        """Return the name of a device class."""
        key = f"component.{domain}.entity_component.{device_class}.name"
        return self._texts.get(key, device_class)

    def abilities(self, device: Device, profile: Profile) -> Markdown:
        """Return a list of the functions of a device."""
        return bullets(self._abilities(device, profile))

    def _abilities(self, device: Device, profile: Profile) -> Iterable[str]:
        rule, traits = profile.rule, device.kind.traits
        capabilities, levels = rule.capabilities, rule.capabilities.levels
        if capabilities:
            off = [self._climate("state.off", "off")] if rule.can_turn_off else []
            yield ", ".join([*map(self.mode, capabilities), *off])
        if degrees := levels.temperatures:
            yield f"{min(degrees):g} \N{EN DASH} {max(degrees):g} °{capabilities.unit}"
        for attribute, named in (
            ("preset_mode", levels.presets),
            ("fan_mode", levels.fans),
            ("swing_mode", levels.swings),
        ):
            if named:
                names = ", ".join(self.level(attribute, level) for level in named)
                yield f"{self._attribute('climate', attribute)}: {names}"
        if traits.has_states and (lacking := [*self._lacking(rule.lacks)]):
            yield self._common("not_available").format(lacking="; ".join(lacking))
        named_by = {
            name: value_traits.attribute
            for name, value_traits in traits.values.items()
            if value_traits.attribute
        }
        plain = [
            function for function in device.functions if function.partition(" ")[0] not in named_by
        ]
        order = [*traits.functions, *traits.keys]
        plain.sort(key=lambda function: order.index(function) if function in order else len(order))
        if plain and not traits.has_states:
            yield ", ".join(self.function(function, device.kind) for function in plain)
        for name, attribute in named_by.items():
            levels_shown = profile.speeds if name == _SPEED else values(device.functions, name)
            if levels_shown:
                label = self._attribute(str(traits.platform), attribute)
                yield f"{label}: {', '.join(levels_shown)}"

    def _lacking(self, gaps: Lacks) -> Iterable[str]:
        """Yield gaps of a rule: "Off", "Fan only (Target temperature)", "Cool (states: 2)"."""
        if gaps.off:
            yield self._climate("state.off", "off")
        for mode, attributes in gaps.attributes.items():
            names = (self._attribute("climate", _ATTRIBUTES[attribute]) for attribute in attributes)
            yield f"{self.mode(mode)} ({', '.join(names)})"
        for mode, count in gaps.states.items():
            yield self._common("states_of_mode").format(mode=self.mode(mode), count=count)

    def _common(self, key: str) -> str:
        return self._texts.get(f"component.{DOMAIN}.common.{key}", key)

    def _option(self, selector: str, option: str) -> str:
        return self._texts.get(f"component.{DOMAIN}.selector.{selector}.options.{option}", option)


async def async_words(hass: HomeAssistant) -> Words:
    """Return the texts in Home Assistant's language."""
    language = hass.config.language
    selectors = await async_get_translations(hass, language, "selector", [DOMAIN])
    common = await async_get_translations(hass, language, "common", [DOMAIN])
    entities = await async_get_translations(
        hass, language, "entity_component", ["climate", "cover", "fan", "media_player"]
    )
    own_entities = await async_get_translations(hass, language, "entity", [DOMAIN])
    return Words({**selectors, **common, **entities, **own_entities})
