"""A lesson: a remote control whose buttons are learned one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ..devices.device import Kind
from ..hub.ear import Captured, Step

_CURSOR: Final = ("up", "down", "left", "right", "ok", "back")


class Template(NamedTuple):
    """What a remote control is for, and the buttons that most of those have."""

    kind: Kind
    buttons: Sequence[str]
    """Their names are texts."""


TEMPLATES: Final[Mapping[str, Template]] = {
    "television": Template(
        Kind.TELEVISION,
        (
            *("power", "volume_up", "volume_down", "mute", "channel_up", "channel_down"),
            *(*_CURSOR, "home", "source"),
        ),
    ),
    "amplifier": Template(Kind.RECEIVER, ("power", "volume_up", "volume_down", "mute", "source")),
    "projector": Template(Kind.PROJECTOR, ("on", "off", "source", "menu", *_CURSOR)),
    "fan": Template(Kind.FAN, ("power", "speed_1", "speed_2", "speed_3", "oscillate")),
    "light": Template(Kind.LIGHT, ("on", "off", "brighten", "dim", "warmer", "colder")),
    "own": Template(Kind.OTHER, ()),
}
FUNCTIONS_OF_BUTTONS: Final = {
    "power": "toggle",
    "channel_up": "next",
    "channel_down": "previous",
    "speed_1": "speed 1",
    "speed_2": "speed 2",
    "speed_3": "speed 3",
    **{
        function: function
        for function in (
            *("on", "off", "volume_up", "volume_down", "mute", "oscillate"),
            *("brighten", "dim", "warmer", "colder"),
        )
    },
}
"""What the buttons of templates do, whatever they are called."""


@dataclass(kw_only=True)
class Lesson:
    """How far a remote control is learned."""

    device: str
    names: list[str]
    """What is to be learned, in this order."""
    kind: Kind
    functions: Mapping[str, str]
    """What the buttons of the template do, by name."""
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
