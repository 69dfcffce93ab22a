"""A lesson: a remote control whose buttons are learned one after the other."""

from dataclasses import dataclass, field
from typing import Final

from ..hub.ear import Captured, Step

_CURSOR: Final = ("up", "down", "left", "right", "ok", "back")
TEMPLATES: Final = {
    "television": (
        *("power", "volume_up", "volume_down", "mute", "channel_up", "channel_down"),
        *(*_CURSOR, "home", "source"),
    ),
    "amplifier": ("power", "volume_up", "volume_down", "mute", "source"),
    "projector": ("on", "off", "source", "menu", *_CURSOR),
    "fan": ("power", "speed_1", "speed_2", "speed_3", "oscillate"),
    "light": ("on", "off", "brighten", "dim", "warmer", "colder"),
    "own": (),
}
"""What a remote control is for → the buttons that most of them have, whose names are texts."""


@dataclass(kw_only=True)
class Lesson:
    """How far a remote control is learned."""

    device: str
    names: list[str]
    """What is to be learned, in this order."""
    number: int = 0
    """Which of them is next."""
    done: dict[str, bytes] = field(default_factory=dict)
    """What was learned, by its first packet."""
    presses: list[Captured] = field(default_factory=list)
    """What was heard of the button that is next, if it sends two codes by turns."""
    heard: str = ""
    """What was heard last."""
    repeated: str = ""
    """The button that was pressed once more in place of the one that is next."""
    step: Step | None = None
    """What the user has to do; nothing while the hub does not listen."""
    deadline: float = 0.0
    """When the hub stops listening, in the time of the event loop."""

    @property
    def name(self) -> str | None:
        """Return the name of the button that is next, None at the end."""
        return self.names[self.number] if self.number < len(self.names) else None

    @property
    def left(self) -> list[str]:
        """Return what was skipped, or is still to come."""
        return [name for name in self.names if name not in self.done]

    def go_to(self, number: int) -> None:
        """Go on with another button."""
        self.number = number
        self.repeated = ""
        self.presses.clear()
