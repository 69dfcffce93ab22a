"""A virtual IR/RF hub and related devices: plugs, power strips, air sensors.

Start a `VirtualHub`, connect a client to its host and port, press buttons in front of it, and
read the transmitted packets in `transmitted`.
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
