"""Add an entry without a hub, which uses other integrations' infrared emitters and receivers."""

from dataclasses import dataclass
from typing import cast, override

from homeassistant.config_entries import ConfigFlow
from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant

from .._common.markdown import Markdown, bullets
from ..const import DOMAIN
from ..errors import common_texts
from ..hub.entity_receiver import async_receiver_entities
from ..hub.without_hub import async_emitter_entities
from ..settings import NO_HUB
from .page import Answers, Page, Shown

WITHOUT_HUB = "without_hub"
"""The option to continue without a hub."""


def is_offered(hass: HomeAssistant) -> bool:
    """Return whether an entry without a hub can be added: there is only one."""
    return hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, str(NO_HUB)) is None


@dataclass(repr=False)
class WithoutHubPage(Page):
    """Lists the available emitters and receivers, or what is missing."""

    @override
    async def show(self) -> Shown:
        texts = await common_texts(self.hass)
        paragraphs = [
            f"{texts[f'present_{kind}']}\n\n{bullets(map(self._name, entity_ids))}"
            if entity_ids
            else texts[f"missing_{kind}"]
            for kind, entity_ids in (
                ("emitters", async_emitter_entities(self.hass)),
                ("receivers", async_receiver_entities(self.hass)),
            )
        ]
        return await self.form(WITHOUT_HUB, there=Markdown("\n\n".join(paragraphs)))

    @override
    async def submit(self, answers: Answers) -> Page:
        flow = cast(ConfigFlow, self.flow)
        await flow.async_set_unique_id(str(NO_HUB), raise_on_progress=False)
        return CreateEntryPage(self)

    def _name(self, entity_id: str) -> str:
        state = self.hass.states.get(entity_id)
        return entity_id if state is None else state.name


@dataclass(repr=False)
class CreateEntryPage(Page):
    """Creates the config entry and ends the dialogue."""

    @override
    async def show(self) -> Shown:
        flow = cast(ConfigFlow, self.flow)
        flow._abort_if_unique_id_configured()  # noqa: SLF001 - another dialogue was faster
        title = (await common_texts(self.hass))["without_hub_name"]
        return flow.async_create_entry(title=title, data={CONF_MAC: str(NO_HUB)})
