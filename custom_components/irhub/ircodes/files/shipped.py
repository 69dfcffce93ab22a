"""The shipped index of SmartIR's collection, which finds code files by presses.

The files themselves are not shipped (58 MB), only the index `smartir.index`, which
`scripts/collection` builds from a checkout. Format:

    4 bytes, little-endian   length of the head
    head                     JSON, zlib: commit, licence, and files: kind, manufacturer, models,
                             path, size, SHA-256 of each
    4 bytes each             fingerprints of the codes of all files, sorted, little-endian
    2 bytes each             for each fingerprint, the number of its file
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import json
from pathlib import Path
import sys
from typing import Final, Self
import zlib

from .fingerprints import fingerprint, keys_of

SHIPPED: Final = Path(__file__).parent / "smartir.index"
_SOURCE: Final = "https://raw.githubusercontent.com/litinoveweedle/SmartIR"
_LENGTH: Final = 4


@dataclass(frozen=True, kw_only=True)
class CollectedFile:
    """A code file of the collection."""

    kind: str
    """Kind of the device: climate, fan, light, media_player."""
    manufacturer: str
    models: tuple[str, ...]
    path: str
    """Relative to the collection, with slashes."""
    size: int
    """Bytes."""
    sha256: str


class Collection:
    """The code files of a collection, by manufacturer and model, and by presses."""

    def __init__(
        self, *, commit: str, licence: str, codes: Mapping[CollectedFile, frozenset[int]]
    ) -> None:
        self.commit = commit
        self.licence = licence
        """Licence notice of the collection's authors."""
        self.files: Sequence[CollectedFile] = tuple(codes)
        pairs = sorted(
            (code, number)
            for number, file_codes in enumerate(codes.values())
            for code in file_codes
        )
        self._codes = array("I", (code for code, _ in pairs))
        self._numbers = array("H", (number for _, number in pairs))

    @classmethod
    def load(cls, path: Path = SHIPPED) -> Self:
        """Return the collection of the shipped index. Takes some ms: call it in the executor."""
        return cls.from_bytes(path.read_bytes())

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Return the collection of an index. Raise ValueError if it is invalid."""
        end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        try:
            head = json.loads(zlib.decompress(content[_LENGTH:end]))
        except (zlib.error, ValueError) as err:
            raise ValueError(f"no index: {err}") from err
        files = {
            CollectedFile(**{**file, "models": tuple(file["models"])}): frozenset[int]()
            for file in head["files"]
        }
        collection = cls(commit=head["commit"], licence=head["licence"], codes=files)
        count = (len(content) - end) // 6
        collection._codes.frombytes(content[end : end + 4 * count])
        collection._numbers.frombytes(content[end + 4 * count :])
        collection._swap()
        return collection

    def to_bytes(self) -> bytes:
        """Return the index, which is reproducible for the same files."""
        head = {
            "commit": self.commit,
            "licence": self.licence,
            "files": [asdict(file) for file in self.files],
        }
        packed = zlib.compress(json.dumps(head, ensure_ascii=False).encode(), 9)
        self._swap()
        arrays = self._codes.tobytes() + self._numbers.tobytes()
        self._swap()
        return len(packed).to_bytes(_LENGTH, "little") + packed + arrays

    @property
    def count(self) -> int:
        """Return the total number of different codes, counted per file."""
        return len(self._codes)

    def codes(self) -> Mapping[str, frozenset[int]]:
        """Return the fingerprints of each file, by path."""
        codes: list[set[int]] = [set() for _ in self.files]
        for code, number in zip(self._codes, self._numbers, strict=True):
            codes[number].add(code)
        return {
            file.path: frozenset(file_codes)
            for file, file_codes in zip(self.files, codes, strict=True)
        }

    def url(self, file: CollectedFile) -> str:
        """Return the URL of a file in the version that was indexed."""
        return f"{_SOURCE}/{self.commit}/{file.path}"

    def find(self, presses: Sequence[bytes]) -> list[CollectedFile]:
        """Return the files that contain all presses; if there are none, those that contain most."""
        counts = Counter[int]()
        for press in presses:
            counts.update(
                {number for key in keys_of(press) for number in self._files_of(fingerprint(key))}
            )
        most = max(counts.values(), default=0)
        return [file for number, file in enumerate(self.files) if most and counts[number] == most]

    def search(self, text: str, *, kind: str | None = None) -> list[CollectedFile]:
        """Return the files whose manufacturer and models contain all words of a text."""
        words = text.casefold().split()
        return [
            file
            for file in self.files
            if kind in (None, file.kind)
            and all(
                word in " ".join((file.manufacturer, *file.models)).casefold() for word in words
            )
        ]

    def _files_of(self, code: int) -> Iterator[int]:
        index = bisect_left(self._codes, code)
        while index < len(self._codes) and self._codes[index] == code:
            yield self._numbers[index]
            index += 1

    def _swap(self) -> None:
        """Convert between little-endian and native byte order."""
        if sys.byteorder == "big":
            self._codes.byteswap()
            self._numbers.byteswap()
