"""The `type:` names of the classic platforms, and the device types they stand for.

A device of model SC1 is configured as `sp2`. The names are a fallback only: once the
device answers, its own type decides, since newer hardware lives under older names (an
`sp3` of the classic list is an SP mini 3, a true SP3 has a night light).
"""

from typing import Final

CLASSIC_TYPES: Final = {
    "rm": 0x2712,
    "rm2": 0x2712,
    "rm_mini": 0x2737,
    "rm_pro_phicomm": 0x273D,
    "rm2_home_plus": 0x2783,
    "rm2_home_plus_gdt": 0x277C,
    "rm2_pro_plus": 0x272A,
    "rm2_pro_plus2": 0x2787,
    "rm2_pro_plus_bl": 0x278B,
    "rm_mini_shate": 0x278F,
    "sp1": 0x0000,
    "sp2": 0x2711,
    "honeywell_sp2": 0x2719,
    "sp3": 0x753E,
    "spmini2": 0x2728,
    "spminiplus": 0x2736,
    "mp1": 0x4EB5,
}
