"""From a message on state_topic to on, off or unknown."""

from enum import Enum
from typing import Final, Literal

from ..mqtt import ReceiveMessage
from ..settings import Settings
from .problems import Problems
from .templates import Templates

NONE_OUTPUT: Final = "None"
"""What a template gives for unknown; without a template it is a payload like any other."""


class Refusal(Enum):
    """The message is not for the sensor."""

    REFUSED = "refused"


REFUSED: Final = Refusal.REFUSED

type Value = bool | Literal[Refusal.REFUSED] | None


class ValueReader:
    """Reads the value from a message on state_topic."""

    def __init__(self, settings: Settings, templates: Templates, problems: Problems) -> None:
        self._settings = settings
        self._templates = templates
        self._problems = problems

    def read(self, message: ReceiveMessage) -> Value:
        """Return on (true), off (false) or unknown (None), or `REFUSED` for no change."""
        template = self._settings.value_template
        text = self._templates.text("value", template, message)
        if text is None:
            return REFUSED
        if template is not None and not text:
            self._problems.not_for_us("value", message, "the template's output is empty")
            return REFUSED
        if text in self._settings.payload_on:
            return True
        if text in self._settings.payload_off:
            return False
        if template is not None and text == NONE_OUTPUT:
            return None
        self._problems.not_for_us("value", message, "neither payload_on nor payload_off")
        return REFUSED
