"""State of a lesson, in which the buttons of a remote control are learned one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..devices.kinds import Kind
from ..hub.learning import Captured


@dataclass(kw_only=True)
class ButtonLesson:
    """The progress of learning a remote control."""

    kind: Kind
    functions: Mapping[str, str]
    """Button of the template → its function."""
    usual: Sequence[str]
    """Names of the template's buttons."""
    suggested: Sequence[str]
    """Names of buttons that only some remote controls have."""
    names: list[str]
    """Names of the buttons to learn, in order."""
    device: str = ""
    alternates: bool = False
    """Whether each button alternates between two codes."""
    by_radio: bool = False
    frequency: float | None = None
    """Radio frequency of the remote control in MHz, once detected."""
    number: int = 0
    """Index in `names` of the next button."""
    done: dict[str, bytes] = field(default_factory=dict)
    """Learned button → its first packet."""
    presses: list[Captured] = field(default_factory=list)
    """Captures of the next button so far, if it alternates between two codes."""
    last_press: str = ""
    """Description of the last press."""
    repeated: str = ""
    """The known button that was pressed again instead of the next one."""

    @property
    def name(self) -> str | None:
        """Return the name of the next button, None at the end."""
        return self.names[self.number] if self.number < len(self.names) else None

    @property
    def place(self) -> str:
        """Return the position of the next button, like "3/14"; empty if there is only one."""
        total = len(self.names)
        return f"{self.number + 1}/{total}" if total > 1 else ""

    @property
    def missing(self) -> list[str]:
        """Return the names of buttons that were skipped or are still to come."""
        return [name for name in self.names if name not in self.done]

    def go_to_first(self) -> None:
        """Continue with the first button that is not learned yet."""
        self.number = -1
        self.go_on()

    def go_to(self, number: int) -> None:
        """Continue with another button."""
        self.number = number
        self.repeated = ""
        self.presses.clear()

    def go_on(self) -> None:
        """Continue with the next button that is not learned yet."""
        number = self.number + 1
        while number < len(self.names) and self.names[number] in self.done:
            number += 1
        self.go_to(number)
