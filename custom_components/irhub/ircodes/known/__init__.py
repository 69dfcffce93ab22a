"""Air conditioners with known protocols: ready-made rules, identified by a press."""

from .dialect import Dialect, Dialects, dialects_of
from .files import ProtocolMatch, files_of_protocol
from .misnamed import Misnamed, Misnaming
from .narrowing import RequestedState, fahrenheit, in_celsius, is_open, narrow, shown_differently
from .row import KnownReading, Row
from .table import KnownAirConditioners

__all__ = [
    "Dialect",
    "Dialects",
    "KnownAirConditioners",
    "KnownReading",
    "Misnamed",
    "Misnaming",
    "ProtocolMatch",
    "RequestedState",
    "Row",
    "dialects_of",
    "fahrenheit",
    "files_of_protocol",
    "in_celsius",
    "is_open",
    "narrow",
    "shown_differently",
]
