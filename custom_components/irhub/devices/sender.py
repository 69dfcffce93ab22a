"""Sending commands: selects the next packet, and transmits it by the hub or by emitters."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback

from ..hub.hub import caller_of
from ..hub.transceiver import Transceiver
from .deliveries import Deliveries
from .device import Command, Device, id_in
from .files import Alternating, NextPackets

type EmittersByDevice = Mapping[str, Sequence[str]]


class Sender:
    """Transmits the commands of a hub's devices."""

    def __init__(self, hass: HomeAssistant, changed: CALLBACK_TYPE) -> None:
        """Create the sender; `changed` is called when the emitters of a device change."""
        self.next_packets = NextPackets(hass)
        self.deliveries = Deliveries(hass)
        """Outcomes of the sent commands."""
        self._hass = hass
        self._changed = changed
        self._emitters: list[EmittersByDevice] = []
        """From YAML: name of a device → its emitters."""

    def emitters_of(self, device: Device) -> Sequence[str]:
        """Return the emitters that transmit the commands of a device in place of the hub."""
        in_yaml = (emitters[device.name] for emitters in self._emitters if device.name in emitters)
        return device.settings.emitters or next(in_yaml, ())

    @callback
    def async_emit_through(self, emitters: EmittersByDevice) -> CALLBACK_TYPE:
        """Set emitters for devices, by name. Return a function that removes them."""

        @callback
        def end() -> None:
            self._emitters.remove(emitters)
            if emitters:
                self._changed()

        self._emitters.append(emitters)
        if emitters:
            self._changed()
        return end

    async def send(
        self,
        hub: Transceiver,
        device: Device | None,
        items: Iterable[Command | bytes],
        context: Context | None = None,
    ) -> list[bytes]:
        """Transmit commands or packets of a device, or packets of none; return the sent packets.

        They are transmitted by the device's emitters, if any, else by the hub. Of an alternating
        command the next packet is sent. Raise as `Hub.transmit` or `Emitters.transmit`.
        """
        if device is not None:
            self.deliveries.async_overtake(device)
        return await self._transmit(hub, device, [*items], context)

    async def _transmit(
        self,
        hub: Transceiver,
        device: Device | None,
        items: Sequence[Command | bytes],
        context: Context | None,
        sent_again: int = 0,
    ) -> list[bytes]:
        packets = [self._deferred(device, item) for item in items]
        if device is None or not (emitters := self.emitters_of(device)):
            emissions = await hub.transmit(packets, caller_of(context))
        else:
            emissions = await hub.emitters.transmit(
                emitters,
                packets,
                gap_s=hub.settings.min_gap,
                pause=hub.pause,
                context=context,
            )
        if device is not None:
            again = partial(self._transmit, hub, device, items, context, sent_again + 1)
            self.deliveries.async_sent(hub, device, items, emissions, again, sent_again=sent_again)
        return [item.sent if isinstance(item, Alternating) else item for item in packets]

    def _deferred(self, device: Device | None, item: Command | bytes) -> bytes | Alternating:
        if isinstance(item, bytes):
            return item
        if len(item.packets) == 1:
            return item.packets[0]
        id_ = item.id
        if device is not None and id_ == item.name:
            id_ = id_in(device, id_)  # code files in YAML and drafts use the name as id
        return Alternating(self.next_packets, id_, item.packets)
