"""Which entities a new device shows on dashboards, and that those of before stay as they are."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import act, buttons, learn
from ..dialogue import add
from ..dialogues.appliances import begin, finish
from ..dialogues.remotes import code_of_button, wait_for_button
from ..home import NEC, RC5, entry as yaml_entry, our_hub, set_up

REMOTE_CONTROL = {f"key {number}": code_of_button(number).hex() for number in range(45)}
TELEVISION = {
    "power": RC5,
    "volume up": NEC,
    **{name: code_of_button(number).hex() for number, name in enumerate(("menu", "ok", "Netflix"))},
}


def shown(hass: HomeAssistant) -> set[str]:
    """Return the buttons that dashboards show, by their names."""
    registry = er.async_get(hass)
    return {
        name.partition(" ")[2] or name
        for entity_id, name in buttons(hass).items()
        if (entity := registry.async_get(entity_id)) is not None and entity.hidden_by is None
    }


@pytest.mark.usefixtures("entry")
async def test_an_imported_remote_control_fills_no_page(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await learn(hass, den=REMOTE_CONTROL, lamp={"on": RC5, "off": NEC})
    assert len(buttons(hass)) == 47
    assert shown(hass) == {"on", "off"}
    await hass.services.async_call(
        "button", "press", {"entity_id": "button.den_key_7"}, blocking=True
    )
    assert len(lounge.transmitted) == 1  # hidden, it can be pressed all the same


async def test_a_television_shows_what_is_its_own(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv=TELEVISION)
    assert shown(hass) == {*TELEVISION}  # nobody has said what it is
    dialogue = await (await begin(hass, entry, "television")).choose("learn_remote")
    await dialogue.submit(name="set", buttons=["power", "ok", "Teletext"])
    for number, name in enumerate(("power", "ok", "Teletext")):
        await wait_for_button(dialogue, name)
        await lounge.press_when_listening(code_of_button(20 + number))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "media_player.set")
    assert {"set ok", "set Teletext"} <= {*buttons(hass).values()}
    assert shown(hass) == {*TELEVISION}


@pytest.mark.usefixtures("entry")
async def test_what_is_shown_stays_and_what_comes_to_it_is_shown(hass: HomeAssistant) -> None:
    """As of a device that a version before 0.5.0 has made."""
    await learn(hass, den=REMOTE_CONTROL)
    registry = er.async_get(hass)
    registry.async_update_entity("button.den_key_7", hidden_by=None)
    await learn(hass, den={"key 99": NEC})
    assert shown(hass) == {"key 7", "key 99"}
    # Imported once more, and brought back, each is as it was.
    await learn(hass, den=REMOTE_CONTROL)
    assert shown(hass) == {"key 7", "key 99"}
    await act(hass, "delete_codes", device="den")
    assert not buttons(hass)
    await act(hass, "restore_codes", device="den")
    assert shown(hass) == {"key 7", "key 99"}


@pytest.mark.parametrize("by_yaml", [False, True])
async def test_the_remote_of_a_new_hub_is_no_tile_unless_yaml_asks_for_it(
    hass: HomeAssistant, by_yaml: bool, lounge: VirtualHub
) -> None:
    if by_yaml:
        await set_up(hass, "remote", yaml_entry(lounge, name="Lounge"))
    else:
        await add(hass, lounge)
    await until(lambda: our_hub(hass, lounge).available)
    remote = er.async_get(hass).async_get("remote.lounge")
    assert remote is not None
    assert (remote.hidden_by is None) is by_yaml
    assert hass.states.is_state("remote.lounge", "on")
