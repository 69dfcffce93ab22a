"""A hub: transmission to one device."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast, override
from weakref import WeakValueDictionary

from homeassistant.core import Context, HomeAssistant

from ..errors import HubError, NotConfirmedError, UserError
from ..ircodes.packet import air_time_s, kind
from ..settings import EmitterId, HubSettings, Mac
from .hub_receiver import HubReceiver
from .library import RESEND_S, SESSION_LOST, Capability, EndpointClosedError, HubDevice, Remote
from .packets import DeferredPacket, packet_of
from .queue import Queue
from .recent_signals import Emission
from .reception import Reception
from .search import Search
from .shared import SharedComponents
from .transceiver import Transceiver


class Hub(Queue, Transceiver):
    """One device, identified by its MAC address and shared by all config entries that use it.

    All requests pass through the queue. Transmissions are at least `min_gap` seconds apart, and
    callers take turns. Created by `Hubs` only.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        settings: HubSettings,
        search: Search,
        shared: SharedComponents,
        *,
        capabilities: frozenset[str] | None,
        remember: Callable[[Mac, int], None],
    ) -> None:
        super().__init__(hass, settings, search, capabilities=capabilities, remember=remember)
        self.recent_signals = shared.recent_signals
        self.emitters = shared.emitters
        self.delivery = shared.delivery
        self.receiver = HubReceiver(self)
        self.reception = Reception(shared.receivers, self.receiver)
        """The receivers of its devices' remote controls."""
        self._transmission = asyncio.Lock()
        self._callers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._free_at = 0.0

    @property
    @override
    def emitter_ids(self) -> Sequence[EmitterId]:
        return [self.settings.mac]

    @override
    async def transmit(
        self, packets: Sequence[bytes | DeferredPacket], caller: str | None = None
    ) -> Sequence[Emission]:
        """Transmit packets in order, without packets of another call in between.

        Waiting calls are served round-robin by caller, and in order for the same `caller` (see
        `caller_of`): a script that sends hundreds of packets does not delay a button. A call
        without `caller` is a caller of its own.
        Raise UserError if the device cannot transmit one of the packets, NotConfirmedError if a
        packet was sent but not confirmed, and another HubError if it was not sent. Packets after
        a failed one are not sent.
        """
        if self.connection.device is None:
            await self.connection.connect()
        can, silences = self.capabilities or frozenset(), self.silences
        if Capability.TRANSMIT not in can:
            raise UserError("cannot_transmit", hub=self.label)
        if Capability.RADIO not in can and any(kind(packet_of(item)) == "rf" for item in packets):
            raise UserError("no_radio", hub=self.label)
        turn = (
            asyncio.Lock() if caller is None else self._callers.setdefault(caller, asyncio.Lock())
        )
        emissions: list[Emission] = []
        async with turn, self._transmission:
            for number, item in enumerate(packets, 1):
                try:
                    if (wait := self._free_at - self.hass.loop.time()) > 0:
                        await self.pause(wait)
                    emissions.append(await self.exchange(partial(self._send, item), silences))
                except HubError as err:
                    if len(packets) == 1:
                        raise
                    raise type(err)(
                        "stopped_at", number=number, count=len(packets), error=err
                    ) from err
        return emissions

    async def close(self) -> None:
        """End learning, all tasks and the socket. Waiting calls raise HubClosedError."""
        self.begin_close()
        await self.reception.close()
        await self.receiver.close()
        await self.connection.close()

    async def _send(self, item: bytes | DeferredPacket, device: HubDevice) -> Emission:
        """Transmit one packet, and wait for the confirmation.

        Raise one of SESSION_LOST only if the hub cannot have transmitted the packet.
        """
        await self.receiver.before_transmission(device)
        self.transmissions += 1
        packet, connection, is_confirmed = packet_of(item), self.connection, False
        air_time = air_time_s(packet)
        emission = self.recent_signals.begin(packet, connection.settings.mac, air_time)
        # A hub confirms after the transmission, including its repeats.
        device.timeout = connection.settings.timeout + air_time
        connection.transmits_until = emission.began + air_time
        try:
            await cast(Remote, device).send_data(packet)
            is_confirmed = True
        except SESSION_LOST as err:
            if (
                isinstance(err, EndpointClosedError)
                or self.hass.loop.time() - emission.began < RESEND_S
            ):
                raise
            # By then the library has sent the request twice: the hub may have transmitted after
            # the first copy, rebooted, and refused the second one.
            raise NotConfirmedError("no_answer", hub=self.label) from err
        finally:
            self.recent_signals.end(emission, is_confirmed=is_confirmed)
            device.timeout = connection.settings.timeout
            self._free_at = emission.ended + connection.settings.min_gap
        if not isinstance(item, bytes):
            item.confirmed()
        return emission


def caller_of(context: Context | None) -> str | None:
    """Return the id of a context: one run of a script or automation, or one click."""
    return None if context is None else context.id
