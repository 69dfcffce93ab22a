"""Exceptions and other texts that are translated."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, override

from homeassistant.core import HomeAssistant, async_get_hass_or_none
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.translation import (
    async_get_cached_translations,
    async_get_exception_message,
    async_get_translations,
)

from .climate_terms import TERMS, ClimateTerms
from .const import DOMAIN
from .ircodes import Off, State
from .ircodes.reasons import Reason, why

LISTED: Final = 10
"""Maximum number of names that an error lists; the others are counted."""


def list_names(names: Iterable[str], *, separator: str = ", ") -> str:
    """Return names as text for an error in any language: sorted, LISTED at most."""
    shown = sorted(names)
    more = f"{separator}… (+{len(shown) - LISTED})" if len(shown) > LISTED else ""
    return separator.join(shown[:LISTED]) + more or "\N{EN DASH}"


class Text:
    """A text of the translations (`common`) that is part of a sentence or of a list."""

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = values

    @override
    def __str__(self) -> str:
        """Return the text in English, if Home Assistant has loaded it."""
        hass, key = async_get_hass_or_none(), f"component.{DOMAIN}.common.{self.key}"
        texts = {} if hass is None else async_get_cached_translations(hass, "en", "common", DOMAIN)
        values = {name: str(value) for name, value in self.values.items()}
        if (text := texts.get(key)) is None:
            return f"{self.key}: {', '.join(values.values())}"
        return text.format(**values)


class StateText:
    """States of an air conditioner that are part of a sentence."""

    def __init__(self, *states: State | Off, unit: str | None) -> None:
        """Take states and the unit of their temperatures: "C", "F", or None if it is unknown."""
        self._states = states
        self._unit = f" °{unit}" if unit else "°"

    @override
    def __str__(self) -> str:
        """Return the states in English, if Home Assistant has loaded that."""
        return self.in_language("en")

    def in_language(self, language: str) -> str:
        """Return the states in a language, as far as Home Assistant has loaded it."""
        texts: dict[str, str] = {}
        if (hass := async_get_hass_or_none()) is not None:
            for category, domain in TERMS:
                texts |= async_get_cached_translations(hass, language, category, domain)
        terms = ClimateTerms(texts)
        return "; ".join(terms.state(state, self._unit) for state in self._states)


class IrhubError(HomeAssistantError):
    """Base class of all errors; `key` is the translation key of the message.

    An error among the placeholders is translated to the language of the message that contains it:
    Home Assistant's in dialogues and actions, English in the log.
    """

    def __init__(self, key: str, /, **placeholders: object) -> None:
        self.values = {
            name: value if isinstance(value, IrhubError) else why(value)
            for name, value in placeholders.items()
        }
        super().__init__(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders={
                name: localized(value) for name, value in self.values.items()
            },
        )

    @override
    def __str__(self) -> str:
        """Return the message in English."""
        english = {name: str(value) for name, value in self.values.items()}
        return async_get_exception_message(DOMAIN, str(self.translation_key), english)


class StorageFailedError(IrhubError):
    """Learned commands could not be read or written."""


class HubError(IrhubError):
    """A request to a hub has failed."""


class HubOfflineError(HubError):
    """The hub does not answer."""


class HubLockedError(HubError):
    """The hub refuses a session until it is unlocked in the vendor's app."""


class WrongDeviceError(HubError):
    """Another device has the configured address."""


class HubClosedError(HubError):
    """The hub was closed by a reload or by the stop of Home Assistant."""


class HubRefusedError(HubError):
    """The hub answered with an error, or with an unreadable reply."""


class NotConfirmedError(HubError):
    """A transmission was sent but not confirmed; it must not be repeated."""


class NoSignalError(HubError):
    """No signal was received while the hub listened."""


class UnreadableSignalError(HubError):
    """A signal was received while the hub listened, but no readable packet."""


class EmitterFailedError(IrhubError):
    """An emitter entity did not transmit."""


class UserError(IrhubError, ServiceValidationError):
    """The request is invalid or impossible."""


async def common_texts(hass: HomeAssistant) -> dict[str, str]:
    """Return the texts of the category `common` in Home Assistant's language."""
    texts = await async_get_translations(hass, hass.config.language, "common", [DOMAIN])
    prefix = f"component.{DOMAIN}.common."
    return {key.removeprefix(prefix): text for key, text in texts.items()}


async def load_texts(hass: HomeAssistant) -> None:
    """Load the translations for `localized`."""
    for category, domain in (("exceptions", DOMAIN), ("common", DOMAIN), *TERMS):
        await async_get_translations(hass, hass.config.language, category, [domain])


async def sentence(hass: HomeAssistant, err: IrhubError) -> str:
    """Return the message of an error in Home Assistant's language.

    For dialogues and notifications, which do not translate errors themselves.
    """
    await load_texts(hass)
    return localized(err)


def localized(value: object) -> str:
    """Return a value as text; errors, reasons, texts and states in Home Assistant's language.

    In the executor, which has no current Home Assistant instance, the text is in English.
    """
    match value:
        case IrhubError():
            category, key, values = "exceptions", f"{value.translation_key}.message", value.values
        case Reason():
            category, key, values = "common", f"reason_{value.key}", {**value.values}
        case Text():
            category, key, values = "common", value.key, value.values
        case StateText():
            hass = async_get_hass_or_none()
            return str(value) if hass is None else value.in_language(hass.config.language)
        case _:
            return str(value)
    if (hass := async_get_hass_or_none()) is None:
        return str(value)
    texts = async_get_cached_translations(hass, hass.config.language, category, DOMAIN)
    if (text := texts.get(f"component.{DOMAIN}.{category}.{key}")) is None:
        return str(value)
    return text.format(**{name: localized(inner) for name, inner in values.items()})


def list_reasons(
    refused: Mapping[str, object], *, tell: Callable[[object], str] = localized
) -> str:
    """Return name and reason of refused commands as one sentence; LISTED at most."""
    return list_names(
        (f"{name}: {tell(reason)}" for name, reason in refused.items()), separator="; "
    )
