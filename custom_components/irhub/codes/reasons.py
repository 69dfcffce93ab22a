"""Why a text, or a packet in it, cannot be used: a key each, and the sentence in English.

The translations have the same sentences, in `common` as `reason_<key>`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, override

REASONS: Final = {
    # packets
    "few_bytes": "{count} bytes are too few for a packet: {packet}",
    "unknown_type": "no packet: type {type} is not known, and the header announces {length} bytes,"
    " but {count} follow: {packet}",
    "long_packet": "a packet of {count} bytes is longer than {limit}",
    "end_missing": "the header announces {length} bytes, but {count} follow:"
    " the end is missing: {packet}",
    "no_durations": "no durations",
    "zero_duration": "duration {number} is 0",
    "no_space": "no space (a negative number) between the marks",
    "frequency": "{frequency} MHz is not within 433.05 to 434.79 or 315 ± 0.15 MHz",
    "repeats": "{count} repeats are not within 0 to {limit}",
    "many_durations": "{count} durations are more than {limit}",
    "long_duration": "{duration} µs is longer than {limit} µs",
    "radio_in_sequence": "a sequence with radio packets cannot be one command",
    "protocol": "{protocol} cannot be written by this version of Home Assistant; a code that was"
    " learned, or one in Pronto or microseconds, works",
    # texts
    "empty_packet": "the packet is empty",
    "empty": "the text is empty",
    "long_text": "a text of {count} characters is longer than {limit}",
    "long_yaml": "a text of {count} characters that is not JSON is longer than {limit}",
    "other_format": "not a packet but {format}; import that as a whole: {text}",
    "no_form": "not Base64, hex or Pronto: {error}",
    "no_packet_in_form": "not Base64, hex or Pronto of a packet: {text}; {error}",
    "xiaomi": "packed for Xiaomi's own remote control (Chuangmi), whose form is not read: {text}",
    "no_tuya": "no code packed for Tuya's blasters: {text}",
    "no_hex": "not hex: {text}",
    "odd_hex": "an odd number of hex digits ({count}): {text}",
    "no_pronto": "not Pronto, which is words of four hex digits: {text}",
    "pronto_type": "Pronto of type {type} is not supported, only learned codes (0000, 0100)",
    "short_pronto": "Pronto: the first four words are not complete: {text}",
    "pronto_carrier": "Pronto: the carrier (second word) is 0",
    "pronto_pairs": "Pronto: {once} + {repeat} pairs are announced, which is {words} words,"
    " but {count} follow",
    "no_microseconds": "not microseconds such as 9000 -4500 560: {text}",
    "letter": "the letter {letter} stands for no duration: {text}",
    "character": "character {character} in {text}",
    "base64_length": "{count} characters are one too many or too few: {text}",
    "no_number": "not a number: {text}",
    # names
    "empty_name": "a name is empty",
    "long_name": "a name of {count} characters is longer than {limit}",
    "half_character": "a name has half a character: {name}",
    "nameless": "the file does not say what it is for: give the name of the device",
    "which_level": "a name stands in several of the file's lists of modes (presetModes, fanModes,"
    " swingModes), and nothing says which of them is meant here",
    # files
    "no_notation": "neither a packet nor YAML nor JSON: line {line}, column {column}",
    "no_text_file": "this is no text file",
    "alias": "aliases (*) are not read; write out what they stand for",
    "no_name": "a name is a list or a mapping",
    "no_commands": "there are no commands",
    "no_devices": "no devices with commands, and not a packet that has the name of a device and"
    " a command",
    "no_device": "no commands with packets stand under this device",
    "many_devices": "{count} devices with commands; expected one",
    "many_commands": "more than {limit} commands",
    "long_packets": "the packets are longer than {limit} characters",
    "too_deep": "nested too deeply",
    "no_packet": "no packet",
    "no_text": "{type} is not the text of a packet",
    "large_file": "the file has more than {limit} bytes",
    "many_files": "more than {limit} files",
    "no_zip": "no zip file",
    "larger_than_said": "larger than the zip says",
    "unreadable": "the file is damaged, or cannot be read",
    "encrypted": "the file in the zip is encrypted",
    "deep_file": "the file is in more than {limit} folders within each other",
    "outside_zip": "the path leads out of the zip",
    "time_over": "reading the files took longer than {limit} s; this one was left out",
    # formats
    "line": "line {line} is no CSV",
    "no_xml": "no XML: line {line}, column {column}",
    "document_type": "XML with a document type is not read",
    "web_page": "a web page, not a file of codes: download the file itself",
    "remote_in_remote": "a remote stands in another one",
    "no_raw_data": "neither RawData nor a protocol with its data",
    "no_data": "{protocol} has neither data nor address and command that can be read",
    "encoding": "the encoding {encoding} is not read",
    "no_code": "no code",
    "bits": "{count} bits are not within 1 to {limit}",
    "no_bit": "one or zero is missing: a mark and a space",
    "no_parameter": "the parameter {parameter} is missing",
    "parameter": "{parameter} is {value}, which is not within {lowest} to {highest}",
    "unknown_parameter": "the protocol has no parameter {parameter}",
    # what is written
    "radio": "radio cannot be written in this format",
    "no_pause": "no pause stands between the repeats",
    "long_pause": "a pause is longer than Pronto can say ({limit} µs)",
    "many_copies": "{copies} copies of {count} durations are too many",
}


@dataclass(frozen=True)
class Reason:
    """One of REASONS, and what stands in it. Its text is English."""

    key: str
    values: Mapping[str, object]

    @override
    def __str__(self) -> str:
        return REASONS[self.key].format(**self.values)


class RefusedError(ValueError):
    """What was given cannot be used."""

    def __init__(self, key: str, /, **values: object) -> None:
        self.reason = Reason(key, {name: why(value) for name, value in values.items()})
        super().__init__(str(self.reason))


def reason_of(err: Exception, otherwise: str) -> Reason:
    """Return why something was refused; the key `otherwise` for an error that is not ours."""
    return err.reason if isinstance(err, RefusedError) else Reason(otherwise, {})


def why(value: object) -> object:
    """Return the reason of an error, without the error: it keeps alive what was read."""
    if isinstance(value, RefusedError):
        return value.reason
    return str(value) if isinstance(value, Exception) else value
