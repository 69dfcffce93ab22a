"""Teaching: from the presses of a remote control to a rule, and its proof."""

from .faults import Faults
from .limits import PRESSES
from .record import KeptPress, LessonRecord

__all__ = ["PRESSES", "Faults", "KeptPress", "LessonRecord"]
