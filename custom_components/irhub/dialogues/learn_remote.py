"""Learn a remote control button by button; each press is saved under the name shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, override

from homeassistant.const import CONF_NAME
from homeassistant.core import callback
from homeassistant.helpers.selector import BooleanSelector, TextSelector
import voluptuous as vol

from ..devices.edits import Known
from ..errors import IrhubError, UserError, common_texts, list_names
from ..hub.learning import Captured, Step
from ..hub.library import Capability
from ..ircodes import Recognizer
from ..ircodes.protocols import learned
from .button_lesson import ButtonLesson
from .draft import CONF_BUTTONS, CreatorPage, Draft, SourcePage
from .form import select
from .learn import CONF_ALTERNATIVE, CONF_COMMAND_TYPE, describe_capture, without_repeats
from .listening import PressesPage
from .page import Answers, Page, Shown, option
from .words import async_words

CONF_PRESSED: Final = "pressed"


async def begin_lesson(before: CreatorPage | SourcePage, pressed: bytes | None = None) -> Page:
    """Return the first page of a lesson: for a new device, or for more buttons of an existing one.

    `pressed` is the packet of a button that was pressed before its name was chosen.
    """
    texts, kind = await common_texts(before.hass), before.kind
    traits = kind.traits
    names = {
        function: texts[f"name_{traits.called_by(function).replace(' ', '_')}"]
        for function in (*traits.template, *traits.suggested)
    }
    functions = {name: function for function, name in names.items()}
    usual = [names[function] for function in traits.template]
    suggested = [names[function] for function in traits.suggested]
    lesson = ButtonLesson(
        kind=kind, functions=functions, usual=usual, suggested=suggested, names=usual
    )
    creator = before.creator if isinstance(before, SourcePage) else before
    if (device := creator.existing) is not None:
        lesson.device = device.name
        lesson.names = [
            name
            for name in usual
            if device.named(name) is None and functions.get(name) not in device.functions
        ]
    return ButtonNamesPage(before, lesson, pressed)


@dataclass(repr=False)
class LessonPage(SourcePage):
    """A page of a lesson."""

    lesson: ButtonLesson

    @option
    async def learned(self) -> Page:
        """Return the page of the device with the learned buttons."""
        lesson, note = self.lesson, ""
        if (device := self.devices.known(lesson.device)) is None:
            return self.creator
        if lesson.missing:
            text = (await common_texts(self.hass))["not_learned"]
            note = text.format(names=list_names(lesson.missing))
        return await self.creator.accept(Draft(device=device, note=note))

    async def store(self, name: str, packets: list[bytes]) -> None:
        """Save a button."""
        lesson = self.lesson
        context = Known(kind=lesson.kind, functions=lesson.functions)
        await self.devices.store({lesson.device: {name: learned(packets)}}, context)
        lesson.done[name] = packets[0]


@dataclass(repr=False)
class ButtonNamesPage(LessonPage):
    """Asks for the names of the buttons and the device, and which button was pressed already."""

    pressed: bytes | None

    @override
    async def show(self) -> Shown:
        lesson = self.lesson
        fields: dict[vol.Marker, object] = {}
        suggested: dict[str, object] = {CONF_BUTTONS: lesson.names}
        if not lesson.device:
            fields[vol.Required(CONF_NAME)] = TextSelector()
            suggested[CONF_NAME] = self.creator.unused_name(
                (await async_words(self.hass)).kind(lesson.kind)
            )
        existing_names = () if self.creator.existing is None else self.creator.existing.by_name
        options = dict.fromkeys([*lesson.usual, *lesson.suggested, *lesson.names, *existing_names])
        fields[vol.Optional(CONF_BUTTONS)] = select(options, multiple=True, custom=True)
        if self.pressed is not None and not lesson.done:
            fields[vol.Optional(CONF_PRESSED)] = select(options, custom=True)
        if self.hub.can(Capability.RADIO):
            default = "rf" if lesson.by_radio else "ir"
            command_type = vol.Required(CONF_COMMAND_TYPE, default=default)
            fields[command_type] = select(("ir", "rf"), translation_key="command_type")
        fields[vol.Optional(CONF_ALTERNATIVE, default=lesson.alternates)] = BooleanSelector()
        return await self.form("names", fields, suggested)

    @override
    async def submit(self, answers: Answers) -> Page:
        lesson = self.lesson
        pressed = str(answers.get(CONF_PRESSED, "")).strip()
        buttons: Sequence[str] = answers.get(CONF_BUTTONS, [])
        names = dict.fromkeys([*(button.strip() for button in buttons), pressed])
        lesson.names = [name for name in names if name]
        lesson.alternates = bool(answers.get(CONF_ALTERNATIVE))
        lesson.by_radio = answers.get(CONF_COMMAND_TYPE) == "rf"
        lesson.go_to_first()
        if not lesson.device:
            if not (name := str(answers.get(CONF_NAME, "")).strip()):
                raise UserError("empty_name")
            lesson.device = self.creator.unused_name(name)
        if not lesson.names:
            return self.creator
        if self.pressed is not None and pressed and not lesson.alternates:
            await self.store(pressed, [self.pressed])
            lesson.go_to_first()
        return await self.learned() if lesson.name is None else PressButtonsPage(self, lesson)

    @option
    async def names(self) -> Page:
        """Ask again."""
        return self


@dataclass(repr=False)
class PressButtonsPage(LessonPage, PressesPage):
    """Shows which button is next and saves the received press under its name."""

    _set_frequency: float | None = field(default=None, init=False)
    """The configured frequency, in MHz."""

    def __post_init__(self) -> None:
        """Set the parameters of reception."""
        self.command_type = "rf" if self.lesson.by_radio else "ir"
        self._set_frequency = self.entry.runtime_data.options.frequency
        self.frequency = self.lesson.frequency or self._set_frequency

    @override
    async def handle_press(self, captured: Sequence[Captured]) -> bool:
        """Save the press under the name shown; return whether another button follows.

        A press of another known button is ignored: the button before was held or pressed twice.
        """
        lesson, name, [press] = self.lesson, str(self.lesson.name), captured
        self.frequency = lesson.frequency = press.frequency
        other_buttons = [item for item in lesson.done.items() if item[0] != name]
        lesson.repeated = await self.hass.async_add_executor_job(
            _known_button, other_buttons, press.packet
        )
        if lesson.repeated:
            return True
        lesson.last_press = f"\N{CHECK MARK} {name} · {describe_capture(press)}"
        lesson.presses.append(press)
        if lesson.alternates and len(lesson.presses) == 1:
            return True
        packets = [bytes(press.packet) for press in without_repeats(lesson.presses)]
        lesson.presses.clear()
        await self.store(name, packets)
        if lesson.name == name:
            lesson.go_on()
        return lesson.name is not None

    @override
    async def show_next(self) -> Shown | Page:
        lesson, texts = self.lesson, await common_texts(self.hass)
        if lesson.name is None:
            return await self.learned()
        options = ["skip", *(["back"] if lesson.number else []), "names", "learned"]
        if not self.is_listening:
            page, options = "stopped", ["hear_on", *options]
        elif self.to_do is None:
            page = "let_go"
        elif self.to_do in {Step.HOLD, Step.AGAIN}:
            page = self.to_do
        elif lesson.presses:
            page = "second"
        else:
            page = "press_other" if lesson.repeated else "press"
        return self.menu(
            page,
            options,
            device=lesson.device,
            command=lesson.name,
            previous=lesson.names[lesson.number - 1],
            place=lesson.place,
            seconds=str(self.seconds_left),
            heard=lesson.last_press,
            repeated=lesson.repeated,
            kept=texts["heard_before_kept"] if lesson.done else "",
        )

    @callback
    @override
    def on_end(self, problem: IrhubError | None) -> None:
        if problem is not None:  # the user may have taken another remote control
            self.lesson.frequency, self.frequency = None, self._set_frequency
        super().on_end(problem)

    @option
    async def hear_on(self) -> Page:
        """Continue listening."""
        self.listen()
        return self

    @option
    async def skip(self) -> Page:
        """Skip a button."""
        return await self._go_to(self.lesson.number + 1)

    @option
    async def back(self) -> Page:
        """Learn the button before again."""
        return await self._go_to(max(0, self.lesson.number - 1))

    async def _go_to(self, number: int) -> Page:
        async def select_button() -> None:
            self.lesson.go_to(number)

        return await self.change_button(select_button)


def _known_button(known: Iterable[tuple[str, bytes]], packet: bytes) -> str:
    """Return the name of the known button that was pressed; empty for a new one."""
    return next(iter(Recognizer(known).recognize(packet)), "")
