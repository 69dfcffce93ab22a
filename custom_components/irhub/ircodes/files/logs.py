r"""What receivers print and transmitters are told, line by line.

ESPHome   `[08:15:01.118][I][remote.nec:097]: Received NEC: address=0x…, command=0x…`: a line for
          each decoder that reads the press; `Received Raw: 9000, -4500, …` and `Received Pronto:
          data=…` go on over several lines
Tasmota   `tele/ir/RESULT = {"IrReceived": {"Protocol": "NEC", "Bits": 32, "Data": "0x…"}}`;
          `IRsend {"Protocol": "NEC", …}` and `IRsend 0,9000,4500,…`: in a console, in a rule
          (`ON Power1#State=1 DO IRsend … ENDON`), or in a list with a name before or behind
others    any line with such JSON, or with that of Zigbee2MQTT

Lines of one instant are one press. Its code is what was measured (Raw, then Pronto), else what the
most particular decoder says; all other lines are its description. Lines that have no time are a
press each.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
import re
from typing import Final

from ..packet.text_forms import from_pronto, from_raw
from ..reasons import RefusedError
from . import esphome
from .codes import is_code, parse_packets
from .imported import MAX_NAME, Collector, Packets, needed

NAME: Final = "ESPHome or Tasmota"
_HEARD: Final = re.compile(r"Received ([A-Za-z0-9_]+):\s*(.*)")
_MORE: Final = re.compile(r"\[remote\.(?:raw|pronto)[^\]]*\]:\s+([-0-9A-Fa-f, ]+)$")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_TIME: Final = re.compile(r"(?<!\d)(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,6}))?")
_SEND: Final = re.compile(r"\bIRsend\d*\s+", re.IGNORECASE)
_SENT: Final = re.compile(r"[^\s;]+(?:,\s*[^\s;]+)*")
"""What `IRsend` is told, but JSON."""
_TRIGGER: Final = re.compile(r"\bON\s+(\S+)\s+DO\b", re.IGNORECASE)
_END_OF_RULE: Final = re.compile(r"\bENDON\b", re.IGNORECASE)
_OPEN_OR_CLOSED: Final = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"')
_NO_NAME: Final = re.compile(
    r"[/={}\[\]]|\d:\d\d|\b(?:backlog|delay|endon|irsend\d*|rule\d*|mqt|rsl|cmd|info|debug)\b",
    re.IGNORECASE,
)
"""What stands beside a code in consoles and rules, and in no name."""
_AROUND: Final = " \t:=,;->#/*|'\"()\N{EN DASH}\N{EM DASH}"
"""What separates a name from its code."""
_TOGETHER_S: Final = 0.05
"""Lines of one press are no further apart than this; a held button repeats after 0.1 s."""
_DAY_S: Final = 86_400
_RAW: Final = "Raw"
_PRONTO: Final = "Pronto"
_RANKS: Final = {_RAW: 0, _PRONTO: 1, "pioneer": 7, "lg": 8, "jvc": 9, "rcswitch": 9}
"""Which line is the code of a press, the lowest first. Of the decoders those are last that take the
codes of others for their own: JVC reads the first half of NEC."""
_USUAL_RANK: Final = 5


@dataclass(frozen=True, kw_only=True)
class _Code:
    """A code of a line, or of the several lines of a measured one."""

    what: str
    """The decoder's name, or "heard" or "sent"."""
    read: Callable[[], Packets]
    name: str = ""
    description: str = ""
    """What the decoder says of it."""
    instant: float | None = None
    """Seconds of the day."""
    together_s: float = 0.0
    """How far apart the lines of one press may be: seconds are all that some logs have."""

    @property
    def rank(self) -> int:
        return _RANKS.get(self.what, _RANKS.get(self.what.lower(), _USUAL_RANK))


def is_log(text: str) -> bool:
    """Return whether a text is a log, or a list of what Tasmota sends."""
    if _HEARD.search(text) is not None or _SEND.search(text) is not None:
        return True
    return any(next(_in_line(line), None) is not None for line in text.splitlines())


def read(text: str, device: str | None, collector: Collector, command: str | None = None) -> None:
    """Take the presses; those without a name are named by their number, or as `command` says."""
    device = needed(device)
    presses = _presses(_codes(_COLOUR.sub("", text).splitlines()))
    for number, press in enumerate(presses, 1):
        collector.count(len(text) // len(presses))
        first, *others = sorted(press, key=lambda code: code.rank)
        decoded = next((code for code in (first, *others) if code.rank > 1), first)
        name = first.name or f"{number} {decoded.what}"
        if command:
            name = command if len(presses) == 1 else f"{command} {number}"
        description = "; ".join(f"{code.what} {code.description}".strip() for code in others)
        collector.add(device, name, partial(_first, [first, *others]), description=description)


def _presses(codes: Iterable[_Code]) -> list[list[_Code]]:
    presses: list[list[_Code]] = []
    for code in codes:
        if presses and _is_same_press(presses[-1], code):
            presses[-1].append(code)
        else:
            presses.append([code])
    return presses


def _is_same_press(press: Sequence[_Code], code: _Code) -> bool:
    """Return whether a line is of a press: at that instant, and of a decoder that it lacks."""
    before = press[-1].instant
    if before is None or code.instant is None:
        return False
    apart = (code.instant - before) % _DAY_S
    return apart <= code.together_s and all(code.what != other.what for other in press)


def _first(codes: Sequence[_Code]) -> Packets:
    """Return the packets of the first code that can be read. Raise the first one's error."""
    errors: list[ValueError] = []
    for code in codes:
        try:
            return code.read()
        except ValueError as err:
            errors.append(err)
    raise errors[0]


def _codes(lines: Iterable[str]) -> Iterator[_Code]:
    long: list[str] | None = None
    above = ""
    for line in lines:
        if match := _HEARD.search(line):
            what, rest = match[1], match[2].strip()
            long = [rest.removeprefix("data=")] if what in {_RAW, _PRONTO} else None
            instant, together_s = _instant(line)
            yield _Code(
                what=what,
                read=partial(_measured, what, long)
                if long is not None
                else partial(esphome.of_log, what, rest),
                description="" if long is not None else rest,
                instant=instant,
                together_s=together_s,
            )
        elif long is not None and (match := _MORE.search(line)):
            long.append(match[1].strip())
        elif codes := [*_in_line(line)]:
            if len(codes) == 1 and above and not codes[0].name and codes[0].what == "sent":
                codes = [_Code(what="sent", read=codes[0].read, name=above)]
            yield from codes
            above = ""
        else:
            above = _name(line.strip().removesuffix(":")) if not line.startswith("#") else above


def _instant(line: str) -> tuple[float | None, float]:
    """Return when a line was printed, and how far apart lines of one press may be."""
    if not (match := _TIME.search(line)):
        return None, 0.0
    hours, minutes, seconds = map(int, match.groups()[:3])
    fraction = match[4]
    instant = hours * 3600 + minutes * 60 + seconds + float(f"0.{fraction or 0}")
    return instant, _TOGETHER_S if fraction else 0.0


def _measured(what: str, parts: Sequence[str]) -> Packets:
    if what == _RAW:
        return [from_raw(", ".join(part.strip(" ,") for part in parts))]
    return [from_pronto(" ".join(part.strip(" ,") for part in parts))]


def _in_line(line: str) -> Iterator[_Code]:
    """Yield the codes of a line: JSON, and what `IRsend` is told."""
    end, trigger = 0, ""
    places = [*_places(line)]
    for number, (start, stop, read) in enumerate(places, 1):
        before = line[end:start]
        behind = line[stop : places[number][0] if number < len(places) else None]
        if _END_OF_RULE.search(before):
            trigger = ""
        for match in _TRIGGER.finditer(before):
            trigger = match[1]
        end = stop
        if '"IrReceived"' in line[start:stop]:
            yield _Code(what="heard", read=read)
        else:
            name = trigger or _name(behind) or _name(_SEND.sub("", before))
            yield _Code(what="sent", read=read, name=name)


def _places(line: str) -> Iterator[tuple[int, int, Callable[[], Packets]]]:
    """Yield where codes stand in a line, and what reads each."""
    sends = [match.end() for match in _SEND.finditer(line)][::-1]
    at = 0
    while True:
        while sends and sends[-1] < at:
            sends.pop()
        brace = line.find("{", at)
        if sends and (brace < 0 or sends[-1] <= brace):
            start = sends.pop()
            if line.startswith("{", start):
                at = _end_of(line, start)
            elif match := _SENT.match(line, start):
                at = match.end()
            else:
                continue
            yield start, at, partial(_sent, line[start:at])
        elif brace >= 0:
            at = _end_of(line, brace)
            if is_code(text := line[brace:at]):
                yield brace, at, partial(parse_packets, text)
        else:
            return


def _sent(text: str) -> Packets:
    if not text.startswith("{"):
        return [from_raw(text)]
    if not is_code(text):
        raise RefusedError("no_code")
    return parse_packets(text)


def _end_of(line: str, start: int) -> int:
    """Return where what begins with a brace ends; the end of the line if it does not."""
    depth = 0
    for match in _OPEN_OR_CLOSED.finditer(line, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return len(line)


def _name(text: str) -> str:
    """Return the name that stands beside a code; empty if there is none."""
    text = text.strip(_AROUND)
    return "" if len(text) > MAX_NAME or _NO_NAME.search(text) else text
