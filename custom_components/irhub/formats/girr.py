"""Girr: XML of the harctoolbox programs. A remote has command sets, a command one of these.

<ccf>                     Pronto
<raw><intro>, <repeat>    microseconds with signs, or each in a <flash> or a <gap>
<parameters protocol=…>   <parameter name="D" value="…">: D is the device, S the subdevice,
F the function
"""

from functools import partial
from typing import Final
from xml.etree import ElementTree as ET  # nosec B405  (without a document type, see _parsed)

from ..codes.reasons import RefusedError
from ..codes.text_forms import from_pronto, from_raw
from .by_protocol import parameters
from .imported import Found, Packets, needed

NAME: Final = "Girr"
_ANY: Final = "{*}"


def is_girr(text: str) -> bool:
    """Tell XML from other texts."""
    return text.startswith("<")


def read(text: str, device: str | None, found: Found) -> None:
    """Take the commands of all remotes. Raise ValueError if the text is no XML."""
    root = _parsed(text)
    remotes = [node for node in root.iter() if _tag(node) == "remote"] or [root]
    for remote in remotes:
        if any(_tag(node) == "remote" for node in remote.iter() if node is not remote):
            raise RefusedError("remote_in_remote")
        name = needed(device or remote.get("name"))
        found.manufacturer = remote.get("manufacturer", found.manufacturer)
        model = remote.get("model")
        found.models = [*found.models, *([model] if model else [])]
        for commands in _groups(remote):
            of_all = commands.find(f"{_ANY}parameters")
            for command in commands.iterfind(f"{_ANY}command"):
                found.count()
                found.add(name, command.get("name"), partial(_packets, command, of_all))


def _parsed(text: str) -> ET.Element:
    # No entities are declared without a document type, so none can multiply or name a file.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise RefusedError("document_type")
    try:
        return ET.fromstring(text)  # noqa: S314  # nosec B314
    except ET.ParseError as err:
        raise RefusedError("no_xml", error=err) from err


def _groups(remote: ET.Element) -> list[ET.Element]:
    return [node for node in remote.iter() if node.find(f"{_ANY}command") is not None]


def _tag(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


def _packets(command: ET.Element, of_all: ET.Element | None) -> Packets:
    if (ccf := command.findtext(f"{_ANY}ccf")) is not None:
        return [from_pronto(ccf)]
    if (raw := command.find(f"{_ANY}raw")) is not None:
        parts = [_microseconds(raw.find(f"{_ANY}{name}")) for name in ("intro", "repeat")]
        return [from_raw(" ".join(part for part in parts if part))]
    values: dict[str, str] = {}
    protocol = ""
    for node in (of_all, command.find(f"{_ANY}parameters")):
        if node is not None:
            protocol = node.get("protocol", protocol)
            for each in node.iterfind(f"{_ANY}parameter"):
                values[each.get("name", "")] = each.get("value", "")
    if not protocol:
        raise RefusedError("no_girr")
    return parameters(protocol, values)


def _microseconds(part: ET.Element | None) -> str:
    if part is None:
        return ""
    each = (f"{'-' if _tag(node) == 'gap' else ''}{node.text}" for node in part)
    return " ".join(each) or part.text or ""
