"""States of air conditioners in Home Assistant's own terms, in the language of the user."""

from collections.abc import Iterable, Mapping
from typing import Final

from .const import DOMAIN
from .ircodes import Off, State

TERMS: Final = (("entity_component", "climate"), ("entity", DOMAIN))
"""Category and domain of the translations with these terms."""


class ClimateTerms:
    """The terms of one language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take translations, those of TERMS among them."""
        self._texts = texts

    def state(self, state: State | Off, unit: str = "°") -> str:
        """Return a state as text: "Cool, 24°, Fan mode: Low"."""
        return ", ".join(self._state(state, unit))

    def mode(self, mode: str) -> str:
        """Return the name of an HVAC mode."""
        return self._climate(f"state.{mode}", mode)

    def level(self, attribute: str, level: str) -> str:
        """Return the name of a fan speed, swing mode or preset, as the frontend shows it."""
        key = f"state_attributes.{attribute}.state.{level}"
        own = f"component.{DOMAIN}.entity.climate.air_conditioner.{key}"
        return self._texts.get(own) or self._climate(key, level)

    def _state(self, state: State | Off, unit: str) -> Iterable[str]:
        if isinstance(state, Off):
            yield self._climate("state.off", "off")
            return
        yield self.mode(state.mode)
        if state.temperature is not None:
            yield f"{state.temperature:g}{unit}"
        levels = {"preset_mode": state.preset, "fan_mode": state.fan, "swing_mode": state.swing}
        for attribute, level in levels.items():
            if level is not None:
                yield f"{self._attribute('climate', attribute)}: {self.level(attribute, level)}"

    def _climate(self, key: str, default: str) -> str:
        return self._texts.get(f"component.climate.entity_component._.{key}", default)

    def _attribute(self, domain: str, attribute: str) -> str:
        key = f"component.{domain}.entity_component._.state_attributes.{attribute}.name"
        return self._texts.get(key, attribute)
