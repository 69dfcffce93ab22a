"""A virtual IR/RF hub and its relatives: plugs, power strip, air sensor.

Start a `VirtualHub`, point a client at its host and port, press buttons
before it, and read in `transmitted` what it sent into the room.
"""

from .family import Received, State, Transmission
from .faults import Faults
from .models import MODELS
from .server import VirtualHub

__all__ = ["MODELS", "Faults", "Received", "State", "Transmission", "VirtualHub"]
