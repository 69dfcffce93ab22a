"""Air conditioners whose protocol is known: rules that somebody else has taught before."""

from .row import KnownReading, Row
from .table import KnownAirConditioners, narrow

__all__ = ["KnownAirConditioners", "KnownReading", "Row", "narrow"]
