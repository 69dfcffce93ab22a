"""Identify user input: which `ContentKind` a file, a zip, a folder or a text is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from ..reasons import RefusedError
from .codes import parse_packets
from .devices import NAME as DEVICES, have_commands
from .imported import ContentKind, Imported
from .index import UNREADABLE, FileIndex, Source, sources_in_folder, sources_in_zip
from .notation import text_of
from .reading import Detected, detect, read_codes

MAX_CONTENT: Final = 64 * 1024 * 1024
"""Bytes of a file; the largest public collection is a zip of 3 MB."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""Magic bytes of a zip; the second is that of an empty one."""
_MAX_INSPECTED: Final = 10
"""A collection with at most this many files is checked for files without codes (a readme)."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """User input of a known kind."""

    kind: ContentKind
    format: str
    """Name of the format, such as "Flipper"; for a collection "zip" or "folder"."""
    name: str = ""
    """Name of the file without its suffix; empty if it was not a file."""
    content: object = None
    """Argument for `read_codes`: the text, or its parsed JSON or YAML. None for a collection."""
    paths: Sequence[str] = ()
    """Code files of a collection, in order."""
    _sources: Sequence[Source] = ()

    def read(self, *, device: str | None = None, command: str | None = None) -> Imported:
        """Return the commands, as `read_codes` does. Not for a collection, nor for whole devices.

        Raise NamelessError if neither the content nor `device` names the device. The caller should
        then ask for the name and suggest `name`, which is never used without asking.
        """
        if self.kind is ContentKind.COLLECTION:
            raise RefusedError("collection", count=len(self.paths))
        return read_codes(self.content, device=device, command=command)

    def open(self, path: str) -> Content:
        """Return the content of one of `paths`. Raise ValueError or OSError."""
        source = next(source for source in self._sources if source.path == path)
        return identify(_text(source), name=path)

    def index(self, progress: Callable[[float], None] = lambda _: None) -> FileIndex:
        """Return the index of a collection, which finds files by presses. Takes up to 2 minutes."""
        return FileIndex.of_sources(self._sources, progress)


def identify(user_input: object, *, name: str = "") -> Content:
    """Return the content of user input, with its kind.

    `user_input` is the content of a file as bytes, the path of a file or folder, a text, or parsed
    YAML or JSON (the data of an action); `name` is the name of the file. A zip or a folder with a
    single code file is treated as that file. Raise RefusedError with the reason if none of it can
    be used; OSError if it cannot be read. A large file takes a second: call it in the executor.

    Next step, by `kind`:

    DEVICE, EXPORT   devices; an export of irhub is read by the code that wrote it
    COLLECTION       `index` finds a file by a press, `open` opens one of `paths`
    CODE_FILE        `read`: commands, possibly with states, possibly for several devices
    LOG              `read(device=…)`: commands that have numbers as names
    PACKET           `read(device=…, command=…)`: one command
    """
    match user_input:
        case Path() if user_input.is_dir():
            return _content_of_sources(
                sources_in_folder(user_input), "folder", name or user_input.name
            )
        case Path():
            if user_input.stat().st_size > MAX_CONTENT:
                raise RefusedError("large", limit=MAX_CONTENT)
            return identify(user_input.read_bytes(), name=name or user_input.name)
        case bytes() if user_input.startswith(_ZIP):
            return _content_of_sources(sources_in_zip(user_input), "zip", name)
        case bytes():
            return identify(text_of(user_input), name=name)
    detected = _detect(user_input)
    return Content(
        kind=detected.kind,
        format=detected.format,
        name=PurePosixPath(name).stem,
        content=detected.content,
    )


def _detect(user_input: object) -> Detected:
    try:
        detected = detect(user_input)
        if detected.kind is ContentKind.PACKET:
            parse_packets(detected.content)
        elif detected.format == DEVICES and not have_commands(detected.content):
            raise RefusedError("no_devices")
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    return detected


def _content_of_sources(sources: Sequence[Source], format_name: str, name: str) -> Content:
    if len(sources) <= _MAX_INSPECTED:
        contents, errors = [], []
        for source in sources:
            try:
                contents.append(identify(_text(source), name=source.path))
            except ValueError as err:
                errors.append(err)
        if len(contents) == 1:
            return contents[0]
        if not contents:
            raise errors[0] if len(errors) == 1 else RefusedError("no_code_files")
    return Content(
        kind=ContentKind.COLLECTION,
        format=format_name,
        name=PurePosixPath(name).stem,
        paths=[source.path for source in sources],
        _sources=sources,
    )


def _text(source: Source) -> str:
    try:
        return source.text()
    except ValueError:
        raise
    except UNREADABLE as err:
        raise RefusedError("unreadable") from err
