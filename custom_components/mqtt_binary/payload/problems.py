"""What is said of messages that a sensor cannot use.

A problem is a warning once; at debug level every message is named, with its topic and length.
No payload is shown.
"""

import logging
from typing import Literal

from .._common.log_once import LogOnce
from ..mqtt import ReceiveMessage

_LOGGER = logging.getLogger(__name__)

type Part = Literal["value", "availability", "attributes"]
"""What of a sensor a message is for."""


class Problems:
    """Tells the problems of one sensor."""

    def __init__(self) -> None:
        self.entity_id = ""
        self._once: LogOnce | None = None  # made with the first problem, which most never have

    def ignored(self, part: Part, message: ReceiveMessage, reason: str) -> None:
        """Say why a message was ignored that should have been understood."""
        self._log_once.report(
            part, f"{self.entity_id}: ignored a message ({part}): {reason}", detail=_where(message)
        )

    def taken_raw(self, part: Part, message: ReceiveMessage, reason: str) -> None:
        """Say why a template failed, so that the payload is taken as it is."""
        self._log_once.report(
            part,
            f"{self.entity_id}: the template failed, the payload is taken as it is ({part}): "
            f"{reason}",
            detail=_where(message),
        )

    def template_warns(self, warning: str) -> None:
        """Pass on what a template stumbled over but rendered."""
        self._log_once.report("template", f"{self.entity_id}: a template warns: {warning}")

    def not_for_us(self, part: Part, message: ReceiveMessage, why: str) -> None:
        """Say at debug level why a message was ignored that others may understand."""
        if _LOGGER.isEnabledFor(logging.DEBUG):
            _LOGGER.debug(
                "%s: ignored a message (%s): %s%s", self.entity_id, part, why, _where(message)
            )

    @property
    def _log_once(self) -> LogOnce:
        if self._once is None:
            self._once = LogOnce(_LOGGER)
        return self._once


def _where(message: ReceiveMessage) -> str:
    return f" (topic {message.topic}, length {len(message.payload)})"
