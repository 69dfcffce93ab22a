"""A bounded recording of messages while the user operates a device."""

from dataclasses import dataclass, field
from typing import Final

MAX_TOPICS: Final = 2_000
MAX_MESSAGES: Final = 40
"""Maximum number of messages per topic; a topic with more is not a door."""
MAX_BYTES: Final = 4_096
"""Maximum size of a payload; longer ones are pictures or announcements."""


@dataclass(frozen=True)
class Message:
    """A payload, the time of its reception in seconds, and whether it was retained."""

    payload: str
    at: float
    retained: bool = False


@dataclass
class Recording:
    """The messages of each topic, up to the limits."""

    topics: dict[str, list[Message]] = field(default_factory=dict)

    def add(self, topic: str, message: Message) -> None:
        """Record a message, unless a limit is reached."""
        messages = self.topics.get(topic)
        if messages is None:
            if len(self.topics) >= MAX_TOPICS:
                return
            messages = self.topics[topic] = []
        if len(messages) < MAX_MESSAGES and len(message.payload) <= MAX_BYTES:
            messages.append(message)
