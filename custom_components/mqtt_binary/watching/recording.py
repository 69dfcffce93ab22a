"""What came on the broker while the user worked a device, within bounds."""

from dataclasses import dataclass, field
from typing import Final

MAX_TOPICS: Final = 2_000
MAX_MESSAGES: Final = 40
"""Of one topic; what sends more often is no door."""
MAX_BYTES: Final = 4_096
"""Of one payload; what is longer is a picture or an announcement."""


@dataclass(frozen=True)
class Message:
    """A payload, when it came (seconds), and whether the broker had kept it."""

    payload: str
    at: float
    retained: bool = False


@dataclass
class Recording:
    """The messages of each topic, within bounds."""

    topics: dict[str, list[Message]] = field(default_factory=dict)

    def add(self, topic: str, message: Message) -> None:
        """Keep a message, if there is room for it."""
        messages = self.topics.get(topic)
        if messages is None:
            if len(self.topics) >= MAX_TOPICS:
                return
            messages = self.topics[topic] = []
        if len(messages) < MAX_MESSAGES and len(message.payload) <= MAX_BYTES:
            messages.append(message)
