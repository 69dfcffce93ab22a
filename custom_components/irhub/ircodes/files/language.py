"""A remote control's language, from one press: what its other buttons say, and their names.

Protocol, device and subdevice of a press stay, and its function takes every value that it can have:
these are the codes that the same device may understand. The files that hold some of them speak to
that device; the names of its functions are theirs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final, Self

from ..packet.bits import Key
from ..packet.reader import read
from ..protocols.protocols import functions, meaning
from .fingerprints import fingerprint, key_of
from .reading import read_codes

SPEAKS: Final = 2
"""How many codes of a file must match before that is no coincidence."""


@dataclass(frozen=True, kw_only=True)
class Function:
    """What files say a code does."""

    number: int
    name: str
    """What most of them call it."""
    files: int
    """How many have it, under whatever name."""
    packets: tuple[bytes, ...]
    """Several are sent in turn: the protocol has a toggle."""


@dataclass(frozen=True, kw_only=True)
class Language:
    """The codes for one device."""

    device: str
    """Its protocol and number: "NEC 0x04"."""
    codes: Mapping[int, tuple[bytes, ...]]
    """Number of a function → its packets."""

    @classmethod
    def of_press(cls, press: bytes) -> Self | None:
        """Return the language that a press is of; None if no protocol of our table reads it."""
        if (meant := meaning(press)) is None or not (codes := functions(press)):
            return None
        return cls(device=meant.device, codes=codes)

    def speakers(self, files: Iterable[tuple[str, frozenset[int]]]) -> list[str]:
        """Return the files, by path and fingerprints, that speak it; those first that know most."""
        known = {fingerprint(key) for key in self._by_key}
        counts = {path: len(known & codes) for path, codes in files}
        spoken = [path for path, count in counts.items() if count >= SPEAKS]
        return sorted(spoken, key=lambda path: (-counts[path], path))

    def functions(self, texts: Mapping[str, str]) -> list[Function]:
        """Return what files, path → text, call the functions; by name.

        A file that cannot be read says nothing. Takes some time: call it in the executor.
        """
        names: defaultdict[int, Counter[str]] = defaultdict(Counter)
        files: Counter[int] = Counter()
        for path, text in texts.items():
            in_file = self._named(path, text)
            files.update(in_file.keys())
            for number, name in in_file.items():
                names[number][name] += 1
        functions = [
            Function(
                number=number,
                name=max(of, key=lambda name: (of[name], -len(name), name)),
                files=files[number],
                packets=self.codes[number],
            )
            for number, of in names.items()
        ]
        return sorted(functions, key=attrgetter("name", "number"))

    @cached_property
    def _by_key(self) -> Mapping[Key, tuple[int, bytes]]:
        """Return what each packet says → its function, and the packet."""
        return {
            key_of(packet): (number, packet) for number, of in self.codes.items() for packet in of
        }

    def _named(self, path: str, text: str) -> dict[int, str]:
        """Return the functions of a file: number → the first name that it has there."""
        try:
            imported = read_codes(text, device=path)
        except ValueError:
            return {}
        named: dict[int, str] = {}
        for commands in imported.commands.values():
            for name, packets in commands.items():
                if (number := self._number(packets[0])) is not None:
                    named.setdefault(number, name)
        return named

    def _number(self, packet: bytes) -> int | None:
        """Return which function a packet is."""
        if (known := self._by_key.get(key_of(packet))) is None:
            return None
        number, ours = known
        received, written = read(packet).signal, read(ours).signal
        # Codes of equal bits behind another leader are for another device.
        is_ours = received is not None and written is not None and written.is_like(received)
        return number if is_ours else None
