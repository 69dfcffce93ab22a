"""Remote control codes: packets, protocols, states, code files, teaching.

This module is the public API for common tasks. The subpackages `packet`, `states`, `protocols`,
`files`, `known` and `teaching` and the module `reasons` export what only work on that subject
needs. Nothing outside imports the modules behind them. The library does not depend on Home
Assistant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from .files.contents import Content, identify
from .files.index import FileIndex, Match
from .files.reading import read_codes
from .files.shipped import Collection
from .files.writing import FORMATS, write_codes
from .packet.packet import from_timings, to_timings
from .packet.reader import Packet, read
from .packet.text_forms import parse_text, to_base64
from .protocols.presses import Recognizer
from .protocols.protocols import Meaning, encode, meaning
from .reasons import RefusedError
from .states.bit_rule import BitRule
from .states.capabilities import Capabilities, Levels
from .states.rule import Rule
from .states.state import OFF, Off, State

if TYPE_CHECKING:
    from .teaching.faults import find_faults
    from .teaching.teacher import Teacher, Verdict

__all__ = [
    "FORMATS",
    "OFF",
    "BitRule",
    "Capabilities",
    "Collection",
    "Content",
    "FileIndex",
    "Levels",
    "Match",
    "Meaning",
    "Off",
    "Packet",
    "Recognizer",
    "RefusedError",
    "Rule",
    "State",
    "Teacher",
    "Verdict",
    "encode",
    "find_faults",
    "from_timings",
    "identify",
    "meaning",
    "parse_text",
    "read",
    "read_codes",
    "to_base64",
    "to_timings",
    "write_codes",
]

_OF_TEACHING: Final = {"find_faults": "faults", "Teacher": "teacher", "Verdict": "teacher"}
"""Lazily imported name → module of `teaching` that defines it."""

if not TYPE_CHECKING:  # a name that does not exist is still an error to mypy

    def __getattr__(name: str) -> object:
        """Return a name of `teaching`; its modules are imported on first use."""
        if (module := _OF_TEACHING.get(name)) is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".teaching.{module}", __name__), name)
