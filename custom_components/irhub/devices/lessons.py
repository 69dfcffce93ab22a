"""Stored lessons of air conditioners, i.e. the presses, so that they can be continued later.

An unfinished lesson is stored under the hub, or under the device that is taught again. A finished
one is stored under the rule that it has led to, so that a rule restored by *History* has its own
presses.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
import logging
from typing import Any, Final, Self

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..ircodes.teaching import LessonRecord
from .device import Taught
from .fields import Data
from .parts import fingerprint

_LOGGER = logging.getLogger(__package__)

VERSION: Final = 1
MAX_LESSONS: Final = 30
"""Maximum number of lessons; the oldest are deleted, but not their rules."""
MAX_SIZE: Final = 1024 * 1024
"""Maximum number of characters of all packets; the last lesson is always kept."""

_ANSWERS: Final = "answers"
_LESSONS: Final = "lessons"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """The progress of teaching an air conditioner."""

    answers: Mapping[str, Any]
    """The user's answers about the remote control."""
    record: LessonRecord

    def as_data(self) -> Data:
        """Return the lesson as JSON data, for `from_data`."""
        return {_ANSWERS: dict(self.answers), **self.record.as_data()}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the lesson of JSON data. Raise ValueError if it is invalid."""
        answers = known if isinstance(known := data.get(_ANSWERS), dict) else {}
        return cls(answers=answers, record=LessonRecord.from_data(data))


class Lessons:
    """The lessons of all hubs by key: `unfinished_key` or `key_of_rule`.

    If the disk fails, they are kept in memory only.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._store = Store[Data](hass, VERSION, f"{DOMAIN}_lessons", atomic_writes=True)
        self._data: Data | None = None
        """The content of the file, including what this version does not understand."""
        self._turn = asyncio.Lock()

    async def get(self, key: str) -> Lesson | None:
        """Return the lesson of a key; None if there is no readable one."""
        data = (await self._lessons()).get(key)
        if data is None:
            return None
        try:
            return await self._hass.async_add_executor_job(Lesson.from_data, data)
        except ValueError as err:
            _LOGGER.warning("A lesson in %s cannot be gone on with: %s", self._store.path, err)
            return None

    async def keep(self, key: str, lesson: Lesson, *, ended: str | None = None) -> None:
        """Store a lesson under a key, and delete the unfinished one with the key `ended`."""
        lessons = await self._lessons()
        lessons.pop(key, None)
        lessons[key] = await self._hass.async_add_executor_job(lesson.as_data)
        if ended is not None:
            lessons.pop(ended, None)
        _forget_oldest(lessons)
        await self._write()

    async def forget(self, key: str) -> None:
        """Delete the lesson of a key."""
        if (await self._lessons()).pop(key, None) is not None:
            await self._write()

    async def _lessons(self) -> Data:
        async with self._turn:
            if self._data is None:
                self._data = await self._load()
            lessons: Data = self._data[_LESSONS]
            return lessons

    async def _load(self) -> Data:
        try:
            data: object = await self._store.async_load()
        except (HomeAssistantError, NotImplementedError) as err:  # of a newer version, too
            return self._without(err)
        match data:
            case None:
                return {_LESSONS: {}}
            case {"lessons": dict(lessons), **unknown_keys}:
                return {_LESSONS: lessons, **{str(key): unknown_keys[key] for key in unknown_keys}}
            case _:
                return self._without(f"{self._store.path} has no {_LESSONS}")

    def _without(self, reason: object) -> Data:
        """Go on without the lessons of a file that cannot be used, and leave it as it is."""
        _LOGGER.error("Lessons of before are not used, and stay as they are: %s", reason)
        self._store.make_read_only()
        return {_LESSONS: {}}

    async def _write(self) -> None:
        async with self._turn:
            if self._data is not None:
                await self._store.async_save(self._data)


DATA_LESSONS: Final[HassKey[Lessons]] = HassKey(f"{DOMAIN}_lessons")


@callback
def lessons_of(hass: HomeAssistant) -> Lessons:
    """Return the lessons of all hubs."""
    if (lessons := hass.data.get(DATA_LESSONS)) is None:
        lessons = hass.data[DATA_LESSONS] = Lessons(hass)
    return lessons


def unfinished_key(owner_id: str) -> str:
    """Return the key of an unfinished lesson of a hub's entry, or of a device."""
    return f"begun {owner_id}"


def key_of_rule(rule: Taught) -> str:
    """Return the key of the lesson that has led to a rule."""
    return f"rule {fingerprint(rule)}"


def _forget_oldest(lessons: Data) -> None:
    """Delete the oldest lessons until the limits are met."""
    sizes = {key: _size(lesson) for key, lesson in lessons.items()}
    while len(sizes) > 1 and (len(sizes) > MAX_LESSONS or sum(sizes.values()) > MAX_SIZE):
        oldest = next(iter(sizes))
        del sizes[oldest], lessons[oldest]


def _size(lesson: object) -> int:
    """Return the approximate number of characters of a lesson."""
    match lesson:
        case {"presses": list(presses)}:
            return sum(len(str(press)) for press in presses)
        case _:
            return 0
