"""LIRC's lircd.conf: blocks `begin remote` … `end remote`, with `begin codes` or `begin raw_codes`.

A frame: header (mark, space), plead, bits of pre_data, pre (mark, space), bits of the code, post,
bits of post_data, ptrail, foot (space, mark), gap. NO_HEAD_REP and NO_FOOT_REP omit header and foot
in repeats. The highest bit is sent first; each bit is a mark and a space (`one`, `zero`); in RC5
and RC6 a 1 is a space and a mark, in SPACE_FIRST each bit is. RCMM sends two bits at once (`zero`,
`one`, `two`, `three`), XMP four (the space of `zero`, longer by that of `one` for each unit). The
bits of `toggle_mask` are inverted in every second frame of a press, those of `toggle_bit` and its
variants with each press.

A short press has `min_repeat` repeats: the frame again, or the frame `repeat` (mark, space).

Read: raw codes, SPACE_ENC, SPACE_FIRST, RC5, SHIFT_ENC, RC6, RCMM, XMP. Not read: other encodings
(GRUNDIG, …) and files to include.
Ignored: the frequency.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import batched, islice
import re
from typing import Final

from ..packet.packet import from_durations, from_timings
from ..reasons import Reason, RefusedError
from .by_protocol import number
from .imported import Collector, Packets

NAME: Final = "LIRC"
SUFFIXES: Final = (".conf",)
MAX_BITS: Final = 512
MAX_COPIES: Final = 20
_GAP_US: Final = 40_000
"""Default gap."""
_NAMED_BY_SIGN: Final = {
    "codes": re.compile(r"\s+#\S*(?=(?:\s+(?:0x[\da-f]+|\d+))+\s*(?:#|\Z))", re.IGNORECASE),
    "raw_codes": re.compile(r"\s*name\s+#\S*"),
}
"""Section → the beginning of a line whose name begins with a number sign: `  #/search 0x15`."""
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
"""Names may contain a number sign: `CD_DISK#1`."""
_REMOTE: Final = re.compile(r"^[ \t]*begin[ \t]+remote[ \t\r]*(#.*)?$", re.MULTILINE)
_LINE: Final = re.compile(r"^[ \t]*[^\s#].*", re.MULTILINE)
"""A line that is neither empty nor a comment."""
_INCLUDE: Final = re.compile(r"[ \t]*include[ \t]+[\"<].+[\">]")
_MOST_INCLUDED: Final = 1000
"""Maximum number of lines that are checked in a file without a remote."""
_BIPHASE: Final = ("RC5", "SHIFT_ENC", "RC6")
_SUPPORTED: Final = {"SPACE_ENC", "SPACE_FIRST", *_BIPHASE, "RCMM", "XMP", "RAW_CODES"}
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

    @cached_property
    def flags(self) -> set[str]:
        """Return the flags in upper case, once all lines are added."""
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
        match _words(line, section):
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


def _words(line: str, section: str) -> list[str]:
    """Return the words of a line, without a comment."""
    named = sign.match(line) if (sign := _NAMED_BY_SIGN.get(section)) is not None else None
    start = 0 if named is None else named.end()
    return (line[:start] + _COMMENT.sub("", line[start:])).split()


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
    if not remote.pair("repeat"):
        return [from_durations(durations, repeats=_repeats(remote))]
    message = [-us if number % 2 else us for number, us in enumerate(durations)]
    return [from_timings([*message, *_repeat_frame(remote) * _repeats(remote)])]


def _encoded(remote: _Remote, words: Sequence[str]) -> Packets:
    if unknown := remote.flags - _SUPPORTED - _IGNORED:
        raise RefusedError("encoding", encoding=" ".join(sorted(unknown)))
    codes = [number(word) for word in words]
    if not codes:
        raise RefusedError("no_code")
    toggles = [0]
    if mask := _toggle_mask(remote):
        toggles.append(mask)
    return [_press(remote, codes, toggle) for toggle in toggles]


def _press(remote: _Remote, codes: Sequence[int], toggle: int) -> bytes:
    """Return the packet of a short press: the frames of its codes, and the repeats it requires."""

    def message(mask: int = 0, *, repeated: bool = False) -> list[int]:
        return [
            us for code in codes for us in _frame(remote, code, toggle ^ mask, repeated=repeated)
        ]

    repeats = _repeats(remote)
    if remote.pair("repeat"):
        return from_timings([*message(), *_repeat_frame(remote) * repeats])
    if second_mask := remote.number("toggle_mask"):
        masks = [second_mask if number % 2 else 0 for number in range(max(2, 1 + repeats))]
    elif remote.flags & _SHORTER_REPEATS:
        masks = [0] * (1 + repeats)
    else:
        return from_timings(message(), repeats=repeats)
    first, *others = masks
    return from_timings(
        [*message(first), *(us for mask in others for us in message(mask, repeated=True))]
    )


def _frame(remote: _Remote, code: int, toggle: int, *, repeated: bool) -> list[int]:
    widths = [remote.number(key) for key in ("pre_data_bits", "bits", "post_data_bits")]
    if not 0 < sum(widths) <= MAX_BITS:
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
        if "REVERSE" in remote.flags:
            part_positions.reverse()
        for symbol in batched(part_positions, _bits_of_symbol(remote), strict=False):
            timings += _symbol(remote, frame_bits, symbol)
        if part_number == 0 and width:
            timings += remote.pair("pre")
        if part_number == 1 and widths[2]:
            timings += remote.pair("post")
    timings += remote.mark("ptrail")
    if not (repeated and "NO_FOOT_REP" in remote.flags):
        timings += reversed(remote.pair("foot"))
    while timings and timings[-1] <= 0:
        timings.pop()  # the gap begins behind the last mark
    header, is_sent_once = remote.pair("header"), "NO_HEAD_REP" in remote.flags
    length = sum(map(abs, timings if is_sent_once else header + timings))
    return [*([] if repeated and is_sent_once else header), *timings, -_gap(remote, length)]


def _repeat_frame(remote: _Remote) -> list[int]:
    """Return the frame that says that a button is still held."""
    header = remote.pair("header") if "REPEAT_HEADER" in remote.flags else []
    timings = [*header, *remote.mark("plead"), *remote.pair("repeat"), *remote.mark("ptrail")]
    return [*timings, -(remote.number("repeat_gap") or _gap(remote, sum(map(abs, timings))))]


def _bits_of_symbol(remote: _Remote) -> int:
    """Return how many bits a mark and a space send."""
    if "XMP" in remote.flags:
        return 4
    return 2 if "RCMM" in remote.flags else 1


def _symbol(remote: _Remote, frame_bits: int, positions: Sequence[int]) -> list[int]:
    """Return the mark and the space, or the space and the mark, of some bits of a frame."""
    value = 0
    for position in positions:
        value = value << 1 | frame_bits >> position & 1
    if "XMP" in remote.flags:
        (mark, space), (_, step) = _lengths(remote, "zero"), _lengths(remote, "one")
        return [mark, -(space + value * step)]
    mark, space = _lengths(remote, ("zero", "one", "two", "three")[value])
    wide = remote.number("rc6_mask") or _place_mask(remote)
    if "RC6" in remote.flags and wide >> positions[0] & 1:
        mark, space = 2 * mark, 2 * space
    first_space = {"SPACE_FIRST", *(_BIPHASE if value else ())}
    return [-space, mark] if remote.flags & first_space else [mark, -space]


def _lengths(remote: _Remote, key: str) -> list[int]:
    """Return mark and space. Raise RefusedError if they are missing or 0: codes of a receiver."""
    lengths = remote.numbers(key)[:2]
    if len(lengths) < 2 or not any(lengths):  # noqa: PLR2004  (mark, space)
        raise RefusedError("no_parameter", parameter=key)
    return lengths


def _toggle_mask(remote: _Remote) -> int:
    """Return the bits that are inverted with each press, as positions in the whole frame.

    Only bits that are sent one by one can be inverted.
    """
    if _bits_of_symbol(remote) > 1:
        return 0
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
    """Return the number of repeats that belong to a short press."""
    return min(remote.number("min_repeat"), MAX_COPIES)
