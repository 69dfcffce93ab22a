"""Transmission through infrared emitter entities of Home Assistant, in place of a hub."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
import logging

from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.importlib import async_import_module

from .._common.log_once import LogOnce
from ..errors import EmitterFailedError, IrhubError, UserError
from ..ircodes.packet import air_time_s, kind
from .packets import DeferredPacket, packet_of
from .recent_signals import Emission, RecentSignals

_LOGGER = logging.getLogger(__package__)

type Pause = Callable[[float], Awaitable[None]]


class Emitters:
    """Transmits through emitter entities: one call at a time for each, several one by one."""

    def __init__(self, hass: HomeAssistant, signals: RecentSignals) -> None:
        self._hass = hass
        self._signals = signals
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._log = LogOnce(_LOGGER)

    async def transmit(
        self,
        emitters: Sequence[str],
        items: Sequence[bytes | DeferredPacket],
        *,
        gap_s: float,
        pause: Pause = asyncio.sleep,
        context: Context | None = None,
    ) -> Sequence[Emission]:
        """Transmit packets in order, each through all emitters; return the emissions.

        If some emitters fail, their errors are logged. Raise EmitterFailedError if all fail,
        UserError for a radio packet.
        """
        try:
            module = await async_import_module(self._hass, f"{__package__}.emitter")
        except ImportError as err:
            raise UserError("no_emitter", entity_id=", ".join(emitters)) from err

        emissions: list[Emission] = []

        async def emit(entity_id: str, packet: bytes) -> None:
            seconds, is_confirmed = air_time_s(packet), False
            emission = self._signals.begin(packet, entity_id, seconds)
            try:
                await module.async_emit(self._hass, entity_id, packet, context)
                is_confirmed = True
            except HomeAssistantError as err:
                raise EmitterFailedError("emitter_failed", entity_id=entity_id, error=err) from err
            finally:
                # Most emitters report success when they begin to transmit.
                self._signals.end(emission, is_confirmed=is_confirmed, after=seconds)
            emissions.append(emission)

        async with AsyncExitStack() as turns:
            for entity_id in sorted({*emitters}):  # always in the same order: no deadlock
                await turns.enter_async_context(self._locks[entity_id])
            for number, item in enumerate(items):
                if number:
                    await pause(gap_s)
                # An alternating packet is chosen after the previous one was transmitted.
                packet = packet_of(item)
                if kind(packet) == "rf":
                    raise UserError("emitter_no_radio", entity_id=", ".join(emitters))
                await self._transmit_through_all(emitters, packet, emit, pause)
                if not isinstance(item, bytes):
                    item.confirmed()
        return emissions

    async def _transmit_through_all(
        self,
        emitters: Sequence[str],
        packet: bytes,
        emit: Callable[[str, bytes], Awaitable[None]],
        pause: Pause,
    ) -> None:
        failed: dict[str, IrhubError] = {}
        for number, entity_id in enumerate(emitters):
            if number:
                await pause(air_time_s(packet))  # the previous emitter may have only begun
            try:
                await emit(entity_id, packet)
            except EmitterFailedError as err:
                failed[entity_id] = err
            else:
                self._log.settle(entity_id)
        if len(failed) == len(emitters):
            raise next(iter(failed.values()))
        for entity_id, problem in failed.items():
            self._log.report(entity_id, str(problem))
