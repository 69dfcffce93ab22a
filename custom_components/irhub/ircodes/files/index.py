"""Which of many code files is for a remote control: those that hold the packet of its button.

The index keeps two numbers for each packet, so that 400 files with 100,000 packets are a few
megabytes; a file that may fit is read again. All of this takes time: call it in the executor.
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
from .fingerprints import fingerprint, is_certain, is_end, key_of, keys_of, of_end, of_ends, shape
from .notation import text_of
from .reading import SUFFIXES, read_codes

FOLDERS: Final = (
    "irhub/codes",
    "codes",
    "custom_components/smartir/custom_codes",
    "custom_components/smartir/codes",
)
"""Where code files are in the configuration folder: our own, and SmartIR's."""
MAX_FILES: Final = 5_000
MAX_FILE: Final = 16 * 1024 * 1024
MAX_ALL: Final = 256 * 1024 * 1024
"""Bytes that all files have together; those of a zip when unpacked."""
MAX_DEPTH: Final = 8
"""Folders in folders."""
MAX_S: Final = 120.0
"""All files together: five thousand files of signals full of noise would take an hour."""
UNREADABLE: Final[tuple[type[Exception], ...]] = (
    *(ValueError, OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ZstdError, EOFError),
    RuntimeError,  # encrypted, packed in a way that is not known, or nested too deeply
)
"""What a broken file, or a broken zip, comes to."""
_ENCRYPTED: Final = 1
"""The flag in a zip."""
_OTHERWISE_WRITTEN: Final = 1.0
"""How far packets differ that have the same bits behind another leader."""
_URL_SAFE: Final = str.maketrans("-_", "+/")
_SHORTEST: Final = 4
"""Bytes: the header of a packet."""
_SHOWN: Final = 3
"""How many names of one packet in a file are kept."""
_COMPARED: Final = 30
"""Of the files that are left, so many are compared to find the button that tells them apart."""

type _Read = Callable[[], bytes]
type _Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Match:
    """A file that holds the presses."""

    path: str
    manufacturer: str
    models: Sequence[str]
    commands: Sequence[Sequence[str]]
    """What each press is in the file: "cool auto 24", under several names perhaps, or none."""
    difference: float
    """How far the durations are from what was heard, on average: 0 is equal."""


@dataclass(frozen=True, kw_only=True)
class NextButton:
    """The button that tells files apart best."""

    name: str
    """What it is called in the files: "heat auto 20"."""
    groups: int
    """How many groups it makes of them."""


@dataclass(frozen=True)
class Source:
    """A file that may hold codes."""

    path: str
    size: int
    read: _Read = field(repr=False)
    refused: Reason | None = None
    """Why it is not read at all."""

    def text(self) -> str:
        """Return what stands in it. Raise one of UNREADABLE."""
        if self.refused is not None:
            raise RefusedError(self.refused.key, **self.refused.values)
        if self.size > MAX_FILE:
            raise RefusedError("large", limit=MAX_FILE)
        return text_of(self.read())


class _Held:
    """What a file holds, as numbers of its packets, in order."""

    def __init__(self, packets: Iterable[bytes]) -> None:
        self.codes = array("I")
        """Fingerprints."""
        self.ends = array("I")
        """Those of what is heard of the codes if the receiver begins late."""
        self.shapes = array("i")
        """Inverted for the codes whose bits are not certain: they are found by their durations."""
        known: dict[bytes, tuple[int, int, int]] = {}
        for packet in packets:
            numbers = known.get(packet)
            if numbers is None:
                numbers = known[packet] = _numbers(packet)
            self.codes.append(numbers[0])
            self.ends.append(numbers[1])
            self.shapes.append(numbers[2])


def _numbers(packet: bytes) -> tuple[int, int, int]:
    key, of_packet = key_of(packet), shape(packet)
    return fingerprint(key), of_end(key), of_packet if is_certain(key) else ~of_packet


class FileIndex:
    """Code files by the packets that are in them."""

    def __init__(self, sources: Sequence[Source], progress: _Progress) -> None:
        self._sources: dict[str, Source] = {}
        self._held: dict[str, _Held] = {}
        skipped: dict[str, object] = {}
        left, end = MAX_ALL, monotonic() + MAX_S
        for number, source in enumerate(sources[:MAX_FILES]):
            progress(number / len(sources))
            refused = source.refused
            if refused is None and monotonic() > end:
                refused = Reason("time_over", {"limit": round(MAX_S)})
            if refused is not None:
                skipped[source.path] = refused
                continue
            if source.size > min(MAX_FILE, left):
                skipped[source.path] = Reason("large", {"limit": min(MAX_FILE, left)})
                continue
            left -= source.size
            try:
                held = _Held(packet for _, packet in _packets(source))
            except UNREADABLE as err:
                skipped[source.path] = reason_of(err, "unreadable")
                continue
            self._sources[source.path] = source
            self._held[source.path] = held
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
        """Return the index of a folder of code files, whose paths are those in it."""
        return cls([*_in_folder(root, root)], lambda _: None)

    @classmethod
    def of_zip(cls, content: bytes, progress: _Progress = lambda _: None) -> Self:
        """Return the index of the files in a zip. Raise ValueError if it is none."""
        return cls(sources_in_zip(content), progress)

    @classmethod
    def of_sources(cls, sources: Sequence[Source], progress: _Progress = lambda _: None) -> Self:
        """Return the index of these files."""
        return cls(sources, progress)

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self._sources)

    def codes(self) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield path and fingerprints of each file."""
        yield from ((path, frozenset(held.codes)) for path, held in self._held.items())

    def read(self, path: str) -> str:
        """Return the text of a file. Raise ValueError or OSError."""
        return text_of(self._sources[path].read())

    @property
    def paths(self) -> Collection[str]:
        """Return the files."""
        return self._sources.keys()

    def commands(self, path: str) -> Sequence[tuple[str, bytes]]:
        """Return the commands of a file and their packets; none if it has changed, or is gone."""
        try:
            return [*_packets(self._sources[path])]
        except UNREADABLE:
            return []

    def made_for(self, path: str) -> tuple[str, Sequence[str]]:
        """Return the maker and the models that a file names."""
        head = _head(self._sources[path])
        models = head.get("supportedModels")
        listed = [*map(str, models)] if isinstance(models, list) else []
        return str(head.get("manufacturer") or ""), listed

    def find(self, presses: Sequence[bytes]) -> list[Match]:
        """Return the files that hold the presses, those that are nearest first.

        If no file holds all of them, those that hold most: a press may have been heard badly.
        """
        searched = [_SearchedPress(press, self._held.values()) for press in presses]
        held = {
            path: sum(press.may_be_in(held) for press in searched)
            for path, held in self._held.items()
        }
        matches: dict[str, Match | None] = {}
        for most in sorted({*held.values()} - {0}, reverse=True):
            for path in (path for path, count in held.items() if count >= most):
                if path not in matches:
                    matches[path] = self._match(path, searched)
            fitting = [match for match in matches.values() if match is not None]
            best = max(map(_count, fitting), default=0)
            if best >= most:
                return sorted(
                    (match for match in fitting if _count(match) == best),
                    key=lambda match: (match.difference, match.path),
                )
        return []

    def next_button(self, matches: Sequence[Match]) -> NextButton | None:
        """Return the button that tells the files apart best; None if none does."""
        state_of_press: dict[str, dict[str, int]] = {}
        for match in matches[:_COMPARED]:
            packets = self.commands(match.path)
            for (name, _), code in zip(packets, self._held[match.path].codes, strict=False):
                state_of_press.setdefault(name, {})[match.path] = code
        groups = {name: len({*codes.values()}) for name, codes in state_of_press.items()}
        known = {name: len(codes) for name, codes in state_of_press.items()}
        if max(groups.values(), default=1) <= 1:
            return None
        name = max(groups, key=lambda name: (groups[name], known[name], -len(name), name))
        return NextButton(name=name, groups=groups[name])

    def _match(self, path: str, searched: Sequence[_SearchedPress]) -> Match | None:
        held, packets = self._held[path], self.commands(path)
        off, commands = [], []
        for press in searched:
            near = [
                (far, name)
                for (name, packet), has_code in press.candidates(held, packets)
                if (far := press.difference(packet, has_code=has_code)) is not None
            ]
            least = min((far for far, _ in near), default=None)
            commands.append([name for far, name in near if far == least][:_SHOWN])
            if least is not None:
                off.append(least)
        if not off:
            return None
        manufacturer, models = self.made_for(path)
        return Match(
            path=path,
            manufacturer=manufacturer,
            models=models,
            commands=commands,
            difference=sum(off) / len(off),
        )


class _SearchedPress:
    """A press that is looked for."""

    def __init__(self, press: bytes, files: Iterable[_Held]) -> None:
        self._press = press = read(press)
        self._keys = keys_of(press)
        self._is_certain = all(map(is_certain, self._keys))
        self._shape = shape(press)
        self._shapes = frozenset(
            {~self._shape} if self._is_certain else {self._shape, ~self._shape}
        )
        self._codes = frozenset(map(fingerprint, self._keys))
        self._is_cut = all(self._codes.isdisjoint(held.codes) for held in files)
        """Whether no file has all of it: then it may be the end of a code."""
        if self._is_cut:
            self._codes = of_ends(self._keys)

    def may_be_in(self, held: _Held) -> bool:
        """Return whether a file may have what was pressed."""
        codes = held.ends if self._is_cut else held.codes
        return not (self._codes.isdisjoint(codes) and self._shapes.isdisjoint(held.shapes))

    def candidates[T](self, held: _Held, packets: Iterable[T]) -> Iterator[tuple[T, bool]]:
        """Yield those of a file's packets that may be what was pressed, and whether its code is."""
        codes = held.ends if self._is_cut else held.codes
        for packet, code, of_packet in zip(packets, codes, held.shapes, strict=False):
            if code in self._codes or of_packet in self._shapes:
                yield packet, code in self._codes

    def difference(self, packet: bytes, *, has_code: bool) -> float | None:
        """Return how far a packet is from what was heard; None if it is another one.

        Without its code only durations are compared: reading thousands of packets takes seconds.
        """
        if has_code:
            if self._is_key(key := key_of(packet)):
                return self._signals_difference(packet)
            if self._is_certain and is_certain(key):
                return None
        if shape(packet) != self._shape:
            return None
        return read(packet).difference(self._press)

    def _is_key(self, key: Key) -> bool:
        if self._is_cut:
            return any(is_end(received, key) for received in self._keys)
        return key in self._keys

    def _signals_difference(self, packet: bytes) -> float | None:
        try:
            known, received = read(from_bytes(packet)).signal, self._press.signal
        except ValueError:
            return None
        if known is None or received is None:
            return _OTHERWISE_WRITTEN if known is received else None
        otherwise = 0.0 if self._is_cut or known.is_like(received) else _OTHERWISE_WRITTEN
        return known.difference(received) + otherwise


def _count(match: Match) -> int:
    return sum(map(bool, match.commands))


def packets_in(root: Path) -> Iterator[bytes]:
    """Yield the packets of all code files in a folder that can be read."""
    for source in _in_folder(root, root):
        try:
            yield from (packet for _, packet in _packets(source))
        except UNREADABLE:
            continue


def _in_folders(config_dir: Path) -> Iterator[Source]:
    for folder in FOLDERS:
        yield from _in_folder(config_dir / folder, config_dir)


def sources_in_folder(root: Path) -> list[Source]:
    """Return the code files in a folder and all folders in it, as their names say."""
    return [*_in_folder(root, root)]


def _is_hidden(parts: Sequence[str]) -> bool:
    """Return whether a program has put a file there for itself, as macOS does in each zip."""
    return any(part == "__MACOSX" or part.startswith(".") for part in parts if part != "..")


def _in_folder(root: Path, shown_from: Path) -> Iterator[Source]:
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            shown, parts = path.relative_to(shown_from).as_posix(), path.relative_to(root).parts
            yield Source(shown, path.stat().st_size, path.read_bytes, _too_deep(parts))


def sources_in_zip(content: bytes) -> list[Source]:
    """Return the code files in a zip, as their names say. Raise RefusedError if it is none."""
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
    """Yield what a file holds. Raise ValueError if it cannot be read."""
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
    """Yield the commands of a SmartIR file, three times as fast as an import, which checks all."""
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
