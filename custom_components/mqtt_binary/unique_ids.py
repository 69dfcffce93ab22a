"""One set of unique ids for the sensors of YAML and those discovered."""

from collections.abc import Callable

from homeassistant.exceptions import HomeAssistantError

from .const import DOMAIN


class DuplicateUniqueIdError(HomeAssistantError):
    """A second sensor wants a unique id that is taken."""


class UniqueIds:
    """Who holds which unique id."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[object, str]] = {}

    def claim(self, unique_id: str | None, owner: object, topic: str) -> None:
        """Let `owner` hold the id. Raises DuplicateUniqueIdError, naming both topics."""
        if unique_id is None:
            return
        holder, held_topic = self._held.setdefault(unique_id, (owner, topic))
        if holder is not owner:
            raise DuplicateUniqueIdError(
                translation_domain=DOMAIN,
                translation_key="duplicate_unique_id",
                translation_placeholders={
                    "unique_id": unique_id,
                    "first_topic": held_topic,
                    "second_topic": topic,
                },
            )
        self._held[unique_id] = (owner, topic)

    def release(self, unique_id: str | None, owner: object) -> None:
        """Let the id go, if `owner` holds it."""
        if unique_id is not None and self._held.get(unique_id, (None,))[0] is owner:
            del self._held[unique_id]

    def release_where(self, belongs: Callable[[object], bool]) -> None:
        """Let go every id whose owner `belongs`."""
        for unique_id, (owner, _) in list(self._held.items()):
            if belongs(owner):
                del self._held[unique_id]
