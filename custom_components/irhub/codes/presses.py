"""Presses of remote controls' buttons: which button it was, and what several presses have alike."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from typing import Final, Self

from .frames import Frame, close, difference, said, same, split
from .packet import from_timings, kind, to_timings
from .protocols import Meaning, meaning

_AS_NEAR: Final = 0.005
"""What two packets may differ in from what was heard, and still be as near."""


class Recognizer[T]:
    """Tells which of many packets was heard; each has a name, several may have the same.

    A packet is known by its meaning, else by its durations; repeats and toggle bits count for
    nothing. It takes a millisecond or so for each packet: make it in the executor.
    """

    def __init__(self, packets: Iterable[tuple[T, bytes]]) -> None:
        self._meant: dict[Meaning, list[T]] = {}
        self._unread: _Sounds[T] = _Sounds()
        for name, packet in packets:
            if (read := meaning(packet)) is None:
                self._unread.add(name, _Sound.of(packet))
            elif name not in (names := self._meant.setdefault(read, [])):
                names.append(name)

    def recognize(self, heard: bytes) -> list[T]:
        """Return the name of the packet that was heard; none, or several that sound alike."""
        if (read := meaning(heard)) is not None:
            return list(self._meant.get(read, ()))
        sound = _Sound.of(heard)
        alike = [(known.difference(sound), name) for name, known in self._unread.like(sound)]
        nearest = min((far for far, _ in alike), default=0)
        return list(dict.fromkeys(name for far, name in alike if far <= nearest + _AS_NEAR))

    def alike(self) -> list[list[T]]:
        """Return the names that cannot be told apart, in groups."""
        groups = [names for names in self._meant.values() if len(names) > 1]
        grouped: set[T] = set()
        for name, sound in self._unread:
            if name not in grouped:
                names = dict.fromkeys(other for other, _ in self._unread.like(sound))
                if len(names) > 1:
                    groups.append(list(names))
                    grouped.update(names)
        return groups


def same_button(first: bytes, second: bytes) -> bool:
    """Say if two captures are presses of one button. Of a button that alternates they are not."""
    return bool(Recognizer([(None, first)]).recognize(second))


def median_of(presses: Sequence[bytes]) -> bytes:
    """Return one infrared packet of some presses of a button: the medians of their durations.

    Frames that not all of them have are left out. Raise ValueError if they are different codes.
    """
    if any(not same_button(presses[0], press) for press in presses[1:]):
        raise ValueError("the presses are different codes")
    heard = [to_timings(press) for press in presses]
    count = 0
    for first, *others in zip(*map(split, heard), strict=False):
        if not all(same(first, other) for other in others):
            break
        count += len(first) + 1  # the pause behind it
    end = min(count, *map(len, heard))
    return from_timings([round(median(each[index] for each in heard)) for index in range(end)])


@dataclass(frozen=True)
class _Sound:
    """What a packet without a meaning sounds like."""

    kind: str
    frames: list[Frame]

    @classmethod
    def of(cls, packet: bytes) -> Self:
        return cls(kind(packet), said(packet))

    @property
    def shape(self) -> tuple[object, ...]:
        return self.kind, *map(len, self.frames)

    @property
    def durations(self) -> Iterator[int]:
        return chain.from_iterable(self.frames)

    def difference(self, other: Self) -> float:
        """Return how far it is from one that is like it."""
        return difference(self.frames, other.frames) or 0.0


class _Sounds[T]:
    """Packets without a meaning, by their durations.

    An air conditioner's thousands of states differ in few durations. So each packet is a bit of
    a number, and for each place in them it is noted which have which duration there: what is
    like a packet is what is left after looking at all places.
    """

    def __init__(self) -> None:
        self._known: list[tuple[T, _Sound]] = []
        self._places: dict[tuple[object, ...], list[defaultdict[int, int]]] = {}

    def __iter__(self) -> Iterator[tuple[T, _Sound]]:
        return iter(self._known)

    def add(self, name: T, sound: _Sound) -> None:
        bit = 1 << len(self._known)
        self._known.append((name, sound))
        if (places := self._places.get(sound.shape)) is None:
            places = self._places[sound.shape] = [defaultdict(int) for _ in sound.durations]
        for place, us in zip(places, sound.durations, strict=True):
            place[us] |= bit

    def like(self, sound: _Sound) -> Iterator[tuple[T, _Sound]]:
        """Yield those that a packet may be."""
        left = (1 << len(self._known)) - 1 if sound.shape in self._places else 0
        for place, us in zip(self._places.get(sound.shape, ()), sound.durations, strict=False):
            have = 0
            for known, packets in place.items():
                if close(known, us):
                    have |= packets
            left &= have
        while left:
            lowest = left & -left
            yield self._known[lowest.bit_length() - 1]
            left ^= lowest
