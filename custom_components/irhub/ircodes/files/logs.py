r"""Logs of receivers and commands for transmitters, line by line.

ESPHome   `[08:15:01.118][I][remote.nec:097]: Received NEC: address=0x…, command=0x…`: a line for
          each decoder that reads the press; `Received Raw: 9000, -4500, …` and `Received Pronto:
          data=…` continue over several lines
Tasmota   `tele/ir/RESULT = {"IrReceived": {"Protocol": "NEC", "Bits": 32, "Data": "0x…"}}`;
          `IRsend {"Protocol": "NEC", …}`, `IRsend 38,9000,4500,…` and
          `IRsend raw,38,9000,4500,560,560,1690,0100…`: in a console, in a rule
          (`ON Power1#State=1 DO IRsend … ENDON`), or in a list with a name before or after it;
          `IRsend3` sends three times
IRrecvDump  `uint16_t rawData[199] = {4434, 4400, …};`
others    any line with such JSON, or with that of Zigbee2MQTT

Lines with the same time are one press. Its code is the measured signal (Raw, then Pronto), else the
result of the most specific decoder; the other lines become its description. Each line without a
time is a separate press. A state that is named next to a packet, or above it in a dump, is assigned
to the packet.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
import re
from typing import Final

from ..packet.text_forms import from_pronto, from_raw
from ..reasons import RefusedError
from ..states.state import OFF, State
from . import esphome, named_states
from .codes import copies_of, is_code, parse_packets, repeated
from .imported import MAX_NAME, Collector, Packets, required_name
from .named_states import NamedState

NAME: Final = "ESPHome or Tasmota"
_RECEIVED: Final = re.compile(r"Received ([A-Za-z0-9_]+):\s*(.*)")
_CONTINUED: Final = re.compile(r"\[remote\.(?:raw|pronto)[^\]]*\]:\s+([-0-9A-Fa-f, ]+)$")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_TIME: Final = re.compile(r"(?<!\d)(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,6}))?")
_DUMPED: Final = re.compile(r"\brawData\[\d*\]\s*=\s*\{([^{}]*)\}")
_NEXT_DUMP: Final = re.compile(r"\s*(?:Timestamp|Protocol)\s*:")
_SEND: Final = re.compile(r"\bIRsend(\d*)\s+", re.IGNORECASE)
"""The number says how often."""
_GAP_US: Final = 40_000
"""Minimum pause between copies of durations, as Tasmota's between those of `IRsend raw,…`."""
_SENT: Final = re.compile(r"[^\s;]+(?:,\s*[^\s;]+)*")
"""Arguments of `IRsend` other than JSON."""
_CARRIER: Final = re.compile(r"\d+(?=,)")
_CARRIERS_KHZ: Final = range(20, 101)
"""Of infrared. `IRsend` takes Hz, too, which `from_raw` ignores."""
_BIT_BY_BIT: Final = re.compile(r"raw,\s*\d+,((?:\s*\d+,){5})\s*([01]+)", re.IGNORECASE)
"""Carrier; mark and space of the leader, mark of a bit, space of a 0, space of a 1; the bits."""
_TRIGGER: Final = re.compile(r"\bON\s+(\S+)\s+DO\b", re.IGNORECASE)
_END_OF_RULE: Final = re.compile(r"\bENDON\b", re.IGNORECASE)
_OPEN_OR_CLOSED: Final = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"')
_NOT_IN_NAMES: Final = re.compile(
    r"[/={}\[\]]|\d:\d\d|\b(?:backlog|delay|endon|irsend\d*|irhvac|rule\d*|mqt|rsl|cmd|info|debug)\b",
    re.IGNORECASE,
)
"""Text next to a code in consoles and rules that does not occur in names."""
_SEPARATORS: Final = " \t:=,;->#/*|'\"()\N{EN DASH}\N{EM DASH}"
"""Separators between a name and its code."""
_SAME_PRESS_S: Final = 0.05
"""Maximum seconds between two lines of one press; a held button repeats after 0.1 s."""
_DAY_S: Final = 86_400
_RAW: Final = "Raw"
_PRONTO: Final = "Pronto"
_RANKS: Final = {_RAW: 0, _PRONTO: 1, "pioneer": 7, "lg": 8, "jvc": 9, "rcswitch": 9}
"""Preference of the lines of a press, lowest first. Decoders that also accept codes of other
protocols come last: JVC reads the first half of NEC."""
_USUAL_RANK: Final = 5


@dataclass(frozen=True, kw_only=True)
class _Code:
    """A code from one line, or from the several lines of a measured signal."""

    origin: str
    """Name of the decoder; "heard" for other received codes, "sent" for codes to send, "described"
    for a state without a code."""
    read: Callable[[], Packets]
    name: str = ""
    description: str = ""
    """Output of the decoder."""
    time: float | None = None
    """Time of the line, in seconds since midnight."""
    named: NamedState | None = None
    """The state that the text names for the code."""
    max_apart_s: float = 0.0
    """Maximum seconds between two lines of one press; 0 in logs with a resolution of seconds."""

    @property
    def rank(self) -> int:
        return _RANKS.get(self.origin, _RANKS.get(self.origin.lower(), _USUAL_RANK))


def is_log(text: str) -> bool:
    """Return whether a text is a log, or a list of commands for Tasmota."""
    if any(sign.search(text) is not None for sign in (_RECEIVED, _SEND, _DUMPED)):
        return True
    if named_states.is_description(text):
        return True
    return any(next(_in_line(line), None) is not None for line in text.splitlines())


def read(text: str, device: str | None, collector: Collector, command: str | None = None) -> None:
    """Add all presses; unnamed ones are named after their number, or after `command`."""
    device = required_name(device)
    presses = _presses(_codes(_COLOUR.sub("", text).splitlines()))
    states = iter(named_states.alike(named for press in presses if (named := _named(press))))
    collector.head = named_states.head_of(
        named
        for press in presses
        if (named := _named(press)) is not None and _can_be_read(press, named)
    )
    for number, press in enumerate(presses, 1):
        collector.count(len(text) // len(presses))
        first, *others = sorted(press, key=lambda code: code.rank)
        decoded = next((code for code in (first, *others) if code.rank > 1), first)
        named = None if _named(press) is None else next(states)
        name = first.name or _name_of(named) or f"{number} {decoded.origin}"
        if command:
            name = command if len(presses) == 1 else f"{command} {number}"
        texts = [f"{code.origin} {code.description}".strip() for code in others]
        collector.add(
            device,
            name,
            partial(_first_readable, [first, *others], named),
            named.state if named is not None and isinstance(named.state, State) else None,
            description="; ".join(texts if named is None else [*texts, named.text]),
        )


def _named(press: Sequence[_Code]) -> NamedState | None:
    return next((code.named for code in press if code.named is not None), None)


def _name_of(named: NamedState | None) -> str:
    """Return the name of a command that sets a state; empty if there is no state."""
    if named is None or named.state is None:
        return ""
    return named.state.label if isinstance(named.state, State) else OFF.value


def _presses(codes: Iterable[_Code]) -> list[list[_Code]]:
    presses: list[list[_Code]] = []
    for code in codes:
        if presses and _is_same_press(presses[-1], code):
            presses[-1].append(code)
        else:
            presses.append([code])
    return presses


def _is_same_press(press: Sequence[_Code], code: _Code) -> bool:
    """Return whether a code belongs to a press: same time, and a decoder not seen yet."""
    previous = press[-1].time
    if previous is None or code.time is None:
        return False
    apart_s = (code.time - previous) % _DAY_S
    return apart_s <= code.max_apart_s and all(code.origin != other.origin for other in press)


def _first_readable(codes: Sequence[_Code], named: NamedState | None) -> Packets:
    """Return the packets of the first readable code. Raise the first error if there is none."""
    errors: list[ValueError] = []
    for code in codes:
        try:
            return code.read()
        except ValueError as err:
            errors.append(err)
    if named is not None and all(map(_lacks_durations, errors)):
        raise RefusedError("state_without_packet")
    raise errors[0]


def _can_be_read(press: Sequence[_Code], named: NamedState) -> bool:
    try:
        return bool(_first_readable(press, named))
    except ValueError:
        return False


def _lacks_durations(error: ValueError) -> bool:
    return isinstance(error, RefusedError) and error.reason.key in {"protocol", "no_code"}


def _codes(lines: Iterable[str]) -> Iterator[_Code]:
    """Yield the codes of all lines, each with the state that is named next to it or above it."""
    above: NamedState | None = None
    for line, line_codes in _codes_by_line(lines):
        described = named_states.of_description(line)
        if above is not None and (described is not None or _NEXT_DUMP.match(line)):
            yield _without_packet(above)
            above = None
        above = described or above
        if above is not None and len(line_codes) == 1 and line_codes[0].named is None:
            yield replace(line_codes[0], named=above)
            above = None
        else:
            yield from line_codes
    if above is not None:
        yield _without_packet(above)


def _without_packet(named: NamedState) -> _Code:
    return _Code(origin="described", read=_no_packet, named=named)


def _no_packet() -> Packets:
    raise RefusedError("no_code")


def _codes_by_line(lines: Iterable[str]) -> Iterator[tuple[str, list[_Code]]]:
    """Yield each line, and the codes that begin in it."""
    parts: list[str] | None = None
    previous_name = ""
    for line in lines:
        if match := _RECEIVED.search(line):
            origin, rest = match[1], match[2].strip()
            parts = [rest.removeprefix("data=")] if origin in {_RAW, _PRONTO} else None
            time, max_apart_s = _time_of(line)
            code = _Code(
                origin=origin,
                read=partial(_measured, origin, parts)
                if parts is not None
                else partial(esphome.packets_of_log_line, origin, rest),
                description="" if parts is not None else rest,
                time=time,
                max_apart_s=max_apart_s,
            )
            yield line, [code]
        elif parts is not None and (match := _CONTINUED.search(line)):
            parts.append(match[1].strip())
        elif match := _DUMPED.search(line):
            yield line, [_Code(origin=_RAW, read=partial(_measured, _RAW, [match[1]]))]
        elif codes := [*_in_line(line)]:
            if (
                len(codes) == 1
                and previous_name
                and not codes[0].name
                and codes[0].origin == "sent"
            ):
                codes = [replace(codes[0], name=previous_name)]
            yield line, codes
            previous_name = ""
        else:
            previous_name = (
                _name(line.strip().removesuffix(":")) if not line.startswith("#") else previous_name
            )
            yield line, []


def _time_of(line: str) -> tuple[float | None, float]:
    """Return the time of a line, and `max_apart_s`: both for `_Code`."""
    if not (match := _TIME.search(line)):
        return None, 0.0
    hours, minutes, seconds = map(int, match.groups()[:3])
    fraction = match[4]
    time = hours * 3600 + minutes * 60 + seconds + float(f"0.{fraction or 0}")
    return time, _SAME_PRESS_S if fraction else 0.0


def _measured(origin: str, parts: Sequence[str]) -> Packets:
    if origin == _RAW:
        return [from_raw(", ".join(part.strip(" ,") for part in parts))]
    return [from_pronto(" ".join(part.strip(" ,") for part in parts))]


def _in_line(line: str) -> Iterator[_Code]:
    """Yield the codes of a line: JSON, and arguments of `IRsend`."""
    end, trigger = 0, ""
    spans = [*_code_spans(line)]
    for number, (start, stop, read) in enumerate(spans, 1):
        before = line[end:start]
        after = line[stop : spans[number][0] if number < len(spans) else None]
        if _END_OF_RULE.search(before):
            trigger = ""
        for match in _TRIGGER.finditer(before):
            trigger = match[1]
        end = stop
        named = named_states.of_json(line[start:stop])
        if '"IrReceived"' in line[start:stop]:
            yield _Code(origin="heard", read=read, named=named)
        else:
            name = trigger or _name(after) or _name(_SEND.sub("", before))
            yield _Code(origin="sent", read=read, name=name, named=named)


def _code_spans(line: str) -> Iterator[tuple[int, int, Callable[[], Packets]]]:
    """Yield the start and end of each code in a line, and a function that reads it."""
    sends = [(match.end(), match[1]) for match in _SEND.finditer(line)][::-1]
    position = 0
    while True:
        while sends and sends[-1][0] < position:
            sends.pop()
        brace = line.find("{", position)
        if sends and (brace < 0 or sends[-1][0] <= brace):
            start, count = sends.pop()
            if line.startswith("{", start):
                position = _end_of(line, start)
            elif match := _SENT.match(line, start):
                position = match.end()
            else:
                continue
            yield start, position, partial(_sent, line[start:position], count or "1")
        elif brace >= 0:
            position = _end_of(line, brace)
            if is_code(text := line[brace:position]):
                yield brace, position, partial(parse_packets, text)
            elif named_states.of_json(text) is not None:
                yield brace, position, _no_packet
        else:
            return


def _sent(text: str, count: str) -> Packets:
    copies = copies_of("IRsend", count)
    if not text.startswith("{"):
        return [repeated(_sent_durations(text), copies, gap_us=_GAP_US)]
    if not is_code(text):
        raise RefusedError("no_code")
    return parse_packets(text, repeats=copies - 1)


def _sent_durations(text: str) -> bytes:
    if bit_by_bit := _BIT_BY_BIT.fullmatch(text):
        leader, pause, mark, zero, one = re.findall(r"\d+", bit_by_bit[1])
        bits = (f"{mark} {one if bit == '1' else zero}" for bit in bit_by_bit[2])
        return from_raw(f"{leader} {pause} {' '.join(bits)} {mark}")
    if (carrier := _CARRIER.match(text)) and int(carrier[0]) in _CARRIERS_KHZ:
        return from_raw(text[carrier.end() + 1 :])
    return from_raw(text)


def _end_of(line: str, start: int) -> int:
    """Return the position after the closing brace; the end of the line if it is missing."""
    depth = 0
    for match in _OPEN_OR_CLOSED.finditer(line, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return len(line)


def _name(text: str) -> str:
    """Return the name next to a code; empty if there is none."""
    text = text.strip(_SEPARATORS)
    is_not_name = _NOT_IN_NAMES.search(text) or named_states.is_description(text)
    return "" if len(text) > MAX_NAME or is_not_name else text
