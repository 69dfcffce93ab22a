"""Find the code file that contains a press, among the user's files and the collection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, override

import voluptuous as vol

from .._common.markdown import Markdown, bullets
from ..devices.kinds import Kind
from ..errors import IrhubError, UserError, common_texts, list_reasons
from ..hub.learning import Captured
from ..ircodes import Collection, FileIndex, Match
from ..ircodes.files import CollectedFile
from ..ircodes.known import KnownAirConditioners, ProtocolMatch, files_of_protocol
from ..ircodes.reasons import reason_of
from .draft import SourcePage
from .form import select
from .listening import OnePressPage
from .maker_and_model import MakerAndModelPage
from .other_functions import NO_FILES, OtherFunctionsPage, SameDeviceFiles
from .page import Answers, Page, ProgressPage, Shown, option

CONF_FITTING: Final = "fitting"
_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True)
class FileSearch:
    """The results for all presses so far."""

    files: FileIndex
    """The index of the configuration folder, or of a zip."""
    collection: Collection
    """The collection, whose index is shipped."""
    presses: Sequence[bytes] = ()
    matches: Sequence[Match] = ()
    offered: Sequence[CollectedFile] = ()
    """Files of the collection that contain the presses."""
    next_button: str | None = None
    """The button that distinguishes the matching files best."""
    same_device: SameDeviceFiles = NO_FILES

    def with_press(self, press: bytes, kind: Kind) -> FileSearch:
        """Return the results for one more press. Slow."""
        presses = [*self.presses, press]
        matches = self.files.find(presses)
        button = self.files.next_button(matches)
        return replace(
            self,
            presses=presses,
            matches=matches,
            offered=self.collection.find(presses),
            next_button=None if button is None else button.name,
            same_device=NO_FILES
            if kind.traits.has_states  # its files have no functions
            else SameDeviceFiles.of_press(press, self.files, self.collection),
        )

    def by_protocol(self) -> FileSearch:
        """If no file contains the presses, return files of their protocol. Takes seconds."""
        if self.matches or self.offered:
            return self
        known = KnownAirConditioners.shipped()
        return replace(self, matches=files_of_protocol(self.files, self.presses, known))

    def anew(self) -> FileSearch:
        """Return a search without presses."""
        return FileSearch(files=self.files, collection=self.collection)


@dataclass(repr=False)
class IndexingPage(ProgressPage[FileSearch], SourcePage):
    """Shows the progress of indexing the files."""

    step = "indexing"
    action = "indexing"
    before: SourcePage
    make: Callable[[Callable[[float], None]], FileIndex]
    """Builds the index; calls its argument with the progress, from 0 to 1."""
    may_be_empty: bool = False

    @override
    async def next_page(self, result: FileSearch) -> Page:
        return SearchPressPage(self.before, result)

    @override
    async def work(self) -> FileSearch:
        """Return a search of the files. Raise UserError if there are none."""
        in_executor, loop = self.hass.async_add_executor_job, self.hass.loop

        def report_progress(progress: float) -> None:
            loop.call_soon_threadsafe(self.flow.async_update_progress, progress)

        try:
            index = await in_executor(self.make, report_progress)
        except (ValueError, OSError) as err:
            raise UserError("not_imported", error=reason_of(err, "unreadable")) from err
        if not len(index) and index.skipped:
            raise UserError("not_imported", error=list_reasons(index.skipped))
        if not len(index) and not self.may_be_empty:
            raise UserError("no_code_files")
        return FileSearch(files=index, collection=await in_executor(Collection.load))


@dataclass(repr=False)
class SearchResultPage(SourcePage):
    """A page that shows the results for presses."""

    search: FileSearch

    @property
    def more_ways(self) -> Sequence[str]:
        """Return further options for a press."""
        return ["other_functions"] if self.search.same_device.paths else []

    @option
    async def heard(self) -> Page:
        """Return to this page."""
        return self

    @option
    async def hear(self) -> Page:
        """Ask for another button."""
        return SearchPressPage(self, self.search)

    @option
    async def press_anew(self) -> Page:
        """Discard the presses and start again."""
        return SearchPressPage(self, self.search.anew())

    @option
    async def choose_file(self) -> Page:
        """Use the matching file, or choose one of several."""
        matches = self.search.matches
        return ChooseFilePage(self) if len(matches) > 1 else await self.take_match(matches[0].path)

    @option
    async def of_press(self) -> Page:
        """Choose one of the matching files of the collection."""
        return MakerAndModelPage(self, "of_press", self.search.collection, self.search.offered)

    @option
    async def other_functions(self) -> Page:
        """Try functions from files for the same device."""
        search = self.search
        functions = OtherFunctionsPage(self, search.files, search.collection, search.same_device)
        return functions if search.same_device.collection_files else await functions.own_functions()

    async def take_match(self, path: str) -> Page:
        """Return the next page for a matching file."""
        try:
            text = await self.hass.async_add_executor_job(self.search.files.read, path)
        except (OSError, ValueError) as err:
            reason = reason_of(err, "unreadable")
            raise UserError("bad_file", file=path, error=reason) from err
        return await self.take_text(path, text)


@dataclass(repr=False)
class SearchPressPage(OnePressPage, SourcePage):
    """Listens for a press and searches for files that contain all presses so far."""

    step = "hear"
    to_press = "press_more"
    search: FileSearch

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        in_executor = self.hass.async_add_executor_job
        find = partial(self.search.with_press, captured[0].packet, self.kind)
        search = await in_executor(find)
        if self.kind.traits.has_states:
            search = await in_executor(search.by_protocol)
        return MatchingFilesPage(self.before, search)

    @override
    async def on_failure(self) -> Page:
        page = MatchingFilesPage(self.before, self.search)
        page.problem = self.problem
        return page


class MatchingFilesPage(SearchResultPage):
    """Shows the matching files; offers to use one or to press another button."""

    @override
    async def show(self) -> Shown:
        search, skipped = self.search, await self._skipped()
        matches, offered = search.matches, search.offered
        if not matches and not offered:
            return self.menu(
                "fits_none",
                [*self.more_ways, "press_anew", "which_file", "how"],
                files=str(len(search.files) + len(search.collection.files)),
                skipped=skipped,
            )
        if isinstance(best := next(iter(matches), None), ProtocolMatch):
            return self.menu(
                "fits_protocol",
                ["choose_file", "hear", "press_anew", "how"],
                protocol=best.protocol,
                matches=_describe_first(matches),
                count=str(len(matches)),
                skipped=skipped,
            )
        return self.menu(
            "fits",
            [
                *(["choose_file"] if matches else []),
                *(["of_press"] if offered else []),
                *self.more_ways,
                *("hear", "press_anew", "how"),
            ],
            matches=_describe_first(matches),
            count=await self._counts(),
            next=await self._next_press(),
            skipped=skipped,
        )

    async def _counts(self) -> str:
        """Return the numbers of matching files and of models in the public collection."""
        texts, search = await common_texts(self.hass), self.search
        counts = {"fitting_files": len(search.matches), "fitting_models": len(search.offered)}
        return " ".join(texts[key].format(count=count) for key, count in counts.items() if count)

    async def _next_press(self) -> str:
        """Return a text with the press that narrows the files down best; empty if none does."""
        if (button := self.search.next_button) is None:
            return ""
        return (await common_texts(self.hass))["narrowing"].format(button=button)

    async def _skipped(self) -> str:
        """Return a text with the files that could not be read, and why."""
        if not (skipped := self.search.files.skipped):
            return ""
        text = (await common_texts(self.hass))["files_not_read"]
        return text.format(count=len(skipped), files=list_reasons(skipped))


@dataclass(repr=False)
class ChooseFilePage(SourcePage):
    """Asks for one of the matching files."""

    before: SearchResultPage

    @override
    async def show(self) -> Shown:
        matches = {match.path: match for match in self.before.search.matches}
        field = select(matches, as_list=True, label_of=lambda path: describe_match(matches[path]))
        return await self.form("choose_file", {vol.Optional(CONF_FITTING): field})

    @override
    async def submit(self, answers: Answers) -> Page:
        if (path := answers.get(CONF_FITTING)) is None:
            return self.before
        try:
            return await self.before.take_match(path)
        except IrhubError as err:
            return self.back_with(err)


def _describe_first(matches: Sequence[Match]) -> Markdown:
    """Return a list of the first files, and the number of others."""
    more = len(matches) - _SHOWN
    return bullets([*map(describe_match, matches[:_SHOWN]), *([f"… {more}"] if more > 0 else [])])


def describe_match(match: Match) -> str:
    """Return a file, its models and the commands pressed: "1000.json (Acme X1): cool auto 24".

    For a match by protocol alone, add how many of its packets have that protocol: "280/280".
    """
    maker_and_models = " ".join([match.manufacturer, ", ".join(match.models)]).strip()
    pressed = "; ".join(" = ".join(names) or "\N{EN DASH}" for names in match.commands)
    if isinstance(match, ProtocolMatch):
        pressed += f" · {match.protocol} {match.same}/{match.compared}"
    return f"{match.path}{f' ({maker_and_models})' if maker_and_models else ''}: {pressed}"
