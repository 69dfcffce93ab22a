"""Whether the device behind a sensor is there, by its own messages."""

from ..mqtt import ReceiveMessage
from ..payload.problems import Problems
from ..payload.templates import Templates
from ..settings import AvailabilityMode, AvailabilityTopic


class Availability:
    """Remembers what each availability topic said last: unavailable until it has spoken."""

    def __init__(
        self,
        topics: tuple[AvailabilityTopic, ...],
        mode: AvailabilityMode,
        previous: Availability | None = None,
    ) -> None:
        self.topics = {topic.topic: topic for topic in topics}
        self._mode = mode
        self.said = dict.fromkeys(self.topics, False)
        self.latest = False
        if previous is not None:
            self.latest = previous.latest
            self.said |= {
                topic: said for topic, said in previous.said.items() if topic in self.said
            }

    @property
    def available(self) -> bool:
        """Return whether the device is there."""
        match self._mode:
            case "all":
                return all(self.said.values())
            case "any":
                return any(self.said.values())
            case "latest":
                return self.latest

    def receive(self, message: ReceiveMessage, templates: Templates, problems: Problems) -> None:
        """Take in a message on one of the topics; other payloads than the two mean nothing."""
        topic = self.topics[message.subscribed_topic]
        payload = templates.text("availability", topic.template, message)
        if payload == topic.available:
            self.said[topic.topic] = self.latest = True
        elif payload == topic.not_available:
            self.said[topic.topic] = self.latest = False
        elif payload is not None:
            problems.not_for_us(
                "availability", message, "neither payload_available nor payload_not_available"
            )
