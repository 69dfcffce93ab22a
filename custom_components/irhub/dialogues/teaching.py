"""Progress of teaching an air conditioner; it outlives the page and a restart."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homeassistant.core import HomeAssistant

from ..devices.lessons import Lesson, lessons_of, unfinished_key
from ..ircodes import BitRule, Off, State, Teacher, Verdict
from ..ircodes.known import KnownAirConditioners
from ..ircodes.teaching import Doubt

type Missing = Mapping[str, list[State]]
"""Mode → states that are not proven."""
type Proven = tuple[BitRule | None, Missing]
"""The rule, and the states that it lacks per mode."""


@dataclass
class Teaching:
    """Progress of teaching an air conditioner."""

    answers: Mapping[str, Any]
    """The owner's answers about the modes and levels of the remote control."""
    teacher: Teacher
    saved_as: str
    """Id of the hub's entry or of the device that it is saved under until it is finished."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Serialises access to the teacher."""
    last_verdict: Verdict = Verdict.ACCEPTED
    """The verdict on the last press."""
    pressed: State | Off | None = None
    """The state requested for the last press."""
    doubt: Doubt | None = None
    """The press that contradicts the others and is requested again."""
    _proven: Proven | None = None
    """Cached result of `proven` since the last press."""

    @property
    def lesson(self) -> Lesson:
        """Return the lesson to save."""
        return Lesson(answers=self.answers, record=self.teacher.record)

    async def judge(self, hass: HomeAssistant, packet: bytes) -> None:
        """Let the teacher judge a press, and save the lesson."""
        async with self.lock:
            if (requested := self.teacher.ask) is not None:
                self.pressed, self._proven = requested, None
                self.last_verdict = await hass.async_add_executor_job(self.teacher.take, packet)
                self.doubt = await hass.async_add_executor_job(self._doubt)
                await self._save(hass)

    async def change_question(self, hass: HomeAssistant, change: Callable[[], None]) -> None:
        """Call `change`, which makes the teacher ask for another press."""
        async with self.lock:
            await hass.async_add_executor_job(change)
            self.last_verdict, self.pressed, self._proven = Verdict.ACCEPTED, None, None
            self.doubt = await hass.async_add_executor_job(self._doubt)
            if self.teacher.asked:
                await self._save(hass)

    async def proven(self, hass: HomeAssistant) -> Proven:
        """Return the rule, and the states that it lacks per mode."""
        in_executor = hass.async_add_executor_job
        async with self.lock:
            if self._proven is None:
                self._proven = (
                    await in_executor(self.teacher.rule),
                    await in_executor(self.teacher.open),
                )
            return self._proven

    async def latest(self, hass: HomeAssistant) -> Teaching:
        """Return what another page has taught meanwhile in the same lesson, else itself."""
        saved = await lessons_of(hass).get(unfinished_key(self.saved_as))
        if saved is None or saved.record.asked <= self.teacher.asked:
            return self
        return await async_resume(hass, saved, self.saved_as)

    def _doubt(self) -> Doubt | None:
        return self.teacher.doubt

    async def _save(self, hass: HomeAssistant) -> None:
        await lessons_of(hass).keep(unfinished_key(self.saved_as), self.lesson)


async def async_resume(hass: HomeAssistant, lesson: Lesson, saved_as: str) -> Teaching:
    """Resume a saved lesson, of a hub's entry or a device."""
    shipped = KnownAirConditioners.shipped
    teacher = await hass.async_add_executor_job(Teacher.resume, lesson.record, shipped)
    doubt = await hass.async_add_executor_job(lambda: teacher.doubt)
    return Teaching(lesson.answers, teacher, saved_as, doubt=doubt)
