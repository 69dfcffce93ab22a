"""Packets: conversion between bytes, texts and durations, and the bits encoded in them."""

from .noise import LIMITS, is_noise
from .packet import (
    BANDS_HZ,
    MAX_PACKET,
    MAX_REPEATS,
    TICK_US,
    air_time_s,
    carrier_mhz,
    from_bytes,
    from_capture,
    from_radio_timings,
    kind,
    repeats_of,
    short,
    with_repeats,
)
from .reader import Unread
from .text_forms import is_meant_as_packet, is_packet, read_packet, to_hex

__all__ = [
    "BANDS_HZ",
    "LIMITS",
    "MAX_PACKET",
    "MAX_REPEATS",
    "TICK_US",
    "Unread",
    "air_time_s",
    "carrier_mhz",
    "from_bytes",
    "from_capture",
    "from_radio_timings",
    "is_meant_as_packet",
    "is_noise",
    "is_packet",
    "kind",
    "read_packet",
    "repeats_of",
    "short",
    "to_hex",
    "with_repeats",
]
