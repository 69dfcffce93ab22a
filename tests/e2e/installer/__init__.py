"""Finish installations in a running Home Assistant as its Marketplace does.

The Marketplace downloads from GitHub, which tests do not reach: they copy the files, and call
`installer.finish`. What it does then is Home Assistant's own code.
"""

from types import SimpleNamespace
from typing import Any, Final

from homeassistant.components.marketplace.repositories.integration import (  # type: ignore[import-not-found]  # the tests' own Home Assistant is older
    IntegrationRepository,
)
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
)

DOMAIN: Final = "installer"


async def async_setup(hass: HomeAssistant, _config: dict[str, Any]) -> bool:
    """Register the action."""

    async def finish(call: ServiceCall) -> ServiceResponse:
        """Return whether an integration that has just been copied waits for a restart."""
        core = SimpleNamespace(config_path=hass.config.config_dir)
        marketplace = SimpleNamespace(hass=hass, core=core)
        domain = call.data["domain"]
        repository = IntegrationRepository(marketplace, f"home-integrations/{domain}")
        repository.data.domain = domain
        repository.data.config_flow = call.data["config_flow"]
        await repository.async_post_installation()
        return {"pending_restart": repository.pending_restart}

    hass.services.async_register(DOMAIN, "finish", finish, supports_response=SupportsResponse.ONLY)
    return True
