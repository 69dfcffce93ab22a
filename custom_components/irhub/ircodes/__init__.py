"""Codes of remote controls: packets, protocols, states, code files, teaching.

This is the public API: what uses ircodes imports from here and from no module behind it. It needs
no Home Assistant.
"""

from .files.contents import Content, identify
from .files.devices import NAME as OUR_FORMAT
from .files.imported import (
    MAX_COMMANDS,
    MAX_NAME,
    MAX_TEXT,
    Account,
    ContentKind,
    Imported,
    NamelessError,
    Packets,
    checked_name,
)
from .files.index import FOLDERS, UNREADABLE, FileIndex, Match
from .files.language import Function, Language
from .files.notation import read_notation, text_of
from .files.reading import SUFFIXES, read_codes
from .files.shipped import CollectedFile, Collection
from .files.smartir import Maker
from .files.writing import FORMATS, Exported, write_codes
from .packet.frames import packets_difference
from .packet.packet import (
    BANDS_HZ,
    MAX_PACKET,
    air_time_s,
    carrier_mhz,
    from_bytes,
    from_capture,
    from_radio_timings,
    from_timings,
    is_noise,
    kind,
    short,
    to_timings,
)
from .packet.reader import Packet, read
from .packet.text_forms import (
    from_base64,
    is_meant_as_packet,
    is_packet,
    parse_text,
    read_packet,
    to_base64,
    to_hex,
)
from .protocols.air_conditioners import (
    CARRIED,
    PRESSED_OFF,
    PROTOCOLS,
    Fields,
    readings,
    unit_of,
)
from .protocols.carried import agreed
from .protocols.presses import Recognizer, median_of, only_repeats, same_button, same_press
from .protocols.protocol_rule import ProtocolRule
from .protocols.protocols import (
    Command,
    Meaning,
    clean,
    closed,
    encode,
    learned,
    meaning,
)
from .reasons import REASONS, Reason, RefusedError, reason_of, why
from .states.bit_rule import BitRule
from .states.capabilities import Capabilities, Levels, Steps
from .states.head import MAX_BRIGHTNESS, MAX_KELVIN, Head
from .states.nested import WHATEVER, Path as LevelPath, states_of, temperature_of
from .states.rule import COMFORTABLE, Changes, Lacks, Rule
from .states.state import MODES, OFF, Off, State, agreed as agreed_state
from .teaching.faults import Faults, find_faults
from .teaching.teacher import PRESSES, Heard, Teacher

__all__ = [
    "BANDS_HZ",
    "CARRIED",
    "COMFORTABLE",
    "FOLDERS",
    "FORMATS",
    "MAX_BRIGHTNESS",
    "MAX_COMMANDS",
    "MAX_KELVIN",
    "MAX_NAME",
    "MAX_PACKET",
    "MAX_TEXT",
    "MODES",
    "OFF",
    "OUR_FORMAT",
    "PRESSED_OFF",
    "PRESSES",
    "PROTOCOLS",
    "REASONS",
    "SUFFIXES",
    "UNREADABLE",
    "WHATEVER",
    "Account",
    "BitRule",
    "Capabilities",
    "Changes",
    "CollectedFile",
    "Collection",
    "Command",
    "Content",
    "ContentKind",
    "Exported",
    "Faults",
    "Fields",
    "FileIndex",
    "Function",
    "Head",
    "Heard",
    "Imported",
    "Lacks",
    "Language",
    "LevelPath",
    "Levels",
    "Maker",
    "Match",
    "Meaning",
    "NamelessError",
    "Off",
    "Packet",
    "Packets",
    "ProtocolRule",
    "Reason",
    "Recognizer",
    "RefusedError",
    "Rule",
    "State",
    "Steps",
    "Teacher",
    "agreed",
    "agreed_state",
    "air_time_s",
    "carrier_mhz",
    "checked_name",
    "clean",
    "closed",
    "encode",
    "find_faults",
    "from_base64",
    "from_bytes",
    "from_capture",
    "from_radio_timings",
    "from_timings",
    "identify",
    "is_meant_as_packet",
    "is_noise",
    "is_packet",
    "kind",
    "learned",
    "meaning",
    "median_of",
    "only_repeats",
    "packets_difference",
    "parse_text",
    "read",
    "read_codes",
    "read_notation",
    "read_packet",
    "readings",
    "reason_of",
    "same_button",
    "same_press",
    "short",
    "states_of",
    "temperature_of",
    "text_of",
    "to_base64",
    "to_hex",
    "to_timings",
    "unit_of",
    "why",
    "write_codes",
]
