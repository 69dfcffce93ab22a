"""Serves the JavaScript of the card."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url
from homeassistant.components.http import StaticPathConfig  # type: ignore[attr-defined]
from homeassistant.core import HomeAssistant

from ..const import DOMAIN

_CARD: Final = Path(__file__).with_name("irhub-remote.js")


async def async_setup(hass: HomeAssistant) -> None:
    """Add the card to all pages of the frontend; browsers cache it until its hash changes."""
    content = await hass.async_add_executor_job(_CARD.read_bytes)
    url = f"/{DOMAIN}/{sha256(content).hexdigest()[:12]}/{_CARD.name}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(_CARD))])
    add_extra_js_url(hass, url)
