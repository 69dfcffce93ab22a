"""Click through dialogues as the frontend does, and fail if a text is missing."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
import re
from typing import Any, cast

from aiohttp.test_utils import TestClient
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigFlowResult,
    ConfigSubentry,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, section
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)
import voluptuous as vol

from custom_components.irhub._common.markdown import PLAIN
from custom_components.irhub.entities.use import Use
from tests.files import texts as texts_of
from tests.home import until
from virtual_home.hub import VirtualHub

DOMAIN = "irhub"
TEXTS = texts_of("irhub")


class Dialogue:
    """A dialogue: the page it shows, and methods to answer it."""

    def __init__(
        self,
        configure: Callable[[str, dict[str, Any] | None], Awaitable[ConfigFlowResult]],
        shown: ConfigFlowResult,
        texts: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin with the first flow result. `texts` are those of a repair flow."""
        self._configure = configure
        self._texts = _texts_of(shown["handler"]) if texts is None else texts
        self.shown = shown

    @property
    def shown(self) -> ConfigFlowResult:
        """The flow result shown now."""
        return self._shown

    @shown.setter
    def shown(self, shown: ConfigFlowResult) -> None:
        assert not (missing := [*_without_text(shown, self._texts)]), missing
        self._shown = shown

    @property
    def step(self) -> str | None:
        """The id of the step shown now."""
        return self.shown.get("step_id")

    @property
    def type(self) -> FlowResultType:
        """The type of page: a form, a menu, progress, the end."""
        return self.shown["type"]

    @property
    def texts(self) -> dict[str, str]:
        """The placeholders for texts in Markdown."""
        return {name: text for name, text in self._filled_in.items() if not name.startswith(PLAIN)}

    @property
    def _filled_in(self) -> dict[str, str]:
        return dict(self.shown.get("description_placeholders") or {})

    @property
    def error(self) -> str:
        """The error shown."""
        assert self.shown["errors"] == {"base": "failed"}
        return self._filled_in[f"{PLAIN}error"]

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the form → selector."""
        schema = self.shown["data_schema"]
        assert schema is not None
        return {str(key): selector for key, selector in schema.schema.items()}

    @property
    def suggested(self) -> dict[str, Any]:
        """The values that the form is prefilled with."""
        schema = self.shown["data_schema"]
        assert schema is not None
        return _filled(schema)

    @property
    def folded(self) -> list[str]:
        """The fields of the collapsed section."""
        return [str(key) for key in self.fields["more"].schema.schema]

    async def submit(self, **answers: object) -> Dialogue:
        """Answer the form."""
        self.shown = await self._configure(self.shown["flow_id"], answers)
        return self

    async def choose(self, option: str) -> Dialogue:
        """Choose from the menu."""
        assert self.type is FlowResultType.MENU
        assert option in self.shown["menu_options"]
        return await self.submit(next_step_id=option)

    async def refresh(self) -> Dialogue:
        """Refresh the page, as the frontend does when it is notified of a change."""
        self.shown = await self._configure(self.shown["flow_id"], None)
        return self

    async def progress(self, action: str) -> Dialogue:
        """Wait until the dialogue shows this progress."""
        return await self.wait(lambda: self.shown.get("progress_action") == action)

    async def arrive(self, step: str) -> Dialogue:
        """Wait until the progress leads to a step."""
        return await self.wait(lambda: self.step == step)

    async def wait(self, reached: Callable[[], bool]) -> Dialogue:
        """Refresh until a condition is true."""
        async with asyncio.timeout(20):
            while not reached():
                await asyncio.sleep(0.02)
                await self.refresh()
        return self


def _texts_of(handler: object) -> Mapping[str, Any]:
    """Return the texts of the dialogues of a config entry, of its options, of its subentries."""
    if handler == DOMAIN:
        return cast(Mapping[str, Any], TEXTS["config"])
    texts = (
        TEXTS["options"] if isinstance(handler, str) else TEXTS["config_subentries"]["appliance"]
    )
    return cast(Mapping[str, Any], texts)


def _without_text(shown: ConfigFlowResult, texts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of what is shown (title, fields, options, …) that lack a translation."""
    step = str(shown.get("step_id"))
    of_step = texts["step"].get(step, {})
    if shown["type"] in {FlowResultType.FORM, FlowResultType.MENU} and "title" not in of_step:
        yield f"{step}.title"
    match shown["type"]:
        case FlowResultType.ABORT:
            yield from {f"abort.{shown['reason']}"} - {f"abort.{key}" for key in texts["abort"]}
        case FlowResultType.SHOW_PROGRESS:
            action = shown["progress_action"]
            yield from {f"progress.{action}"} - {f"progress.{key}" for key in texts["progress"]}
        case FlowResultType.MENU:
            offered = cast(list[str], shown["menu_options"])
            options = {f"{step}.menu_options.{key}" for key in offered}
            yield from options - {
                f"{step}.menu_options.{key}" for key in of_step.get("menu_options", ())
            }
        case FlowResultType.FORM:
            schema = shown["data_schema"]
            for key, field in schema.schema.items() if schema is not None else ():
                part, keys = of_step, [key]
                if isinstance(field, section):
                    part, keys = (
                        of_step.get("sections", {}).get(str(key), {}),
                        [*field.schema.schema],
                    )
                yield from (
                    f"{step}.data.{name}" for name in keys if name not in part.get("data", ())
                )


def _filled(schema: vol.Schema) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for key, of in schema.schema.items():
        if isinstance(of, section):
            filled[str(key)] = _filled(of.schema)
        elif "suggested_value" in (key.description or {}):
            filled[str(key)] = key.description["suggested_value"]
    return filled


async def begin_add(hass: HomeAssistant) -> Dialogue:
    """Click on "Add integration", and wait until the network was searched."""
    flows = hass.config_entries.flow
    shown = await flows.async_init(DOMAIN, context={"source": SOURCE_USER})
    dialogue = Dialogue(flows.async_configure, shown)
    assert shown["progress_action"] == "search"
    return await dialogue.wait(lambda: "progress_action" not in dialogue.shown)


async def configure(hass: HomeAssistant, entry: ConfigEntry) -> Dialogue:
    """Click on "Configure"."""
    flows = hass.config_entries.options
    return Dialogue(flows.async_configure, await flows.async_init(entry.entry_id))


async def reconfigure(hass: HomeAssistant, entry: ConfigEntry) -> Dialogue:
    """Click on "Reconfigure"."""
    flows = hass.config_entries.flow
    shown = await flows.async_init(
        DOMAIN, context={"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    )
    return Dialogue(flows.async_configure, shown)


async def add(hass: HomeAssistant, hub: VirtualHub, **options: object) -> ConfigEntry[Use]:
    """Add an entry for a hub, and wait until it is connected."""
    mocked = entry_of(hub, **options)
    mocked.add_to_hass(hass)
    entry: ConfigEntry[Use] = mocked
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: entry.runtime_data.hub.available)
    await hass.async_block_till_done()
    return entry


async def add_of_before(
    hass: HomeAssistant, entry: ConfigEntry, *subentries: ConfigSubentry
) -> None:
    """Add subentries as 0.3.0 has created them, which the hub's set-up migrates."""
    for subentry in subentries:
        hass.config_entries.async_add_subentry(entry, subentry)
    await hass.config_entries.async_reload(entry.entry_id)


def entry_of(hub: VirtualHub, **options: object) -> MockConfigEntry:
    """Return the entry that the dialogue creates for a virtual hub."""
    mac = hub.mac.replace(":", "").lower()
    return MockConfigEntry(
        domain=DOMAIN,
        title=hub.name,
        unique_id=mac,
        data={"host": hub.host, "port": hub.port, "mac": mac, "device_type": hub.devtype},
        options={"timeout": 1, "min_gap": 0, **options},
    )


async def download_link(client: TestClient[Any, Any], dialogue: Dialogue) -> str:
    """Return the download link of the page, signed for the logged-in user."""
    flow = f"/api/config/config_entries/options/flow/{dialogue.shown['flow_id']}"
    page = await (await client.get(flow)).json()
    link = re.search('href="([^"]+)"', page["description_placeholders"]["download"])
    assert link is not None
    return link[1].replace("&amp;", "&")
