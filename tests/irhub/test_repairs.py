"""Repairs with a way out: a locked hub, and the commands of one that was removed."""

from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
import pytest

from tests.home import until
from virtual_home.hub import VirtualHub

from .buttons import buttons, learn
from .dialogue import add, configure, entry_of
from .home import RC5, entry as yaml_entry, known, set_up
from .issues import MAC, issues, mend


@pytest.mark.parametrize("by_yaml", [True, False])
async def test_a_locked_hub(hass: HomeAssistant, by_yaml: bool, virtual_hub: VirtualHub) -> None:
    virtual_hub.locked = True
    if by_yaml:
        await set_up(hass, "remote", yaml_entry(virtual_hub))
    else:
        entry = entry_of(virtual_hub)
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: issues(hass) == [f"locked_{MAC}"])
    dialogue = await mend(hass, f"locked_{MAC}")
    assert dialogue.step == "confirm"
    address = f"{virtual_hub.host}:{virtual_hub.port}"
    named = address if by_yaml else f"{virtual_hub.name} ({address})"
    assert dialogue.texts["hub"] == named
    await dialogue.submit()
    assert f"{named} is locked" in dialogue.error
    virtual_hub.locked = False
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert issues(hass) == []
    [state] = hass.states.async_all("remote")
    assert state.state == "on"


async def test_a_locked_hub_that_is_removed_meanwhile(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.locked = True
    entry = entry_of(virtual_hub)
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: issues(hass) == [f"locked_{MAC}"])
    dialogue = await mend(hass, f"locked_{MAC}")
    await hass.config_entries.async_remove(entry.entry_id)
    assert issues(hass) == []
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY


async def removed(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Remove a hub that has learned something."""
    entry = await add(hass, hub)
    await learn(hass, tv={"power": RC5})
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()


@pytest.mark.parametrize("choice", ["delete", "keep"])
async def test_removing_a_hub_asks_about_its_commands(
    hass: HomeAssistant, choice: str, lounge: VirtualHub
) -> None:
    await removed(hass, lounge)
    issue = ir.async_get(hass).async_get_issue("irhub", f"kept_codes_{MAC}")
    assert issue is not None
    assert issue.translation_placeholders == {"name": "Lounge", "count": "1"}
    dialogue = await mend(hass, f"kept_codes_{MAC}")
    await dialogue.choose(choice)
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    assert issues(hass) == []
    entry = await add(hass, lounge)
    assert len(buttons(hass)) == (1 if choice == "keep" else 0)
    if choice == "delete":
        dialogue = await (await configure(hass, entry)).choose("restore")
        await dialogue.submit(deleted=[*known(hass).deleted])
        await hass.async_block_till_done()
        assert buttons(hass) == {"button.tv_power": "tv power"}


async def test_a_hub_that_comes_back_needs_no_answer(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await removed(hass, lounge)
    assert issues(hass) == [f"kept_codes_{MAC}"]
    await add(hass, lounge)
    assert issues(hass) == []
    assert buttons(hass) == {"button.tv_power": "tv power"}


async def test_commands_that_yaml_uses_are_not_asked_about(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    await set_up(hass, "remote", yaml_entry(lounge, name="Lounge"))
    await removed(hass, lounge)
    assert issues(hass) == []


async def test_commands_that_cannot_be_deleted(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    await removed(hass, lounge)
    codes = config_dir / ".storage" / f"irhub_devices_{MAC}"
    codes.unlink()
    codes.mkdir()
    dialogue = await mend(hass, f"kept_codes_{MAC}")
    await dialogue.choose("delete")
    assert dialogue.type is FlowResultType.ABORT
    assert "could not be written" in dialogue.texts["error"]
    assert issues(hass) == [f"kept_codes_{MAC}"]


async def test_commands_that_cannot_be_read_stay(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    (config_dir / ".storage" / f"irhub_devices_{MAC}").mkdir(parents=True)
    entry = await add(hass, lounge)
    await hass.config_entries.async_remove(entry.entry_id)
    assert issues(hass) == []
