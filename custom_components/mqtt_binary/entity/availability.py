"""Whether the device of a sensor is there."""

from collections.abc import Mapping

from ..settings import AvailabilityMode, AvailabilityTopic


class Availability:
    """What each availability topic said last, and what that means for the device."""

    def __init__(
        self,
        topics: tuple[AvailabilityTopic, ...],
        mode: AvailabilityMode,
        previous: Availability | None = None,
    ) -> None:
        """Take over from `previous` what the same topics have said."""
        self.topics = {topic.topic: topic for topic in topics}
        self._mode = mode
        # In the order in which they have spoken, the latest last.
        self.said: dict[str, bool] = {}
        if previous is not None:
            self.said = {t: said for t, said in previous.said.items() if t in self.topics}

    @property
    def available(self) -> bool:
        """Return whether the device is there; it is not before its topics have said so."""
        said = self.said.values()
        match self._mode:
            case "all":
                return len(said) == len(self.topics) and all(said)
            case "any":
                return any(said)
            case "latest":
                return next(reversed(said), False)

    def restore(self, said: Mapping[str, bool]) -> None:
        """Take up what the topics had said before, if they have not spoken since."""
        before = {
            topic: is_there
            for topic, is_there in said.items()
            if topic in self.topics and topic not in self.said
        }
        self.said = before | self.said

    def receive(self, topic: str, *, is_there: bool) -> None:
        """Remember what a topic says."""
        self.said.pop(topic, None)
        self.said[topic] = is_there
