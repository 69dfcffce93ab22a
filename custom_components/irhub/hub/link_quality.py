"""Estimates of how reliably each receiver receives each emitter, learned from normal use.

A missing reception counts only for a receiver that has nearly always received the emitter.
`python -m benchmarks.measure_delivery` measures the effect of the limits.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any, Final, Self

type Data = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Thresholds of an outcome; measured in simulated houses, see docs/delivery.md."""

    max_miss_probability: float = 0.1
    """A transmission is in doubt if the probability that all listening receivers miss a signal is
    at most this."""
    memory: float = 30.0
    """Number of transmissions over which an estimate averages; a moved hub has new estimates
    after about as many."""
    min_heard: float = 0.5
    """A pair is deleted when the weighted count of its receptions falls below this."""
    max_pairs: int = 500
    """Maximum number of pairs; the least recently updated is deleted first."""


LIMITS: Final = Limits()


class Outcome(StrEnum):
    """Result of a transmission; None in its place means that nothing can be concluded."""

    CONFIRMED = "confirmed"
    """Another receiver has received it."""
    IN_DOUBT = "in_doubt"
    """Receivers that nearly always receive the emitter have listened, and none received it."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Counts for an emitter and a receiver; recent transmissions have more weight."""

    heard: float = 0.0
    silent: float = 0.0
    unknown_keys: Mapping[str, Any] = field(default_factory=dict)
    """Unknown keys of the stored data, kept for newer versions."""

    @property
    def chance(self) -> float:
        """Return the probability of reception, with one more miss added for caution."""
        return self.heard / (self.heard + self.silent + 1)

    def after(self, *, is_heard: bool, memory: float) -> Pair:
        """Return the pair updated by one transmission during which the receiver listened."""
        weight = 1 - 1 / memory
        return Pair(
            heard=self.heard * weight + is_heard,
            silent=self.silent * weight + (not is_heard),
            unknown_keys=self.unknown_keys,
        )

    def as_data(self) -> Data:
        """Return the pair as JSON data, for `from_data`."""
        return {**self.unknown_keys, "heard": round(self.heard, 3), "silent": round(self.silent, 3)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the pair of JSON data. Raise ValueError if the data is invalid."""
        match data:
            case {
                "heard": int() | float() as heard,
                "silent": int() | float() as silent,
                **unknown_keys,
            }:
                if 0 <= heard <= _MOST and 0 <= silent <= _MOST:  # False for NaN, too
                    return cls(heard=heard, silent=silent, unknown_keys=unknown_keys)
        raise ValueError(f"no pair: {data}")


_MOST: Final = 1e6


class LinkQuality:
    """The estimates of all pairs of emitters and receivers, which are given by id."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._pairs: dict[tuple[str, str], Pair] = {}
        """(emitter, receiver) → pair, the most recently updated last."""

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._pairs)

    def chance(self, emitter: str, receiver: str) -> float | None:
        """Return the probability that a receiver receives an emitter; None if it never has."""
        pair = self._pairs.get((emitter, receiver))
        return None if pair is None else pair.chance

    def outcome(
        self, emitter: str, heard: Collection[str], silent: Collection[str]
    ) -> Outcome | None:
        """Return the outcome of a transmission, given who received it and who did not.

        `silent` are the receivers that listened throughout and received nothing.
        """
        if heard:
            return Outcome.CONFIRMED
        known = [
            1 - chance
            for receiver in silent
            if (chance := self.chance(emitter, receiver)) is not None
        ]
        return (
            Outcome.IN_DOUBT if known and prod(known) <= self._limits.max_miss_probability else None
        )

    def learn(self, emitter: str, heard: Collection[str], silent: Collection[str]) -> bool:
        """Update the estimates with a transmission. Return whether anything has changed."""
        for receiver in heard:
            self._put((emitter, receiver), is_heard=True)
        known = [receiver for receiver in silent if (emitter, receiver) in self._pairs]
        for receiver in known:
            self._put((emitter, receiver), is_heard=False)
        return bool(heard or known)

    def _put(self, ids: tuple[str, str], *, is_heard: bool) -> None:
        limits = self._limits
        pair = self._pairs.pop(ids, Pair()).after(is_heard=is_heard, memory=limits.memory)
        if pair.heard >= limits.min_heard:
            self._pairs[ids] = pair
        while len(self._pairs) > limits.max_pairs:
            del self._pairs[next(iter(self._pairs))]

    def rename(self, old: str, new: str) -> bool:
        """Change the id of an emitter or receiver. Return whether it was known."""
        is_known = any(old in ids for ids in self._pairs)
        self._pairs = {
            (new if emitter == old else emitter, new if receiver == old else receiver): pair
            for (emitter, receiver), pair in self._pairs.items()
        }
        return is_known

    def as_data(self) -> Data:
        """Return the estimates as JSON data, for `read`: emitter → receiver → pair."""
        data: Data = {}
        for (emitter, receiver), pair in self._pairs.items():
            data.setdefault(emitter, {})[receiver] = pair.as_data()
        return data

    def read(self, data: Mapping[str, Any]) -> Data:
        """Load stored estimates. Return the entries that this version does not understand."""
        unknown: Data = {}
        for emitter, receivers in data.items():
            if not isinstance(receivers, dict):
                unknown[emitter] = receivers
                continue
            for receiver, pair in receivers.items():
                try:
                    self._pairs[emitter, receiver] = Pair.from_data(pair)
                except ValueError:
                    unknown.setdefault(emitter, {})[receiver] = pair
        return unknown
