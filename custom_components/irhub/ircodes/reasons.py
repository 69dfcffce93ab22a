"""Reasons why a text, a packet or a file is refused: a key and an English sentence for each.

The translations contain the same sentences, in `common` under `reason_<key>`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, override

__all__ = ["REASONS", "Reason", "reason_of", "why"]

REASONS: Final = {
    # packets
    "no_form": "not a code in {form}: {text}",
    "not_whole": "incomplete, or too long: {text}",
    "long_packet": "the packet is longer than {limit} bytes",
    "no_durations": "no durations",
    "duration": "duration {number} is {duration} µs, which is not within 1 to {limit} µs",
    "frequency": "{frequency} MHz is not within 433.05 to 434.79 or 315 ± 0.15 MHz",
    "radio_in_sequence": "a sequence with radio packets cannot be one command",
    "protocol": "{protocol} cannot be written: it is not in the table of protocols; a code that was"
    " learned, or one in Pronto or microseconds, works",
    # texts
    "empty": "the text is empty",
    "large": "larger than {limit} bytes",
    "long_yaml": "a text of {count} characters that is not JSON is longer than {limit}",
    "other_format": "not a packet but {format}; import that as a whole: {text}",
    "xiaomi": "packed for Xiaomi's own remote control (Chuangmi), whose form is not read: {text}",
    "pronto_type": "Pronto that begins with {text} is not read, only learned codes (0000 or 0100,"
    " then a carrier)",
    "no_microseconds": "not microseconds such as 9000 -4500 560: {text}",
    "character": "character {character} in {text}",
    "no_number": "not a number: {text}",
    # names
    "empty_name": "a name is empty",
    "long_name": "a name of {count} characters is longer than {limit}",
    "no_name": "{name} cannot be a name",
    "nameless": "the file does not say what it is for: give the name of the device",
    "which_level": "a name is in several of the file's lists (presetModes, fanModes, swingModes),"
    " so it is not clear which of them is meant",
    # files
    "no_notation": "neither a packet nor YAML nor JSON: line {line}, column {column}",
    "line": "line {line} is not {notation}",
    "no_text_file": "this is no text file",
    "alias": "aliases (*) are not read; write out what they stand for",
    "document_type": "XML with a document type is not read",
    "web_page": "a web page, not a file of codes: download the file itself",
    "no_commands": "there are no commands",
    "no_devices": "no devices with commands, and not a packet that has the name of a device and a"
    " command",
    "many_devices": "{count} devices with commands; expected one",
    "many_commands": "more than {limit} commands",
    "no_rule": "its device has a rule that cannot be read",
    "remark": "a remark, no code",
    "included": "the codes of another file, which is not read from here; import that one, too",
    "account": "codes in the file: {codes}; for states of an air conditioner: {states}; other"
    " commands: {commands}; not used: {unused}",
    "as_preset": "{count} codes of *{mode}* are available as a preset",
    "unused": "{count} not used: {reason}",
    "again": "the same code as above, under the same name",
    "collection": "{count} code files, not one: choose a file, or find it by pressing a button",
    "no_code_files": "there is no code file in it",
    "many_devices_in_file": "more than {limit} devices",
    "too_deep": "nested too deeply",
    "no_packet": "no packet",
    "many_files": "more than {limit} files",
    "no_zip": "no zip file",
    "unreadable": "the file is damaged, or cannot be read",
    "encrypted": "the file in the zip is encrypted",
    "deep_file": "the file is in more than {limit} folders within each other",
    "time_over": "reading the files took longer than {limit} s; this one was left out",
    "both": "{first}; {second}",
    "field": "{field} is {value}; it can be {expected}",
    # formats
    "encoding": "the encoding {encoding} is not read",
    "no_code": "neither durations nor a protocol with its numbers",
    "state_without_packet": "a state, but not its packet: the log must have the durations too"
    " (RawData of Tasmota after SetOption58 1, rawData of IRrecvDump)",
    "no_parameter": "{parameter} is missing",
    "parameter": "{parameter} is {value}, which is not within {lowest} to {highest}",
    "unknown_parameter": "the protocol has no parameter {parameter}",
    # what is written
    "radio": "radio cannot be written in this format",
    "not_in_format": "its pauses or repeats are longer than this format allows",
}

_OF_MANY: Final = frozenset(
    {"encoding", "expected", "form", "format", "highest", "limit", "lowest", "parameter"}
    | {"notation", "protocol"}
)
"""Placeholders whose values may be the same for many codes."""


@dataclass(frozen=True)
class Reason:
    """A key of REASONS and the values of its placeholders. `str()` returns the English text."""

    key: str
    values: Mapping[str, object]

    @override
    def __hash__(self) -> int:
        """Return the hash of the key; `values` may be unhashable. Few reasons are compared."""
        return hash(self.key)

    @property
    def kind(self) -> Reason:
        """Return the reason without values quoted from one code, for counting by reason."""
        values = {name: value if name in _OF_MANY else "…" for name, value in self.values.items()}
        return Reason(self.key, values)

    @override
    def __str__(self) -> str:
        return REASONS[self.key].format(**self.values)


class RefusedError(ValueError):
    """The input is invalid or not supported; `reason` says why."""

    def __init__(self, key: str, /, **values: object) -> None:
        self.reason = Reason(key, {name: why(value) for name, value in values.items()})
        super().__init__(str(self.reason))


def reason_of(err: Exception, default_key: str) -> Reason:
    """Return the reason of a `RefusedError`, or one with the default key for other errors."""
    return err.reason if isinstance(err, RefusedError) else Reason(default_key, {})


def why(value: object) -> object:
    """Replace an error by its reason or its text: an error would keep the input alive."""
    if isinstance(value, RefusedError):
        return value.reason
    return str(value) if isinstance(value, Exception) else value
