"""Complaints about a sensor's messages: each said once, until things have gone well again."""

import logging
from typing import Final, Literal

_LOGGER = logging.getLogger(__package__)

type Subject = Literal["value", "value_template", "attributes", "availability"]

_NONE: Final[frozenset[Subject]] = frozenset()


class Complaints:
    """Warns once per subject; repeats go to the debug log until `settle`."""

    __slots__ = ("_entity_id", "_open")

    def __init__(self, entity_id: str) -> None:
        self._entity_id = entity_id
        self._open = _NONE

    def about(self, subject: Subject, topic: str, problem: object) -> None:
        """Log that a message on `topic` is ignored because of `problem`."""
        level = logging.DEBUG if subject in self._open else logging.WARNING
        self._open |= {subject}
        _LOGGER.log(
            level,
            "%s: ignored a message on topic %s (%s): %s",
            self._entity_id,
            topic,
            subject,
            problem,
        )

    def settle(self, subject: Subject) -> None:
        """Note a success: the next failure is worth a warning again."""
        if self._open:
            self._open -= {subject}
