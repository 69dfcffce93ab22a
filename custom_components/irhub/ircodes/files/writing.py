"""Entry point for writing commands of a device in one of several formats."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ..reasons import why
from ..states.capabilities import Capabilities, Steps
from ..states.state import State
from . import esphome, flipper, girr, lists, smartir
from .imported import Packets
from .smartir import Maker

type _Named = Iterable[tuple[str, bytes]]
type _States = Mapping[str, State]


@dataclass(frozen=True, kw_only=True)
class Exported:
    """The commands of a device in a format."""

    text: str
    suffix: str
    """Suffix of the file: ".ir"."""
    refused: Mapping[str, object]
    """Command → reason why it cannot be written in this format."""


type _Write = Callable[[Maker, _Named, _States, Capabilities, Steps], str]

FORMATS: Final[Mapping[str, tuple[_Write, str]]] = {
    "smartir": (smartir.write, smartir.SUFFIX),
    "flipper": (lambda _maker, commands, *_: flipper.write(commands), flipper.SUFFIX),
    "girr": (lambda maker, commands, *_: girr.write(maker.device, commands), girr.SUFFIX),
    "pronto": (
        lambda _maker, commands, *_: lists.write(commands, lists.to_pronto),
        lists.SUFFIX,
    ),
    "tuya": (lambda _maker, commands, *_: lists.write(commands, lists.to_packed), lists.SUFFIX),
    "esphome": (lambda _maker, commands, *_: esphome.write(commands), esphome.SUFFIX),
}
"""Name → function that writes the text, and the suffix of its file."""


def write_codes(
    format_name: str,
    device: str,
    commands: Mapping[str, Packets],
    *,
    states: Mapping[str, State] | None = None,
    capabilities: Capabilities | None = None,
    steps: Steps | None = None,
    maker: Maker | None = None,
) -> Exported:
    """Return a device's commands in a format of FORMATS.

    `states` contains the states of an air conditioner by command, `capabilities` the order of their
    levels, `steps` those of a fan or a light, `maker` its manufacturer. Packets that alternate are
    written under separate names, because no other format supports them.
    """
    write, suffix = FORMATS[format_name]
    meanings = states or {}, capabilities or Capabilities(), steps or Steps()
    maker = replace(maker or Maker(), device=device)
    writable: list[tuple[str, bytes]] = []
    refused: dict[str, object] = {}
    for name, packet in _single(commands):
        try:
            write(maker, [(name, packet)], *meanings)
        except ValueError as err:
            refused[name] = why(err)
        else:
            writable.append((name, packet))
    return Exported(text=write(maker, writable, *meanings), suffix=suffix, refused=refused)


def _single(commands: Mapping[str, Packets]) -> Iterator[tuple[str, bytes]]:
    """Yield names with one packet each; alternating packets are named "power 2" and so on."""
    taken = set(commands)
    for name, packets in commands.items():
        yield name, packets[0]
        for number, packet in enumerate(packets[1:], 2):
            numbered_name = f"{name} {number}"
            while numbered_name in taken:
                numbered_name += "'"
            taken.add(numbered_name)
            yield numbered_name, packet
