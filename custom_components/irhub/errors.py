"""What can go wrong between us and a hub, as sentences from the translations."""

from collections.abc import Iterable
from typing import Final

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .const import DOMAIN

LISTED: Final = 10
"""So many names an error lists; of more it says how many."""


def list_names(names: Iterable[str], *, separator: str = ", ") -> str:
    """Return the names as an error shows them: sorted, ten at most, and how many more."""
    shown = sorted(names)
    more = f" and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
    return separator.join(shown[:LISTED]) + more or "none"


class IrhubError(HomeAssistantError):
    """Something did not work. `key` names the sentence in the translations."""

    def __init__(self, key: str, /, **placeholders: object) -> None:
        super().__init__(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders={name: str(value) for name, value in placeholders.items()},
        )


class StorageFailedError(IrhubError):
    """Learned commands could not be read or written."""


class HubError(IrhubError):
    """A hub did not do what it was asked."""


class HubOfflineError(HubError):
    """The hub does not answer."""


class HubLockedError(HubError):
    """The hub refuses a session until it is unlocked in the vendor's app."""


class WrongDeviceError(HubError):
    """Another device lives at the configured address."""


class HubClosedError(HubError):
    """The hub was closed by a reload or the end of Home Assistant."""


class HubRefusedError(HubError):
    """The hub answered with an error, or with something that is no answer."""


class NotConfirmedError(HubError):
    """A transmission went out and no confirmation came back: it is never repeated."""


class NoSignalError(HubError):
    """Nobody pressed a button while the hub listened."""


class UnreadableSignalError(HubError):
    """The hub heard something while it listened, but no packet that can be read."""


class UserError(IrhubError, ServiceValidationError):
    """The call asks for something that cannot be."""
