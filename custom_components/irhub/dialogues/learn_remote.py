"""Learn a remote control: press after press, each kept under the name that is shown."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.const import CONF_NAME
from homeassistant.helpers.selector import BooleanSelector, TextSelector
import voluptuous as vol

from ..errors import IrhubError, UserError, common_texts, list_names
from ..hub.ear import Captured, CommandType, Step
from ..hub.library import Capability
from ..ircodes import Recognizer, learned
from .appliance_step import CONF_BUTTONS, Input, select
from .learn import CONF_ALTERNATIVE, CONF_COMMAND_TYPE, describe_heard, each_once
from .lesson import FUNCTIONS_OF_BUTTONS, SUGGESTED, TEMPLATES, Lesson
from .listening import ListeningStep
from .words import words

CONF_PRESSED: Final = "pressed"


class LearnRemoteFlow(ListeningStep):
    """Learns the buttons of a remote control one after the other."""

    _lesson: Lesson
    _pressed: bytes | None = None
    """A button that was pressed before it had a name."""

    @abstractmethod
    async def async_step_how(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask how the device comes to its commands."""

    @override
    async def async_step_learn_remote(self, _user_input: Input = None) -> SubentryFlowResult:
        """Begin a lesson: of a new device, or of what a device that is there lacks."""
        texts = await common_texts(self.hass)
        buttons = TEMPLATES[self._kind]
        usual = [texts[f"name_{button}"] for button in buttons]
        further = SUGGESTED.get(self._kind, ())
        functions = {
            texts[f"name_{button}"]: function
            for button in (*buttons, *further)
            if (function := FUNCTIONS_OF_BUTTONS.get(button)) is not None
        }
        self._lesson = lesson = Lesson(
            kind=self._kind,
            functions=functions,
            usual=usual,
            suggested=[texts[f"name_{button}"] for button in further],
            names=usual,
        )
        if hasattr(self, "_draft") and not self._is_new:
            known = self._devices.latest(self._draft)
            lesson.device = known.name
            lesson.names = [
                name
                for name in usual
                if known.named(name) is None and functions.get(name) not in known.functions
            ]
        return await self.async_step_names()

    async def async_step_names(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which buttons it has, what it is called, and which one was pressed already."""
        await self._end_listening()
        lesson, error = self._lesson, None
        if user_input is not None:
            error = self._begin(user_input)
            if error is None and lesson.names:
                error = await self._keep_pressed(user_input.get(CONF_PRESSED))
            if error is None:
                return await (self._hear_next() if lesson.names else self.async_step_how())
        fields: dict[vol.Marker, object] = {}
        given: dict[str, object] = {CONF_BUTTONS: lesson.names}
        if not lesson.device:
            fields[vol.Required(CONF_NAME)] = TextSelector()
            given[CONF_NAME] = self._free((await words(self.hass)).kind(self._kind))
        options = [*dict.fromkeys([*lesson.usual, *lesson.suggested, *lesson.names])]
        fields[vol.Optional(CONF_BUTTONS)] = select(options, multiple=True, custom=True)
        if self._pressed is not None and not lesson.done:
            fields[vol.Optional(CONF_PRESSED)] = select(options, custom=True)
        if self._hub.can(Capability.RADIO):
            command_type = vol.Required(
                CONF_COMMAND_TYPE, default="rf" if lesson.by_radio else "ir"
            )
            fields[command_type] = select(("ir", "rf"), translation_key="command_type")
        fields[vol.Optional(CONF_ALTERNATIVE, default=lesson.alternates)] = BooleanSelector()
        return await self._form("names", fields, given | (user_input or {}), error=error)

    def _begin(self, said: dict[str, object]) -> IrhubError | None:
        """Begin with these names. Return what is wrong with them."""
        lesson = self._lesson
        buttons = said.get(CONF_BUTTONS, [])
        assert isinstance(buttons, list)  # noqa: S101 - for mypy: the selector returns one
        pressed = str(said.get(CONF_PRESSED, "")).strip()
        names = dict.fromkeys([*(str(each).strip() for each in buttons), pressed])
        lesson.names = [name for name in names if name]
        lesson.alternates = bool(said.get(CONF_ALTERNATIVE))
        lesson.by_radio = said.get(CONF_COMMAND_TYPE) == "rf"
        lesson.number = -1
        lesson.go_on()
        if not lesson.device:
            name = str(said.get(CONF_NAME, "")).strip()
            if not name:
                return UserError("empty_name")
            lesson.device = self._free(name)
        return None

    async def _keep_pressed(self, name: str | None) -> IrhubError | None:
        """Keep what was pressed before it had a name."""
        lesson, packet = self._lesson, self._pressed
        if packet is None or not name or not name.strip() or lesson.alternates:
            return None
        try:
            await self._store(name.strip(), [packet])
        except IrhubError as err:
            return err
        lesson.number = -1
        lesson.go_on()
        return None

    async def _hear_next(self, _user_input: Input = None) -> SubentryFlowResult:
        """Let the hub listen, if there is something left to learn."""
        if self._lesson.name is None:
            return await self.async_step_learned()
        self._frequency = self._frequency or self._frequency_said
        command_type: CommandType = "rf" if self._lesson.by_radio else "ir"
        return await self._listen("press", self._take_press, command_type=command_type)

    async_step_hear_on = _hear_next

    async def _take_press(self, captured: Captured) -> bool:
        """Keep what was heard under the name that is shown.

        A button that is held too long, or pressed twice, is not the next one.
        """
        lesson, name = self._lesson, str(self._lesson.name)
        others = [each for each in lesson.done.items() if each[0] != name]
        lesson.repeated = await self.hass.async_add_executor_job(_which, others, captured.packet)
        if lesson.repeated:
            return True
        lesson.heard = f"\N{CHECK MARK} {name} · {describe_heard(captured)}"
        lesson.presses.append(captured)
        if lesson.alternates and len(lesson.presses) == 1:
            return True
        packets = [bytes(press.packet) for press in each_once(lesson.presses)]
        lesson.presses.clear()
        await self._store(name, packets)
        if lesson.name == name:
            lesson.go_on()
        return lesson.name is not None

    async def _store(self, name: str, packets: list[bytes]) -> None:
        lesson = self._lesson
        await self._devices.store(
            {lesson.device: {name: learned(packets)}}, kind=lesson.kind, functions=lesson.functions
        )
        lesson.done[name] = packets[0]

    async def async_step_press(self, _user_input: Input = None) -> SubentryFlowResult:
        """Say which button is next; every press heard leads to the next one."""
        lesson, texts = self._lesson, await common_texts(self.hass)
        if lesson.name is None:
            return await self.async_step_learned()
        options = ["skip", *(["back"] if lesson.number else []), "names", "learned"]
        if self._session is None:
            page, options = "stopped", ["hear_on", *options]
        elif self._to_do is None:
            page = "let_go"
        elif self._to_do in {Step.HOLD, Step.AGAIN}:
            page = self._to_do
        elif lesson.presses:
            page = "second"
        else:
            page = "press_other" if lesson.repeated else "press"
        return self.async_show_menu(
            step_id=page,
            menu_options=options,
            description_placeholders={
                "device": lesson.device,
                "command": lesson.name,
                "previous": lesson.names[lesson.number - 1],
                "place": lesson.place,
                "seconds": str(self._seconds_left()),
                "heard": lesson.heard,
                "repeated": lesson.repeated,
                "problem": await self._problem_text("press"),
                "kept": texts["heard_before_kept"] if lesson.done else "",
            },
        )

    async_step_press_other = async_step_let_go = async_step_stopped = async_step_press
    async_step_hold = async_step_again = async_step_second = async_step_press

    async def async_step_skip(self, _user_input: Input = None) -> SubentryFlowResult:
        """Leave a button out."""
        return await self._go_to(self._lesson.number + 1)

    async def async_step_back(self, _user_input: Input = None) -> SubentryFlowResult:
        """Learn the button before once more."""
        return await self._go_to(max(0, self._lesson.number - 1))

    async def _go_to(self, number: int) -> SubentryFlowResult:
        if self._is_double_click():
            return await self.async_step_press()
        self._lesson.go_to(number)
        if self._lesson.name is not None and self._session is None:
            return await self._hear_next()
        self._extend()
        return await self.async_step_press()

    async def async_step_learned(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the device that the learned buttons make."""
        await self._end_listening()
        lesson = self._lesson
        if (device := self._devices.known(lesson.device)) is None:
            return await self.async_step_how()
        if lesson.left:
            texts = await common_texts(self.hass)
            self._note = texts["not_learned"].format(names=list_names(lesson.left))
        self._pressed = None
        if self.source != "user":
            self._draft = device
            return await self.async_step_ready()
        return await self._show_device(self._as(device, lesson.kind))


def _which(known: Iterable[tuple[str, bytes]], packet: bytes) -> str:
    """Return which of the known buttons was pressed; nothing if it is a new one."""
    return next(iter(Recognizer(known).recognize(packet)), "")
