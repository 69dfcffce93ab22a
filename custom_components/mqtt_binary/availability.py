"""Whether the device behind a sensor is there, by its own messages."""

from homeassistant.components.mqtt import ReceiveMessage
from homeassistant.exceptions import TemplateError

from .log_once import Complaints
from .rendering import PayloadTooLongError, Renderer
from .settings import AvailabilityMode, AvailabilityTopic
from .template_failure import reason_of


class Availability:
    """Remembers what each availability topic said last: unavailable until it has spoken."""

    __slots__ = ("_mode", "latest", "said", "topics")

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

    def receive(self, message: ReceiveMessage, renderer: Renderer, complaints: Complaints) -> None:
        """Take in a message on one of the topics; other payloads than the two mean nothing."""
        topic = self.topics[message.subscribed_topic]
        try:
            if topic.template is None:
                payload = renderer.text_of(message.payload)
            else:
                payload = renderer.render(topic.template, renderer.value_of(message.payload))
        except TemplateError as err:
            problem = reason_of(err, topic.template)
            complaints.about("availability", message.topic, problem)
            return
        except (UnicodeError, PayloadTooLongError) as err:
            complaints.about("availability", message.topic, err)
            return
        complaints.settle("availability")
        if payload == topic.available:
            self.said[topic.topic] = self.latest = True
        elif payload == topic.not_available:
            self.said[topic.topic] = self.latest = False
