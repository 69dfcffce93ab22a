"""Protocols that can be both read and written."""

from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
import inspect
from random import Random
from types import NoneType
from typing import get_args

from custom_components.irhub.ircodes.packet.packet import to_timings
from custom_components.irhub.ircodes.protocols.protocols import (
    COMMANDS,
    Command,
    air_conditioner,
)


def choices(name: str, annotation: object, random: Random) -> Iterator[object]:
    """Yield values of a parameter's type."""
    for kind in get_args(annotation) or (annotation,):
        if isinstance(kind, type) and issubclass(kind, Enum):
            yield from kind
        elif kind is bool:
            yield from (True, False)
        elif kind in {int, float}:
            yield random.randrange(16, 31 if "temperature" in name else 256)
            yield random.randrange(16)
        elif kind is NoneType:
            yield None
        elif kind is bytes:
            yield from (random.randbytes(size) for size in (6, 8, 10, 13, 14))


def commands(cls: type[Command], random: Random) -> Iterator[Command]:
    """Yield commands of a class of the library, with values for its constructor's parameters."""
    for _ in range(40):
        chosen = {
            name: random.choice(values)
            for name, parameter in inspect.signature(cls).parameters.items()
            if name not in {"modulation", "repeat_count", "start_frames"}  # how it is sent
            and (values := list(choices(name, parameter.annotation, random)))
        }
        with suppress(AttributeError, TypeError, ValueError):  # values that cannot be combined
            command = cls(**chosen)
            command.get_raw_timings()
            yield command


def reads(cls: type[Command], timings: list[int]) -> bool:
    """Return whether the library can read the command that it has written; for some it cannot."""
    with suppress(TypeError):  # a model that the timings do not name
        return cls.from_raw_timings(timings) is not None  # type: ignore[attr-defined]
    return False


def is_ambiguous(packet: bytes) -> bool:
    """Return whether air conditioners of several models read a packet as different states."""
    states = set()
    for cls in READABLE:
        with suppress(AttributeError, LookupError, TypeError, ValueError):
            command = cls.from_raw_timings(to_timings(packet))
            states.add(air_conditioner(command))
    return len(states - {None}) > 1


READABLE = [
    cls
    for cls in COMMANDS
    if hasattr(cls, "from_raw_timings") and cls.__name__ != "ProntoCommand"  # it reads anything
]
