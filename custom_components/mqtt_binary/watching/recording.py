"""A bounded recording of messages while the user operates a device."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MAX_TOPICS: Final = 2_000
MAX_MESSAGES: Final = 40
"""Maximum number of messages per topic; a topic with more is not a door."""
MAX_CHARACTERS: Final = 4_096
"""Maximum length of a payload; longer ones are pictures or announcements."""
COPY_S: Final = 0.05
"""Longest time between copies of a message. A broker may deliver one for each subscription that
matches its topic (EMQX and amqtt do, Mosquitto does not): this one, and a sensor's.
"""


@dataclass(frozen=True)
class Message:
    """A payload, the time of its reception in seconds, and whether it was retained."""

    payload: str
    at: float
    retained: bool = False

    def is_copied_by(self, later: Message) -> bool:
        """Return whether a later message of the same topic is a second delivery of this one."""
        return (self.payload, self.retained) == (later.payload, later.retained) and (
            later.at - self.at < COPY_S
        )


class LeftOut(StrEnum):
    """Reason why a message is not in a recording, and the key of the text that says so."""

    UNREADABLE = "watch_unreadable"
    """No text, or too long."""
    LATER = "watch_later"
    """The topic has MAX_MESSAGES already."""
    NEW_TOPIC = "watch_new_topic"
    """There are MAX_TOPICS already."""

    @property
    def limit(self) -> int:
        """Return the limit that such a message exceeds."""
        return {
            LeftOut.UNREADABLE: MAX_CHARACTERS,
            LeftOut.LATER: MAX_MESSAGES,
            LeftOut.NEW_TOPIC: MAX_TOPICS,
        }[self]


@dataclass
class Recording:
    """The messages of each topic, up to the limits."""

    topics: dict[str, list[Message]] = field(default_factory=dict)
    left_out: dict[LeftOut, dict[str, int]] = field(default_factory=dict)
    """Reason → topic → number of messages left out, for up to MAX_TOPICS topics each."""

    def add(self, topic: str, message: Message) -> None:
        """Record a message, or count it if a limit is reached; leave out copies of the last."""
        if len(message.payload) > MAX_CHARACTERS:
            self.leave_out(topic, LeftOut.UNREADABLE)
        elif topic not in self.topics and len(self.topics) >= MAX_TOPICS:
            self.leave_out(topic, LeftOut.NEW_TOPIC)
        elif len(messages := self.topics.setdefault(topic, [])) >= MAX_MESSAGES:
            self.leave_out(topic, LeftOut.LATER)
        elif not (messages and messages[-1].is_copied_by(message)):
            messages.append(message)

    def leave_out(self, topic: str, reason: LeftOut) -> None:
        """Count a message that is not recorded."""
        counts = self.left_out.setdefault(reason, {})
        if topic in counts or len(counts) < MAX_TOPICS:
            counts[topic] = counts.get(topic, 0) + 1
