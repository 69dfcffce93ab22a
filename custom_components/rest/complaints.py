"""Problems told once, not once per poll."""

import logging

_LOGGER = logging.getLogger(__package__)

MAX_REMEMBERED = 20  # messages of one topic


class Complaints:
    """What one sensor or resource complained of: a warning for each message that is new."""

    def __init__(self) -> None:
        self._open: dict[str, set[str]] = {}

    def say(self, topic: str, message: str) -> None:
        """Warn of `message`, unless it was said of this topic since it was last settled."""
        said = self._open.setdefault(topic, set())
        if message in said or len(said) >= MAX_REMEMBERED:
            _LOGGER.debug("%s", message)
            return
        said.add(message)
        _LOGGER.warning("%s", message)

    def settle(self, topic: str) -> None:
        """Take note that all is well with this topic."""
        self._open.pop(topic, None)
