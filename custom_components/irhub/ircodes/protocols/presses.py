"""Presses of buttons: identify the button, and combine several presses of one."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import batched, chain
from statistics import median
from typing import Final

from ..packet.bits import Frame, Key
from ..packet.codings import Coding, Pair, in_us
from ..packet.comparing import Durations, durations_of, is_beginning, is_near, is_same
from ..packet.noise import is_noise
from ..packet.packet import from_durations, to_ticks, to_timings
from ..packet.reader import Packet, key_of, read
from ..packet.splitting import split
from .protocols import meaning

_NEC_REPEAT_US: Final = (9000, -2250, 560)
"""Repeat frame that NEC remote controls send while a button is held, followed by a pause."""
_TOLERANCE: Final = 0.25
_MIN_PART: Final = 16
"""Minimum number of durations of a partial packet: fewer may match other packets as well."""


class Recognizer[T]:
    """Finds a received packet among many known ones, each of which has a name.

    Several packets may share a name. A packet is identified by the bits of all its frames, by its
    meaning if its protocol has a toggle bit, or by its durations if no bits can be read; repeats
    are ignored. Creating a recognizer for thousands of packets takes a fraction of a second: do it
    in the executor.
    """

    def __init__(self, packets: Iterable[tuple[T, bytes]]) -> None:
        self._known: dict[Hashable, list[tuple[T, _Press]]] = {}
        for name, packet in packets:
            press = _Press(packet)
            self._known.setdefault(press.key, []).append((name, press))

    def recognize(self, packet: bytes) -> list[T]:
        """Return the names of all known packets that match: none, one, or several alike."""
        press = _Press(packet)
        return self._names(press) or [
            name for shortened in press.without_first_bit for name in self._names(shortened)
        ]

    def alike(self) -> list[list[T]]:
        """Return groups of names whose packets cannot be distinguished."""
        groups: list[list[T]] = []
        grouped: set[T] = set()
        for name, press in chain.from_iterable(self._known.values()):
            if name not in grouped and len(names := self._names(press)) > 1:
                groups.append(names)
                grouped.update(names)
        return groups

    def _names(self, received: _Press) -> list[T]:
        known = self._known.get(received.key, ())
        return list(dict.fromkeys(name for name, press in known if press.is_like(received)))


class _Press:
    """Identity of a packet."""

    def __init__(self, packet: bytes, key: Key | None = None) -> None:
        self._packet = packet
        bits = key or (packet.key if isinstance(packet, Packet) else key_of(packet))
        is_plain = bits is not None and bits.kind == "pairs"
        # a toggle bit with a known meaning occurs only in RC-5 and RC-6, which are not "pairs"
        self._meaning = None if is_plain else meaning(packet)
        self.key: Hashable = bits if self._meaning is None else self._meaning

    @property
    def without_first_bit(self) -> Iterator[_Press]:
        """Yield the press without its first bit, which may be the rest of a leader."""
        signal = read(self._packet).signal
        if signal is not None and (shortened := signal.without_first_bit) is not None:
            yield _Press(shortened.packet(), shortened.key)

    def is_like(self, other: _Press) -> bool:
        """Return whether another press with an equal key is a press of the same button."""
        if self._meaning is not None:
            return True
        # Few of thousands of known packets are ever compared: only these keep their decoded bits.
        self._packet, other_packet = read(self._packet), read(other._packet)
        packet = self._packet
        if packet.signal is not None and other_packet.signal is not None:
            return packet.signal.is_like(other_packet.signal)
        return packet.difference(other_packet) is not None


def is_ambient(capture: bytes) -> bool:
    """Return whether an infrared capture is ambient infrared: no press, and of no protocol."""
    return is_noise(capture) and meaning(capture) is None


def same_button(first: bytes, second: bytes) -> bool:
    """Return whether two captures are presses of one button whose code does not alternate."""
    return bool(Recognizer([(None, first)]).recognize(second))


def same_press(first: bytes, second: bytes) -> bool:
    """Return whether two captures may be one press that is held: one button, one toggle bit."""
    return read(first).key == read(second).key and same_button(first, second)


def is_reception(capture: bytes, sent: bytes) -> bool:
    """Return whether a capture is a transmitted packet or a part of it.

    A part has at least half of the longest frame, from its beginning or up to its end: a receiver
    may start late or stop early.
    """
    if same_button(sent, capture):
        return True
    frames, received = read(sent).durations, read(capture).durations
    longest = max(map(len, frames), default=0)
    return (
        max(map(len, received), default=0) >= max(_MIN_PART, longest / 2)
        and len(received) <= len(frames)
        and all(any(_is_part(part, frame) for frame in frames) for part in received)
    )


def _is_part(part: Durations, frame: Durations) -> bool:
    """Return whether durations are the beginning or the end of a frame."""
    last_durations = part[1:]  # the mark in which the receiver began is cut off
    return is_beginning(part, frame) or (
        len(part) <= len(frame)
        and all(map(is_near, last_durations, frame[-len(last_durations) :], strict=True))
    )


def only_repeats(packet: bytes) -> bool:
    """Return whether a capture consists of NEC repeat frames, which only mean "held"."""
    repeats = [repeat[:3] for repeat in batched(to_timings(packet), 4, strict=False)]
    return all(
        len(repeat) == len(_NEC_REPEAT_US)
        and all(
            abs(us - nominal) <= _TOLERANCE * abs(nominal)
            for us, nominal in zip(repeat, _NEC_REPEAT_US, strict=True)
        )
        for repeat in repeats
    )


def median_of(presses: Sequence[bytes]) -> bytes:
    """Return one infrared packet for several presses: their bits with median durations.

    Frames that are missing in any press are dropped. Raise ValueError if the codes differ.
    """
    if any(not same_button(presses[0], press) for press in presses[1:]):
        raise ValueError("the presses are different codes")
    signals = [signal for press in presses if (signal := read(press).signal) is not None]
    if len(signals) < len(presses) or not signals[0].coding.has_bits:
        return _median_durations(presses)
    signals = [signal for signal in signals if signal.key == signals[0].key]
    shortest = min(signals, key=lambda signal: len(signal.whole))
    frames = [
        _median_frame(
            [
                signal.whole[index]
                for signal in signals
                if signal.whole[index : index + 1] and signal.whole[index].bits == frame.bits
            ]
        )
        for index, frame in enumerate(shortest.whole)
    ]
    coding = _median_coding([signal.coding for signal in signals])
    return replace(shortest, coding=coding, frames=tuple(frames)).packet()


def _median_coding(codings: Sequence[Coding]) -> Coding:
    return replace(
        codings[0],
        one=_median_pair([coding.one for coding in codings]),
        zero=_median_pair([coding.zero for coding in codings]),
    )


def _median_pair(pairs: Sequence[Pair]) -> Pair:
    mark, space = _medians(pairs)
    return mark, space


def _median_frame(frames: Sequence[Frame]) -> Frame:
    longest = max((frame.leader for frame in frames), key=len)
    leaders = [frame.leader for frame in frames if len(frame.leader) == len(longest)]
    return replace(
        frames[0],
        leader=_medians(leaders),
        trailer=_medians([frame.trailer for frame in frames]),
        gap=round(median(frame.gap for frame in frames)),
    )


def _medians(durations: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(round(median(lengths)) for lengths in zip(*durations, strict=False))


def _median_durations(presses: Sequence[bytes]) -> bytes:
    durations: list[int] = []
    for parts in zip(*(split(to_ticks(press)) for press in presses), strict=False):
        first, *others = frames = [durations_of(part) for part in parts]
        if not all(is_same(first, other) for other in others):
            break
        durations += _medians(frames)
        if not all(part.gap for part in parts):
            break
        durations += _medians([in_us([part.gap]) for part in parts])
    return from_durations(durations)
