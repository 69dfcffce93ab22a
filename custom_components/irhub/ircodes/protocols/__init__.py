"""Protocols: what bits mean, and how a message is written."""

from .air_conditioners import CARRIED, PRESSED_OFF, PROTOCOLS, Fields, readings, unit_of
from .carried import agreed
from .presses import median_of, only_repeats, same_button, same_press
from .protocol_rule import ProtocolRule
from .protocols import clean, closed, learned

__all__ = [
    "CARRIED",
    "PRESSED_OFF",
    "PROTOCOLS",
    "Fields",
    "ProtocolRule",
    "agreed",
    "clean",
    "closed",
    "learned",
    "median_of",
    "only_repeats",
    "readings",
    "same_button",
    "same_press",
    "unit_of",
]
