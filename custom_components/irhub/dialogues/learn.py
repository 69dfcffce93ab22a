"""Learn a command: receive it, show it, try it, save it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, override

from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.helpers.selector import BooleanSelector
import voluptuous as vol

from .._common.markdown import Markdown, bullets, escaped
from ..errors import UserError
from ..hub.learning import Captured, CommandType
from ..hub.library import Capability
from ..ircodes import meaning, read, to_timings
from ..ircodes.packet import kind
from ..ircodes.protocols import clean, learned, median_of, same_button
from .form import select
from .listening import OnePressPage
from .page import Answers, HubPage, MenuPage, Page, Shown, names_in, option

CONF_ALTERNATIVE: Final = "alternative"
CONF_COMMAND_TYPE: Final = "command_type"
MOST_PRESSES: Final = 3
"""Maximum number of presses of one button, whose median is saved."""


@dataclass(repr=False)
class LearnPage(HubPage):
    """Asks for the names of the next command to learn."""

    _earlier_answers: Answers = field(default_factory=dict, init=False)
    """The answers for the command before."""
    _frequency: tuple[str, float] | None = field(default=None, init=False)
    """The device whose radio command was learned last, and its frequency in MHz."""

    @override
    async def show(self) -> Shown:
        fields = {**self.name_fields()}
        if self.hub.can(Capability.RADIO):
            command_type = vol.Required(CONF_COMMAND_TYPE, default="ir")
            fields[command_type] = select(
                ["ir", "rf"], as_list=True, translation_key="command_type"
            )
        fields[vol.Required(CONF_ALTERNATIVE, default=False)] = BooleanSelector()
        return await self.form("learn", fields, self._earlier_answers)

    @override
    async def submit(self, answers: Answers) -> Page:
        device_name, command = names_in(answers)
        names = {CONF_DEVICE: device_name, CONF_COMMAND: command}
        self._earlier_answers = self.answers = {**answers, **names}
        if not device_name and not command:
            return await self.choose("init")
        if not device_name or not command:
            raise UserError("empty_name")
        target = Target(
            device=device_name,
            command=command,
            command_type=answers.get(CONF_COMMAND_TYPE, "ir"),
            alternates=answers[CONF_ALTERNATIVE],
        )
        device = self.devices.known(target.device)
        is_taken = device is not None and device.named(target.command) is not None
        if not is_taken:
            return await self.listen_for(target)
        listen = {"listen": partial(self.listen_for, target)}
        return MenuPage(self, "taken", ["listen", "learn", "init"], target.texts, listen)

    async def listen_for(self, target: Target) -> Page:
        """Learn a command; it replaces one of the same name."""
        return ListenForCommandPage(self, target)

    @option
    async def learn(self) -> Page:
        """Ask for another name."""
        return self

    def frequency_of(self, device: str) -> float | None:
        """Return the configured or detected frequency of a device's remote control, in MHz."""
        if (set_by_user := self.entry.runtime_data.options.frequency) is not None:
            return set_by_user
        last_device, frequency = self._frequency or (None, None)
        return frequency if device == last_device else None

    def note(self, target: Target, frequency: float | None) -> None:
        """Store the detected frequency. None, after a failure, discards it: it may be wrong."""
        if frequency is not None:
            self._frequency = target.device, frequency
        elif target.command_type == "rf":
            self._frequency = None

    def forget_name(self) -> None:
        """Do not suggest a name for the next command."""
        self._earlier_answers = {**self._earlier_answers, CONF_COMMAND: ""}


@dataclass(frozen=True, kw_only=True)
class Target:
    """The command to learn."""

    device: str
    command: str
    command_type: CommandType
    alternates: bool
    """Whether the button alternates between two codes."""

    @property
    def texts(self) -> dict[str, str]:
        """Return the placeholders of pages about it."""
        return {"device": self.device, "command": self.command}


@dataclass(repr=False)
class ListenForCommandPage(OnePressPage):
    """Shows which press the hub waits for, until it has received all."""

    step = "listen"
    before: LearnPage
    target: Target
    earlier: Sequence[bytes] = ()
    """Presses of the same button received before."""

    def __post_init__(self) -> None:
        """Set the parameters of reception."""
        self.command_type = self.target.command_type
        self.frequency = self.before.frequency_of(self.target.device)
        self.presses = 2 if self.target.alternates else 1

    @property
    @override
    def action(self) -> str:
        return str(self.to_do)

    @property
    @override
    def texts(self) -> Mapping[str, str]:
        return self.target.texts

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        in_executor = self.hass.async_add_executor_job
        presses, captures = await in_executor(_combine, self.earlier, captured)
        cleaned = await in_executor(_reencode, captures)
        self.before.note(self.target, captures[0].frequency)
        return LearnedCommandPage(self.before, self.target, captures, cleaned, presses)

    @override
    async def on_failure(self) -> Page:
        self.before.note(self.target, None)
        return await super().on_failure()


@dataclass(repr=False)
class LearnedCommandPage(HubPage):
    """Shows the received command and offers to save it, try it, or learn it again."""

    before: LearnPage
    target: Target
    captured: Sequence[Captured]
    cleaned: Sequence[bytes]
    """The codes re-encoded by their protocol; empty if the protocol of one is unknown."""
    presses: Sequence[bytes]
    """The presses of one code whose median is in `captured`."""

    _transmissions = 0
    """Number of test transmissions."""
    _was_just_transmitted = False
    """Whether the last action was a test transmission."""

    @override
    async def show(self) -> Shown:
        captured = self.captured
        number = (self._transmissions - 1) % len(captured) + 1
        sent = describe_capture(captured[number - 1])
        return self.menu(
            self._step,
            [
                "keep",
                *(["keep_clean"] if self.cleaned else []),
                "try_heard",
                *(["press_more"] if self._more_helps else []),
                *("listen", "init"),
            ],
            **self.target.texts,
            heard=bullets(map(describe_capture, captured)),
            # A Markdown list that begins with the number of the packet sent.
            sent=sent if len(captured) == 1 else Markdown(f"{number}. {escaped(sent)}"),
        )

    @property
    def _step(self) -> str:
        if self._was_just_transmitted:
            return "tried_heard"
        alternates = len(self.captured) > 1
        if alternates == self.target.alternates:
            return "heard"
        return "heard_other" if alternates else "heard_same"

    @option
    async def listen(self) -> Page:
        """Learn it again."""
        return ListenForCommandPage(self.before, self.target)

    @option
    async def try_heard(self) -> Page:
        """Transmit the received code; two codes are sent in turn."""
        self._was_just_transmitted = False
        await self.hub.transmit([self.captured[self._transmissions % len(self.captured)].packet])
        self._transmissions, self._was_just_transmitted = self._transmissions + 1, True
        return self

    @option
    async def keep(self) -> Page:
        """Save the command as received; it replaces one of the same name."""
        return await self._store([captured.packet for captured in self.captured])

    @option
    async def keep_clean(self) -> Page:
        """Save the re-encoded command, without the inaccuracies of the receiver."""
        return await self._store(self.cleaned)

    @option
    async def press_more(self) -> Page:
        """Receive the button again, to average a code whose protocol is unknown."""
        return ListenForCommandPage(self.before, self.target, self.presses)

    async def _store(self, packets: Sequence[bytes]) -> Page:
        self._was_just_transmitted = False
        target = self.target
        await self.devices.store({target.device: {target.command: learned([*packets])}})
        self.before.forget_name()
        return MenuPage(self.before, "kept", ["learn", "init", "finish"], target.texts)

    @property
    def _more_helps(self) -> bool:
        """Return whether another press would improve a code that cannot be re-encoded."""
        return (
            not self.cleaned
            and not self.target.alternates
            and kind(self.presses[0]) == "ir"
            and len(self.presses) < MOST_PRESSES
        )


def without_repeats(captured: Sequence[Captured]) -> list[Captured]:
    """Return the presses without those that repeat the code of the first."""
    first, *others = captured
    return [first, *(other for other in others if not same_button(first.packet, other.packet))]


def _combine(
    earlier: Sequence[bytes], captured: Sequence[Captured]
) -> tuple[list[bytes], list[Captured]]:
    """Return the presses of one code so far, and their median as a capture.

    If the last press is another code, it is appended to the captures.
    """
    if not earlier:
        captures = without_repeats(captured)
        return [captures[0].packet], captures
    [last] = captured
    if not same_button(earlier[0], last.packet):
        return [*earlier], [Captured(packet=read(median_of(earlier)), frequency=None), last]
    presses = [*earlier, last.packet]
    return presses, [Captured(packet=read(median_of(presses)), frequency=None)]


def _reencode(captures: list[Captured]) -> list[bytes]:
    """Return the re-encoded packets, or nothing if one cannot be re-encoded."""
    cleaned = [packet for captured in captures if (packet := clean(captured.packet)) is not None]
    return cleaned if len(cleaned) == len(captures) else []


def describe_capture(captured: Captured) -> str:
    """Return a language-neutral description of a capture."""
    packet = captured.packet
    parts = [kind(packet).upper()]
    if captured.frequency is not None:
        parts.append(f"{captured.frequency:g} MHz")
    if (decoded := meaning(packet)) is not None:
        parts.append(decoded.text)
    parts.append(f"{sum(map(abs, to_timings(packet))) / 1000:.0f} ms")
    if captured.receiver is not None:
        parts.append(captured.receiver)
    return " · ".join(parts)
