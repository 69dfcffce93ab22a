"""LIRC's lircd.conf: blocks `begin remote` … `end remote`, with `begin codes` or `begin raw_codes`.

A frame: header (mark, space), plead, bits of pre_data, pre (mark, space), bits of the code, post,
bits of post_data, ptrail, foot (space, mark), gap. NO_HEAD_REP and NO_FOOT_REP omit header and foot
in repeats. The highest bit is sent first; each bit is a mark and a space (`one`, `zero`), in RC5
and RC6 a space and a mark for 1. The bits of `toggle_mask` are inverted in every second frame of a
press, those of `toggle_bit` and its variants with each press.

Read: raw codes, SPACE_ENC, RC5, SHIFT_ENC, RC6. Not read: other encodings (RCMM, GRUNDIG, …) and
files to include.
Ignored: the frequency, and a separate code that is sent while a button is held.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
import re
from typing import Final

from ..packet.packet import from_durations, from_timings, join
from ..reasons import Reason, RefusedError
from .by_protocol import number
from .imported import Collector, Packets

NAME: Final = "LIRC"
SUFFIXES: Final = (".conf",)
MAX_BITS: Final = 512
MAX_COPIES: Final = 20
_GAP_US: Final = 40_000
"""Default gap."""
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
"""Names may contain a number sign: `CD_DISK#1`."""
_REMOTE: Final = re.compile(r"^[ \t]*begin[ \t]+remote[ \t\r]*(#.*)?$", re.MULTILINE)
_LINE: Final = re.compile(r"^[ \t]*[^\s#].*", re.MULTILINE)
"""A line that is neither empty nor a comment."""
_INCLUDE: Final = re.compile(r"[ \t]*include[ \t]+[\"<].+[\">]")
_MOST_INCLUDED: Final = 1000
"""Maximum number of lines that are checked in a file without a remote."""
_SUPPORTED: Final = {"SPACE_ENC", "RC5", "SHIFT_ENC", "RC6", "RAW_CODES"}
_SECTIONS: Final = {"remote", "codes", "raw_codes"}
_SHORTER_REPEATS: Final = {"NO_HEAD_REP", "NO_FOOT_REP"}
_IGNORED: Final = {"CONST_LENGTH", "REVERSE", "REPEAT_HEADER", *_SHORTER_REPEATS}


@dataclass
class _Remote:
    keys: dict[str, list[str]] = field(default_factory=dict)
    codes: list[tuple[str, list[str]]] = field(default_factory=list)
    raw: list[tuple[str, list[str]]] = field(default_factory=list)
    """Name and durations; the name is empty for durations before the first name of a block."""

    def numbers(self, key: str) -> list[int]:
        return [number(word) for word in self.keys.get(key, ())]

    def number(self, key: str) -> int:
        return (self.numbers(key) or [0])[0]

    def pair(self, key: str) -> list[int]:
        """Return a mark and a space; empty if the file does not define them."""
        values = self.numbers(key)
        return [values[0], -values[1]] if len(values) > 1 and all(values[:2]) else []

    def mark(self, key: str) -> list[int]:
        return [value for value in self.numbers(key)[:1] if value]

    @property
    def flags(self) -> set[str]:
        words = re.split(r"[|\s]+", " ".join(self.keys.get("flags", ())))
        return {word.upper() for word in words if word}


def fits(text: str) -> bool:
    """Return whether a text is an lircd.conf: it has a remote, or only files to include."""
    if _REMOTE.search(text) is not None:
        return True
    lines = [bool(_INCLUDE.match(line[0])) for line in islice(_LINE.finditer(text), _MOST_INCLUDED)]
    return bool(lines) and all(lines)


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add the codes of all remotes."""
    remotes, unused = _remotes(text.splitlines())
    for name, reason in unused:
        collector.refuse(name, reason)
    for remote in remotes:
        name = device or " ".join(remote.keys.get("name", ["remote"]))
        for command, words in remote.codes:
            collector.count(sum(map(len, words)))
            collector.add(name, command, partial(_encoded, remote, words))
        for command, words in remote.raw:
            collector.count(sum(map(len, words)))
            collector.add(name, command, partial(_raw, remote, words))


def encoded(settings: Mapping[str, list[str]], code: str) -> Packets:
    """Return the packets of a code, encoded according to the settings of a remote."""
    return _encoded(_Remote(keys={**settings}), [code])


def _remotes(lines: Iterable[str]) -> tuple[list[_Remote], list[tuple[str, Reason]]]:
    """Return the remotes, and each unused line or file to include with the reason.

    Lines are unused outside of a remote, and in a section of an unknown kind.
    """
    remotes: list[_Remote] = []
    unused: list[tuple[str, Reason]] = []
    section = ""
    for line_number, line in enumerate(lines, 1):
        match _COMMENT.sub("", line).split():
            case ["begin", "remote"]:
                remotes.append(_Remote())
                section = "remote"
            case ["begin", name] if section:
                section = name
                if name == "raw_codes":
                    remotes[-1].raw.append(("", []))
            case ["end", name] if section:
                section = "" if name == "remote" else "remote"
            case ["include", *words] if section in {"", "remote"}:
                unused.append((" ".join(words).strip('"<>'), Reason("included", {})))
            case [key, *words] if section in _SECTIONS:
                _add_line(remotes[-1], section, key, words)
            case [key, *_]:
                unused.append((key, Reason("line", {"line": line_number, "notation": NAME})))
    for remote in remotes:
        remote.raw = [(name, words) for name, words in remote.raw if name or words]
    return remotes, unused


def _add_line(remote: _Remote, section: str, key: str, words: list[str]) -> None:
    match section:
        case "remote":
            remote.keys[key.lower()] = words
        case "codes":
            remote.codes.append((key, words))
        case "raw_codes" if key == "name":
            remote.raw.append((" ".join(words), []))
        case "raw_codes":
            remote.raw[-1][1].extend((key, *words))


def _raw(remote: _Remote, words: Sequence[str]) -> Packets:
    durations = [number(word) for word in words]
    if len(durations) % 2:
        durations.append(_gap(remote, sum(durations)))
    return [from_durations(durations, repeats=_repeats(remote))]


def _encoded(remote: _Remote, words: Sequence[str]) -> Packets:
    if unknown := remote.flags - _SUPPORTED - _IGNORED:
        raise RefusedError("encoding", encoding=" ".join(sorted(unknown)))
    codes = [number(word) for word in words]
    if not codes:
        raise RefusedError("no_code")
    toggles = [0]
    if mask := _toggle_mask(remote):
        toggles.append(mask)
    repeats = _repeats(remote)
    second_mask = remote.number("toggle_mask")
    masks = (0, second_mask) if second_mask else (0,)
    repeat_frames = repeats if remote.flags & _SHORTER_REPEATS else 0
    variants = []
    for toggle in toggles:
        frames = [
            from_timings(
                [
                    us
                    for number in range(1 + repeat_frames)
                    for mask in masks
                    for us in _frame(remote, code, toggle ^ mask, repeated=number > 0)
                ],
                repeats=repeats - repeat_frames,
            )
            for code in codes
        ]
        variants.append(frames[0] if len(frames) == 1 else join(frames, gap_us=_GAP_US))
    return variants


def _frame(remote: _Remote, code: int, toggle: int, *, repeated: bool) -> list[int]:
    widths = [remote.number(key) for key in ("pre_data_bits", "bits", "post_data_bits")]
    if sum(widths) > MAX_BITS or not widths[1]:
        raise RefusedError(
            "parameter", parameter="bits", value=sum(widths), lowest=1, highest=MAX_BITS
        )
    parts = [remote.number("pre_data"), code, remote.number("post_data")]
    frame_bits = 0
    for width, part in zip(widths, parts, strict=True):
        frame_bits = frame_bits << width | part & ((1 << width) - 1)
    frame_bits ^= toggle
    positions = [*reversed(range(sum(widths)))]
    timings = remote.mark("plead")
    for part_number, width in enumerate(widths):
        part_positions, positions = positions[:width], positions[width:]
        for position in reversed(part_positions) if "REVERSE" in remote.flags else part_positions:
            timings += _bit(remote, frame_bits >> position & 1, position)
        if part_number == 0 and width:
            timings += remote.pair("pre")
        if part_number == 1 and widths[2]:
            timings += remote.pair("post")
    timings += remote.mark("ptrail")
    if not (repeated and "NO_FOOT_REP" in remote.flags):
        timings += reversed(remote.pair("foot"))
    header, is_sent_once = remote.pair("header"), "NO_HEAD_REP" in remote.flags
    length = sum(map(abs, timings if is_sent_once else header + timings))
    return [*([] if repeated and is_sent_once else header), *timings, -_gap(remote, length)]


def _bit(remote: _Remote, bit: int, position: int) -> list[int]:
    lengths = remote.numbers("one" if bit else "zero")[:2]
    if len(lengths) < 2 or not any(lengths):  # noqa: PLR2004  (mark, space; 0: codes of a receiver)
        raise RefusedError("no_parameter", parameter="one" if bit else "zero")
    mark, space = lengths
    wide = remote.number("rc6_mask") or _place_mask(remote)
    if "RC6" in remote.flags and wide >> position & 1:
        mark, space = 2 * mark, 2 * space
    space_first = bit and remote.flags & {"RC5", "SHIFT_ENC", "RC6"}
    return [-space, mark] if space_first else [mark, -space]


def _toggle_mask(remote: _Remote) -> int:
    """Return the bits that are inverted with each press, as positions in the whole frame."""
    return remote.number("toggle_bit_mask") or _place_mask(remote)


def _place_mask(remote: _Remote) -> int:
    """Return the mask of a bit whose position in the frame is given, counted from 1."""
    bit = remote.number("toggle_bit") or remote.number("repeat_bit")
    width = sum(remote.number(key) for key in ("pre_data_bits", "bits", "post_data_bits"))
    return 1 << (width - bit) if 0 < bit <= width else 0


def _gap(remote: _Remote, length: int) -> int:
    gap = remote.number("gap") or _GAP_US
    if "CONST_LENGTH" in remote.flags:  # gap includes the length of the frame
        gap -= length
    return gap if gap > 0 else _GAP_US // 4


def _repeats(remote: _Remote) -> int:
    """Return the number of copies that a short press adds; 0 if repeats are a separate code."""
    return 0 if remote.pair("repeat") else min(remote.number("min_repeat"), MAX_COPIES)
