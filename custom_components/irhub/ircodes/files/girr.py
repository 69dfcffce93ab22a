"""Girr: XML of the harctoolbox programs. A remote has command sets; a command has one of these.

<parameters protocol=…>   <parameter name="D" value="…">: names of protocol and parameters as in
                          IRP; inherited from the enclosing sets; an attribute F="2" of the command
                          is a parameter, too
<ccf>                     Pronto
<raw><intro>, <repeat>, <ending>   microseconds with signs, or each in a <flash> or a <gap>

Written: raw durations, all in the intro.

Several <ccf> or <raw> of a command are its variants by toggle, which are sent in turn.

Read: the first of <ccf>, <raw> and parameters that is valid. Not read: a document type, other
formats in <format>, protocols that are not in the table.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
import re
from typing import Final
from xml.etree.ElementTree import Element  # nosec B405  (a type)
from xml.sax.saxutils import quoteattr  # nosec B406  (it writes)

from ..packet.text_forms import from_pronto, from_raw
from ..reasons import RefusedError
from .by_protocol import by_parameters, number
from .imported import Collector, Packets, required_name
from .notation import read_xml
from .timings import timings_of

NAME: Final = "Girr"
SUFFIX: Final = ".girr"
SUFFIXES: Final = (SUFFIX,)
_ANY: Final = "{*}"
_PARTS: Final = ("intro", "repeat", "ending")
"""Parts of a raw signal, in the order of transmission."""
_PROTOCOL: Final = "protocol"
_NAMESPACE: Final = "http://www.harctoolbox.org/Girr"
_FREQUENCY_HZ: Final = 38_000
_GAP_US: Final = 40_000
"""Added after durations that end with a mark."""
_NOT_IN_XML: Final = re.compile(r"[\x00-\x1f\ufffe\uffff]")


def fits(text: str) -> bool:
    """Return whether a text is XML."""
    return text.startswith("<")


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add the commands of all remotes. Raise ValueError if the text is not valid XML."""
    root = read_xml(text)
    remotes = [node for node in root.iter() if _tag(node) == "remote"] or [root]
    for remote in remotes:
        if any(_tag(node) == "remote" for node in remote.iter() if node is not remote):
            raise RefusedError("too_deep")
        name = required_name(device or remote.get("name"))
        collector.manufacturer = remote.get("manufacturer", collector.manufacturer)
        model = remote.get("model")
        collector.models = [*collector.models, *([model] if model else [])]
        for command, inherited in _commands(remote, {}):
            collector.count()
            collector.add(name, command.get("name"), partial(_packets, command, inherited))


def write(device: str, commands: Iterable[tuple[str, bytes]]) -> str:
    """Return a remote with raw durations. Raise ValueError for radio, or a name XML cannot hold."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<remotes xmlns="{_NAMESPACE}" girrVersion="1.2" title={_quoted(device)}>',
        f"  <remote name={_quoted(device)}>",
        '    <commandSet name="commands">',
    ]
    for name, packet in commands:
        timings = timings_of(packet)
        timings += [-_GAP_US] * (timings[-1] > 0)
        lines += [
            f'      <command name={_quoted(name)} master="raw">',
            f'        <raw frequency="{_FREQUENCY_HZ}">',
            f"          <intro>{' '.join(f'{us:+d}' for us in timings)}</intro>",
            "        </raw>",
            "      </command>",
        ]
    return "\n".join([*lines, "    </commandSet>", "  </remote>", "</remotes>", ""])


def _quoted(name: str) -> str:
    """Return a name as a quoted attribute. Raise RefusedError if XML cannot contain it."""
    if (invalid := _NOT_IN_XML.search(name)) is not None:
        raise RefusedError("character", character=ascii(invalid[0]), text=ascii(name))
    return quoteattr(name)


def _commands(
    node: Element, inherited: Mapping[str, str]
) -> Iterator[tuple[Element, Mapping[str, str]]]:
    """Yield each command with the parameters inherited from the enclosing sets."""
    inherited = _parameters(node, inherited)
    for inner in node:
        if _tag(inner) == "command":
            yield inner, inherited
        else:
            yield from _commands(inner, inherited)


def _parameters(node: Element, inherited: Mapping[str, str]) -> Mapping[str, str]:
    """Return parameter → value, `_PROTOCOL` among them."""
    values = dict(inherited)
    for block in node.iterfind(f"{_ANY}parameters"):
        values |= {_PROTOCOL: block.get("protocol", values.get(_PROTOCOL, ""))}
        for parameter in block.iterfind(f"{_ANY}parameter"):
            values[parameter.get("name", "")] = parameter.get("value", "")
    return values


def _tag(node: Element) -> str:
    return node.tag.rpartition("}")[2]


def _packets(command: Element, inherited: Mapping[str, str]) -> Packets:
    errors: list[ValueError] = []
    for read_form in (_of_pronto, _of_raw, partial(_of_parameters, inherited)):
        try:
            if packets := read_form(command):
                return packets
        except ValueError as err:
            errors.append(err)
    raise errors[0] if errors else RefusedError("no_code")


def _of_pronto(command: Element) -> Packets:
    variants = [from_pronto(node.text or "") for node in command.iterfind(f"{_ANY}ccf")]
    return [*dict.fromkeys(variants)]


def _of_raw(command: Element) -> Packets:
    variants = []
    for raw in command.iterfind(f"{_ANY}raw"):
        parts = [_microseconds(raw.find(f"{_ANY}{name}")) for name in _PARTS]
        variants.append(from_raw(" ".join(part for part in parts if part)))
    return [*dict.fromkeys(variants)]


def _of_parameters(inherited: Mapping[str, str], command: Element) -> Packets:
    values = dict(_parameters(command, inherited))
    values |= {name: text for name, text in command.attrib.items() if len(name) == 1}
    if not (protocol := values.pop(_PROTOCOL, "")):
        return []
    return by_parameters(protocol, {name: number(text) for name, text in values.items()})


def _microseconds(part: Element | None) -> str:
    if part is None:
        return ""
    durations = (f"{'-' if _tag(node) == 'gap' else ''}{node.text}" for node in part)
    return " ".join(durations) or part.text or ""
