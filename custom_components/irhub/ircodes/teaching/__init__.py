"""Teaching: derive the rule of a remote control from presses, and prove it."""

from .doubt import Doubt
from .faults import Faults
from .limits import PRESSES
from .record import KeptPress, LessonRecord

__all__ = ["PRESSES", "Doubt", "Faults", "KeptPress", "LessonRecord"]
