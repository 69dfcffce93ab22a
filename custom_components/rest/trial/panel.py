"""Register the page in Home Assistant's frontend."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import async_register_built_in_panel
from homeassistant.components.http import StaticPathConfig  # type: ignore[attr-defined]
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from ..const import DOMAIN

PATH: Final = "rest-trial"
"""Path of the page, and name of its custom element."""
_PAGE: Final = Path(__file__).with_name(f"{PATH}.js")


async def async_setup(hass: HomeAssistant) -> None:
    """Register the page for administrators; it is not in the sidebar by default."""
    content = await hass.async_add_executor_job(_PAGE.read_bytes)
    url = f"/{DOMAIN}/{sha256(content).hexdigest()[:12]}/{_PAGE.name}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(_PAGE))])
    texts = await async_get_translations(hass, hass.config.language, "selector", [DOMAIN])
    custom = {"name": PATH, "module_url": url, "embed_iframe": False, "trust_external": False}
    async_register_built_in_panel(
        hass,
        "custom",
        sidebar_title=texts.get(f"component.{DOMAIN}.selector.trial.options.title"),
        sidebar_icon="mdi:code-json",
        sidebar_default_visible=False,
        frontend_url_path=PATH,
        config={"_panel_custom": custom},
        require_admin=True,
    )
