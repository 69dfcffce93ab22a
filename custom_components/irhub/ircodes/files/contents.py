"""What somebody brings: which of `ContentKind` a file, a zip, a folder or a text is."""

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

MAX_BROUGHT: Final = 64 * 1024 * 1024
"""Bytes of a file that somebody brings; the largest public collection is a zip of 3 MB."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip begins; the second one is empty."""
_LOOKED_INTO: Final = 10
"""Of so few files those are looked for that hold codes: beside one there may be a readme."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """What somebody has brought, and what it is."""

    kind: ContentKind
    format: str
    """Its format's name, such as "Flipper"; of a collection, "zip" or "folder"."""
    name: str = ""
    """What its file is called, without the ending; empty if it was none."""
    content: object = None
    """What `read_codes` takes: the text, or what JSON or YAML say in it. None of a collection."""
    paths: Sequence[str] = ()
    """The code files of a collection, in order."""
    _sources: Sequence[Source] = ()

    def read(self, *, device: str | None = None, command: str | None = None) -> Imported:
        """Return its commands, as `read_codes` does. Not for a collection, nor whole devices.

        Raise NamelessError if neither it nor `device` says what it is for: ask for the name then,
        and offer `name`, which is not taken unasked.
        """
        if self.kind is ContentKind.COLLECTION:
            raise RefusedError("collection", count=len(self.paths))
        return read_codes(self.content, device=device, command=command)

    def open(self, path: str) -> Content:
        """Return what one of the `paths` is. Raise ValueError or OSError."""
        source = next(source for source in self._sources if source.path == path)
        return identify(_text(source), name=path)

    def index(self, progress: Callable[[float], None] = lambda _: None) -> FileIndex:
        """Return the index of a collection: a press finds its files. Takes up to two minutes."""
        return FileIndex.of_sources(self._sources, progress)


def identify(given: object, *, name: str = "") -> Content:
    """Return what something is that somebody brings.

    `given` is the content of a file as bytes, the path of a file or folder, a text, or what YAML
    or JSON say (the data of an action); `name` is what its file is called. A zip or a folder with
    one code file is that file. Raise RefusedError, which says why, if nothing of it can be used;
    OSError if it cannot be read. A large file takes a second: call it in the executor.

    What comes of it, by `kind`:

    DEVICE, EXPORT   devices: those of irhub's export are read by what has written them
    COLLECTION       `index` finds one of its files by a press, `open` takes one of its `paths`
    CODE_FILE        `read`: commands, perhaps states, perhaps of several devices
    LOG              `read(device=…)`: commands that have numbers for names
    PACKET           `read(device=…, command=…)`: one command
    """
    match given:
        case Path() if given.is_dir():
            return _of_sources(sources_in_folder(given), "folder", name or given.name)
        case Path():
            if given.stat().st_size > MAX_BROUGHT:
                raise RefusedError("large", limit=MAX_BROUGHT)
            return identify(given.read_bytes(), name=name or given.name)
        case bytes() if given.startswith(_ZIP):
            return _of_sources(sources_in_zip(given), "zip", name)
        case bytes():
            return identify(text_of(given), name=name)
    detected = _detected(given)
    return Content(
        kind=detected.kind,
        format=detected.format,
        name=PurePosixPath(name).stem,
        content=detected.content,
    )


def _detected(given: object) -> Detected:
    try:
        detected = detect(given)
        if detected.kind is ContentKind.PACKET:
            parse_packets(detected.content)
        elif detected.format == DEVICES and not have_commands(detected.content):
            raise RefusedError("no_devices")
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    return detected


def _of_sources(sources: Sequence[Source], format_name: str, name: str) -> Content:
    if len(sources) <= _LOOKED_INTO:
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
