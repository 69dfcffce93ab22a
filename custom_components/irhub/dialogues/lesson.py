"""A lesson: a remote control whose buttons are learned one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..devices.device import Kind
from ..hub.learning import Captured

_VOLUME: Final = ("power", "volume_up", "volume_down", "mute")
_CURSOR: Final = ("up", "down", "left", "right", "ok", "back")

TEMPLATES: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.TELEVISION: (*_VOLUME, "channel_up", "channel_down", *_CURSOR, "home", "source"),
    Kind.RECEIVER: (*_VOLUME, "source"),
    Kind.PROJECTOR: ("on", "off", "source", "menu", *_CURSOR),
    Kind.PLAYER: ("power", "play", "pause", "stop", "previous", "next", *_CURSOR, "home"),
    Kind.FAN: ("power", "speed_1", "speed_2", "speed_3", "oscillate"),
    Kind.LIGHT: ("on", "off", "brighten", "dim", "warmer", "colder"),
    Kind.COVER: ("open", "stop", "close"),
    Kind.OTHER: (),
}
"""The buttons that most remote controls of a kind have. Their names are texts."""
SUGGESTED: Final[Mapping[Kind, Sequence[str]]] = {
    Kind.FAN: ("off", "speed_4", "speed_5", "speed_6", "reverse"),
}
"""The buttons that some have besides: they are offered, and learned if they are chosen."""
FUNCTIONS_OF_BUTTONS: Final = {
    "power": "toggle",
    "channel_up": "next",
    "channel_down": "previous",
    "speed_1": "speed 1",
    "speed_2": "speed 2",
    "speed_3": "speed 3",
    "speed_4": "speed 4",
    "speed_5": "speed 5",
    "speed_6": "speed 6",
    **{
        function: function
        for function in (
            *("on", "off", "volume_up", "volume_down", "mute", "oscillate", "reverse"),
            *("brighten", "dim", "warmer", "colder"),
            *("play", "pause", "stop", "previous", "next", "open", "close"),
            *(*_CURSOR, "home", "menu", "source"),
        )
    },
}
"""What the buttons of templates do, whatever they are called."""


@dataclass(kw_only=True)
class Lesson:
    """How far a remote control is learned."""

    kind: Kind
    functions: Mapping[str, str]
    """What the buttons of the template do, by name."""
    usual: Sequence[str]
    """What the buttons of the template are called."""
    suggested: Sequence[str]
    """What the buttons are called that some remote controls have besides."""
    names: list[str]
    """What is to be learned, in this order."""
    device: str = ""
    alternates: bool = False
    """Whether each button sends two codes by turns."""
    by_radio: bool = False
    frequency: float | None = None
    """Of its remote control by radio, in MHz, once it was found."""
    number: int = 0
    """Which of them is next."""
    done: dict[str, bytes] = field(default_factory=dict)
    """What was learned, by its first packet."""
    presses: list[Captured] = field(default_factory=list)
    """What was heard of the button that is next, if it sends two codes by turns."""
    last_press: str = ""
    """What was heard last."""
    repeated: str = ""
    """The button that was pressed once more in place of the one that is next."""

    @property
    def name(self) -> str | None:
        """Return the name of the button that is next, None at the end."""
        return self.names[self.number] if self.number < len(self.names) else None

    @property
    def place(self) -> str:
        """Return which button of how many is next, like "3/14"; nothing of a single one."""
        total = len(self.names)
        return f"{self.number + 1}/{total}" if total > 1 else ""

    @property
    def left(self) -> list[str]:
        """Return what was skipped, or is still to come."""
        return [name for name in self.names if name not in self.done]

    def go_to_first(self) -> None:
        """Go on with the first button that is not learned yet."""
        self.number = -1
        self.go_on()

    def go_to(self, number: int) -> None:
        """Go on with another button."""
        self.number = number
        self.repeated = ""
        self.presses.clear()

    def go_on(self) -> None:
        """Go on with the next button that is not learned yet."""
        number = self.number + 1
        while number < len(self.names) and self.names[number] in self.done:
            number += 1
        self.go_to(number)
