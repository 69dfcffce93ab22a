"""Which receiver hears which emitter: an estimate for each pair, learned from normal use.

What nobody has ever heard says nothing: only a receiver that has heard an emitter nearly always
puts a transmission in doubt that it does not hear. `python -m benchmarks.measure_delivery` measures
what comes of the limits.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any, Final, Self

type Data = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What decides on an outcome; measured in simulated houses, see docs/delivery.md."""

    doubt: float = 0.1
    """In doubt is what a transmission that went out has at most this chance of: that none of
    those who listened heard it."""
    memory: float = 30.0
    """About so many of the last transmissions make up an estimate: a hub that moved is learned
    anew within them."""
    forgotten: float = 0.5
    """A pair is forgotten when less than this is left of the times that it has heard."""
    pairs: int = 500
    """So many pairs are remembered; what was learned longest ago is forgotten first."""


LIMITS: Final = Limits()


class Outcome(StrEnum):
    """What receivers say of a transmission. That they say nothing is None."""

    CONFIRMED = "confirmed"
    """Another receiver has heard it."""
    IN_DOUBT = "in_doubt"
    """Receivers that hear the emitter nearly always have listened, and none has heard it."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """How often a receiver has heard an emitter; what was lately counts more."""

    heard: float = 0.0
    silent: float = 0.0
    beyond: Mapping[str, Any] = field(default_factory=dict)
    """What the file says besides, which this version does not understand."""

    @property
    def chance(self) -> float:
        """Return how likely it hears the next transmission, as if it had missed one more."""
        return self.heard / (self.heard + self.silent + 1)

    def after(self, *, is_heard: bool, memory: float) -> Pair:
        """Return the pair after one more transmission, while the receiver listened."""
        kept = 1 - 1 / memory
        return Pair(
            heard=self.heard * kept + is_heard,
            silent=self.silent * kept + (not is_heard),
            beyond=self.beyond,
        )

    def as_data(self) -> Data:
        """Return what `from_data` reads."""
        return {**self.beyond, "heard": round(self.heard, 3), "silent": round(self.silent, 3)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return a pair. Raise ValueError if the data is none."""
        match data:
            case {"heard": int() | float() as heard, "silent": int() | float() as silent, **beyond}:
                if 0 <= heard <= _MOST and 0 <= silent <= _MOST:  # which NaN is not, either
                    return cls(heard=heard, silent=silent, beyond=beyond)
        raise ValueError(f"no pair: {data}")


_MOST: Final = 1e6


class LinkQuality:
    """The estimates of all pairs of emitters and receivers, each by its id."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._pairs: dict[tuple[str, str], Pair] = {}
        """The pair that was learned last stands last."""

    def __len__(self) -> int:
        """Return how many pairs are known."""
        return len(self._pairs)

    def chance(self, emitter: str, receiver: str) -> float | None:
        """Return how likely a receiver hears an emitter; None if it never has."""
        pair = self._pairs.get((emitter, receiver))
        return None if pair is None else pair.chance

    def outcome(
        self, emitter: str, heard: Collection[str], silent: Collection[str]
    ) -> Outcome | None:
        """Return what a transmission comes to that some have heard, and others not.

        `silent` are those that have listened all the time, and have received nothing.
        """
        if heard:
            return Outcome.CONFIRMED
        known = [
            1 - chance
            for receiver in silent
            if (chance := self.chance(emitter, receiver)) is not None
        ]
        return Outcome.IN_DOUBT if known and prod(known) <= self._limits.doubt else None

    def learn(self, emitter: str, heard: Collection[str], silent: Collection[str]) -> bool:
        """Take over what was heard of a transmission, and return whether anything has changed."""
        for receiver in heard:
            self._put((emitter, receiver), is_heard=True)
        known = [receiver for receiver in silent if (emitter, receiver) in self._pairs]
        for receiver in known:
            self._put((emitter, receiver), is_heard=False)
        return bool(heard or known)

    def _put(self, ids: tuple[str, str], *, is_heard: bool) -> None:
        limits = self._limits
        pair = self._pairs.pop(ids, Pair()).after(is_heard=is_heard, memory=limits.memory)
        if pair.heard >= limits.forgotten:
            self._pairs[ids] = pair
        while len(self._pairs) > limits.pairs:
            del self._pairs[next(iter(self._pairs))]

    def rename(self, old: str, new: str) -> bool:
        """Take an emitter or receiver to be known by another id, and return whether it is known."""
        is_known = any(old in ids for ids in self._pairs)
        self._pairs = {
            (new if emitter == old else emitter, new if receiver == old else receiver): pair
            for (emitter, receiver), pair in self._pairs.items()
        }
        return is_known

    def as_data(self) -> Data:
        """Return what `read` reads: emitter → receiver → pair."""
        data: Data = {}
        for (emitter, receiver), pair in self._pairs.items():
            data.setdefault(emitter, {})[receiver] = pair.as_data()
        return data

    def read(self, data: Mapping[str, Any]) -> Data:
        """Take over what was kept, and return what of it this version does not understand."""
        rest: Data = {}
        for emitter, receivers in data.items():
            if not isinstance(receivers, dict):
                rest[emitter] = receivers
                continue
            for receiver, pair in receivers.items():
                try:
                    self._pairs[emitter, receiver] = Pair.from_data(pair)
                except ValueError:
                    rest.setdefault(emitter, {})[receiver] = pair
        return rest
