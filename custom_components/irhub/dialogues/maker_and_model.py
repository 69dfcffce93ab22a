"""Choose maker and model: a code file of the collection whose index is shipped is fetched."""

from abc import abstractmethod
import asyncio
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..devices.device import Kind
from ..errors import IrhubError
from ..ircodes import CollectedFile, Collection
from .appliance_step import Input
from .fetched import async_fetch, shown_source
from .from_remote import FromRemoteFlow

CONF_MODEL: Final = "model"


class MakerAndModelFlow(FromRemoteFlow):
    """Asks for maker and model, then whether their file is to be fetched, and goes on with it."""

    _chosen: CollectedFile
    _asked_by: str
    """The step that has asked for the model."""
    _fetching: asyncio.Task[str] | None = None

    @abstractmethod
    async def async_step_how(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask how the device comes to its commands."""

    async def async_step_maker_and_model(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for maker and model, of all that are of the kind."""
        if user_input is None:
            collection = await self._load_collection()
            kind = None if self._kind is Kind.OTHER else self._kind.platform
            self._offered = collection.search("", kind=kind)
        return await self._ask_model("maker_and_model", user_input)

    @override
    async def async_step_of_press(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which of those is meant that hold what was pressed."""
        return await self._ask_model("of_press", user_input)

    async def async_step_consent(self, _user_input: Input = None) -> SubentryFlowResult:
        """Say what is fetched, and from where; ask whether it is."""
        file, collection = self._chosen, await self._load_collection()
        return self.async_show_menu(
            step_id="consent",
            menu_options=["fetch", "consent_back"],
            description_placeholders={
                "problem": await self._problem_text("consent"),
                "file": label(file),
                "size": size_of(file),
                "licence": licence_of(collection),
                "source": shown_source(collection, file, self._source),
            },
        )

    async def async_step_fetch(self, _user_input: Input = None) -> SubentryFlowResult:
        """Fetch the file, as the user has agreed."""
        return await self.async_step_fetching()

    async def async_step_consent_back(self, _user_input: Input = None) -> SubentryFlowResult:
        """Ask once more which model it is."""
        return await self._ask_model(self._asked_by, None)

    async def async_step_fetching(self, _user_input: Input = None) -> SubentryFlowResult:
        """Fetch the file, until the dialogue is closed."""
        if self._fetching is None:
            self._problem = None
            fetch = async_fetch(
                self.hass, await self._load_collection(), self._chosen, self._source
            )
            self._fetching = self.hass.async_create_background_task(
                fetch, f"irhub: fetch {self._chosen.path}", eager_start=False
            )
        if not self._fetching.done():
            return self.async_show_progress(
                step_id="fetching",
                progress_action="fetching",
                description_placeholders={"file": label(self._chosen)},
                progress_task=self._fetching,
            )
        return self.async_show_progress_done(next_step_id="fetched")

    async def async_step_fetched(self, _user_input: Input = None) -> SubentryFlowResult:
        """Go on with the file, or say why it could not be had."""
        fetching, self._fetching = self._fetching, None
        if fetching is not None:
            try:
                return await self._take(self._chosen.path, fetching.result())
            except IrhubError as err:
                self._problem = "consent", err
        return await self.async_step_consent()

    @property
    def _source(self) -> str | None:
        """Return where the user has the collection, if it is not where it comes from."""
        return self._entry.runtime_data.options.collection

    async def _ask_model(self, step_id: str, user_input: Input) -> SubentryFlowResult:
        by_path = {file.path: file for file in self._offered}
        if user_input is not None:
            if (path := user_input.get(CONF_MODEL)) is None:
                return await self.async_step_how()
            if (chosen := by_path.get(path)) is not None:
                self._chosen, self._problem, self._asked_by = chosen, None, step_id
                return await self.async_step_consent()
        options = sorted(
            (SelectOptionDict(value=path, label=label(file)) for path, file in by_path.items()),
            key=lambda option: option["label"].casefold(),
        )
        config = SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN)
        return await self._form(
            step_id,
            {vol.Optional(CONF_MODEL): SelectSelector(config)},
            placeholders={"count": str(len(options))},
        )


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
