"""Protocols: decoding packets to meanings, and encoding meanings to packets."""

from .air_conditioners import PROTOCOLS, Fields, Reading, readings, with_pressed_off
from .presses import is_ambient, is_reception, median_of, only_repeats, same_button, same_press
from .protocol_rule import ProtocolRule
from .protocol_table import table
from .protocols import clean, closed, learned

__all__ = [
    "PROTOCOLS",
    "Fields",
    "ProtocolRule",
    "Reading",
    "clean",
    "closed",
    "is_ambient",
    "is_reception",
    "learned",
    "median_of",
    "only_repeats",
    "readings",
    "same_button",
    "same_press",
    "table",
    "with_pressed_off",
]
