"""The functions that files know of a device, from one press: each is tried before it is kept."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from .._common.markdown import Markdown, bullets, escaped
from ..devices.device import Command, Device, Kind, free_name, new_id
from ..devices.names import functions_of
from ..errors import IrhubError, UserError, common_texts
from ..ircodes import CollectedFile, Collection, FileIndex, Function, Language
from .appliance_step import Input
from .fetched import async_fetch, shown_source
from .maker_and_model import MakerAndModelFlow, label, licence_of, size_of
from .words import words

CONF_FUNCTIONS: Final = "functions"
MAX_READ: Final = 100
"""Files whose names are read: those that know most of the device."""
_NAMED: Final = 3
"""So many files are named."""


class OtherFunctionsFlow(MakerAndModelFlow):
    """Finds the files that speak to the device that was pressed, and tries their functions."""

    _language: Language | None = None
    _own_files: Sequence[str] = ()
    """The user's files that speak it, by path."""
    _their_files: Sequence[CollectedFile] = ()
    """Those of the collection."""
    _functions: Sequence[Function] = ()
    """What the files know."""
    _wanted: Sequence[Function] = ()
    """What is tried, in this order."""
    _number: int
    """Which of them is next."""
    _sent: int
    """How often that was sent."""
    _kept: Mapping[str, Command]
    """By name."""

    @abstractmethod
    async def async_step_heard(self, user_input: Input = None) -> SubentryFlowResult:
        """Offer what can be made of what was heard."""

    @override
    async def _look(self, press: bytes) -> None:
        await super()._look(press)
        if self._kind is Kind.AIR_CONDITIONER:
            return  # says states: they have no functions
        speakers = partial(_speakers, press, self._files, await self._load_collection())
        self._language, self._own_files, self._their_files = await self.hass.async_add_executor_job(
            speakers
        )

    @property
    @override
    def _more_ways(self) -> Sequence[str]:
        return ["other_functions"] if self._own_files or self._their_files else []

    async def _speaks(self) -> str:
        """Return how many files speak to the device that was pressed, and which."""
        if self._language is None or not self._more_ways:
            return ""
        names = [*map(label, self._their_files), *self._own_files]
        more = f", … (+{len(names) - _NAMED})" if len(names) > _NAMED else ""
        return (await common_texts(self.hass))["same_device"].format(
            device=self._language.device,
            count=len(names),
            files=", ".join(names[:_NAMED]) + more,
        )

    async def async_step_other_functions(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask whether files are to be fetched, if the collection has some."""
        if not self._their_files:
            return await self.async_step_own_functions()
        collection = await self._load_collection()
        own = ["own_functions"] if self._own_files else []
        return self.async_show_menu(
            step_id="other_functions",
            menu_options=["fetch_functions", *own, "heard"],
            description_placeholders={
                "speaks": await self._speaks(),
                "files": bullets(
                    Markdown(
                        f"{escaped(label(file))}: {shown_source(collection, file, self._source)}"
                    )
                    for file in self._their_files
                ),
                "size": size_of(*self._their_files),
                "licence": licence_of(collection),
                "problem": await self._problem_text("other_functions"),
            },
        )

    async def async_step_fetch_functions(self, _user_input: Input = None) -> SubentryFlowResult:
        """Fetch the files, as the user has agreed, and read all."""
        collection, texts = await self._load_collection(), {}
        try:
            for file in self._their_files:
                texts[file.path] = await async_fetch(self.hass, collection, file, self._source)
        except IrhubError as err:
            self._problem = "other_functions", err
            return await self.async_step_other_functions()
        self._problem = None
        return await self._read_functions(texts)

    async def async_step_own_functions(self, _user_input: Input = None) -> SubentryFlowResult:
        """Read the user's own files."""
        return await self._read_functions({})

    async def _read_functions(self, fetched: Mapping[str, str]) -> SubentryFlowResult:
        assert self._language is not None  # noqa: S101 - for mypy: without it there are no files
        read = partial(_functions, self._language, self._files, self._own_files, fetched)
        self._functions = await self.hass.async_add_executor_job(read)
        error = None
        if not self._functions:
            error = UserError("no_other_functions", device=self._language.device)
        return await self._ask_functions(error)

    async def async_step_choose_functions(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which functions are to be tried; those that its entity would use are suggested."""
        if user_input is not None:
            chosen = {*user_input.get(CONF_FUNCTIONS, ())}
            self._wanted = [each for each in self._functions if str(each.number) in chosen]
            self._number, self._sent, self._kept = 0, 0, {}
            if not self._wanted:
                return await self.async_step_heard()
            return await self.async_step_try_function()
        return await self._ask_functions()

    async def _ask_functions(self, error: IrhubError | None = None) -> SubentryFlowResult:
        useful = {*functions_of(self._kind, [each.name for each in self._functions]).values()}
        options = [
            SelectOptionDict(value=str(each.number), label=f"{each.name} ({each.files})")
            for each in self._functions
        ]
        config = SelectSelectorConfig(
            options=options, multiple=True, mode=SelectSelectorMode.DROPDOWN
        )
        return await self._form(
            "choose_functions",
            {vol.Optional(CONF_FUNCTIONS): SelectSelector(config)},
            {CONF_FUNCTIONS: [str(each.number) for each in self._functions if each.name in useful]},
            error=error,
            placeholders={"count": str(len(options))},
        )

    async def async_step_try_function(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the function that is next: it is sent, then kept or not."""
        if self._number >= len(self._wanted):
            return await self.async_step_functions_done()
        options = {
            "keep_function": bool(self._sent),
            "send_function": True,
            "skip_function": True,
            "functions_done": True,
        }
        return self.async_show_menu(
            step_id="function_sent" if self._sent else "try_function",
            menu_options=[step for step, is_offered in options.items() if is_offered],
            description_placeholders={
                "function": self._wanted[self._number].name,
                "number": str(self._number + 1),
                "total": str(len(self._wanted)),
                "kept": str(len(self._kept)),
                "problem": await self._problem_text("try_function"),
            },
        )

    async_step_function_sent = async_step_try_function

    async def async_step_send_function(self, _user_input: Input = None) -> SubentryFlowResult:
        """Send it; what has a toggle by turns, as presses do."""
        packets = self._wanted[self._number].packets
        try:
            await self._devices.send(self._hub, None, [packets[self._sent % len(packets)]])
        except IrhubError as err:
            self._problem = "try_function", err
        else:
            self._problem = None
            self._sent += 1
        return await self.async_step_try_function()

    async def async_step_keep_function(self, _user_input: Input = None) -> SubentryFlowResult:
        """Keep it: the device did it."""
        function = self._wanted[self._number]
        name = free_name(function.name, self._kept)
        command = Command(id=name, name=name, packets=function.packets)
        self._kept = {**self._kept, name: command}
        return await self.async_step_skip_function()

    async def async_step_skip_function(self, _user_input: Input = None) -> SubentryFlowResult:
        """Go on to the next one."""
        self._number, self._sent, self._problem = self._number + 1, 0, None
        return await self.async_step_try_function()

    async def async_step_functions_done(self, _user_input: Input = None) -> SubentryFlowResult:
        """Show the device that the functions make that were kept."""
        if not self._kept:
            return await self.async_step_heard()
        device = Device(
            id=new_id(str(self._entry.runtime_data.settings.mac)),
            name=self._free((await words(self.hass)).kind(self._kind)),
        ).with_commands(*self._kept.values())
        self._rule = None
        return await self._show_device(self._as(device, self._kind))


def _speakers(
    press: bytes, files: FileIndex, collection: Collection
) -> tuple[Language | None, Sequence[str], Sequence[CollectedFile]]:
    """Return the language of a press, and who speaks it: the user's files, the collection's."""
    if (language := Language.of_press(press)) is None:
        return None, (), ()
    by_path = {file.path: file for file in collection.files if file.kind != "climate"}
    codes = collection.codes()
    theirs = language.speakers((path, codes[path]) for path in by_path)
    return language, language.speakers(files.codes()), [by_path[path] for path in theirs]


def _functions(
    language: Language, files: FileIndex, paths: Sequence[str], fetched: Mapping[str, str]
) -> Sequence[Function]:
    """Return what files know; one that was changed or removed meanwhile says nothing."""
    texts = {**fetched}
    for path in paths[:MAX_READ]:
        try:
            texts[path] = files.read(path)
        except OSError, ValueError:
            continue
    return language.functions(texts)
