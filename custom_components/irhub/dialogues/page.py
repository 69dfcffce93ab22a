"""A page of a dialogue: what it shows, what it accepts, and which page follows.

A page is made when it is needed, with what it has to know, and belongs to the page it came from.
`PageFlow` shows one page at a time in any of Home Assistant's flows.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, override

from homeassistant.const import CONF_COMMAND, CONF_DEVICE, CONF_HOST
from homeassistant.core import HomeAssistant, callback
from homeassistant.data_entry_flow import FlowResult
from homeassistant.helpers.selector import SelectSelector, TextSelector
import voluptuous as vol

from ..devices.device import Device
from ..devices.store import Devices
from ..entities.use import IrhubConfigEntry
from ..errors import IrhubError, localized
from ..hub.transceiver import Transceiver
from .entry_flow import EntryFlow
from .form import host_error, select

type Answers = dict[str, Any]
"""What a form was answered."""
type Fields = Mapping[Any, object]
"""What a form asks: markers of `voluptuous`, and a selector for each."""
type Shown = FlowResult[Any, Any]
"""What Home Assistant shows: a form, a menu, progress, or the end."""
type AnyFlow = EntryFlow[Any, Any, Any]
type Option = Callable[[], Awaitable[Page]]
"""Returns what follows when an option of a menu is chosen."""
type LeadsTo = Mapping[str, Callable[[Any], Page]]
"""Options of a menu, and what makes the page that follows each, from the one before."""
type Offered = Sequence[str] | Mapping[str, object]
"""Options of a menu, in their order; of a mapping those that are true."""
type Problem = IrhubError | vol.Invalid
"""What went wrong; `vol.Invalid` means that what was given as a host is none."""

_OPTION: Final = "_is_option"


def option[Choose: Callable[..., Any]](choose: Choose) -> Choose:
    """Mark the method of a page that returns what follows when a menu's option is chosen.

    Its name is the option's.
    """
    setattr(choose, _OPTION, True)
    return choose


def offered(options: Offered) -> list[str]:
    """Return what a menu or a field offers."""
    return [name for name in options if not isinstance(options, Mapping) or options[name]]


@dataclass(repr=False)
class Page:
    """One page. An option that it does not know is one of the page it came from."""

    options: ClassVar[frozenset[str]] = frozenset()
    """Which options of menus it follows itself."""
    leads_to: ClassVar[LeadsTo] = {}
    """Of those the ones that do nothing but make the next page."""

    before: Page | AnyFlow
    """The page that it came from; the flow, if it is the first one."""
    problem: Problem | None = field(default=None, init=False)
    """What went wrong in the last try, for the page to say until the next one."""
    answers: Answers | None = field(default=None, init=False)
    """What the form was answered, if that was not accepted."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name for name, value in vars(cls).items() if hasattr(value, _OPTION)}
        cls.options = cls.options | own | cls.leads_to.keys()

    @property
    def flow(self) -> AnyFlow:
        """Return the flow that shows it."""
        return self.before.flow if isinstance(self.before, Page) else self.before

    @property
    def hass(self) -> HomeAssistant:
        """Return Home Assistant."""
        return self.flow.hass

    async def show(self) -> Shown | Page:
        """Return what is shown now, or the page that follows by itself.

        Home Assistant asks whenever it likes: it changes nothing.
        """
        raise NotImplementedError

    async def submit(self, answers: Answers) -> Page:
        """Return what follows the answers of a form. Raise IrhubError if they are wrong."""
        raise NotImplementedError

    async def choose(self, chosen: str) -> Page:
        """Return what follows an option of a menu. Raise IrhubError if it fails."""
        if (make := self.leads_to.get(chosen)) is not None:
            return make(self)
        if chosen in self.options:
            followed: Page = await getattr(self, chosen)()
            return followed
        assert isinstance(self.before, Page), chosen  # noqa: S101 - else no page knows the option
        return await self.before.choose(chosen)

    def back_with(self, problem: Problem | None) -> Page:
        """Return the page that it came from, which says what went wrong."""
        assert isinstance(self.before, Page)  # noqa: S101 - for mypy: the first page has no way back
        self.before.problem = problem
        return self.before

    async def enter(self) -> None:
        """Begin what goes on while the page is there."""

    async def leave(self) -> None:
        """End what goes on while the page is there; another page follows."""
        self.problem = self.answers = None

    @callback
    def close(self) -> None:
        """End what goes on while the page is there; the dialogue is closed."""

    async def form(
        self,
        step: str,
        fields: Fields | None = None,
        given: Mapping[str, Any] | None = None,
        /,
        **texts: str,
    ) -> Shown:
        """Return a form, filled with what was `given`, or with what was wrong and why."""
        errors: dict[str, str] = {}
        answers = self.answers or {}
        if isinstance(self.problem, vol.Invalid):
            errors[CONF_HOST] = host_error(str(answers.get(CONF_HOST, "")))
        elif self.problem is not None:
            errors["base"], texts["error"] = "failed", self.problem_text
        schema = self.flow.add_suggested_values_to_schema(
            vol.Schema({**(fields or {})}), {**(given or {}), **answers}
        )
        shown: Shown = self.flow.async_show_form(
            step_id=step, data_schema=schema, errors=errors, description_placeholders=texts
        )
        return shown

    def menu(self, step: str, options: Offered, **texts: str) -> Shown:
        """Return a menu; its text may name the `problem`."""
        shown: Shown = self.flow.async_show_menu(
            step_id=step,
            menu_options=offered(options),
            description_placeholders={"problem": self.problem_text, **texts},
        )
        return shown

    def progress(self, step: str, action: str, task: asyncio.Task[Any], **texts: str) -> Shown:
        """Return a page of progress; what follows comes when the task is done."""
        shown: Shown = self.flow.async_show_progress(
            step_id=step,
            progress_action=action,
            progress_task=task,
            description_placeholders=texts,
        )
        return shown

    @property
    def problem_text(self) -> str:
        """Return what went wrong as a sentence, empty if nothing did."""
        return localized(self.problem) if isinstance(self.problem, IrhubError) else ""


@dataclass(repr=False)
class Waiting[Result](Page):
    """Shows the progress of something, which ends with the dialogue; then another page follows."""

    step: ClassVar[str]
    """Under which id it is shown."""
    action: ClassVar[str]
    """Which text says what goes on."""
    _task: asyncio.Task[Result] = field(init=False)

    async def work(self) -> Result:
        """Return what is waited for."""
        raise NotImplementedError

    async def follow(self, result: Result) -> Page:
        """Return the page that follows. Raise IrhubError for the page before to say."""
        raise NotImplementedError

    @property
    def texts(self) -> Mapping[str, str]:
        """Return what the text of the progress names."""
        return {}

    @override
    async def enter(self) -> None:
        # Not eager: done at once, it would hand a form's answers to the next page.
        self._task = self.hass.async_create_background_task(
            self.work(), f"irhub: a dialogue shows {self.action}", eager_start=False
        )

    @override
    async def show(self) -> Shown | Page:
        if not self._task.done():
            return self.progress(self.step, self.action, self._task, **self.texts)
        try:
            return await self.follow(self._task.result())
        except IrhubError as err:
            return self.back_with(err)

    @callback
    @override
    def close(self) -> None:
        self._task.cancel()


@dataclass(repr=False)
class Menu(Page):
    """A menu that says something. Options that are not its `own` are of pages before."""

    step: str
    choices: Sequence[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Option] = field(default_factory=dict)
    problem: Problem | None = field(default=None, kw_only=True)

    @override
    async def show(self) -> Shown:
        return self.menu(self.step, self.choices, **self.texts)

    @override
    async def choose(self, chosen: str) -> Page:
        return await (self.own[chosen]() if chosen in self.own else super().choose(chosen))


@dataclass(repr=False)
class End(Page):
    """Ends the dialogue, and says why."""

    reason: str
    texts: Mapping[str, str] = field(default_factory=dict)

    @override
    async def show(self) -> Shown:
        """Return the end."""
        shown: Shown = self.flow.async_abort(
            reason=self.reason, description_placeholders=self.texts
        )
        return shown


class HubPage(Page):
    """A page about a hub that is there, and its devices."""

    @property
    def entry(self) -> IrhubConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it was unloaded or removed meanwhile."""
        return self.flow.entry

    @property
    def hub(self) -> Transceiver:
        """Return the hub."""
        return self.entry.runtime_data.hub

    @property
    def devices(self) -> Devices:
        """Return what the hub controls."""
        return self.entry.runtime_data.devices

    def device_selector(self) -> SelectSelector:
        """Return a field for a device that is there or a new one."""
        return select(self.devices.by_label, custom=True)

    def name_fields(self) -> Fields:
        """Return the fields for a command, and for the device that has or gets it."""
        return {
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
        }


def names_in(answers: Answers) -> tuple[str, str]:
    """Return the names of a device and a command that a form was given, empty if it was not."""
    return answers.get(CONF_DEVICE, "").strip(), answers.get(CONF_COMMAND, "").strip()


@dataclass(repr=False)
class DevicePage(HubPage):
    """A page about one device, as it is now."""

    chosen_device: Device

    @property
    def device(self) -> Device:
        """Return the device as it is now."""
        return self.devices.latest(self.chosen_device)

    @property
    def label(self) -> str:
        """Return what the device is called."""
        return self.devices.label(self.device)

    def command_selector(self, *, multiple: bool = False) -> SelectSelector:
        """Return a field for commands of the device."""
        return select(sorted(self.device.by_name), custom=True, multiple=multiple)
