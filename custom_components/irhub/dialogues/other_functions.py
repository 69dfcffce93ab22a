"""Find further functions of a device in code files by one press; try each before saving it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, override

from homeassistant.core import HomeAssistant
import voluptuous as vol

from .._common.markdown import Markdown, bullets, escaped
from ..devices.device import Command, Device, free_name
from ..devices.names import functions_of
from ..errors import UserError, common_texts
from ..ircodes import Collection, FileIndex
from ..ircodes.files import CollectedFile, Function, Language
from .draft import Draft, SourcePage, as_kind
from .fetch import async_fetch, source_text
from .form import select
from .maker_and_model import label, licence_of, size_of
from .page import Answers, Page, Shown, option
from .words import async_words

CONF_FUNCTIONS: Final = "functions"
MAX_READ: Final = 100
"""Maximum number of files to read; those with most functions of the device come first."""
_MAX_FILES: Final = 3
"""Maximum number of files shown."""


@dataclass(frozen=True, kw_only=True)
class SameDeviceFiles:
    """The code files that address the same device as a press."""

    language: Language | None = None
    own_paths: Sequence[str] = ()
    """Paths of the user's files."""
    collection_files: Sequence[CollectedFile] = ()
    """Files of the collection."""

    @classmethod
    def of_press(cls, press: bytes, files: FileIndex, collection: Collection) -> SameDeviceFiles:
        """Return the files with the protocol and address of a press. Slow."""
        if (language := Language.of_press(press)) is None:
            return NO_FILES
        by_path = {file.path: file for file in collection.files if file.kind != "climate"}
        codes = collection.codes()
        collection_files = language.matching_files((path, codes[path]) for path in by_path)
        return cls(
            language=language,
            own_paths=language.matching_files(files.codes()),
            collection_files=[by_path[path] for path in collection_files],
        )

    @property
    def paths(self) -> list[str]:
        """Return the labels of all files."""
        return [*map(label, self.collection_files), *self.own_paths]

    async def text(self, hass: HomeAssistant) -> str:
        """Return a sentence with the number and names of the files; empty if there are none."""
        names = self.paths
        if self.language is None or not names:
            return ""
        more = f", … (+{len(names) - _MAX_FILES})" if len(names) > _MAX_FILES else ""
        return (await common_texts(hass))["same_device"].format(
            device=self.language.device,
            count=len(names),
            files=", ".join(names[:_MAX_FILES]) + more,
        )


NO_FILES: Final = SameDeviceFiles()


@dataclass(repr=False)
class OtherFunctionsPage(SourcePage):
    """Asks for consent to fetch files of the collection."""

    files: FileIndex
    collection: Collection
    same_device: SameDeviceFiles

    @override
    async def show(self) -> Shown:
        same_device, collection, source = self.same_device, self.collection, self._source
        own_option = ["own_functions"] if same_device.own_paths else []
        return self.menu(
            "other_functions",
            ["fetch_functions", *own_option, "heard"],
            speaks=await same_device.text(self.hass),
            files=bullets(
                Markdown(f"{escaped(label(file))}: {source_text(collection, file, source)}")
                for file in same_device.collection_files
            ),
            size=size_of(*same_device.collection_files),
            licence=licence_of(collection),
        )

    @option
    async def fetch_functions(self) -> Page:
        """Fetch the files, with the user's consent, and read all."""
        fetch = partial(async_fetch, self.hass, self.collection, source=self._source)
        return await self._read_files(
            {file.path: await fetch(file) for file in self.same_device.collection_files}
        )

    @option
    async def own_functions(self) -> Page:
        """Read the user's own files."""
        return await self._read_files({})

    @property
    def _source(self) -> str | None:
        return self.entry.runtime_data.options.collection

    async def _read_files(self, fetched: Mapping[str, str]) -> Page:
        language = self.same_device.language
        assert language is not None  # noqa: S101 - for mypy: without it there are no files
        read = partial(_functions, language, self.files, self.same_device.own_paths, fetched)
        functions = await self.hass.async_add_executor_job(read)
        page = ChooseFunctionsPage(self, functions)
        if not functions:
            page.problem = UserError("no_other_functions", device=language.device)
        return page


@dataclass(repr=False)
class ChooseFunctionsPage(SourcePage):
    """Asks which functions to try; those that the entity would use are preselected."""

    functions: Sequence[Function]

    @override
    async def show(self) -> Shown:
        functions = self.functions
        useful = {*functions_of(self.kind, [function.name for function in functions]).values()}
        labels = {
            str(function.number): f"{function.name} ({function.files})" for function in functions
        }
        suggested = [str(function.number) for function in functions if function.name in useful]
        return await self.form(
            "choose_functions",
            {
                vol.Optional(CONF_FUNCTIONS): select(
                    labels, multiple=True, label_of=labels.__getitem__
                )
            },
            {CONF_FUNCTIONS: suggested},
            count=str(len(labels)),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        chosen = {*answers.get(CONF_FUNCTIONS, ())}
        selected = [function for function in self.functions if str(function.number) in chosen]
        return TryFunctionPage(self, selected) if selected else await self.choose("heard")


@dataclass(repr=False)
class TryFunctionPage(SourcePage):
    """Offers to send each function in turn, and to keep or skip it."""

    functions: Sequence[Function]
    """The functions to try, in order."""
    _number: int = field(default=0, init=False)
    """Index of the current function."""
    _transmissions: int = field(default=0, init=False)
    """How often the current function was sent."""
    _kept_functions: dict[str, Command] = field(default_factory=dict, init=False)
    """Name → command of each function to keep."""

    @override
    async def show(self) -> Shown:
        options = ["send_function", "skip_function", "functions_done"]
        return self.menu(
            "function_sent" if self._transmissions else "try_function",
            ["keep_function", *options] if self._transmissions else options,
            function=self.functions[self._number].name,
            number=str(self._number + 1),
            total=str(len(self.functions)),
            kept=str(len(self._kept_functions)),
        )

    @option
    async def send_function(self) -> Page:
        """Send the function; the packets of a toggling one are sent in turn, as presses are."""
        packets = self.functions[self._number].packets
        await self.hub.transmit([packets[self._transmissions % len(packets)]])
        self._transmissions += 1
        return self

    @option
    async def keep_function(self) -> Page:
        """Keep the function, which the device has performed."""
        function = self.functions[self._number]
        name = free_name(function.name, self._kept_functions)
        self._kept_functions[name] = Command(id=name, name=name, packets=function.packets)
        return await self.skip_function()

    @option
    async def skip_function(self) -> Page:
        """Go to the next function."""
        self._transmissions = 0
        if self._number + 1 == len(self.functions):
            return await self.functions_done()
        self._number += 1
        return self

    @option
    async def functions_done(self) -> Page:
        """Return the page of a device with the functions kept."""
        if not self._kept_functions:
            return await self.choose("heard")
        name = self.creator.unused_name((await async_words(self.hass)).kind(self.kind))
        device = Device(id=self.new_id(), name=name).with_commands(*self._kept_functions.values())
        return await self.creator.accept(Draft(device=as_kind(device, self.kind)))


def _functions(
    language: Language, files: FileIndex, paths: Sequence[str], fetched: Mapping[str, str]
) -> Sequence[Function]:
    """Return the functions in the files, without files that were changed or removed meanwhile."""
    texts = {**fetched}
    for path in paths[:MAX_READ]:
        try:
            texts[path] = files.read(path)
        except OSError, ValueError:
            continue
    return language.functions(texts)
