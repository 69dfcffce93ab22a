"""Find topics, or parts of their JSON, that changed as the user turned a device on and off.

This module does no I/O and does not import Home Assistant.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
import json
import math
import re
from typing import Any, Final

from .recording import Message, Recording

TURNS: Final = 2
"""How often the user is asked to turn the device on and off."""
OFF_DELAY_S: Final = 30
"""`off_delay` for a device that only sends on."""
MAX_CANDIDATES: Final = 20
_NUMBERS: Final = 6.0
"""Penalty for a measured value, which may change by chance."""
_MISSED: Final = 3
"""Number of consecutive missed reports before a sensor expires."""

_ON: Final = frozenset(
    {
        "on",
        "true",
        "1",
        "open",
        "opened",
        "motion",
        "detected",
        "wet",
        "leak",
        "occupied",
        "active",
        "alarm",
        "yes",
        "pressed",
        "triggered",
        "high",
        "smoke",
    }
)
_OFF: Final = frozenset(
    {
        "off",
        "false",
        "0",
        "closed",
        "close",
        "clear",
        "no_motion",
        "not_detected",
        "dry",
        "no_leak",
        "unoccupied",
        "vacant",
        "inactive",
        "ok",
        "no",
        "released",
        "idle",
        "normal",
        "low",
        "none",
    }
)
_INVERTED: Final = frozenset({"contact"})
"""Keys whose "true" means closed."""
_CLASSES: Final[Mapping[str, str]] = {
    "contact": "door",
    "door": "door",
    "window": "window",
    "motion": "motion",
    "occupancy": "motion",
    "presence": "occupancy",
    "water_leak": "moisture",
    "leak": "moisture",
    "smoke": "smoke",
    "gas": "gas",
    "tamper": "tamper",
    "vibration": "vibration",
}
_AVAILABLE: Final = (
    ("online", "offline"),
    ("Online", "Offline"),
    ("Connected", "Connection Lost"),
    ("true", "false"),
)
_STATUS: Final = frozenset({"availability", "status", "lwt", "online", "state", "available"})
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")

type Path = tuple[str | int, ...]
type Scalar = str | bool | int | float


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A topic, or a part of its JSON, that may be the sensor's, with a configuration for it."""

    topic: str
    path: Path
    values: tuple[str, ...]
    """The received values, in order."""
    score: float
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the topic, the part and the first values."""
        part = "".join(f" / {step}" for step in self.path)
        return f"{self.topic}{part}: {' → '.join(value[:20] for value in self.values[:6])}"


def candidates_in(recording: Recording) -> list[Candidate]:
    """Return the candidates, the most likely first."""
    candidates = [
        candidate
        for topic, messages in recording.topics.items()
        for path, series in _series(messages).items()
        if (candidate := _candidate(recording, topic, path, series)) is not None
    ]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.topic, str(candidate.path)))
    return candidates[:MAX_CANDIDATES]


def is_certain(recording: Recording) -> bool:
    """Return whether a candidate has changed as often as requested."""
    return any(len(candidate.values) > 2 * TURNS for candidate in candidates_in(recording))


def _series(messages: Sequence[Message]) -> dict[Path, list[tuple[str, Message]]]:
    """Return path → (value as rendered by a template, message), for each part of the JSON."""
    series: dict[Path, list[tuple[str, Message]]] = {}
    for message in messages:
        for path, value in _leaves(_parsed(message.payload)):
            series.setdefault(path, []).append((str(value), message))
    return series


def _parsed(payload: str) -> Any:  # noqa: ANN401  (JSON)
    """Return a JSON object or list; any other payload unchanged."""
    if payload[:1] in {"{", "["}:
        try:
            return json.loads(payload)
        except ValueError, RecursionError:
            pass
    return payload


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:  # noqa: ANN401
    match value:
        case dict():
            for key, inner in value.items():
                yield from _leaves(inner, (*path, key))
        case list():
            for number, inner in enumerate(value[:20]):
                yield from _leaves(inner, (*path, number))
        case str() | bool() | int() | float():
            yield path, value


def _candidate(
    recording: Recording, topic: str, path: Path, series: Sequence[tuple[str, Message]]
) -> Candidate | None:
    values = [value for value, _ in series]
    distinct = [*dict.fromkeys(values)]
    turns = [value for value, _ in groupby(values)]
    live = sum(not message.retained for _, message in series)
    config: dict[str, Any]
    if len(distinct) == 2 and len(turns) > TURNS:  # noqa: PLR2004  (on and off)
        on, off = _on_and_off(path, distinct)
        config = {"payload_on": [on], "payload_off": [off]}
        # Turning on and off twice gives four values, or five with the one before.
        score = 10.0 - min(abs(len(turns) - 2 * TURNS), abs(len(turns) - 2 * TURNS - 1))
        score += 3 * (_meaning(on) is True) + 3 * (_meaning(off) is False)
        score -= _NUMBERS * (_is_measured(on) and _is_measured(off))
        if (expiry := _expiry(series)) is not None:
            config["expire_after"] = expiry
    elif len(distinct) == 1 and live == len(series) and TURNS <= live <= 2 * TURNS + 1:
        if _meaning(distinct[0]) is False or (path and not _is_event(path, distinct[0])):
            return None
        config = {"payload_on": distinct, "payload_off": [], "off_delay": OFF_DELAY_S}
        score = 4.0 - abs(live - TURNS) + 3 * (_meaning(distinct[0]) is True)
    else:
        return None
    if path:
        config["value_template"] = _template(path)
    if (device_class := _device_class(topic, path)) is not None:
        config["device_class"] = device_class
        score += 2
    config |= _availability(recording, topic)
    return Candidate(
        topic=topic,
        path=path,
        values=tuple(turns if len(distinct) > 1 else values),
        score=score,
        config={"state_topic": topic, **config},
    )


def _on_and_off(path: Path, distinct: Sequence[str]) -> tuple[str, str]:
    """Return (on, off): by the meaning of the values, otherwise the second received is on."""
    first, second = distinct
    meanings = (_meaning(first), _meaning(second))
    is_on_first = (meanings[0] is True and meanings[1] is not True) or (
        meanings[1] is False and meanings[0] is not False
    )
    if path and str(path[-1]).lower() in _INVERTED and None not in meanings:
        is_on_first = not is_on_first
    return (first, second) if is_on_first else (second, first)


def _meaning(value: str) -> bool | None:
    text = value.strip().lower().replace(" ", "_")
    return True if text in _ON else False if text in _OFF or not text else None


def _is_measured(value: str) -> bool:
    """Return whether a value is a number that does not mean a state, such as a power in W."""
    try:
        return math.isfinite(float(value)) and _meaning(value) is None
    except ValueError:
        return False


def _is_event(path: Path, value: str) -> bool:
    """Return whether a constant value may be an event, which has no off."""
    return str(path[-1]).lower() in {*_CLASSES, "action", "event", "state"} and (
        _meaning(value) is not False
    )


def _device_class(topic: str, path: Path) -> str | None:
    named = str(path[-1]) if path else topic.rpartition("/")[2]
    return _CLASSES.get(named.lower())


def _template(path: Path) -> str:
    steps = "".join(
        f".{step}"
        if isinstance(step, str) and _IDENTIFIER.fullmatch(step)
        else f"[{json.dumps(step)}]"
        for step in path
    )
    return f"{{{{ value_json{steps} }}}}"


def _expiry(series: Sequence[tuple[str, Message]]) -> int | None:
    """Return `expire_after` in seconds for a sensor that reports regularly, else None."""
    live = [message.at for _, message in series if not message.retained]
    repeats = [
        later.at - earlier.at
        for (value, earlier), (next_value, later) in pairwise(series)
        if value == next_value and not earlier.retained
    ]
    if len(live) < 2 * TURNS or len(repeats) < _MISSED:
        return None
    longest, shortest = max(repeats), min(repeats)
    is_regular = shortest > 0 and longest / shortest < 1.5  # noqa: PLR2004  (a network's delay)
    return math.ceil(_MISSED * longest) if is_regular else None


def _availability(recording: Recording, topic: str) -> dict[str, Any]:
    """Return the configuration of the nearest topic that looks like an availability topic."""
    levels = topic.split("/")
    nearest: tuple[int, str, dict[str, Any]] | None = None
    for other_topic, messages in recording.topics.items():
        parts = other_topic.split("/")
        if other_topic == topic or parts[-1].lower() not in _STATUS or not messages:
            continue
        shared = _shared(levels, parts)
        # A sibling of the topic or below it; Tasmota uses another first level.
        if len(parts) - shared > 1 and parts[1:-1] != levels[1 : len(parts) - 1]:
            continue
        if (config := _availability_of(other_topic, messages[-1].payload)) is None:
            continue
        rank = max(shared, len([*filter(None, parts[1:-1])]))
        if nearest is None or rank > nearest[0]:
            nearest = (rank, other_topic, config)
    return {} if nearest is None else nearest[2]


def _availability_of(topic: str, payload: str) -> dict[str, Any] | None:
    parsed, template = _parsed(payload), None
    if isinstance(parsed, dict):
        payload, template = str(parsed.get("state", "")), "{{ value_json.state }}"
    for available, not_available in _AVAILABLE:
        if payload in {available, not_available}:
            return {
                "availability_topic": topic,
                "payload_available": available,
                "payload_not_available": not_available,
            } | ({} if template is None else {"availability_template": template})
    return None


def _shared(levels: Iterable[str], other_levels: Iterable[str]) -> int:
    """Return the number of leading levels that two topics have in common."""
    shared = 0
    for level, other_level in zip(levels, other_levels, strict=False):
        if level != other_level:
            break
        shared += 1
    return shared
