"""Commands on their way: which packet is next, and what transmits it, the hub or an emitter."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers.importlib import async_import_module

from ..errors import UserError
from ..hub.hub import DeferredPacket, Hub, caller_of
from .device import Command, Device, id_in
from .files import Alternating, NextPackets


class Sender:
    """Transmits the commands of a hub's devices."""

    def __init__(self, hass: HomeAssistant, changed: CALLBACK_TYPE) -> None:
        """Call `changed` when other emitters transmit than before."""
        self.next_packets = NextPackets(hass)
        self._hass = hass
        self._changed = changed
        self._emitters: list[Mapping[str, str]] = []
        """In YAML: the name of a device → its emitter."""
        self._emitting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def emitter_of(self, device: Device) -> str | None:
        """Return the emitter that transmits the commands of a device in place of the hub."""
        in_yaml = (emitters[device.name] for emitters in self._emitters if device.name in emitters)
        return device.settings.emitter or next(in_yaml, None)

    @callback
    def async_emit_through(self, emitters: Mapping[str, str]) -> CALLBACK_TYPE:
        """Have emitters transmit the commands of devices, by name. Return what ends that."""

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
        hub: Hub,
        device: Device | None,
        items: Iterable[Command | bytes],
        context: Context | None = None,
    ) -> list[bytes]:
        """Transmit commands of a device, or packets of it or of none; return what went out.

        By the hub, or by the device's emitter in its place. Of packets that alternate it is the
        next one. Raise as `Hub.transmit`, or UserError or EmitterFailedError of the emitter.
        """
        packets = [self._deferred(device, item) for item in items]
        if device is None or (emitter := self.emitter_of(device)) is None:
            await hub.transmit(packets, caller_of(context))
        else:
            await self._emit(hub, emitter, packets, context)
        return [item.sent if isinstance(item, Alternating) else item for item in packets]

    def _deferred(self, device: Device | None, item: Command | bytes) -> bytes | Alternating:
        if isinstance(item, bytes):
            return item
        if len(item.packets) == 1:
            return item.packets[0]
        id_ = item.id
        if device is not None and id_ == item.name:
            id_ = id_in(device, id_)  # in a code file of YAML, and in a draft, it is the name
        return Alternating(self.next_packets, id_, item.packets)

    async def _emit(
        self,
        hub: Hub,
        emitter: str,
        packets: Sequence[bytes | DeferredPacket],
        context: Context | None,
    ) -> None:
        try:
            # Only where it is wanted: core's platform needs a library that is not always there.
            module = await async_import_module(self._hass, f"{__package__}.emitter")
        except ImportError as err:
            raise UserError("no_emitter", entity_id=emitter) from err
        # What alternates is chosen when what was sent before it has gone out.
        async with self._emitting[emitter]:
            for number, packet in enumerate(packets):
                if number:
                    await hub.pause(hub.settings.min_gap)
                await module.async_emit(hub, emitter, packet, context)
