"""Interface for transmission and reception: a hub, or a home without one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..settings import EmitterId, TransceiverSettings
from .delivery import Delivery
from .emitters import Emitters
from .learning import Learner, Learning
from .library import Capability
from .packets import DeferredPacket
from .recent_signals import Emission, RecentSignals
from .reception import Reception


class Transceiver(ABC):
    """Transmits and receives for a set of devices; the interface of hubs for other folders."""

    hass: HomeAssistant
    recent_signals: RecentSignals
    """The last signals of all hubs and emitters."""
    emitters: Emitters
    """Transmits for devices with emitters of their own."""
    reception: Reception
    """The receivers of its devices' remote controls."""
    delivery: Delivery
    """Determines whether transmissions are received."""
    capabilities: frozenset[str] | None
    """Own capabilities; None while unknown."""
    silences: int
    """Number of unanswered requests. Requests that wait when it changes are not sent."""

    @property
    @abstractmethod
    def settings(self) -> TransceiverSettings:
        """Return its settings."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Return the name for messages."""

    @property
    @abstractmethod
    def available(self) -> bool:
        """Return whether it can be used now."""

    @property
    @abstractmethod
    def emitter_ids(self) -> Sequence[EmitterId]:
        """Return the emitters for devices that have none of their own."""

    @abstractmethod
    def can(self, capability: Capability) -> bool | None:
        """Return whether it has a capability of its own; None while unknown."""

    @abstractmethod
    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `available` changes. Return a function that unsubscribes."""

    @abstractmethod
    @callback
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` once, when `capabilities` are known. Return an unsubscriber."""

    @abstractmethod
    async def transmit(
        self, packets: Sequence[bytes | DeferredPacket], caller: str | None = None
    ) -> Sequence[Emission]:
        """Transmit packets in order; return the emissions. Raise IrhubError if one fails."""

    @abstractmethod
    async def pause(self, seconds: float) -> None:
        """Sleep. Raise HubClosedError as soon as it is closed."""

    def learn(self, learner: Learner | None = None, chosen: Sequence[str] = ()) -> Learning:
        """Return a learning session with the `chosen` receivers, or those of the settings.

        It is to be used as a context manager.
        """
        return self.reception.learn(learner or Learner(), chosen)
