"""Choose maker and model: a code file of the collection whose index is shipped is fetched."""

from collections.abc import Sequence
from typing import Final

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..collection.fetched import async_fetch, shown_source
from ..collection.shipped import CollectedFile, Collection
from ..devices.device import Kind
from ..errors import IrhubError
from .appliance_step import Input
from .from_remote import FromRemoteFlow

CONF_MODEL: Final = "model"


class MakerAndModelFlow(FromRemoteFlow):
    """Asks for maker and model, then whether their file is to be fetched, and goes on with it."""

    _collection: Collection
    _offered: Sequence[CollectedFile] = ()
    """Those to choose from."""
    _chosen: CollectedFile

    async def async_step_maker_and_model(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask for maker and model, of all that are of the kind."""
        if user_input is None:
            await self._load_collection()
            kind = None if self._kind is Kind.OTHER else self._kind.platform
            self._offered = self._collection.search("", kind=kind)
        return await self._ask_model("maker_and_model", user_input)

    async def async_step_of_press(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask which of those is meant that hold what was pressed."""
        return await self._ask_model("of_press", user_input)

    async def async_step_consent(self, user_input: Input = None) -> SubentryFlowResult:
        """Say what is fetched, and from where; fetch it then."""
        file, error = self._chosen, None
        source = self._entry.runtime_data.options.collection
        if user_input is not None:
            try:
                text = await async_fetch(self.hass, self._collection, file, source)
                return await self._take(file.path, text)
            except IrhubError as err:
                error = err
        return await self._form(
            "consent",
            {},
            error=error,
            placeholders={
                "file": label(file),
                "size": size_of(file),
                "licence": licence_of(self._collection),
                "source": shown_source(self._collection, file, source),
            },
        )

    async def _look_in_collection(self, press: bytes) -> None:
        """Find the files of the collection that hold a press."""
        await self._load_collection()
        find = self._collection.find
        self._offered = await self.hass.async_add_executor_job(find, [press])

    async def _load_collection(self) -> None:
        if not hasattr(self, "_collection"):
            self._collection = await self.hass.async_add_executor_job(Collection.load)

    async def _ask_model(self, step_id: str, user_input: Input) -> SubentryFlowResult:
        by_path = {file.path: file for file in self._offered}
        if user_input is not None and (chosen := by_path.get(user_input[CONF_MODEL])) is not None:
            self._chosen = chosen
            return await self.async_step_consent()
        options = sorted(
            (SelectOptionDict(value=path, label=label(file)) for path, file in by_path.items()),
            key=lambda option: option["label"].casefold(),
        )
        config = SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN)
        return await self._form(
            step_id,
            {vol.Required(CONF_MODEL): SelectSelector(config)},
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
