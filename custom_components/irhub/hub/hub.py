"""One hub, as every platform and action sees it."""

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
    """One device, known by its MAC address, shared by all that name it.

    Everything sent to the device passes through its queue; transmissions besides `min_gap`
    seconds apart, and callers in turn. Get one from `Hubs`, never build one.
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
        """What receives the remote controls of its devices."""
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
        """Transmit packets in order, with nothing of another call between them; return them.

        Calls that wait are served by their callers in turn, those of one `caller` in their
        order: a script that sends hundreds does not hold up a button. A call that names none
        is its own caller. Home Assistant's contexts know callers: see `caller_of`.
        Raise UserError if the device cannot transmit one of them, NotConfirmedError if one went
        out and no answer came back, and another HubError if one did not go out; what
        follows a failed packet stays unsent.
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
        """End learning, then every task and socket. Whoever waits gets HubClosedError."""
        self.begin_close()
        await self.reception.close()
        await self.receiver.close()
        await self.connection.close()

    async def _send(self, item: bytes | DeferredPacket, device: HubDevice) -> Emission:
        """Transmit one packet, and wait for the hub's word.

        Raise one of SESSION_LOST only if the hub cannot have acted on it.
        """
        await self.receiver.before_transmission(device)
        self.transmissions += 1
        packet, loop = packet_of(item), self.hass.loop
        began = loop.time()
        # A hub confirms after it has transmitted, its own repeats included.
        in_the_air = air_time_s(packet)
        device.timeout = self.connection.settings.timeout + in_the_air
        self.connection.transmits_until = began + in_the_air
        try:
            with self.recent_signals.sending(packet, self.settings.mac, in_the_air) as emission:
                await cast(Remote, device).send_data(packet)
        except SESSION_LOST as err:
            if isinstance(err, EndpointClosedError) or loop.time() - began < RESEND_S:
                raise
            # The library has sent it twice by then: the first copy may have been obeyed, and
            # the second refused after a reboot.
            raise NotConfirmedError("no_answer", hub=self.label) from err
        finally:
            device.timeout = self.connection.settings.timeout
            self._free_at = loop.time() + self.connection.settings.min_gap
        if not isinstance(item, bytes):
            item.confirmed()
        return emission


def caller_of(context: Context | None) -> str | None:
    """Return who calls: a run of a script or an automation, a person's click."""
    return None if context is None else context.id
