"""A remote control with keys and a display, and a person who uses it.

Each key changes the state on the display and sends the whole state. To set a requested state, the
person presses keys until the display shows it; the hub receives only the last one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from custom_components.irhub.ircodes.states.state import NAMED, OFF, Off, State, value

from .remotes import RemoteControl

MODE, POWER, WARMER, COLDER = "mode", "power", "+", "\N{MINUS SIGN}"
KEYS: Final = (POWER, MODE, *NAMED, WARMER, COLDER)
_MOST_KEYS: Final = 60


@dataclass
class KeyedRemote:
    """A remote control with the keys mode, fan, swing, preset, +, - and power."""

    control: RemoteControl
    is_on: bool = False
    pressed: int = 0
    """Number of keys pressed."""
    shown: State = field(init=False)
    """The state on the display, or the one before it was turned off."""

    def __post_init__(self) -> None:
        """Show the first mode, in the middle."""
        self.shown = self._in_mode(next(iter(self.control.remote)), State(mode=""))

    def press(self, key: str) -> bytes:
        """Press a key; return the packet sent."""
        self.pressed += 1
        if key == POWER:
            self.is_on = not self.is_on
        elif not self.is_on:
            raise AssertionError("nobody presses a key of a dark display")
        elif key == MODE:
            modes = [*self.control.remote]
            following = modes[(modes.index(self.shown.mode) + 1) % len(modes)]
            self.shown = self._in_mode(following, self.shown)
        elif key in (WARMER, COLDER):
            self.shown = replace(self.shown, temperature=self._degrees(key))
        else:
            levels = self.control.remote[self.shown.mode].values(key)
            if levels:
                place = levels.index(getattr(self.shown, key))
                changed: dict[str, Any] = {key: levels[(place + 1) % len(levels)]}
                self.shown = replace(self.shown, **changed)
        return self.control.press(self.shown if self.is_on else OFF)

    def _degrees(self, key: str) -> float | None:
        degrees = self.control.remote[self.shown.mode].temperatures
        if not degrees or self.shown.temperature is None:
            return None
        place = degrees.index(self.shown.temperature) + (1 if key == WARMER else -1)
        return degrees[min(max(place, 0), len(degrees) - 1)]

    def _in_mode(self, mode: str, before: State) -> State:
        """Return the state after a change of mode: it keeps the levels that the new mode has."""
        levels = self.control.remote[mode]
        named: dict[str, Any] = {
            attribute: known
            if (known := value(before, attribute)) in levels.values(attribute)
            else next(iter(levels.values(attribute)), None)
            for attribute in NAMED
        }
        degrees = levels.temperatures
        near = before.temperature or (degrees[len(degrees) // 2] if degrees else 0)
        temperature = min(degrees, key=lambda known: abs(known - near), default=None)
        return State(mode=mode, temperature=temperature, **named)


class Person:
    """Presses the requested states, once with one fan speed too many."""

    def __init__(self, remote: KeyedRemote) -> None:
        self.remote = remote

    def press(self, asked: State | Off, *, wrong_fan: bool = False) -> bytes:
        """Press keys until the display shows the requested state; return the last packet."""
        *_, last = self._keys(asked, wrong_fan=wrong_fan)
        return last

    def _keys(self, asked: State | Off, *, wrong_fan: bool) -> Iterator[bytes]:
        """Yield the packet of each key; the hub receives the last one."""
        remote, before = self.remote, self.remote.pressed
        if isinstance(asked, Off):
            if not remote.is_on:
                yield remote.press(POWER)
            yield remote.press(POWER)
            return
        if not remote.is_on:
            yield remote.press(POWER)
        if remote.shown == asked and remote.pressed == before:
            yield from self._there_and_back()
        while (key := self._next_key(asked)) is not None:
            assert remote.pressed - before < _MOST_KEYS, (remote.shown, asked)
            yield remote.press(key)
        if wrong_fan:
            yield remote.press("fan")

    def _next_key(self, asked: State) -> str | None:
        """Return the key that leads towards the requested state; None at the end."""
        shown = self.remote.shown
        if shown.mode != asked.mode:
            return MODE
        for attribute in NAMED:
            if value(shown, attribute) != value(asked, attribute):
                return attribute
        if shown.temperature != asked.temperature:
            return WARMER if (asked.temperature or 0) > (shown.temperature or 0) else COLDER
        return None

    def _there_and_back(self) -> Iterator[bytes]:
        """Press keys that change the state and return to it, so that it is sent again."""
        levels = self.remote.control.remote[self.remote.shown.mode]
        if len(levels.temperatures) > 1:
            is_last = self.remote.shown.temperature == levels.temperatures[-1]
            yield self.remote.press(COLDER if is_last else WARMER)
        else:
            changing = [name for name in NAMED if len(levels.values(name)) > 1]
            yield self.remote.press(next(iter(changing), MODE))


def differs_in_fan(remote: KeyedRemote, asked: State | Off) -> bool:
    """Return whether one fan speed too many gives another state."""
    return isinstance(asked, State) and len(remote.control.remote[asked.mode].fans) > 1
