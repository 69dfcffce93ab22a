"""Teaching: from the presses of a remote control to a rule, and its proof."""

from .doubt import Doubt
from .faults import Faults
from .limits import PRESSES
from .record import KeptPress, LessonRecord

__all__ = ["PRESSES", "Doubt", "Faults", "KeptPress", "LessonRecord"]
