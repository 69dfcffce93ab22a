"""Commands of two packets that alternate, like those of remotes with a toggle bit."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy

from .file import StorageFile


class NextPackets:
    """Which packet of an alternating command comes next: device → command → its index."""

    def __init__(self, file: StorageFile) -> None:
        self._file = file
        self._next: dict[str, dict[str, int]] = {}
        self.changed = False
        """Whether `save` has something to write."""
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Read the file; what is not a number begins with the first packet."""
        self._next = {
            device: {command: index for command, index in of.items() if isinstance(index, int)}
            for device, of in (await self._file.read() or {}).items()
            if isinstance(of, dict)
        }

    def __getitem__(self, name: tuple[str, str]) -> int:
        """Return the index of a (device, command)'s next packet."""
        device, command = name
        return self._next.get(device, {}).get(command, 0)

    def __setitem__(self, name: tuple[str, str], index: int) -> None:
        """Note the next packet of a (device, command); on the disk after `save`."""
        device, command = name
        self._next.setdefault(device, {})[command] = index
        self.changed = True

    def forget(self, device: str, commands: Iterable[str]) -> None:
        """Let commands begin with their first packet again."""
        for command in commands:
            if self._next.get(device, {}).pop(command, None) is not None:
                self.changed = True

    def move(self, names: Mapping[tuple[str, str], tuple[str, str]]) -> None:
        """Follow renamed commands: old (device, command) → new."""
        for (device, command), new in names.items():
            if (index := self._next.get(device, {}).pop(command, None)) is not None:
                self[new] = index

    async def save(self) -> None:
        """Write what has changed. Raise StorageFailedError; the next call tries again."""
        async with self._lock:
            if not self.changed:
                return
            self.changed = False
            try:
                await self._file.write(deepcopy(self._next))
            except BaseException:
                self.changed = True
                raise

    async def remove(self) -> None:
        """Forget everything, on the disk too."""
        async with self._lock:
            await self._file.remove()
            self._next, self.changed = {}, False


class Alternating:
    """A command as the hub's queue takes it: which packet is decided when it is transmitted."""

    def __init__(
        self, next_packets: NextPackets, device: str, command: str, packets: Sequence[bytes]
    ) -> None:
        self._next_packets = next_packets
        self._name = device, command
        self._packets = packets
        self.sent = b""
        """The packet that was confirmed last."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""
        return self._packets[self._next_packets[self._name] % len(self._packets)]

    def confirmed(self) -> None:
        """Pass on to the next packet: the hub has transmitted this one."""
        self.sent = self.packet
        self._next_packets[self._name] = (self._next_packets[self._name] + 1) % len(self._packets)
