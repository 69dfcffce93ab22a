"""Which of many code files is for a remote control: those that hold the packet of its button.

The index keeps a number for each packet, so that 400 files with 100,000 packets are a few
megabytes; a file that may fit is read again. All of this takes time: call it in the executor.
"""

import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from compression.zstd import ZstdError
from dataclasses import dataclass, field
from io import BytesIO
import json
import lzma
from pathlib import Path, PurePosixPath
from typing import Final, Self
import zipfile
import zlib

from ..codes.frames import difference, said
from ..codes.packet import from_bytes
from ..codes.pattern import pattern
from ..codes.protocols import clean, learned, meaning
from ..codes.reasons import Reason, RefusedError, why
from ..formats.reading import SUFFIXES, read_codes

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
_UNREADABLE: Final[tuple[type[Exception], ...]] = (
    *(ValueError, OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ZstdError, EOFError),
    RuntimeError,  # encrypted, packed in a way that is not known, or nested too deeply
)
"""What a broken file, or a broken zip, comes to."""
_BY_MEANING: Final = 1.0
"""How far packets differ that mean the same and have other durations."""
_SHOWN: Final = 3
"""So many names one packet has in a file, at most."""

type _Read = Callable[[], bytes]
type _Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Match:
    """A file that holds all presses."""

    path: str
    manufacturer: str
    models: Sequence[str]
    commands: Sequence[Sequence[str]]
    """What each press is in the file: "cool auto 24", under several names perhaps."""
    difference: float
    """How far the durations are from what was heard, on average: 0 is equal."""


@dataclass(frozen=True)
class _Source:
    path: str
    size: int
    read: _Read = field(repr=False)


class FileIndex:
    """Code files by the packets that are in them."""

    def __init__(self, sources: Sequence[_Source], progress: _Progress) -> None:
        self._sources: dict[str, _Source] = {}
        self._patterns: dict[str, frozenset[int]] = {}
        skipped: dict[str, object] = {}
        left = MAX_ALL
        for number, source in enumerate(sources[:MAX_FILES]):
            progress(number / len(sources))
            if source.size > min(MAX_FILE, left):
                skipped[source.path] = Reason("large_file", {"limit": min(MAX_FILE, left)})
                continue
            left -= source.size
            try:
                packets = [packet for _, packet in _packets(source)]
            except _UNREADABLE as err:
                skipped[source.path] = why(err)
                continue
            self._sources[source.path] = source
            self._patterns[source.path] = frozenset(
                hash(known) for packet in packets if (known := pattern(packet)) is not None
            )
        for source in sources[MAX_FILES:]:
            skipped[source.path] = Reason("many_files", {"limit": MAX_FILES})
        self.skipped: Mapping[str, object] = skipped
        """Path → why the file is not in the index."""

    @classmethod
    def of_folders(cls, config_dir: Path, progress: _Progress = lambda _: None) -> Self:
        """Return the index of FOLDERS in the configuration folder."""
        return cls([*_in_folders(config_dir)], progress)

    @classmethod
    def of_zip(cls, content: bytes, progress: _Progress = lambda _: None) -> Self:
        """Return the index of the files in a zip. Raise ValueError if it is none."""
        try:
            archive = zipfile.ZipFile(BytesIO(content))
        except _UNREADABLE as err:
            raise RefusedError("no_zip", error=err) from err
        return cls([*_in_zip(archive)], progress)

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self._sources)

    def read(self, path: str) -> str:
        """Return the text of a file. Raise ValueError or OSError."""
        return _text(self._sources[path])

    def find(self, presses: Sequence[bytes]) -> list[Match]:
        """Return the files that hold all of the presses, those that are nearest first."""
        wanted = [_wanted(press) for press in presses]
        matches = [
            match
            for path, patterns in self._patterns.items()
            if all(not patterns.isdisjoint(each) for each in wanted)
            and (match := self._match(path, presses, wanted)) is not None
        ]
        return sorted(matches, key=lambda match: (match.difference, match.path))

    def _match(
        self, path: str, presses: Sequence[bytes], wanted: Sequence[frozenset[int]]
    ) -> Match | None:
        source = self._sources[path]
        off, commands = 0.0, []
        try:
            packets = [(name, packet, hash(pattern(packet))) for name, packet in _packets(source)]
        except _UNREADABLE:
            return None  # changed since, or gone
        for press, patterns in zip(presses, wanted, strict=True):
            alike = [(name, packet) for name, packet, known in packets if known in patterns]
            near = [
                (far, name)
                for name, packet in alike
                if (far := _distance(packet, press)) is not None
            ]
            if not near:
                return None
            least = min(far for far, _ in near)
            off += least
            commands.append([name for far, name in near if far == least][:_SHOWN])
        head = _head(source)
        models = head.get("supportedModels")
        return Match(
            path=path,
            manufacturer=str(head.get("manufacturer") or ""),
            models=[*map(str, models)] if isinstance(models, list) else [],
            commands=commands,
            difference=off / len(presses),
        )


def _wanted(press: bytes) -> frozenset[int]:
    """Return the patterns that a press has: as heard, clean, and with the toggle bit flipped."""
    heard = [press, *learned([press])]
    if (cleaned := clean(press)) is not None:
        heard.append(cleaned)
    return frozenset(hash(known) for each in heard if (known := pattern(each)) is not None)


def _distance(packet: bytes, press: bytes) -> float | None:
    """Return how far a packet is from what was heard; None if it is another code."""
    try:
        packet = from_bytes(packet)
    except ValueError:
        return None
    if (off := difference(said(packet), said(press))) is not None:
        return off
    known = meaning(press)
    return _BY_MEANING if known is not None and meaning(packet) == known else None


def _in_folders(config_dir: Path) -> Iterator[_Source]:
    for folder in FOLDERS:
        root = config_dir / folder
        for path in sorted(root.rglob("*")):
            depth = len(path.relative_to(root).parts)
            if path.suffix.lower() in SUFFIXES and depth <= MAX_DEPTH and path.is_file():
                shown = path.relative_to(config_dir).as_posix()
                yield _Source(shown, path.stat().st_size, path.read_bytes)


def _in_zip(archive: zipfile.ZipFile) -> Iterator[_Source]:
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if info.is_dir() or path.suffix.lower() not in SUFFIXES:
            continue
        if path.is_absolute() or ".." in path.parts or len(path.parts) > MAX_DEPTH:
            continue

        def read(info: zipfile.ZipInfo = info) -> bytes:
            with archive.open(info) as file:
                content = file.read(MAX_FILE + 1)
            if len(content) > info.file_size:
                raise RefusedError("larger_than_said")
            return content

        yield _Source(str(path), info.file_size, read)


def _text(source: _Source) -> str:
    return source.read().decode("utf-8-sig", errors="replace")


def _head(source: _Source) -> Mapping[str, object]:
    try:
        content = json.loads(_text(source))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _packets(source: _Source) -> Iterator[tuple[str, bytes]]:
    """Yield what a file holds. Raise ValueError if it cannot be read."""
    text = _text(source)
    if text.lstrip().startswith("{"):
        content = json.loads(text)
        if isinstance(content, dict) and content.get("commandsEncoding") == "Base64":
            yield from _base64(content.get("commands"), ())
            return
    for commands in read_codes(text, device=source.path).commands.values():
        for name, packets in commands.items():
            yield name, packets[0]


def _base64(commands: object, path: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the commands of a SmartIR file, three times as fast as an import, which checks all."""
    match commands:
        case dict():
            for name, inner in commands.items():
                yield from _base64(inner, (*path, name))
        case [str(first), *_] | str(first) if first:
            try:
                yield " ".join(path), binascii.a2b_base64(first)
            except binascii.Error:
                return
