"""Choose maker and model, and fetch their code file from the indexed collection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, override

import voluptuous as vol

from ..ircodes import Collection
from ..ircodes.files import CollectedFile
from .draft import SourcePage
from .fetch import async_fetch, source_text
from .form import select
from .page import Answers, Page, ProgressPage, Shown, option

CONF_MODEL: Final = "model"


@dataclass(repr=False)
class MakerAndModelPage(SourcePage):
    """Asks for maker and model."""

    step: str
    collection: Collection
    offered: Sequence[CollectedFile]

    @override
    async def show(self) -> Shown:
        labels = {file.path: label(file) for file in self.offered}
        paths = sorted(labels, key=lambda path: labels[path].casefold())
        models = select(paths, label_of=labels.__getitem__)
        return await self.form(self.step, {vol.Optional(CONF_MODEL): models}, count=str(len(paths)))

    @override
    async def submit(self, answers: Answers) -> Page:
        if (path := answers.get(CONF_MODEL)) is None:
            return await self.choose("how")
        file = next(file for file in self.offered if file.path == path)
        return ConsentPage(self, self.collection, file)

    @option
    async def consent_back(self) -> Page:
        """Ask for the model again."""
        return self


@dataclass(repr=False)
class ConsentPage(SourcePage):
    """Shows which file is fetched from where, and asks for consent."""

    collection: Collection
    file: CollectedFile

    @override
    async def show(self) -> Shown:
        file, collection = self.file, self.collection
        return self.menu(
            "consent",
            ["fetch", "consent_back"],
            file=label(file),
            size=size_of(file),
            licence=licence_of(collection),
            source=source_text(collection, file, self.entry.runtime_data.options.collection),
        )

    @option
    async def fetch(self) -> Page:
        """Fetch the file, with the user's consent."""
        return FetchingPage(self)


@dataclass(repr=False)
class FetchingPage(ProgressPage[str], SourcePage):
    """Fetches the file; closing the dialogue cancels."""

    step = "fetching"
    action = "fetching"
    before: ConsentPage

    @property
    @override
    def texts(self) -> Mapping[str, str]:
        return {"file": label(self.before.file)}

    @override
    async def work(self) -> str:
        consent, source = self.before, self.entry.runtime_data.options.collection
        return await async_fetch(self.hass, consent.collection, consent.file, source)

    @override
    async def next_page(self, result: str) -> Page:
        return await self.take_text(self.before.file.path, result)


def label(file: CollectedFile) -> str:
    """Return the label of a file: "Daikin FTXS35, FTXS50 (1100.json)"."""
    name = file.path.rpartition("/")[2]
    return f"{file.manufacturer} {', '.join(file.models)} ({name})"


def size_of(*files: CollectedFile) -> str:
    """Return the download size as text."""
    return f"{max(1, round(sum(file.size for file in files) / 1000))} kB"


def licence_of(collection: Collection) -> str:
    """Return the name of a collection's licence."""
    return collection.licence.partition("\n")[0].strip()
