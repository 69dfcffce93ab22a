"""A virtual IR/RF hub and its relatives: plugs, power strips, air sensors.

Start a `VirtualHub`, point a client at its host and port, press buttons
before it, and read in `transmitted` what it sent into the room.
"""

from .family import Received, State, Transmission
from .faults import Faults, Quirks
from .models import MODELS
from .passage import Hearing, Passage
from .server import VirtualHub, exchange_addresses, free_udp_port

__all__ = [
    "MODELS",
    "Faults",
    "Hearing",
    "Passage",
    "Quirks",
    "Received",
    "State",
    "Transmission",
    "VirtualHub",
    "exchange_addresses",
    "free_udp_port",
]
