"""The models a virtual hub can be: name, device type, family."""

from collections.abc import Callable
from dataclasses import dataclass

from .air import AirSensor
from .family import READ, Family, Logs, State
from .plug import Kind, Plug
from .remote import Abilities, Remote
from .strip import Strip

type Identity = Callable[[], tuple[str, bool]]
"""Returns the device's present name and lock flag."""


@dataclass(frozen=True)
class Model:
    """A device type as the hello announces it, and what makes the device behave like one."""

    devtype: int
    family: Callable[[State, Logs, Identity], Family]


def _remote(abilities: Abilities) -> Callable[[State, Logs, Identity], Family]:
    return lambda state, logs, identity: Remote(abilities, state, logs, identity)


def _plug(kind: Kind) -> Callable[[State, Logs, Identity], Family]:
    return lambda state, _logs, _identity: Plug(kind, state)


_PRO = _remote(Abilities(rf=True, thermometer=True))
_MINI = _remote(Abilities(nothing_yet=READ))
_MINI_B = _remote(Abilities(framed=True))
_RM4_MINI = _remote(Abilities(framed=True, sensors=True))
_RM4_PRO = _remote(Abilities(framed=True, rf=True, sensors=True))

MODELS = {
    "rm_pro": Model(0x2712, _PRO),
    "rm_pro_phicomm": Model(0x273D, _PRO),
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
    "a1": Model(0x2714, lambda state, _logs, _identity: AirSensor(state)),
    "sp1": Model(0x0000, _plug(Kind.SP1)),
    "sp2": Model(0x2720, _plug(Kind.SP2)),
    "honeywell_sp2": Model(0x2719, _plug(Kind.SP2)),
    "spmini2": Model(0x2728, _plug(Kind.SP2)),
    "sp_mini_3": Model(0x753E, _plug(Kind.SP2)),
    "sp2s": Model(0x2711, _plug(Kind.SP2S)),
    "spminiplus": Model(0x2736, _plug(Kind.SP2S)),
    "sp3": Model(0x2733, _plug(Kind.SP3)),
    "sp3s": Model(0x947A, _plug(Kind.SP3S)),
    "mp1": Model(0x4EB5, lambda state, _logs, _identity: Strip(state)),
}
