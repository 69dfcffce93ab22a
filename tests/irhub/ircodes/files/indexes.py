"""Code files for an index, and received packets of them."""

from collections.abc import Mapping
from io import BytesIO
import json
from pathlib import Path
from random import Random
import zipfile

from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.packet.text_forms import to_base64

MODES, FANS = ("cool", "heat", "dry"), ("auto", "low")

FOLDER = "custom_components/smartir/codes/climate"


def state(maker: int, mode: str, fan: str, degrees: int, *, frames: int = 2) -> bytes:
    """Return a packet of an invented air conditioner, with two frames, as many have."""
    bits = f"{maker:016b}{MODES.index(mode):04b}{FANS.index(fan):04b}{degrees:08b}"
    frame = [4400, -4400]
    for bit in bits + f"{bits.count('1'):08b}":
        frame += [540, -1620 if bit == "1" else -540]
    return from_timings([*frame, 540, -7000] * (frames - 1) + [*frame, 540, -40000])


def file_of(maker: int, **keys: object) -> dict[str, object]:
    """Return a code file in SmartIR's format."""
    cool = {
        mode: {
            fan: {f"{t}": to_base64(state(maker, mode, fan, t)) for t in (18, 24, 25)}
            for fan in FANS
        }
        for mode in MODES
    }
    return {
        "manufacturer": f"Maker {maker}",
        "supportedModels": ["A", "B"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "commands": {"off": [to_base64(state(maker, "cool", "auto", 0))], **cool},
        **keys,
    }


def heard(packet: bytes, seed: int, *, percent: int = 3, longer_us: int = 60) -> bytes:
    """Return a packet as received: marks longer, spaces shorter, all with some error."""
    random = Random(seed)
    return from_timings(
        [
            round(us * (1 + random.uniform(-percent, percent) / 100)) + longer_us
            for us in to_timings(packet)
        ]
    )


def put(config_dir: Path, files: Mapping[str, object]) -> None:
    """Write files below a configuration folder."""
    for name, content in files.items():
        path = config_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def zipped(files: Mapping[str, object]) -> bytes:
    """Return a zip of files."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text if isinstance(text, str) else json.dumps(text))
    return content.getvalue()
