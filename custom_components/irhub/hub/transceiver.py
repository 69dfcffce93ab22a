"""What sends and hears for devices: a hub, or what a home has that is no hub."""

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
    """What everything above this folder asks of a hub; each has the devices that it reaches."""

    hass: HomeAssistant
    recent_signals: RecentSignals
    """What all send and hear."""
    emitters: Emitters
    """What transmits for a device that names emitters."""
    reception: Reception
    """What receives the remote controls of its devices."""
    delivery: Delivery
    """Whether what is transmitted is heard by others."""
    capabilities: frozenset[str] | None
    """What it can do; None while that is not known."""
    silences: int
    """How many requests were not answered: what was waiting then is not sent any more."""

    @property
    @abstractmethod
    def settings(self) -> TransceiverSettings:
        """Return how it is configured."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Return what messages call it."""

    @property
    @abstractmethod
    def available(self) -> bool:
        """Return whether it can be used now."""

    @property
    @abstractmethod
    def emitter_ids(self) -> Sequence[EmitterId]:
        """Return what transmits for devices that name no emitters."""

    @abstractmethod
    def can(self, capability: Capability) -> bool | None:
        """Return whether it can do something by itself; None while that is not known."""

    @abstractmethod
    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` whenever `available` changes. Return what ends that."""

    @abstractmethod
    @callback
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` once `capabilities` are known. Return what ends the waiting."""

    @abstractmethod
    async def transmit(
        self, packets: Sequence[bytes | DeferredPacket], caller: str | None = None
    ) -> Sequence[Emission]:
        """Transmit packets in order; return them. Raise IrhubError if one does not go out."""

    @abstractmethod
    async def pause(self, seconds: float) -> None:
        """Wait; raise HubClosedError as soon as it is closed."""

    def learn(self, learner: Learner | None = None, chosen: Sequence[str] = ()) -> Learning:
        """Return a learning session, which is to be entered.

        It is with the `chosen` receivers, else with those of the settings.
        """
        return self.reception.learn(learner or Learner(), chosen)
