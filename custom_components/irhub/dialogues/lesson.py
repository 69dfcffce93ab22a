"""A lesson: a remote control whose buttons are learned one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..devices.kinds import Kind
from ..hub.learning import Captured


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
