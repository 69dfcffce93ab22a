"""Press a button of a remote control; the options offered depend on the received code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, override

from .._common.markdown import Markdown, bullets, escaped
from ..devices.importing import async_integrations_of
from ..devices.kinds import Kind
from ..errors import UserError, common_texts
from ..hub.learning import Captured
from ..ircodes import Collection, FileIndex, meaning
from ..ircodes.known import KnownReading
from ..ircodes.protocols import PROTOCOLS, readings
from .draft import CreatorPage, SourcePage
from .from_remote import FromRemotePage, Proof, ReceiveStatePage
from .known import SecondPressPage, describe_readings, identify_first
from .learn_remote import begin_lesson
from .listening import OnePressPage
from .page import MenuPage, Page, Shown, option
from .which_file import FileSearch, SearchResultPage, describe_match
from .words import async_words

INTEGRATION: Final = "https://my.home-assistant.io/redirect/config_flow_start/?domain="
"""Prefix of links that start the config flow of a core integration."""
_MAX_FILES: Final = 3
"""Maximum number of files shown."""


@dataclass(repr=False)
class PressButtonPage(OnePressPage, SourcePage):
    """Listens for one press and looks it up in all sources."""

    step = "press_button"

    @property
    @override
    def action(self) -> str:
        return "press_state" if self.kind.traits.has_states else "press_any"

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        return await async_look_up(self.before, captured[0].packet)

    @override
    async def on_failure(self) -> Page:
        options = ["press_button", press_by_press(self.kind), "how"]
        return MenuPage(self.before, "not_heard", options, problem=self.problem)


@dataclass(repr=False)
class ReceivedPressPage(SearchResultPage):
    """Offers the ways to make a device of the received press; the best comes first."""

    integrations: Mapping[str, str]
    """Core integrations for such a device: domain → name."""
    is_state: bool
    """Whether core's protocol library decodes the press as the state of an air conditioner."""
    known: Sequence[KnownReading]
    """Readings of the press by our own known protocols."""

    @property
    def _press(self) -> bytes:
        return self.search.presses[-1]

    @override
    async def show(self) -> Shown:
        matches, offered = self.search.matches, self.search.offered
        options = {
            "second_state": self.kind.traits.has_states and self.is_state,
            "known_state": bool(self.known),
            "choose_file": bool(matches),
            "of_press": bool(offered),
            "other_functions": bool(self.more_ways),
            "hear": len(matches) + len(offered) > 1,
            press_by_press(self.kind): True,
            "which_file": True,
            "press_button": True,
            "how": True,
        }
        links = [
            f"[{escaped(name)}]({INTEGRATION}{domain})"
            for domain, name in self.integrations.items()
        ]
        texts = await common_texts(self.hass)
        lines = [describe_match(match) for match in matches[:_MAX_FILES]]
        if len(matches) > _MAX_FILES:
            lines.append(f"… (+{len(matches) - _MAX_FILES})")
        decoded, words = meaning(self._press), await async_words(self.hass)
        reading: str
        if self.known:
            reading = bullets(describe_readings(self.known, words))
        elif decoded is None:
            reading = texts["no_protocol"]
        elif decoded.state is None:
            reading = texts["heard_code"].format(code=words.meaning(decoded))
        else:
            reading = words.meaning(decoded)
        return self.menu(
            "heard",
            options,
            heard=reading,
            own=Markdown(
                texts["own_integration"].format(integrations=", ".join(links)) if links else ""
            ),
            files=bullets(lines),
            speaks=await self.search.same_device.text(self.hass),
        )

    @option
    async def known_state(self) -> Page:
        """Add an air conditioner of a known protocol; a second press selects it."""
        return SecondPressPage(self, self.known)

    @option
    async def second_state(self) -> Page:
        """Use the press as the first of two that prove a protocol, if it fits the request."""
        try:
            return ReceiveStatePage(self, await Proof().async_with_press(self.hass, self._press))
        except UserError:
            return FromRemotePage(self)

    @option
    async def learn_remote(self) -> Page:
        """Learn the remote control; its first button was pressed already."""
        return await begin_lesson(self, self._press)


async def async_look_up(before: CreatorPage | SourcePage, press: bytes) -> ReceivedPressPage:
    """Return the page with all results for a press."""
    hass, in_executor = before.hass, before.hass.async_add_executor_job
    of_folders = partial(FileIndex.of_folders, Path(hass.config.config_dir))
    search = FileSearch(
        files=await in_executor(of_folders), collection=await in_executor(Collection.load)
    )
    search = await in_executor(partial(search.with_press, press, before.kind))
    decoded = meaning(press)
    makers = [match.manufacturer for match in search.matches[:_MAX_FILES]]
    makers += [] if decoded is None else [decoded.protocol]
    has_states = before.kind.traits.has_states
    return ReceivedPressPage(
        before,
        search,
        integrations=await async_integrations_of(hass, makers),
        is_state=bool(PROTOCOLS) and bool(await in_executor(readings, press)),
        known=await in_executor(identify_first, press) if has_states else (),
    )


def press_by_press(kind: Kind) -> str:
    """Return the option that works for a press of an unknown protocol."""
    return "teach" if kind.traits.has_states else "learn_remote"
