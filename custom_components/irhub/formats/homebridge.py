"""homebridge-broadlink-rm's configuration: JSON whose accessories have packets in hex.

`{"accessories": [{"name": …, "data": {"on": "2600…", "off": [{"data": "2600…"}, …]}}]}`; what is
nested gets the names of its levels, a list is a sequence. Everything else is settings.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from ..codes.packet import join
from ..codes.reasons import RefusedError
from ..codes.text_forms import from_hex
from .imported import Found, Packets
from .notation import pairs

NAME: Final = "homebridge-broadlink-rm"
MAX_LEVELS: Final = 10
_GAP_US: Final = 500_000


def is_homebridge(content: Mapping[object, object]) -> bool:
    """Tell a configuration from other JSON."""
    return isinstance(_accessories(content), list)


def read(content: Mapping[object, object], device: str | None, found: Found) -> None:
    """Take the packets of all accessories."""
    accessories = _accessories(content)
    for accessory in accessories if isinstance(accessories, list) else []:
        if isinstance(accessory, Mapping) and isinstance(data := accessory.get("data"), Mapping):
            _walk(device or accessory.get("name"), data, (), found)


def _accessories(content: Mapping[object, object]) -> object:
    """Return the accessories of a platform's configuration, or of Homebridge's with that in it."""
    match content:
        case {"accessories": list(accessories)} if any(
            isinstance(each, Mapping) and "data" in each for each in accessories
        ):
            return accessories
        case {"platforms": [*platforms]}:
            return [
                each
                for platform in platforms
                if isinstance(platform, Mapping)
                for each in (platform.get("accessories") or ())
            ]
        case _:
            return None


def _walk(device: object, value: object, path: tuple[str, ...], found: Found) -> None:
    if len(path) > MAX_LEVELS:
        raise RefusedError("too_deep")
    found.count(0 if isinstance(value, Mapping) else len(str(value)))
    match value:
        case Mapping() if not path or not isinstance(value.get("data"), str | list):
            for name, inner in pairs(value):
                _walk(device, inner, (*path, str(name)), found)
        case str() | list() | Mapping() if value:
            found.add(device, " ".join(path), partial(_packets, value))


def _packets(value: object) -> Packets:
    texts = [part.get("data") if isinstance(part, Mapping) else part for part in _parts(value)]
    packets = [from_hex(text) for text in texts if isinstance(text, str) and text]
    return packets if len(packets) < 2 else [join(packets, gap_us=_GAP_US)]  # noqa: PLR2004


def _parts(value: object) -> list[object]:
    if isinstance(value, Mapping):
        value = value["data"]
    return value if isinstance(value, list) else [value]
