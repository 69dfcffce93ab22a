"""Learn a command: listen, show what was heard, try it, keep it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, override

from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import voluptuous as vol

from .._common.markdown import Markdown, bullets, escaped
from ..errors import UserError
from ..hub.learning import LEARN_WINDOW_S, Captured, CommandType
from ..hub.library import Capability
from ..ircodes import meaning, read, to_timings
from ..ircodes.packet import kind
from ..ircodes.protocols import clean, learned, median_of, same_button
from .choose import Done
from .listening import OnePressPage
from .page import Answers, HubPage, Page, Shown, option

CONF_ALTERNATIVE: Final = "alternative"
CONF_COMMAND_TYPE: Final = "command_type"
MOST_PRESSES: Final = 3
"""Of one button, whose median is kept."""


class LearnForm(HubPage):
    """Asks what is to be learned; one command after the other."""

    steps = ("learn",)

    def __init__(self, before: Page) -> None:
        super().__init__(before)
        self._earlier_answers: Answers = {}
        """Those of the last time."""
        self._frequency: tuple[str, float] | None = None
        """The device whose remote control was learned by radio last, and the frequency in MHz."""

    @override
    async def show(self) -> Shown:
        fields: dict[vol.Marker, object] = {
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
        }
        if self.hub.can(Capability.RADIO):
            fields[vol.Required(CONF_COMMAND_TYPE, default="ir")] = SelectSelector(
                SelectSelectorConfig(
                    options=["ir", "rf"],
                    mode=SelectSelectorMode.LIST,
                    translation_key="command_type",
                )
            )
        fields[vol.Required(CONF_ALTERNATIVE, default=False)] = BooleanSelector()
        return await self.form("learn", fields, self._earlier_answers)

    @override
    async def submit(self, answers: Answers) -> Page:
        names = {key: answers.get(key, "").strip() for key in (CONF_DEVICE, CONF_COMMAND)}
        self._earlier_answers = self.answers = {**answers, **names}
        if not any(names.values()):
            return await self.choose("init")
        if not all(names.values()):
            raise UserError("empty_name")
        target = Target(
            device=names[CONF_DEVICE],
            command=names[CONF_COMMAND],
            command_type=answers.get(CONF_COMMAND_TYPE, "ir"),
            alternates=answers[CONF_ALTERNATIVE],
        )
        device = self.devices.known(target.device)
        is_taken = device is not None and device.named(target.command) is not None
        return Taken(self, target) if is_taken else Listen(self, target)

    @option
    async def learn(self) -> Page:
        """Learn another command, which has another name."""
        return self

    def frequency_of(self, device: str) -> float | None:
        """Return the frequency of a device's remote control, as set or as found."""
        if (set_by_user := self.entry.runtime_data.options.frequency) is not None:
            return set_by_user
        named, frequency = self._frequency or (None, None)
        return frequency if device == named else None

    def note(self, target: Target, frequency: float | None) -> None:
        """Note the frequency that was found; None after a failure: it may be another one's."""
        if frequency is not None:
            self._frequency = target.device, frequency
        elif target.command_type == "rf":
            self._frequency = None

    def forget_name(self) -> None:
        """Suggest no name for the next command."""
        self._earlier_answers = {**self._earlier_answers, CONF_COMMAND: ""}


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is to be learned."""

    device: str
    command: str
    command_type: CommandType
    alternates: bool
    """Whether it sends two codes by turns."""

    @property
    def texts(self) -> dict[str, str]:
        """Return what pages say of it."""
        return {"device": self.device, "command": self.command, "seconds": str(LEARN_WINDOW_S)}


class _LearnPage(HubPage):
    """A page on the way to one command."""

    def __init__(self, before: _LearnPage | LearnForm, target: Target) -> None:
        super().__init__(before)
        self.form_before: LearnForm = (
            before if isinstance(before, LearnForm) else before.form_before
        )
        self.target = target

    @option
    async def listen(self) -> Page:
        """Learn it, or learn it again."""
        return Listen(self, self.target)


class Taken(_LearnPage):
    """Asks before a command is replaced."""

    steps = ("taken",)

    @override
    async def show(self) -> Shown:
        return self.menu("taken", ["listen", "learn", "init"], **self.target.texts)


class Listen(OnePressPage):
    """Says which press the hub waits for, until it has heard all of them."""

    steps = ("listen",)

    def __init__(
        self, before: _LearnPage | LearnForm, target: Target, earlier: Sequence[bytes] = ()
    ) -> None:
        """Begin; `earlier` are presses of the same button, of which the next is one more."""
        super().__init__(before, "press", **target.texts)
        self._before = before
        self._form = before if isinstance(before, LearnForm) else before.form_before
        self._target = target
        self._earlier = earlier
        self.command_type = target.command_type
        self.frequency = self._form.frequency_of(target.device)
        self.presses = 2 if target.alternates else 1
        self._next: Heard | None = None

    @property
    @override
    def action(self) -> str:
        return "connect" if self.to_do is None else self.to_do

    @override
    async def take(self, captured: Sequence[Captured]) -> bool:
        presses, captures = await self.hass.async_add_executor_job(
            _together, self._earlier, captured
        )
        cleaned = await self.hass.async_add_executor_job(_clean, captures)
        self._next = Heard(self._before, self._target, captures, cleaned, presses)
        self._form.note(self._target, captures[0].frequency)
        return False

    @override
    async def next_page(self) -> Page:
        if self._next is None:
            self._form.note(self._target, None)
            self._form.problem = self.problem
            return self._form
        return self._next


class Heard(_LearnPage):
    """Shows what was heard: to keep it, to try it, or to learn it again."""

    steps = ("heard", "heard_same", "heard_other", "tried_heard")

    def __init__(
        self,
        before: _LearnPage | LearnForm,
        target: Target,
        captured: Sequence[Captured],
        cleaned: Sequence[bytes],
        presses: Sequence[bytes],
    ) -> None:
        """Take what was heard.

        `cleaned` are the codes encoded anew, none if the meaning of one is not known; `presses`
        those of the one code that `captured` has been made of.
        """
        super().__init__(before, target)
        self._captured = captured
        self._cleaned = cleaned
        self._presses = presses
        self._tried = 0
        """How often what was heard has been sent."""
        self._is_tried = False
        """Whether that has just been done."""

    @override
    async def show(self) -> Shown:
        captured = self._captured
        number = (self._tried - 1) % len(captured) + 1
        sent = describe_heard(captured[number - 1])
        return self.menu(
            self._step,
            [
                "keep",
                *(["keep_clean"] if self._cleaned else []),
                "try_heard",
                *(["press_more"] if self._more_helps else []),
                *("listen", "init"),
            ],
            **self.target.texts,
            heard=bullets(map(describe_heard, captured)),
            # A list that begins with the number of the packet that was sent.
            sent=sent if len(captured) == 1 else Markdown(f"{number}. {escaped(sent)}"),
            problem=await self.problem_text(),
        )

    @property
    def _step(self) -> str:
        if self._is_tried:
            return "tried_heard"
        alternates = len(self._captured) > 1
        if alternates == self.target.alternates:
            return "heard"
        return "heard_other" if alternates else "heard_same"

    @option
    async def try_heard(self) -> Page:
        """Transmit what was heard; of two codes the one, the next time the other."""
        self._is_tried = False
        await self.hub.transmit([self._captured[self._tried % len(self._captured)].packet])
        self._tried, self._is_tried = self._tried + 1, True
        return self

    @option
    async def keep(self) -> Page:
        """Store the command as it was heard, in place of one of the same name."""
        return await self._store([captured.packet for captured in self._captured])

    @option
    async def keep_clean(self) -> Page:
        """Store the command without what the receiver made of it."""
        return await self._store(self._cleaned)

    @option
    async def press_more(self) -> Page:
        """Hear the button once more, since no protocol says what its code is exactly."""
        return Listen(self, self.target, self._presses)

    async def _store(self, packets: Sequence[bytes]) -> Page:
        self._is_tried = False
        target = self.target
        await self.devices.store({target.device: {target.command: learned([*packets])}})
        self.form_before.forget_name()
        return Done(self.form_before, "kept", lambda: "learn", **target.texts)

    @property
    def _more_helps(self) -> bool:
        """Return whether another press makes the code more exact, for nothing else says it."""
        return (
            not self._cleaned
            and not self.target.alternates
            and kind(self._presses[0]) == "ir"
            and len(self._presses) < MOST_PRESSES
        )


def each_once(captured: Sequence[Captured]) -> list[Captured]:
    """Return the presses without the second one if it was the code of the first."""
    first, *others = captured
    return [first, *(other for other in others if not same_button(first.packet, other.packet))]


def _together(
    before: Sequence[bytes], captured: Sequence[Captured]
) -> tuple[list[bytes], list[Captured]]:
    """Return the presses of one code so far, and what was heard: their median.

    Where the last press is another code, it stands behind that.
    """
    if not before:
        captures = each_once(captured)
        return [captures[0].packet], captures
    [last] = captured
    if not same_button(before[0], last.packet):
        return [*before], [Captured(packet=read(median_of(before)), frequency=None), last]
    presses = [*before, last.packet]
    return presses, [Captured(packet=read(median_of(presses)), frequency=None)]


def _clean(captures: list[Captured]) -> list[bytes]:
    """Return the packets encoded anew; nothing if one of them cannot be."""
    cleaned = [packet for captured in captures if (packet := clean(captured.packet)) is not None]
    return cleaned if len(cleaned) == len(captures) else []


def describe_heard(captured: Captured) -> str:
    """Return what was heard, in words that are the same in every language."""
    packet = captured.packet
    parts = [kind(packet).upper()]
    if captured.frequency is not None:
        parts.append(f"{captured.frequency:g} MHz")
    if (meant := meaning(packet)) is not None:
        parts.append(meant.text)
    parts.append(f"{sum(map(abs, to_timings(packet))) / 1000:.0f} ms")
    return " · ".join(parts)
