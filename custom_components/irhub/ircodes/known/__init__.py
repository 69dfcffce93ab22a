"""Air conditioners whose protocol is known: rules that somebody else has taught before."""

from .narrowing import Asked, fahrenheit, in_celsius, is_open, narrow, shown_differently
from .row import KnownReading, Row
from .table import KnownAirConditioners

__all__ = [
    "Asked",
    "KnownAirConditioners",
    "KnownReading",
    "Row",
    "fahrenheit",
    "in_celsius",
    "is_open",
    "narrow",
    "shown_differently",
]
