"""The record of a lesson: its presses as data, to resume it later.

``` {"modes": {"cool": {"fans": ["auto", "low"], "temperatures": [16, 17]}}, "asked": 2,
 "presses": [["JgB…", ["cool", null, "auto", null, 17]], ["JgB…", "off", "twice"]],
 "missing": [["cool", null, "low", null, 16]],
 "dropped": [["JgB…", ["heat", null, "auto", null, 17]]]}
```

Empty values are omitted, except `dropped`, which means that known protocols are not tried any more.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from ..packet.text_forms import from_base64
from ..states.capabilities import Capabilities, Levels
from ..states.rule_parts import MAX_MODES, few, state_data, state_of
from ..states.state import ATTRIBUTES, OFF, Off, State

MAX_KEPT: Final = 120
"""Maximum number of presses kept, the last ones: four times the length of a lesson."""
_MAX_MISSING: Final = 1_000
_SHOWN: Final = 200
"""Characters of an error in a record that are quoted."""
_OFF: Final = "off"
_TWICE: Final = "twice"


@dataclass(frozen=True, kw_only=True)
class KeptPress:
    """A press that is used in a lesson."""

    state: State | Off
    """The requested state."""
    packet: bytes
    twice: bool = False
    """Whether it was received twice, because it was doubted the first time."""


@dataclass(frozen=True, kw_only=True)
class LessonRecord:
    """The presses of a lesson so far."""

    capabilities: Capabilities
    presses: Sequence[KeptPress] = ()
    """In order."""
    missing: Sequence[State | Off] = field(default=())
    """States that the remote control cannot send."""
    asked: int = 0
    """Number of received presses, including those that were not kept."""
    dropped: Sequence[KeptPress] | None = None
    """Presses from before a known protocol was given up, which may still be used; None: no protocol
    was given up."""

    def in_place(self, press: KeptPress) -> Self:
        """Return the record with a press that replaces those of the same state."""
        others = [kept for kept in self.presses if kept.state != press.state]
        missing = [state for state in self.missing if state != press.state]
        return replace(self, presses=[*others, press], missing=missing)

    def as_data(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        data = {
            "modes": {mode: _levels_data(self.capabilities[mode]) for mode in self.capabilities},
            "asked": self.asked,
            "presses": _presses_data(self.presses),
            "missing": [_state_data(state) for state in self.missing[:_MAX_MISSING]],
        }
        data = {key: value for key, value in data.items() if value}
        return data if self.dropped is None else {**data, "dropped": _presses_data(self.dropped)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the record for the data of `as_data`. Raise ValueError if it is invalid."""
        try:
            modes = data["modes"]
            capabilities = Capabilities(
                modes={str(mode): _levels(modes[mode]) for mode in few([*modes], MAX_MODES)}
            )
            capabilities.check_count()
            return cls(
                capabilities=capabilities,
                presses=[*_presses(few(data.get("presses", ()), MAX_KEPT), capabilities)],
                missing=[_state(state) for state in few(data.get("missing", ()), _MAX_MISSING)],
                asked=int(data.get("asked", 0)),
                dropped=(
                    [*_presses(few(data["dropped"], MAX_KEPT), capabilities)]
                    if "dropped" in data
                    else None
                ),
            )
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as err:
            raise ValueError(f"not a lesson: {repr(err)[:_SHOWN]}") from err


def _presses(data: Iterable[Sequence[Any]], capabilities: Capabilities) -> Iterable[KeptPress]:
    """Yield the presses of states that the remote control has."""
    for packet, of_state, *more in data:
        if (state := capabilities.narrowed(_state(of_state))) is not None:
            yield KeptPress(state=state, packet=from_base64(packet), twice=_TWICE in more)


def _presses_data(presses: Sequence[KeptPress]) -> list[list[Any]]:
    return [
        [
            b64encode(press.packet).decode(),
            _state_data(press.state),
            *([_TWICE] if press.twice else []),
        ]
        for press in presses[-MAX_KEPT:]
    ]


def _levels_data(levels: Levels) -> dict[str, Any]:
    every = {f"{attribute}s": [*levels.values(attribute)] for attribute in ATTRIBUTES}
    return {key: values for key, values in every.items() if values}


def _levels(data: Mapping[str, Any]) -> Levels:
    names = {
        key: tuple(str(name) for name in data.get(key, ())) for key in ("presets", "fans", "swings")
    }
    degrees = sorted(float(degrees) for degrees in data.get("temperatures", ()))
    return Levels(**names, temperatures=degrees)


def _state_data(state: State | Off) -> Any:  # noqa: ANN401  (JSON)
    return _OFF if isinstance(state, Off) else state_data(state)


def _state(data: Any) -> State | Off:  # noqa: ANN401  (JSON)
    return OFF if data == _OFF else state_of(data)
