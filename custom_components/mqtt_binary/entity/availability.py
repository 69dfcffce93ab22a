"""Availability of a sensor's device."""

from collections.abc import Mapping

from ..settings import AvailabilityMode, AvailabilityTopic


class Availability:
    """The last value of each availability topic, and the resulting availability."""

    def __init__(
        self,
        topics: tuple[AvailabilityTopic, ...],
        mode: AvailabilityMode,
        previous: Availability | None = None,
    ) -> None:
        """Take over the values of the same topics from `previous`."""
        self.topics = {topic.topic: topic for topic in topics}
        self._mode = mode
        self.by_topic: dict[str, bool] = {}
        """Topic → whether it reports the device as available; the latest last."""
        if previous is not None:
            self.restore(previous.by_topic)

    @property
    def available(self) -> bool:
        """Return whether the device is available; without values it is not."""
        values = self.by_topic.values()
        match self._mode:
            case "all":
                return len(values) == len(self.topics) and all(values)
            case "any":
                return any(values)
            case "latest":
                return next(reversed(values), False)

    def restore(self, by_topic: Mapping[str, bool]) -> None:
        """Restore earlier values of topics that have no newer one."""
        restored = {
            topic: is_available
            for topic, is_available in by_topic.items()
            if topic in self.topics and topic not in self.by_topic
        }
        self.by_topic = restored | self.by_topic

    def receive(self, topic: str, *, is_available: bool) -> None:
        """Store the value of a topic."""
        self.by_topic.pop(topic, None)
        self.by_topic[topic] = is_available
