"""Choose maker and model: a code file of the collection whose index is shipped is fetched."""

import asyncio
from collections.abc import Sequence
from typing import Final, override

from homeassistant.core import callback
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..errors import IrhubError
from ..ircodes import Collection
from ..ircodes.files import CollectedFile
from .draft import Maker, WayPage
from .fetched import async_fetch, shown_source
from .page import Answers, Fields, Page, Shown, option

CONF_MODEL: Final = "model"


class AskModel(WayPage):
    """Asks for maker and model."""

    steps = ("maker_and_model", "of_press")

    def __init__(
        self,
        before: Maker | WayPage,
        step: str,
        collection: Collection,
        offered: Sequence[CollectedFile],
    ) -> None:
        super().__init__(before)
        self._step = step
        self._collection = collection
        self._by_path = {file.path: file for file in offered}

    @override
    async def show(self) -> Shown:
        options = sorted(
            (SelectOptionDict(value=path, label=label(of)) for path, of in self._by_path.items()),
            key=lambda option: option["label"].casefold(),
        )
        config = SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN)
        fields: Fields = {vol.Optional(CONF_MODEL): SelectSelector(config)}
        return await self.form(self._step, fields, count=str(len(options)))

    @override
    async def submit(self, answers: Answers) -> Page:
        if (path := answers.get(CONF_MODEL)) is None:
            return await self.choose("how")
        return Consent(self, self._collection, self._by_path[path])

    @option
    async def consent_back(self) -> Page:
        """Ask once more which model it is."""
        return self


class Consent(WayPage):
    """Says what is fetched, and from where; asks whether it is."""

    steps = ("consent",)

    def __init__(self, before: WayPage, collection: Collection, file: CollectedFile) -> None:
        super().__init__(before)
        self.collection = collection
        self.file = file

    @override
    async def show(self) -> Shown:
        file, collection = self.file, self.collection
        return self.menu(
            "consent",
            ["fetch", "consent_back"],
            file=label(file),
            size=size_of(file),
            licence=licence_of(collection),
            source=shown_source(collection, file, self.entry.runtime_data.options.collection),
            problem=await self.problem_text(),
        )

    @option
    async def fetch(self) -> Page:
        """Fetch the file, as the user has agreed."""
        return Fetching(self)


class Fetching(WayPage):
    """Fetches the file, until the dialogue is closed."""

    steps = ("fetching",)

    def __init__(self, before: Consent) -> None:
        super().__init__(before)
        self._consent = before
        self._task: asyncio.Task[str]

    @override
    async def enter(self) -> None:
        consent, source = self._consent, self.entry.runtime_data.options.collection
        self._task = self.hass.async_create_background_task(
            async_fetch(self.hass, consent.collection, consent.file, source),
            f"irhub: fetch {consent.file.path}",
            eager_start=False,
        )

    @override
    async def show(self) -> Shown | Page:
        file = self._consent.file
        if not self._task.done():
            return self.progress("fetching", "fetching", self._task, file=label(file))
        try:
            return await self.take_text(file.path, self._task.result())
        except IrhubError as err:
            self._consent.problem = err
            return self._consent

    @callback
    @override
    def close(self) -> None:
        self._task.cancel()


def label(file: CollectedFile) -> str:
    """Return whose remote control a file is of: "Daikin FTXS35, FTXS50 (1100.json)"."""
    name = file.path.rpartition("/")[2]
    return f"{file.manufacturer} {', '.join(file.models)} ({name})"


def size_of(*files: CollectedFile) -> str:
    """Return how much is fetched."""
    return f"{max(1, round(sum(file.size for file in files) / 1000))} kB"


def licence_of(collection: Collection) -> str:
    """Return what the licence of a collection is called."""
    return collection.licence.partition("\n")[0].strip()
