"""Which code file fits? Found by a press: of those that are here, and of the collection's."""

from abc import abstractmethod
import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import SubentryFlowResult
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.selector import (
    FileSelector,
    FileSelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from .._common.markdown import bullets
from ..errors import IrhubError, UserError, common_texts, list_reasons
from ..hub.ear import LEARN_WINDOW_S
from ..hub.hub import Hub
from ..ircodes import FOLDERS, CollectedFile, Collection, FileIndex, Match, RefusedError, reason_of
from .appliance_step import ApplianceStep, Input
from .form import told_again

CONF_FITTING: Final = "fitting"
CONF_ZIP: Final = "zip"
MAX_ZIP: Final = 64 * 1024 * 1024
"""Bytes of a zip; the largest public collection has 3 MB."""
_SHOWN: Final = 10


class WhichFileFlow(ApplianceStep):
    """Looks for the code files that hold what a remote control sends."""

    _collection: Collection | None = None
    """That whose index is shipped, once it is read."""
    _offered: Sequence[CollectedFile] = ()
    """Its files to choose from."""
    _files: FileIndex
    _indexing: asyncio.Task[FileIndex] | None = None
    _hearing: asyncio.Task[None] | None = None
    _presses: Sequence[bytes] = ()
    _matches: Sequence[Match] = ()
    _next: str | None = None
    """The button that tells the files apart best."""
    _asked = False
    """Whether the hub listens by now."""

    @property
    def _more_ways(self) -> Sequence[str]:
        """Return the steps that lead on from a press besides."""
        return ()

    @abstractmethod
    async def _take(self, path: str, text: str) -> SubentryFlowResult:
        """Go on with the file that fits."""

    @abstractmethod
    async def async_step_of_press(self, user_input: Input = None) -> SubentryFlowResult:
        """Choose a file of the collection that holds what was pressed."""

    async def async_step_which_file(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask where to look: in the configuration folder, or in a zip."""
        if user_input is not None:
            self._indexing = self.hass.async_create_task(
                self._make_index(user_input.get(CONF_ZIP)), "irhub: index code files"
            )
            return await self.async_step_indexing()
        return await self._ask_where()

    async def _ask_where(self, error: IrhubError | None = None) -> SubentryFlowResult:
        return await self._form(
            "which_file",
            {vol.Optional(CONF_ZIP): FileSelector(FileSelectorConfig(accept=".zip"))},
            error=error,
            placeholders={"folders": bullets(FOLDERS)},
        )

    async def async_step_indexing(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show how far the files are read."""
        if (indexing := self._indexing) is None:
            return await self._ask_where()
        if not indexing.done():
            return self.async_show_progress(
                step_id="indexing", progress_action="indexing", progress_task=indexing
            )
        return self.async_show_progress_done(next_step_id="indexed")

    async def async_step_indexed(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the first press."""
        indexing, self._indexing = self._indexing, None
        if indexing is None:
            return await self._ask_where()
        try:
            self._files = indexing.result()
        except IrhubError as err:
            return await self._ask_where(err)
        self._presses = ()
        return await self.async_step_hear()

    async def async_step_hear(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Listen to one press."""
        page = self._listening("hear", "press_more", self._look, then="fits")
        return page or self.async_show_progress_done(next_step_id="fits")

    async def _look(self, press: bytes) -> None:
        """Look for the files that hold all presses."""
        presses, in_executor = [*self._presses, press], self.hass.async_add_executor_job
        collection = await self._load_collection()
        self._matches = await in_executor(self._files.find, presses)
        self._offered = await in_executor(collection.find, presses)
        button = await in_executor(self._files.next_button, self._matches)
        self._next = None if button is None else button.name
        self._presses = presses

    async def _load_collection(self) -> Collection:
        if self._collection is None:
            self._collection = await self.hass.async_add_executor_job(Collection.load)
        return self._collection

    @callback
    def _listening(
        self,
        step_id: str,
        action: str,
        take: Callable[[bytes], Coroutine[None, None, None]],
        *,
        then: str,
        **shown: str,
    ) -> SubentryFlowResult | None:
        """Return what to show until a button is pressed and `take` is done with that.

        What went wrong then is what the page of `then` says. The hub stops listening when
        the dialogue is closed.
        """
        if self._hearing is None:
            self._asked, self._problem = False, None
            hub = self._hub
            self._hearing = self.hass.async_create_background_task(
                self._hear(hub, take), f"irhub: hear a button with {hub.label}", eager_start=False
            )
        if not self._hearing.done():
            return self.async_show_progress(
                step_id=step_id,
                progress_action=action if self._asked else "connect",
                description_placeholders={"seconds": str(LEARN_WINDOW_S), **shown},
                progress_task=self._hearing,
            )
        hearing, self._hearing = self._hearing, None
        try:
            hearing.result()
        except IrhubError as err:
            self._problem = then, err
        return None

    async def _hear(self, hub: Hub, take: Callable[[bytes], Coroutine[None, None, None]]) -> None:
        @callback
        def ask(_step: object) -> None:
            self._asked = True
            self.async_notify_flow_changed()

        async with told_again(self), hub.learn() as session:
            [captured] = await session.capture(ask)
        await take(captured.packet)

    async def async_step_fits(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show the files that fit: to take one, or to press another button."""
        problem = await self._problem_text("fits")
        if not self._matches and not self._offered:
            looked_in = len(self._files) + len((await self._load_collection()).files)
            return self.async_show_menu(
                step_id="fits_none",
                menu_options=[*self._more_ways, "press_anew", "which_file", "how"],
                description_placeholders={
                    "files": str(looked_in),
                    "skipped": await self._skipped(),
                    "problem": problem,
                },
            )
        more = len(self._matches) - _SHOWN
        lines = [shown(match) for match in self._matches[:_SHOWN]]
        return self.async_show_menu(
            step_id="fits",
            menu_options=[
                *(["choose_file"] if self._matches else []),
                *(["of_press"] if self._offered else []),
                *self._more_ways,
                *("hear", "press_anew", "how"),
            ],
            description_placeholders={
                "matches": bullets([*lines, *([f"… {more}"] if more > 0 else [])]),
                "count": str(len(self._matches)),
                "models": str(len(self._offered)),
                "next": self._next or "\N{EN DASH}",
                "skipped": await self._skipped(),
                "problem": problem,
            },
        )

    async_step_fits_none = async_step_fits

    async def _skipped(self) -> str:
        """Return which files were not looked through, and why."""
        if not (skipped := self._files.skipped):
            return ""
        text = (await common_texts(self.hass))["files_not_read"]
        return text.format(count=len(skipped), files=list_reasons(skipped))

    async def async_step_press_anew(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Forget the presses, and listen."""
        self._presses = self._matches = self._offered = ()
        return await self.async_step_hear()

    async def async_step_choose_file(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Choose one of the files that fit."""
        if user_input is None and len(self._matches) > 1:
            options = [
                SelectOptionDict(value=match.path, label=shown(match)) for match in self._matches
            ]
            selector = SelectSelector(
                SelectSelectorConfig(options=options, mode=SelectSelectorMode.LIST)
            )
            return self.async_show_form(
                step_id="choose_file",
                data_schema=vol.Schema({vol.Optional(CONF_FITTING): selector}),
            )
        path = (user_input or {}).get(CONF_FITTING)
        if user_input is None:
            path = self._matches[0].path
        if path is None:
            return await self.async_step_fits()
        try:
            text = await self.hass.async_add_executor_job(self._files.read, path)
            return await self._take(path, text)
        except (OSError, ValueError) as err:
            reason = reason_of(err, "unreadable")
            self._problem = "fits", UserError("bad_file", file=path, error=reason)
        except IrhubError as err:
            self._problem = "fits", err
        return await self.async_step_fits()

    async def _make_index(self, uploaded: str | None) -> FileIndex:
        """Return the index. Raise UserError if a zip is none."""
        loop = self.hass.loop

        def tell(progress: float) -> None:
            loop.call_soon_threadsafe(self.async_update_progress, progress)

        read = partial(_index_of, self.hass, uploaded, tell)
        try:
            index = await self.hass.async_add_executor_job(read)
        except (ValueError, OSError) as err:
            raise UserError("not_imported", error=reason_of(err, "unreadable")) from err
        if not len(index) and index.skipped:
            raise UserError("not_imported", error=list_reasons(index.skipped))
        if not len(index) and uploaded is not None:
            raise UserError("no_code_files")
        return index


def _index_of(
    hass: HomeAssistant, uploaded: str | None, tell: Callable[[float], None]
) -> FileIndex:
    if uploaded is None:
        return FileIndex.of_folders(Path(hass.config.config_dir), tell)
    with process_uploaded_file(hass, uploaded) as path:
        if path.stat().st_size > MAX_ZIP:
            raise RefusedError("large", limit=MAX_ZIP)
        return FileIndex.of_zip(path.read_bytes(), tell)


def shown(match: Match) -> str:
    """Return a file, whose it is, and what was pressed: "1000.json (Acme X1): cool auto 24"."""
    whose = " ".join([match.manufacturer, ", ".join(match.models)]).strip()
    pressed = "; ".join(" = ".join(names) for names in match.commands)
    return f"{match.path}{f' ({whose})' if whose else ''}: {pressed}"
