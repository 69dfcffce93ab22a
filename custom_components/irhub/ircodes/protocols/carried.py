"""Carry content of a press that its protocol's state does not explain over to other states.

A remote control may have a different leader than its protocol, a bit for its model, or a second
block. These differences between the press and the written state are kept as text:

    `3200@0`      the duration in µs at this index (in a leader)
    `~37`         the bit whose space is at this index is inverted
    `+400 …`      durations that follow

Other differences cannot be carried. Two inverted bits are read but not carried over: one of them
may belong to a checksum; or they mean that the device is running already, as LG's do, and would
never turn it on.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ..packet.comparing import frames_of, is_beginning, is_near, is_same
from ..packet.splitting import BETWEEN_MESSAGES_US
from .irp import merged

LONG_PAUSE_US: Final = 5500
"""A longer space ends a frame; the longest space within a frame is a leader's, 4,500 µs."""
_LEADER: Final = 2
"""Durations at the beginning of a message that are not bits."""
_BIT_US: Final = range(-LONG_PAUSE_US, 0)
_MAX_FLIPPED: Final = 2
"""If two bits differ, one may belong to a checksum, which differs in other states."""
_TWICE: Final = 1.5


def carried(written: Sequence[int], received: Sequence[int]) -> str | None:
    """Return the content to carry; "" if there is none, None if it cannot be carried."""
    message, capture = [*_first_message(merged(written))], merged(received)
    if len(capture) < len(message) - (message[-1] < 0):
        return None
    parts: list[str] = []
    flipped = 0
    for index, (us, received_us) in enumerate(zip(message, capture, strict=False)):
        if (us > 0) != (received_us > 0):
            return None
        if is_near(us, received_us) or max(us, received_us) <= -LONG_PAUSE_US:
            continue
        is_bit = us in _BIT_US and received_us in _BIT_US
        if index < _LEADER:
            parts.append(f"{received_us}@{index}")
        elif is_bit and is_near(_opposite(message, index), received_us):
            parts.append(f"~{index}")
            flipped += 1
        else:
            return None
    if flipped > _MAX_FLIPPED:
        return None
    frames, following = frames_of(capture[: len(message)]), capture[len(message) :]
    are_repeats = all(
        any(is_beginning(repeat, frame) for frame in frames) for repeat in frames_of(following)
    )
    if not are_repeats:
        parts.append("+" + " ".join(map(str, following)))
    return " ".join(parts)


def carry(written: Sequence[int], text: str) -> list[int]:
    """Return the durations of a written state with the carried content applied."""
    timings = [*_first_message(merged(written))]
    bits, _, following = text.partition("+")
    durations = [*timings]
    for part in bits.split():
        if part.startswith("~"):
            durations[int(part[1:])] = _opposite(timings, int(part[1:]))
        else:
            us, _, index = part.partition("@")
            durations[int(index)] = int(us)
    return [*durations, *map(int, following.split())]


def agreed(first: str, second: str) -> str | None:
    """Return the content that both presses carry; None if it may not hold for other states.

    At least one of the presses must carry nothing else.
    """
    first_parts, second_parts = (_parts(text) for text in (first, second))
    shared = [
        part for part in first_parts if any(_is_same_part(part, other) for other in second_parts)
    ]
    flipped = sum(part.startswith("~") for part in shared)
    if len(shared) < min(len(first_parts), len(second_parts)) or flipped == _MAX_FLIPPED:
        return None
    return " ".join(shared)


def _first_message(timings: Sequence[int]) -> Sequence[int]:
    """Return the durations before the first pause that ends a message."""
    ends = (index for index, us in enumerate(timings) if us <= -BETWEEN_MESSAGES_US)
    return timings[: next(ends, None)]


def _parts(text: str) -> list[str]:
    bits, plus, following = text.partition("+")
    return [*bits.split(), *([plus + following] if plus else [])]


def _is_same_part(part: str, other: str) -> bool:
    if part.startswith("+") and other.startswith("+"):
        first_frames, second_frames = (
            frames_of([*map(int, text[1:].split())]) for text in (part, other)
        )
        return len(first_frames) == len(second_frames) and all(
            map(is_same, first_frames, second_frames, strict=True)
        )
    if "@" in part and "@" in other:
        (us, _, index), (other_us, _, other_index) = part.partition("@"), other.partition("@")
        return index == other_index and is_near(int(us), int(other_us))
    return part == other


def _opposite(timings: Sequence[int], index: int) -> int:
    """Return the length of the space for the opposite bit, taken from the rest of the message."""
    spaces = sorted(us for us in timings[_LEADER:] if us in _BIT_US)
    steps = [(space, other) for space, other in pairwise(spaces) if space < _TWICE * other]
    if not steps:
        return timings[index]
    longer, shorter = steps[-1]
    return shorter if timings[index] <= longer else longer
