"""The command line: what a packet or a code file says, in which form, and of which remote control.

    ircodes read TEXT|FILE…                what packets (in all notations) and code files say
    ircodes convert FILE FORMAT            a code file in another format
    ircodes which TEXT|FILE… [--in PLACE]  the code files that hold presses of a remote control
    ircodes teach FILE                     the rule behind presses of an air conditioner's remote

`-` is the standard input. What is asked for goes to the standard output; what is refused goes to
the standard error, and the exit status is then 1.
"""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
import json
from pathlib import Path
import sys
from typing import Any, Final

from . import (
    FORMATS,
    OFF,
    Capabilities,
    Collection,
    FileIndex,
    Levels,
    Off,
    RefusedError,
    State,
    Teacher,
    Verdict,
    meaning,
    parse_text,
    read_codes,
    to_base64,
    to_timings,
    write_codes,
)
from .files import Imported, Maker, read_notation, text_of
from .known import KnownAirConditioners
from .packet import air_time_s, is_packet, kind, to_hex
from .states import MODES

_KINDS: Final = {"ir": "infrared", "rf": "radio"}
_LINE_FORMATS: Final = ("pronto", "tuya")
"""Formats in which a line has a name, a tab and a packet."""
_NO_BUTTON: Final = "-"
"""Replaces a packet: the remote control cannot send this state."""
_MOST_TEMPERATURES: Final = 100
"""Maximum width of a range; no remote control has as many temperatures, in °C or °F."""
_NAMED_LEVELS: Final = ("presets", "fans", "swings")


class _UsageError(Exception):
    """The request is invalid. The text is a sentence for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command of the arguments, and return the exit status."""
    options = _parser().parse_args(arguments)
    run: Callable[[Namespace], bool] = options.run
    try:
        return 0 if run(options) else 1
    except RefusedError as err:
        _report(str(err))
    except _UsageError as err:
        _report(str(err))
    except OSError as err:
        _report(f"{err.filename}: {err.strerror}")
    return 1


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="ircodes", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    read = commands.add_parser("read", help="show what packets and code files say")
    read.add_argument("what", nargs="+", metavar="TEXT|FILE")
    read.set_defaults(run=_read)
    convert = commands.add_parser("convert", help="write a code file in another format")
    convert.add_argument("file", metavar="FILE")
    convert.add_argument("format", choices=sorted(FORMATS))
    convert.add_argument("--device", help="the device in a file with several, or its name")
    convert.set_defaults(run=_convert)
    which = commands.add_parser("which", help="find the code files that hold presses")
    which.add_argument("what", nargs="+", metavar="TEXT|FILE", help="a press each")
    which.add_argument(
        "--in", dest="place", type=Path, metavar="PLACE", help="a folder or zip of code files"
    )
    which.set_defaults(run=_which)
    teach = commands.add_parser("teach", help="make a rule of presses of a remote control")
    teach.add_argument("file", metavar="FILE", help="modes and presses, as JSON or YAML")
    teach.set_defaults(run=_teach)
    return parser


def _read(options: Namespace) -> bool:
    return all([*map(_read_one, options.what)])


def _read_one(argument: str) -> bool:
    """Print a packet, or the commands of a file. Return whether everything is usable."""
    text = _text(argument)
    try:
        packet = parse_text(text)
    except RefusedError:
        if not _is_file(argument):
            raise
    else:
        _show_packet(packet)
        return True
    imported = read_codes(text, device=_name_of(argument))
    _print(f"{imported.format}: {imported.count} commands")
    for device, commands in imported.commands.items():
        _print(device)
        for name, packets in commands.items():
            _print(f"  {name}: {', '.join(map(_summary, packets))}")
    return _report_refused(imported.refused)


def _show_packet(packet: bytes) -> None:
    _print(_summary(packet))
    _print(f"  base64: {to_base64(packet)}")
    _print(f"  hex: {to_hex(packet)}")
    for name in _LINE_FORMATS:
        exported = write_codes(name, "", {"": [packet]})
        if exported.text:
            _print(f"  {name}: {exported.text.strip()}")
    _print(f"  microseconds: {' '.join(map(str, to_timings(packet)))}")


def _summary(packet: bytes) -> str:
    """Return kind, length and meanings of a packet."""
    command = meaning(packet)
    texts = [] if command is None else [command.text]
    texts += [reading.text for reading in KnownAirConditioners.shipped().identify(packet)]
    decoded = " or ".join(texts) or "no known protocol"
    return f"{_KINDS[kind(packet)]}, {air_time_s(packet) * 1000:.0f} ms, {decoded}"


def _convert(options: Namespace) -> bool:
    name = options.device or _name_of(options.file)
    text = _content(options.file)
    imported = read_codes(text, device=name, command="command" if is_packet(text) else None)
    device = _chosen(imported, options.device)
    exported = write_codes(
        options.format,
        device,
        imported.commands[device],
        states=imported.states.get(device),
        capabilities=None if imported.head is None else imported.head.capabilities,
        steps=None if imported.head is None else imported.head.steps,
        maker=Maker(name=imported.manufacturer, models=imported.models),
    )
    sys.stdout.write(exported.text)
    return _report_refused({**imported.refused, **exported.refused})


def _chosen(imported: Imported, name: str | None) -> str:
    devices = [*imported.commands]
    if name is not None and name in imported.commands:
        return name
    if len(devices) != 1:
        raise _UsageError(f"choose a device with --device: {', '.join(devices) or 'there is none'}")
    return devices[0]


def _which(options: Namespace) -> bool:
    presses = [parse_text(_text(argument)) for argument in options.what]
    if options.place is None:
        files = Collection.load().find(presses)
        for file in files:
            _print(f"{file.path}: {file.manufacturer}, {', '.join(file.models)}")
        return bool(files)
    place: Path = options.place
    index = (
        FileIndex.of_collection(place) if place.is_dir() else FileIndex.of_zip(place.read_bytes())
    )
    matches = index.find(presses)
    for match in matches:
        _print(f"{match.path}: {'; '.join(' or '.join(names) for names in match.commands)}")
    return _report_refused(index.skipped) and bool(matches)


def _teach(options: Namespace) -> bool:
    content = read_notation(_content(options.file))
    if not isinstance(content, Mapping) or {*content} != {"modes", "presses"}:
        raise _UsageError(f"{options.file}: expected `modes` and `presses`")
    teacher = Teacher(Capabilities(modes=dict(_modes(content["modes"]))))
    presses = _presses(content["presses"])
    while (requested := teacher.ask) is not None:
        name = _label(requested)
        if not presses.get(name):
            raise _UsageError(f"press {name}, and add it to the presses ({teacher.asked} are used)")
        text = presses[name].popleft()
        if text == _NO_BUTTON:
            teacher.skip()
        elif (verdict := teacher.take(parse_text(text))) is not Verdict.ACCEPTED:
            _report(f"{name}: {verdict.value}")
    rule = teacher.rule()
    if rule is None:
        raise _UsageError("the presses follow no rule")
    _print(json.dumps(rule.as_data(), ensure_ascii=False, indent=2))
    _report(f"{len(rule.states)} states, taught by {teacher.asked} presses")
    unused = {name: f"not used: {len(left)} presses" for name, left in presses.items() if left}
    return _report_refused(unused)


def _modes(content: object) -> Iterator[tuple[str, Levels]]:
    """Yield the modes with their levels of a file of presses."""
    if not isinstance(content, Mapping) or not content:
        raise _UsageError("modes: expected a mode such as `cool`, and what there is in it")
    for mode, levels in content.items():
        if mode not in MODES:
            raise _UsageError(f"modes: {mode} is none of {', '.join(MODES)}")
        if not isinstance(levels, Mapping):
            raise _UsageError(f"modes: {mode}: {levels} is not understood")
        if unknown := levels.keys() - {*_NAMED_LEVELS, "temperatures"}:
            raise _UsageError(f"modes: {mode}: {min(map(str, unknown))} is not understood")
        yield (
            str(mode),
            Levels(
                **{name: [*map(str, levels.get(name, ()))] for name in _NAMED_LEVELS},
                temperatures=sorted(_temperatures(levels.get("temperatures", ()))),
            ),
        )


def _temperatures(content: object) -> list[float]:
    """Return the temperatures of a list, or of a range such as `18-30`."""
    try:
        if isinstance(content, str):
            first, last = map(int, content.split("-"))
            if last - first <= _MOST_TEMPERATURES:
                return [*map(float, range(first, last + 1))]
        return [*map(float, content if isinstance(content, list | tuple) else [str(content)])]
    except (TypeError, ValueError) as err:
        raise _UsageError(f"temperatures: expected `18-30` or a list, not {content}") from err


def _presses(content: object) -> dict[str, deque[str]]:
    """Return the packets of each state, by its name, in the order of the presses."""
    presses: dict[str, deque[str]] = {}
    for press in content if isinstance(content, list) else [content]:
        if not isinstance(press, Mapping):
            raise _UsageError(f"presses: expected `cool auto 24: JgBQ…`, not {press}")
        for name, text in press.items():
            presses.setdefault(" ".join(str(name).split()), deque()).append(str(text).strip())
    return presses


def _label(state: State | Off) -> str:
    return OFF.value if isinstance(state, Off) else state.label


def _text(argument: str) -> str:
    """Return the content of the file with this name, or else the text itself."""
    return _content(argument) if _is_file(argument) else argument


def _content(name: str) -> str:
    """Return the content of a file, or of the standard input for "-"."""
    return text_of(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())


def _is_file(argument: str) -> bool:
    try:
        return argument == "-" or Path(argument).is_file()
    except OSError, ValueError:  # too long for a file name
        return False


def _name_of(argument: str) -> str:
    return Path(argument).stem if argument != "-" and _is_file(argument) else "device"


def _report_refused(refused: Mapping[str, Any]) -> bool:
    """Report each unusable item with its reason. Return whether there are none."""
    for name, reason in refused.items():
        _report(f"{name}: {reason}")
    return not refused


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _report(line: str) -> None:
    sys.stderr.write(f"ircodes: {line}\n")
