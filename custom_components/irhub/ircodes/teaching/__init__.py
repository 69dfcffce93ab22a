"""Teaching: from the presses of a remote control to a rule, and its proof."""

from .faults import Faults
from .limits import PRESSES

__all__ = ["PRESSES", "Faults"]
