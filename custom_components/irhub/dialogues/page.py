"""The base class of dialogue pages: what they show, what they accept, which page follows.

A page is created by the page before, which it refers to, with all data that it needs. `PageFlow`
shows one page at a time in any kind of Home Assistant's flows.
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
"""Answers of a form: field → value."""
type Fields = Mapping[Any, object]
"""Fields of a form: marker of `voluptuous` → selector."""
type Shown = FlowResult[Any, Any]
"""A flow result: a form, a menu, progress, or the end."""
type AnyFlow = EntryFlow[Any, Any, Any]
type Option = Callable[[], Awaitable[Page]]
"""Handler of a menu option; returns the next page."""
type LeadsTo = Mapping[str, Callable[[Any], Page]]
"""Menu option → function that makes the next page from the current one."""
type Offered = Sequence[str] | Mapping[str, object]
"""Menu options in order; of a mapping, those with a true value."""
type Problem = IrhubError | vol.Invalid
"""The error to show; `vol.Invalid` means that the host given is invalid."""

_OPTION: Final = "_is_option"


def option[ChooseHubPage: Callable[..., Any]](handler: ChooseHubPage) -> ChooseHubPage:
    """Mark a method of a page as handler of the menu option of the same name."""
    setattr(handler, _OPTION, True)
    return handler


def offered(options: Offered) -> list[str]:
    """Return the options as a list."""
    return [name for name in options if not isinstance(options, Mapping) or options[name]]


@dataclass(repr=False)
class Page:
    """A page. Menu options that it does not handle are passed to the page before."""

    options: ClassVar[frozenset[str]] = frozenset()
    """The menu options that it handles itself."""
    leads_to: ClassVar[LeadsTo] = {}
    """Those of its options that only create the next page."""

    before: Page | AnyFlow
    """The page that it was created by; the flow for the first page."""
    problem: Problem | None = field(default=None, init=False)
    """The error of the last attempt, shown until the next."""
    answers: Answers | None = field(default=None, init=False)
    """The rejected answers of the form, to show them again."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        methods = {name for name, value in vars(cls).items() if hasattr(value, _OPTION)}
        cls.options = cls.options | methods | cls.leads_to.keys()

    @property
    def flow(self) -> AnyFlow:
        """Return the flow that shows this page."""
        return self.before.flow if isinstance(self.before, Page) else self.before

    @property
    def hass(self) -> HomeAssistant:
        """Return Home Assistant."""
        return self.flow.hass

    async def show(self) -> Shown | Page:
        """Return the flow result to show, or the next page if no user input is needed.

        Home Assistant may call this at any time, so it must not have side effects.
        """
        raise NotImplementedError

    async def submit(self, answers: Answers) -> Page:
        """Return the next page for the answers of a form. Raise IrhubError if they are wrong."""
        raise NotImplementedError

    async def choose(self, chosen: str) -> Page:
        """Return the next page for a menu option. Raise IrhubError if it fails."""
        if (make_page := self.leads_to.get(chosen)) is not None:
            return make_page(self)
        if chosen in self.options:
            next_page: Page = await getattr(self, chosen)()
            return next_page
        assert isinstance(self.before, Page), chosen  # noqa: S101 - else no page knows the option
        return await self.before.choose(chosen)

    def back_with(self, problem: Problem | None) -> Page:
        """Return the page before, which will show the problem."""
        assert isinstance(self.before, Page)  # noqa: S101 - for mypy: the first page has no way back
        self.before.problem = problem
        return self.before

    async def enter(self) -> None:
        """Start what runs while the page is shown."""

    async def leave(self) -> None:
        """Stop what runs while the page is shown, before another page is shown."""
        self.problem = self.answers = None

    @callback
    def close(self) -> None:
        """Stop what runs while the page is shown, since the dialogue was closed."""

    async def form(
        self,
        step: str,
        fields: Fields | None = None,
        suggested: Mapping[str, Any] | None = None,
        /,
        **texts: str,
    ) -> Shown:
        """Return a form, prefilled with `suggested`, or with the rejected answers and the error."""
        errors: dict[str, str] = {}
        answers = self.answers or {}
        if isinstance(self.problem, vol.Invalid):
            errors[CONF_HOST] = host_error(str(answers.get(CONF_HOST, "")))
        elif self.problem is not None:
            errors["base"], texts["error"] = "failed", self.problem_text
        schema = self.flow.add_suggested_values_to_schema(
            vol.Schema({**(fields or {})}), {**(suggested or {}), **answers}
        )
        result: Shown = self.flow.async_show_form(
            step_id=step, data_schema=schema, errors=errors, description_placeholders=texts
        )
        return result

    def menu(self, step: str, options: Offered, **texts: str) -> Shown:
        """Return a menu; its text may contain the placeholder `problem`."""
        result: Shown = self.flow.async_show_menu(
            step_id=step,
            menu_options=offered(options),
            description_placeholders={"problem": self.problem_text, **texts},
        )
        return result

    def progress(self, step: str, action: str, task: asyncio.Task[Any], **texts: str) -> Shown:
        """Return a progress page; the next page is shown when the task is done."""
        result: Shown = self.flow.async_show_progress(
            step_id=step,
            progress_action=action,
            progress_task=task,
            description_placeholders=texts,
        )
        return result

    @property
    def problem_text(self) -> str:
        """Return the problem as a sentence, empty if there is none."""
        return localized(self.problem) if isinstance(self.problem, IrhubError) else ""


@dataclass(repr=False)
class ProgressPage[Result](Page):
    """Shows the progress of a task, then another page. Closing the dialogue cancels the task."""

    step: ClassVar[str]
    """The step id."""
    action: ClassVar[str]
    """The progress action, whose text describes the task."""
    _task: asyncio.Task[Result] = field(init=False)

    async def work(self) -> Result:
        """Run the task and return its result."""
        raise NotImplementedError

    async def next_page(self, result: Result) -> Page:
        """Return the next page. An IrhubError raised here is shown on the page before."""
        raise NotImplementedError

    @property
    def texts(self) -> Mapping[str, str]:
        """Return the placeholders of the progress text."""
        return {}

    @override
    async def enter(self) -> None:
        # Not eager: if it finished at once, the next page would receive the answers of this form.
        self._task = self.hass.async_create_background_task(
            self.work(), f"irhub: a dialogue shows {self.action}", eager_start=False
        )

    @override
    async def show(self) -> Shown | Page:
        if not self._task.done():
            return self.progress(self.step, self.action, self._task, **self.texts)
        try:
            return await self.next_page(self._task.result())
        except IrhubError as err:
            return self.back_with(err)

    @callback
    @override
    def close(self) -> None:
        self._task.cancel()


@dataclass(repr=False)
class MenuPage(Page):
    """A menu with a text. Options that are not its `handlers` are handled by pages before."""

    step: str
    choices: Sequence[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    handlers: Mapping[str, Option] = field(default_factory=dict)
    problem: Problem | None = field(default=None, kw_only=True)

    @override
    async def show(self) -> Shown:
        return self.menu(self.step, self.choices, **self.texts)

    @override
    async def choose(self, chosen: str) -> Page:
        return await (
            self.handlers[chosen]() if chosen in self.handlers else super().choose(chosen)
        )


@dataclass(repr=False)
class EndPage(Page):
    """Ends the dialogue and shows the reason."""

    reason: str
    texts: Mapping[str, str] = field(default_factory=dict)

    @override
    async def show(self) -> Shown:
        """Return the end."""
        result: Shown = self.flow.async_abort(
            reason=self.reason, description_placeholders=self.texts
        )
        return result


class HubPage(Page):
    """A page about a configured hub and its devices."""

    @property
    def entry(self) -> IrhubConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it is not loaded any more."""
        return self.flow.entry

    @property
    def hub(self) -> Transceiver:
        """Return the hub."""
        return self.entry.runtime_data.hub

    @property
    def devices(self) -> Devices:
        """Return the devices that the hub controls."""
        return self.entry.runtime_data.devices

    def device_selector(self) -> SelectSelector:
        """Return a field for the name of an existing or a new device."""
        return select(self.devices.by_label, custom=True)

    def name_fields(self) -> Fields:
        """Return the fields for the names of a command and of its device."""
        return {
            vol.Optional(CONF_DEVICE): self.device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
        }


def names_in(answers: Answers) -> tuple[str, str]:
    """Return the names of the device and the command in the answers, empty if not given."""
    return answers.get(CONF_DEVICE, "").strip(), answers.get(CONF_COMMAND, "").strip()


@dataclass(repr=False)
class DevicePage(HubPage):
    """A page about one device."""

    chosen_device: Device

    @property
    def device(self) -> Device:
        """Return the current version of the device."""
        return self.devices.latest(self.chosen_device)

    @property
    def label(self) -> str:
        """Return the label of the device."""
        return self.devices.label(self.device)

    def command_selector(self, *, multiple: bool = False) -> SelectSelector:
        """Return a field for commands of the device."""
        return select(sorted(self.device.by_name), custom=True, multiple=multiple)
