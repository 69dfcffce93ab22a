"""What is taught of an air conditioner, as far as it is: it survives the page, and a restart."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homeassistant.core import HomeAssistant

from ..devices.lessons import Lesson, begun, lessons_of
from ..ircodes import BitRule, Off, State, Teacher, Verdict
from ..ircodes.known import KnownAirConditioners
from ..ircodes.teaching import Doubt

type Missing = Mapping[str, list[State]]
"""Mode → what is not proven of it."""
type Proven = tuple[BitRule | None, Missing]
"""The rule, and what it lacks of each mode."""


@dataclass
class Teaching:
    """What is taught of an air conditioner, as far as it is."""

    answers: Mapping[str, Any]
    """What its owner says that the remote control has."""
    teacher: Teacher
    of: str
    """For which hub's entry or device it is kept until it is ended."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """The teacher thinks about one thing at a time."""
    last: Verdict = Verdict.ACCEPTED
    """What became of the last press."""
    pressed: State | Off | None = None
    """What was asked for then."""
    doubt: Doubt | None = None
    """Which press does not fit the others, and is asked for again."""
    _proven: Proven | None = None
    """The rule and what it lacks of each mode, if they were asked for since."""

    @property
    def lesson(self) -> Lesson:
        """Return what is kept of it."""
        return Lesson(answers=self.answers, record=self.teacher.record)

    async def take(self, hass: HomeAssistant, packet: bytes) -> None:
        """Let the teacher judge a press, and keep it on the disk."""
        async with self.turn:
            if (asked := self.teacher.ask) is not None:
                self.pressed, self._proven = asked, None
                self.last = await hass.async_add_executor_job(self.teacher.take, packet)
                self.doubt = await hass.async_add_executor_job(self._doubt)
                await self._keep(hass)

    async def turn_to(self, hass: HomeAssistant, turn: Callable[[], None]) -> None:
        """Let the teacher ask for something else."""
        async with self.turn:
            await hass.async_add_executor_job(turn)
            self.last, self.pressed, self._proven = Verdict.ACCEPTED, None, None
            self.doubt = await hass.async_add_executor_job(self._doubt)
            if self.teacher.asked:
                await self._keep(hass)

    async def proven(self, hass: HomeAssistant) -> Proven:
        """Return the rule, and what it lacks of each mode."""
        in_executor = hass.async_add_executor_job
        async with self.turn:
            if self._proven is None:
                self._proven = (
                    await in_executor(self.teacher.rule),
                    await in_executor(self.teacher.open),
                )
            return self._proven

    def _doubt(self) -> Doubt | None:
        return self.teacher.doubt

    async def _keep(self, hass: HomeAssistant) -> None:
        await lessons_of(hass).keep(begun(self.of), self.lesson)


async def async_resume(hass: HomeAssistant, lesson: Lesson, of: str) -> Teaching:
    """Go on with a lesson that was kept, for a hub's entry or a device."""
    known = KnownAirConditioners.shipped
    teacher = await hass.async_add_executor_job(Teacher.resume, lesson.record, known)
    doubt = await hass.async_add_executor_job(lambda: teacher.doubt)
    return Teaching(lesson.answers, teacher, of, doubt=doubt)
