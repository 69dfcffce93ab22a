"""Index of code files: find the files for a remote control by presses of its buttons.

The index stores a few numbers per packet, so that 400 files with 100,000 packets take a few
megabytes; files that may match are read again. All operations take time: call them in the executor.
"""

from array import array
import binascii
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from compression.zstd import ZstdError
from dataclasses import dataclass, field
from io import BytesIO
import json
import lzma
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Final, Self
import zipfile
import zlib

from ..packet.bits import Key
from ..packet.packet import from_bytes
from ..packet.reader import read
from ..reasons import Reason, RefusedError, reason_of
from .fingerprints import (
    end_fingerprint,
    end_fingerprints,
    fingerprint,
    is_certain,
    is_end,
    key_of,
    keys_of,
    shape,
)
from .notation import text_of
from .reading import SUFFIXES, read_codes
from .smartir import models_of

FOLDERS: Final = (
    "irhub/codes",
    "codes",
    "custom_components/smartir/custom_codes",
    "custom_components/smartir/codes",
)
"""Folders of code files in the configuration folder: irhub's own, and SmartIR's."""
MAX_FILES: Final = 5_000
MAX_FILE: Final = 16 * 1024 * 1024
MAX_ALL: Final = 256 * 1024 * 1024
"""Total bytes of all files; of a zip, unpacked."""
MAX_DEPTH: Final = 8
"""Maximum nesting of folders."""
MAX_S: Final = 120.0
"""Seconds for all files: five thousand files of noisy signals would take an hour."""
UNREADABLE: Final[tuple[type[Exception], ...]] = (
    *(ValueError, OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ZstdError, EOFError),
    RuntimeError,  # encrypted, unknown compression method, or nested too deeply
)
"""Exceptions that a broken file or zip may raise."""
_ENCRYPTED: Final = 1
"""Flag bit in a zip."""
_OTHER_LEADER: Final = 1.0
"""Difference assigned to packets with equal bits but another leader."""
_URL_SAFE: Final = str.maketrans("-_", "+/")
_SHORTEST: Final = 4
"""Bytes of a packet's header."""
_MAX_NAMES: Final = 3
"""Maximum number of names kept for one packet in a file."""
_MAX_COMPARED: Final = 30
"""Maximum number of matching files that are compared to choose the next button."""

type _Read = Callable[[], bytes]
type _Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Match:
    """A file that contains the presses."""

    path: str
    manufacturer: str
    models: Sequence[str]
    commands: Sequence[Sequence[str]]
    """For each press its names in the file, such as "cool auto 24"; none if it is missing."""
    difference: float
    """Average relative difference of the durations from the received ones; 0 means equal."""


@dataclass(frozen=True, kw_only=True)
class NextButton:
    """The button that distinguishes files best."""

    name: str
    """Its name in the files: "heat auto 20"."""
    groups: int
    """Number of groups that it divides the files into."""


@dataclass(frozen=True)
class Source:
    """A possible code file."""

    path: str
    size: int
    read: _Read = field(repr=False)
    refused: Reason | None = None
    """Reason why the file is not read."""

    def text(self) -> str:
        """Return the text of the file. Raise one of UNREADABLE."""
        if self.refused is not None:
            raise RefusedError(self.refused.key, **self.refused.values)
        if self.size > MAX_FILE:
            raise RefusedError("large", limit=MAX_FILE)
        return text_of(self.read())


class _FilePackets:
    """Fingerprints and shapes of the packets of a file, in order."""

    def __init__(self, packets: Iterable[bytes]) -> None:
        self.codes = array("I")
        """Fingerprints."""
        self.ends = array("I")
        """Fingerprints of the ends of the codes, for presses that the receiver has missed the start
        of."""
        self.shapes = array("i")
        """Inverted for codes whose bits are not certain: these are found by their durations."""
        known: dict[bytes, tuple[int, int, int]] = {}
        for packet in packets:
            numbers = known.get(packet)
            if numbers is None:
                numbers = known[packet] = _numbers(packet)
            self.codes.append(numbers[0])
            self.ends.append(numbers[1])
            self.shapes.append(numbers[2])


def _numbers(packet: bytes) -> tuple[int, int, int]:
    """Return what the index stores of a packet: its items of `codes`, `ends` and `shapes`."""
    key, packet_shape = key_of(packet), shape(packet)
    return (
        fingerprint(key),
        end_fingerprint(key),
        packet_shape if is_certain(key) else ~packet_shape,
    )


class FileIndex:
    """Index of code files by their packets."""

    def __init__(self, sources: Sequence[Source], progress: _Progress) -> None:
        self._sources: dict[str, Source] = {}
        self._files: dict[str, _FilePackets] = {}
        skipped: dict[str, object] = {}
        """Path → reason why the file is not in the index."""
        bytes_left, deadline = MAX_ALL, monotonic() + MAX_S
        for number, source in enumerate(sources[:MAX_FILES]):
            progress(number / len(sources))
            refused = source.refused
            if refused is None and monotonic() > deadline:
                refused = Reason("time_over", {"limit": round(MAX_S)})
            if refused is not None:
                skipped[source.path] = refused
                continue
            if source.size > min(MAX_FILE, bytes_left):
                skipped[source.path] = Reason("large", {"limit": min(MAX_FILE, bytes_left)})
                continue
            bytes_left -= source.size
            try:
                file = _FilePackets(packet for _, packet in _packets(source))
            except UNREADABLE as err:
                skipped[source.path] = reason_of(err, "unreadable")
                continue
            self._sources[source.path] = source
            self._files[source.path] = file
        for source in sources[MAX_FILES:]:
            skipped[source.path] = Reason("many_files", {"limit": MAX_FILES})
        self.skipped: Mapping[str, object] = skipped
        """Path → why the file is not in the index."""

    @classmethod
    def of_folders(cls, config_dir: Path, progress: _Progress = lambda _: None) -> Self:
        """Return the index of FOLDERS in the configuration folder."""
        return cls([*_in_folders(config_dir)], progress)

    @classmethod
    def of_collection(cls, root: Path) -> Self:
        """Return the index of a folder of code files; paths are relative to it."""
        return cls([*_in_folder(root, root)], lambda _: None)

    @classmethod
    def of_zip(cls, content: bytes, progress: _Progress = lambda _: None) -> Self:
        """Return the index of the files in a zip. Raise ValueError if it is not a zip."""
        return cls(sources_in_zip(content), progress)

    @classmethod
    def of_sources(cls, sources: Sequence[Source], progress: _Progress = lambda _: None) -> Self:
        """Return the index of these files."""
        return cls(sources, progress)

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self._sources)

    def codes(self) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield the path and the fingerprints of each file."""
        yield from ((path, frozenset(file.codes)) for path, file in self._files.items())

    def read(self, path: str) -> str:
        """Return the text of a file. Raise ValueError or OSError."""
        return text_of(self._sources[path].read())

    @property
    def paths(self) -> Collection[str]:
        """Return the paths of all files."""
        return self._sources.keys()

    def commands(self, path: str) -> Sequence[tuple[str, bytes]]:
        """Return the commands of a file and their packets; empty if it is no longer readable."""
        try:
            return [*_packets(self._sources[path])]
        except UNREADABLE:
            return []

    def maker_and_models(self, path: str) -> tuple[str, Sequence[str]]:
        """Return the manufacturer and the models named in a file."""
        head = _head(self._sources[path])
        return str(head.get("manufacturer") or ""), models_of(head)

    def find(self, presses: Sequence[bytes]) -> list[Match]:
        """Return the files that contain the presses, the nearest first.

        If no file contains all of them, return those that contain most: a press may be distorted.
        """
        searched = [_SearchedPress(press, self._files.values()) for press in presses]
        counts = {
            path: sum(press.may_be_in(file) for press in searched)
            for path, file in self._files.items()
        }
        matches: dict[str, Match | None] = {}
        for minimum in sorted({*counts.values()} - {0}, reverse=True):
            for path in (path for path, count in counts.items() if count >= minimum):
                if path not in matches:
                    matches[path] = self._match(path, searched)
            confirmed = [match for match in matches.values() if match is not None]
            best = max(map(_count, confirmed), default=0)
            if best >= minimum:
                return sorted(
                    (match for match in confirmed if _count(match) == best),
                    key=lambda match: (match.difference, match.path),
                )
        return []

    def next_button(self, matches: Sequence[Match]) -> NextButton | None:
        """Return the button that distinguishes the files best; None if no button does."""
        codes_by_button: dict[str, dict[str, int]] = {}
        for match in matches[:_MAX_COMPARED]:
            packets = self.commands(match.path)
            for (name, _), code in zip(packets, self._files[match.path].codes, strict=False):
                codes_by_button.setdefault(name, {})[match.path] = code
        groups = {name: len({*codes.values()}) for name, codes in codes_by_button.items()}
        file_counts = {name: len(codes) for name, codes in codes_by_button.items()}
        if max(groups.values(), default=1) <= 1:
            return None
        name = max(groups, key=lambda name: (groups[name], file_counts[name], -len(name), name))
        return NextButton(name=name, groups=groups[name])

    def _match(self, path: str, searched: Sequence[_SearchedPress]) -> Match | None:
        file, packets = self._files[path], self.commands(path)
        smallest_differences, commands = [], []
        for press in searched:
            differences = [
                (difference, name)
                for (name, packet), has_code in press.candidates(file, packets)
                if (difference := press.difference(packet, has_code=has_code)) is not None
            ]
            smallest = min((difference for difference, _ in differences), default=None)
            commands.append(
                [name for difference, name in differences if difference == smallest][:_MAX_NAMES]
            )
            if smallest is not None:
                smallest_differences.append(smallest)
        if not smallest_differences:
            return None
        manufacturer, models = self.maker_and_models(path)
        return Match(
            path=path,
            manufacturer=manufacturer,
            models=models,
            commands=commands,
            difference=sum(smallest_differences) / len(smallest_differences),
        )


class _SearchedPress:
    """A press to search for."""

    def __init__(self, press: bytes, files: Iterable[_FilePackets]) -> None:
        self._press = press = read(press)
        self._keys = keys_of(press)
        self._is_certain = all(map(is_certain, self._keys))
        self._shape = shape(press)
        self._shapes = frozenset(
            {~self._shape} if self._is_certain else {self._shape, ~self._shape}
        )
        self._codes = frozenset(map(fingerprint, self._keys))
        self._is_cut = all(self._codes.isdisjoint(file.codes) for file in files)
        """Whether no file contains the whole press: it may be the end of a code."""
        if self._is_cut:
            self._codes = end_fingerprints(self._keys)

    def may_be_in(self, file: _FilePackets) -> bool:
        """Return whether a file may contain the press."""
        codes = file.ends if self._is_cut else file.codes
        return not (self._codes.isdisjoint(codes) and self._shapes.isdisjoint(file.shapes))

    def candidates[T](self, file: _FilePackets, packets: Iterable[T]) -> Iterator[tuple[T, bool]]:
        """Yield the packets that may be the press, and whether their fingerprint matches."""
        codes = file.ends if self._is_cut else file.codes
        for packet, code, packet_shape in zip(packets, codes, file.shapes, strict=False):
            if code in self._codes or packet_shape in self._shapes:
                yield packet, code in self._codes

    def difference(self, packet: bytes, *, has_code: bool) -> float | None:
        """Return the difference between a packet and the press; None if they are different codes.

        Without a matching fingerprint only durations are compared: decoding thousands of packets
        takes seconds.
        """
        if has_code:
            if self._matches_key(key := key_of(packet)):
                return self._signals_difference(packet)
            if self._is_certain and is_certain(key):
                return None
        if shape(packet) != self._shape:
            return None
        return read(packet).difference(self._press)

    def _matches_key(self, key: Key) -> bool:
        if self._is_cut:
            return any(is_end(received, key) for received in self._keys)
        return key in self._keys

    def _signals_difference(self, packet: bytes) -> float | None:
        try:
            known, received = read(from_bytes(packet)).signal, self._press.signal
        except ValueError:
            return None
        if known is None or received is None:
            return _OTHER_LEADER if known is received else None
        leader_difference = 0.0 if self._is_cut or known.is_like(received) else _OTHER_LEADER
        return known.difference(received) + leader_difference


def _count(match: Match) -> int:
    """Return the number of presses in the file."""
    return sum(map(bool, match.commands))


def packets_in(root: Path) -> Iterator[bytes]:
    """Yield the packets of all readable code files in a folder."""
    for source in _in_folder(root, root):
        try:
            yield from (packet for _, packet in _packets(source))
        except UNREADABLE:
            continue


def _in_folders(config_dir: Path) -> Iterator[Source]:
    for folder in FOLDERS:
        yield from _in_folder(config_dir / folder, config_dir)


def sources_in_folder(root: Path) -> list[Source]:
    """Return the possible code files in a folder and its subfolders, by their suffixes."""
    return [*_in_folder(root, root)]


def _is_hidden(parts: Sequence[str]) -> bool:
    """Return whether a file is a program's metadata, such as those of macOS in zips."""
    return any(part == "__MACOSX" or part.startswith(".") for part in parts if part != "..")


def _in_folder(root: Path, shown_from: Path) -> Iterator[Source]:
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            shown, parts = path.relative_to(shown_from).as_posix(), path.relative_to(root).parts
            yield Source(shown, path.stat().st_size, path.read_bytes, _too_deep(parts))


def sources_in_zip(content: bytes) -> list[Source]:
    """Return the possible code files in a zip, by their suffixes. Raise RefusedError."""
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except UNREADABLE as err:
        raise RefusedError("no_zip") from err
    return [*_in_zip(archive)]


def _in_zip(archive: zipfile.ZipFile) -> Iterator[Source]:
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if info.is_dir() or path.suffix.lower() not in SUFFIXES or _is_hidden(path.parts):
            continue

        def read(info: zipfile.ZipInfo = info) -> bytes:
            if info.flag_bits & _ENCRYPTED:
                raise RefusedError("encrypted")
            with archive.open(info) as file:
                content = file.read(MAX_FILE + 1)
            if len(content) > info.file_size:
                raise RefusedError("unreadable")
            return content

        refused = _outside(path) or _too_deep(path.parts)
        yield Source(str(path), info.file_size, read, refused)


def _outside(path: PurePosixPath) -> Reason | None:
    return Reason("unreadable", {}) if path.is_absolute() or ".." in path.parts else None


def _too_deep(parts: Sequence[str]) -> Reason | None:
    return Reason("deep_file", {"limit": MAX_DEPTH}) if len(parts) > MAX_DEPTH else None


def _head(source: Source) -> Mapping[str, object]:
    try:
        content = json.loads(text_of(source.read()))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _packets(source: Source) -> Iterator[tuple[str, bytes]]:
    """Yield the commands of a file. Raise ValueError if it cannot be read."""
    text = text_of(source.read())
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except json.JSONDecodeError as err:
            raise RefusedError("no_notation", line=err.lineno, column=err.colno) from err
        if isinstance(content, dict) and str(content.get("commandsEncoding")).lower() == "base64":
            yield from _base64(content.get("commands"), ())
            return
    for commands in read_codes(text, device=source.path).commands.values():
        for name, packets in commands.items():
            yield name, packets[0]


def _base64(commands: object, path: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the commands of a SmartIR file without validation, three times as fast as an import."""
    if isinstance(commands, dict):
        for name, inner in commands.items():
            yield from _base64(inner, (*path, name))
        return
    first = commands[0] if isinstance(commands, list) and commands else commands
    if isinstance(first, str):
        try:
            packet = binascii.a2b_base64(first.translate(_URL_SAFE) + "==")
        except ValueError:
            return
        if len(packet) > _SHORTEST:
            yield " ".join(path), packet
