"""What appliances mean for the buttons of commands, and what a repair says of very many."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from homeassistant.const import CONF_DEVICE, CONF_MAC
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN
from ..devices.names import Kind
from ..devices.profile import profile_of
from ..devices.settings import ApplianceSettings
from ..devices.state_names import states_of_names

MAX_BUTTONS: Final = 100
"""A device with more commands gets no new buttons: a page shows no thousand of them."""
MANY_STATES: Final = 30
"""So many states of an air conditioner are better one thermostat."""


def unused_with_button(data: Mapping[str, Any], commands: Mapping[str, object]) -> list[str]:
    """Return the commands of an appliance that have a button."""
    settings = ApplianceSettings.from_data(data)
    used = profile_of(
        settings.kind, commands, levels=settings.levels, functions=settings.functions
    ).used
    wanted = settings.buttons
    return [name for name in commands if name not in used and (wanted is None or name in wanted)]


def unused_by(kinds: Iterable[str], commands: Mapping[str, object]) -> list[str]:
    """Return the commands that no appliance of these kinds uses."""
    used = {name for kind in kinds for name in profile_of(Kind(kind), commands).used}
    return [name for name in commands if name not in used]


@callback
def async_tell_of_air_conditioner(
    hass: HomeAssistant, mac: str, device: str, commands: Mapping[str, object]
) -> None:
    """Let a repair offer to make a device an air conditioner, if its commands look like one."""
    issue = air_conditioner_issue(mac, device)
    count = len({*states_of_names(commands).values()}) if len(commands) > MANY_STATES else 0
    if count <= MANY_STATES:
        ir.async_delete_issue(hass, DOMAIN, issue)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue,
        data={CONF_MAC: mac, CONF_DEVICE: device},
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="appliance",
        translation_placeholders={"device": device, "count": str(count)},
    )


def air_conditioner_issue(mac: str, device: str) -> str:
    """Return the id of that repair."""
    return f"appliance_{mac}_{device}"
