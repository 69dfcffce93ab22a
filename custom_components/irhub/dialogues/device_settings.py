"""The settings of a device: which of them apply to it, their form fields, and their answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from homeassistant.components.cover import CoverDeviceClass
from homeassistant.components.media_player import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    MediaPlayerDeviceClass,
)
from homeassistant.const import Platform, UnitOfPower
from homeassistant.helpers.selector import BooleanSelector, EntitySelector, EntitySelectorConfig
import voluptuous as vol

from ..devices.device import Protocol, Settings, Taught
from ..devices.kinds import Kind
from ..ircodes import BitRule
from ..yaml.device_schema import CONF_EMITTER, CONF_FOLLOW, CONF_RESEND
from .draft import CONF_BUTTONS, Draft
from .form import emitter_selector, number, select
from .page import Answers, Fields
from .words import Words

CONF_EVENTS: Final = "events"
CONF_POWER_THRESHOLD: Final = "power_threshold"
CONF_REPORT_TEMPERATURE: Final = "report_temperature"

LIMITS: Final[Mapping[str, tuple[float, float]]] = {CONF_POWER_THRESHOLD: (0, 10_000)}
"""Setting → (lowest, highest), in W."""
_DEVICE_CLASSES: Final[Mapping[str | None, Iterable[str]]] = {
    Platform.COVER: CoverDeviceClass,
    Platform.MEDIA_PLAYER: MediaPlayerDeviceClass,
}
_SWITCHES: Final = (CONF_FOLLOW, CONF_EVENTS, CONF_REPORT_TEMPERATURE, CONF_RESEND)


@dataclass(frozen=True, kw_only=True)
class DeviceSettings:
    """The settings that apply to the device of a draft."""

    draft: Draft
    can_learn: bool
    """Whether any receiver can receive its remote control."""
    is_receivable: bool
    """Whether any receiver may receive the transmissions to the device."""

    def fields(self, words: Words) -> Fields:
        """Return the fields of the form."""
        fields: dict[vol.Marker, object] = {
            vol.Optional(key): self._field_of(key, words) for key in self._keys
        }
        if self.draft.unused and self._kind.platform is not None:
            buttons = select(["all", "chosen", "none"], translation_key="buttons")
            fields[vol.Required(CONF_BUTTONS)] = buttons
        return fields

    @property
    def current_answers(self) -> Answers:
        """Return the current values, to prefill the form."""
        settings = self.draft.device.settings
        values = {key: getattr(settings, key) for key in self._keys}
        if CONF_EMITTER in values:
            values[CONF_EMITTER] = [*settings.emitters] or None
        values[CONF_BUTTONS] = self.buttons
        return {key: value for key, value in values.items() if value not in (None, 0.0)}

    @property
    def buttons(self) -> str:
        """Return which commands that its entity does not use have buttons: all, chosen, none."""
        if (buttons := self.draft.device.settings.buttons) is None:
            return "all"
        return "chosen" if buttons else "none"

    def updated(self, answers: Answers) -> Settings:
        """Return the settings that result from the answers."""
        values: Answers = {key: answers.get(key) for key in self._keys}
        settings = self.draft.device.settings
        if CONF_EMITTER in values:
            settings = settings.with_emitters(values.pop(CONF_EMITTER) or ())
        if CONF_POWER_THRESHOLD in values:
            values[CONF_POWER_THRESHOLD] = answers.get(CONF_POWER_THRESHOLD, 0.0)
        values |= {key: answers.get(key, False) for key in _SWITCHES if key in values}
        match answers.get(CONF_BUTTONS, self.buttons):
            case "all":
                values[CONF_BUTTONS] = None
            case "none":
                values[CONF_BUTTONS] = ()
            case _:
                values[CONF_BUTTONS] = settings.buttons or ()
        return replace(settings, **values)

    @property
    def _kind(self) -> Kind:
        return self.draft.device.kind

    @property
    def _keys(self) -> list[str]:
        """Return the settings that apply to this kind of device."""
        device, rule = self.draft.device, self.draft.rule
        reports_temperature = isinstance(rule, BitRule) and rule.room is not None
        report = [CONF_REPORT_TEMPERATURE] if reports_temperature else []
        follow = [] if self._kind.platform is None else [CONF_FOLLOW]
        is_recognizable = bool(device.commands) or isinstance(device.rule, Protocol | Taught)
        events = [CONF_EVENTS] if is_recognizable and self.can_learn else []
        emitter = [] if device.is_radio else [CONF_EMITTER]
        can_resend = self.is_receivable and self._kind.platform is not None and not device.is_radio
        resend = [CONF_RESEND] if can_resend or device.settings.resend else []
        return [*self._kind.traits.settings, *report, *follow, *events, *emitter, *resend]

    def _field_of(self, key: str, words: Words) -> object:
        platform = self._kind.platform
        match key:
            case _ if key in _SWITCHES:
                return BooleanSelector()
            case "device_class":
                called = partial(words.device_class, str(platform))
                return select(_DEVICE_CLASSES[platform], label_of=called)
            case "emitter":
                return emitter_selector()
            case "power_sensor":
                domains = ["binary_sensor", "switch", "sensor"]
                return EntitySelector(EntitySelectorConfig(domain=domains))
            case "power_threshold":
                return number(UnitOfPower.WATT)
            case _:
                measured = key.removesuffix("_sensor")
                return EntitySelector(EntitySelectorConfig(domain="sensor", device_class=measured))
