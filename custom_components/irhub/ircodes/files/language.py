"""All codes of a device, from a single press, with names of functions found in code files.

Protocol, device and subdevice are those of the press; the function takes all possible values. These
are the codes that the device may understand. Files that contain some of them are for that device,
and provide the names of its functions.
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

MIN_MATCHES: Final = 2
"""Minimum number of matching codes in a file; fewer may be a coincidence."""


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function of the device, as named in files."""

    number: int
    name: str
    """The most frequent name."""
    files: int
    """Number of files that contain it, under any name."""
    packets: tuple[bytes, ...]
    """Several are sent in turn: the protocol has a toggle."""


@dataclass(frozen=True, kw_only=True)
class Language:
    """All codes of one device."""

    device: str
    """Protocol and address: "NEC 0x04"."""
    codes: Mapping[int, tuple[bytes, ...]]
    """Number of a function → its packets."""

    @classmethod
    def of_press(cls, press: bytes) -> Self | None:
        """Return the language of a press; None if no row of the protocol table reads it."""
        if (decoded := meaning(press)) is None or not (codes := functions(press)):
            return None
        return cls(device=decoded.device, codes=codes)

    def matching_files(self, files: Iterable[tuple[str, frozenset[int]]]) -> list[str]:
        """Return the paths of the files with enough matching codes, most matches first.

        `files` are pairs of path and fingerprints.
        """
        known = {fingerprint(key) for key in self._by_key}
        counts = {path: len(known & codes) for path, codes in files}
        matching = [path for path, count in counts.items() if count >= MIN_MATCHES]
        return sorted(matching, key=lambda path: (-counts[path], path))

    def functions(self, texts: Mapping[str, str]) -> list[Function]:
        """Return the functions named in the files, path → text, sorted by name.

        Unreadable files are ignored. Takes some time: call it in the executor.
        """
        names: defaultdict[int, Counter[str]] = defaultdict(Counter)
        files: Counter[int] = Counter()
        for path, text in texts.items():
            in_file = self._functions_in(path, text)
            files.update(in_file.keys())
            for number, name in in_file.items():
                names[number][name] += 1
        functions = [
            Function(
                number=number,
                name=_most_frequent(counts),
                files=files[number],
                packets=self.codes[number],
            )
            for number, counts in names.items()
        ]
        return sorted(functions, key=attrgetter("name", "number"))

    @cached_property
    def _by_key(self) -> Mapping[Key, tuple[int, bytes]]:
        """Return the function and the packet for each key."""
        return {
            key_of(packet): (number, packet)
            for number, packets in self.codes.items()
            for packet in packets
        }

    def _functions_in(self, path: str, text: str) -> dict[int, str]:
        """Return the functions in a file: number → its first name there."""
        try:
            imported = read_codes(text, device=path)
        except ValueError:
            return {}
        functions: dict[int, str] = {}
        for commands in imported.commands.values():
            for name, packets in commands.items():
                if (number := self._number(packets[0])) is not None:
                    functions.setdefault(number, name)
        return functions

    def _number(self, packet: bytes) -> int | None:
        """Return the number of the function that a packet is; None if it is not one."""
        if (known := self._by_key.get(key_of(packet))) is None:
            return None
        number, known_packet = known
        received, expected = read(packet).signal, read(known_packet).signal
        # A code with equal bits but another leader is for another device.
        has_leader = received is not None and expected is not None and expected.is_like(received)
        return number if has_leader else None


def _most_frequent(counts: Counter[str]) -> str:
    """Return the most frequent name; of several, the shortest one."""
    return max(counts, key=lambda name: (counts[name], -len(name), name))
