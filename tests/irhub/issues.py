"""Issues among Home Assistant's repairs, and mending them."""

from homeassistant.components.repairs import repairs_flow_manager
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from .dialogue import TEXTS, Dialogue

MAC = "34ea34000001"


def issues(hass: HomeAssistant) -> list[str]:
    return [issue for domain, issue in ir.async_get(hass).issues if domain == "irhub"]


async def mend(hass: HomeAssistant, issue: str) -> Dialogue:
    """Click on an issue."""
    assert await async_setup_component(hass, "repairs", {})
    flows = repairs_flow_manager(hass)
    assert flows is not None
    registered = ir.async_get(hass).async_get_issue("irhub", issue)
    assert registered is not None
    texts = TEXTS["issues"][registered.translation_key]["fix_flow"]
    shown = await flows.async_init("irhub", data={"issue_id": issue})
    return Dialogue(flows.async_configure, shown, texts)  # type: ignore[arg-type]  # a repair's result
