"""The models of virtual hubs: name, device type, family."""

from collections.abc import Callable
from dataclasses import dataclass

from .family import READ, Family, Parts
from .remote import Abilities, Remote
from .sensors import AirSensor, DustSensor
from .switches import JsonPlug, Kind, Meter, Plug, Strip


@dataclass(frozen=True)
class Model:
    """A device type, as in the hello, and its behaviour."""

    devtype: int
    family: Callable[[Parts], Family]
    known: bool = True
    """Whether client libraries support the device type."""


def _remote(abilities: Abilities) -> Callable[[Parts], Family]:
    return lambda parts: Remote(abilities, parts)


def _plug(kind: Kind) -> Callable[[Parts], Family]:
    return lambda parts: Plug(kind, parts.state)


def _json_plug(
    *, framed: bool = True, meter: Meter = Meter.NONE, sockets: int = 0
) -> Callable[[Parts], Family]:
    return lambda parts: JsonPlug(parts.state, framed=framed, meter=meter, sockets=sockets)


_PRO = _remote(Abilities(rf=True, thermometer=True))
_PRO_PLUS = _remote(Abilities(rf=True))
_MINI = _remote(Abilities(nothing_yet=READ))
_MINI_B = _remote(Abilities(framed=True))
_RM4_MINI = _remote(Abilities(framed=True, sensors=True))
_RM4_PRO = _remote(Abilities(framed=True, rf=True, sensors=True))

MODELS = {
    "rm_pro": Model(0x2712, _PRO),
    "rm_pro_phicomm": Model(0x273D, _PRO),
    "rm_pro_plus": Model(0x2797, _PRO_PLUS),
    "rm2_home_plus": Model(0x2783, _PRO),
    "rm2_home_plus_gdt": Model(0x277C, _PRO),
    "rm2_pro_plus": Model(0x272A, _PRO),
    "rm2_pro_plus2": Model(0x2787, _PRO),
    "rm2_pro_plus_bl": Model(0x278B, _PRO),
    "rm_mini": Model(0x2737, _MINI),
    "rm_mini_shate": Model(0x278F, _MINI),
    "rm_mini_b": Model(0x5F36, _MINI_B),
    "rm4_mini": Model(0x51DA, _RM4_MINI),
    "rm4_pro": Model(0x6026, _RM4_PRO),
    "rm4c_pro": Model(0x6184, _RM4_PRO),
    "rm4c_pro_new": Model(0x521A, _RM4_PRO, known=False),
    "a1": Model(0x2714, lambda parts: AirSensor(parts.state)),
    "a2": Model(0x4F60, lambda parts: DustSensor(parts.state)),
    "sp1": Model(0x0000, _plug(Kind.SP1)),
    "sp2": Model(0x2720, _plug(Kind.SP2)),
    "honeywell_sp2": Model(0x2719, _plug(Kind.SP2)),
    "spmini2": Model(0x2728, _plug(Kind.SP2)),
    "sp_mini_3": Model(0x753E, _plug(Kind.SP2)),
    "sp2s": Model(0x2711, _plug(Kind.SP2S)),
    "spminiplus": Model(0x2736, _plug(Kind.SP2S)),
    "sp3": Model(0x2733, _plug(Kind.SP3)),
    "sp3s": Model(0x947A, _plug(Kind.SP3S)),
    "sp4": Model(0x756C, _json_plug(framed=False)),
    "sp4_mini_new": Model(0x757F, _json_plug(framed=False), known=False),
    "scb1e": Model(0xA56B, _json_plug(framed=False, meter=Meter.ALL)),
    "mcb1": Model(0xA56A, _json_plug(framed=False, meter=Meter.ALL)),
    "sp4l": Model(0x618B, _json_plug(meter=Meter.GHOST)),
    "sp4l_new": Model(0xA56C, _json_plug(framed=False, meter=Meter.GHOST)),
    "sp4b": Model(0x5115, _json_plug(meter=Meter.ALL)),
    "sp4b_unmetered": Model(0x618B, _json_plug()),
    "bg1": Model(0x51E3, _json_plug(sockets=2)),
    "mp1": Model(0x4EB5, lambda parts: Strip(parts.state)),
    "mp1s": Model(0x4EF7, lambda parts: Strip(parts.state, metered=True)),
}
