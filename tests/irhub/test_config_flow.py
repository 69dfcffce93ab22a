"""Adding a hub in the user interface: found, entered, locked, unknown, there already."""

import asyncio
from collections.abc import AsyncIterator
import socket
import subprocess
import sys
from unittest.mock import AsyncMock, Mock, patch

from homeassistant.config_entries import SOURCE_DHCP, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, UnknownFlow
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)
import voluptuous as vol

from custom_components.irhub.dialogues import add as add_module
from custom_components.irhub.hub import hello, library, probe
from tests.home import until
from virtual_home.hub import VirtualHub, free_udp_port
from virtual_home.hub.family import DeviceError

from .dialogue import Dialogue, add, begin_add, reconfigure
from .home import entry as yaml_entry, set_up

SEARCH_S = 0.5
SECOND = "34:EA:34:00:00:02"


@pytest.fixture(autouse=True)
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Look for hubs on this machine alone, at a port that needs no rights, and briefly."""
    port = free_udp_port()

    async def discover(_hass: HomeAssistant) -> list[library.HubDevice]:
        devices: list[library.HubDevice] = []
        await hello.broadcast(["127.0.0.1"], port, devices.append, SEARCH_S)
        return devices

    monkeypatch.setattr(add_module, "discover_devices", discover)
    return port


@pytest.fixture
async def found_hub(model: str, port: int) -> AsyncIterator[VirtualHub]:
    """Return a hub that is found in the network."""
    async with VirtualHub(model, discovery_port=port) as hub:
        yield hub


async def choose(dialogue: Dialogue, hub: VirtualHub) -> Dialogue:
    return await dialogue.submit(mac=hub.mac.replace(":", "").lower())


def offered(dialogue: Dialogue) -> list[str]:
    return [option["label"] for option in dialogue.fields["mac"].config["options"]]


def where(hub: VirtualHub) -> str:
    return f"{hub.host}:{hub.port}"


async def test_a_name_that_is_no_utf8_hides_no_hub_and_is_shown(
    hass: HomeAssistant, port: int
) -> None:
    async with (
        VirtualHub("rm4_pro", discovery_port=port, name="Salon \udcc3"),
        VirtualHub("a1", mac=SECOND, discovery_port=port, name="Air"),
    ):
        dialogue = await begin_add(hass)
        assert [label.partition(" · ")[0] for label in offered(dialogue)[:2]] == [
            "Salon \N{REPLACEMENT CHARACTER}",
            "Air",
        ]


async def test_a_hub_that_is_found_is_added(hass: HomeAssistant, port: int) -> None:
    async with (
        VirtualHub("rm4_pro", discovery_port=port, name="Lounge") as hub,
        VirtualHub("a1", mac=SECOND, discovery_port=port, name="") as other,
    ):
        other.locked = True
        dialogue = await begin_add(hass)
        assert dialogue.step == "choose"
        assert offered(dialogue) == [
            f"Lounge · RM4 pro · {where(hub)}",
            f"A1 · {where(other)} · locked in the vendor's app",
            "by_host",
            "without_hub",
        ]
        await choose(dialogue, hub)
        assert dialogue.type is FlowResultType.CREATE_ENTRY
        assert dialogue.shown["title"] == "Lounge"
        assert dialogue.shown["data"] == {
            "host": hub.host,
            "port": hub.port,
            "mac": "34ea34000001",
            "device_type": hub.devtype,
        }
        await hass.async_block_till_done()
        await until(lambda: hass.states.is_state("remote.lounge", "on"))

        # The one that is there is not offered again.
        again = await begin_add(hass)
        locked = f"A1 · {where(other)} · locked in the vendor's app"
        assert offered(again) == [locked, "by_host", "without_hub"]
        await again.submit(mac="without_hub")
        assert again.step == "without_hub"


async def test_a_hub_that_is_switched_on_now_is_found_by_looking_again(
    hass: HomeAssistant, port: int
) -> None:
    dialogue = await begin_add(hass)
    assert dialogue.step == "nothing_found"
    async with VirtualHub("rm4_pro", discovery_port=port, name="Late") as hub:
        await dialogue.submit()
        assert dialogue.shown["progress_action"] == "search"
        await dialogue.arrive("choose")
        assert offered(dialogue) == [f"Late · RM4 pro · {where(hub)}", "by_host", "without_hub"]


async def test_a_host_is_entered(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Attic") as hub:
        dialogue = await begin_add(hass)
        assert dialogue.step == "nothing_found"
        await dialogue.submit(host="http://192.168.1.20")
        assert dialogue.shown["errors"] == {"host": "host_is_url"}
        await dialogue.submit(host=f"localhost:{hub.port}")
        assert dialogue.type is FlowResultType.CREATE_ENTRY
        assert dialogue.shown["title"] == "Attic"
        assert dialogue.shown["data"]["host"] == "localhost"


async def test_no_hub_is_chosen_for_the_user(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub(discovery_port=port, name="Attic") as hub:
        dialogue = await begin_add(hass)
        schema = dialogue.shown["data_schema"]
        assert schema is not None
        assert [type(field) for field in schema.schema] == [vol.Optional]
        await dialogue.submit()
        assert "Choose a hub of the list" in dialogue.error
        assert hass.config_entries.async_entries("irhub") == []
        await choose(dialogue, hub)
        assert dialogue.shown["title"] == "Attic"


async def test_a_late_look_finishes_nothing_twice(hass: HomeAssistant, port: int) -> None:
    """Home Assistant looks once more when the search is done, maybe after the hub was chosen."""
    async with VirtualHub(discovery_port=port, name="Attic") as hub:
        dialogue = await begin_add(hass)
        chosen = asyncio.create_task(choose(dialogue, hub))
        await asyncio.sleep(0)
        with pytest.raises(UnknownFlow):
            await hass.config_entries.flow.async_configure(dialogue.shown["flow_id"])
        await chosen
        assert dialogue.shown["title"] == "Attic"


async def test_another_host_than_those_found(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub(discovery_port=port), VirtualHub(mac=SECOND, name="Attic") as hub:
        dialogue = await begin_add(hass)
        await dialogue.submit(mac="by_host")
        assert dialogue.step == "host"
        await dialogue.submit(host=where(hub))
        assert dialogue.shown["title"] == "Attic"


@pytest.mark.parametrize(
    ("language", "problem"),
    [("en", "does not answer within 5 s"), ("de", "antwortet nicht innerhalb von 5 s")],
)
async def test_nobody_answers(hass: HomeAssistant, language: str, problem: str) -> None:
    hass.config.language = language
    dialogue = await begin_add(hass)
    await dialogue.submit(host="127.0.0.1:9")
    assert dialogue.step == "host"
    assert problem in dialogue.error


async def test_an_unknown_name(hass: HomeAssistant) -> None:
    dialogue = await begin_add(hass)
    unknown = AsyncMock(side_effect=socket.gaierror(socket.EAI_NONAME, "unknown"))
    with patch.object(asyncio.get_running_loop(), "getaddrinfo", unknown):
        await dialogue.submit(host="nowhere.invalid")
    assert "The host name nowhere.invalid cannot be resolved" in dialogue.error


async def test_a_hub_that_stopped_answering_after_it_was_found(
    hass: HomeAssistant, found_hub: VirtualHub
) -> None:
    dialogue = await begin_add(hass)
    found_hub.faults.silent = True
    await choose(dialogue, found_hub)
    assert dialogue.step == "choose"
    assert "does not answer" in dialogue.error
    found_hub.faults.silent = False
    await choose(dialogue, found_hub)
    assert dialogue.type is FlowResultType.CREATE_ENTRY


async def test_a_locked_hub_is_unlocked_in_the_app(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub(discovery_port=port, name="Lounge") as hub:
        hub.locked = True
        dialogue = await begin_add(hass)
        await choose(dialogue, hub)
        assert dialogue.step == "locked"
        assert dialogue.texts == {"name": "Lounge", "model": "RM pro/pro+", "host": where(hub)}
        await dialogue.submit()
        assert dialogue.step == "still_locked"
        await dialogue.submit()
        assert dialogue.step == "still_locked"
        hub.locked = False
        await dialogue.submit()
        assert dialogue.type is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize("unlock", [True, False])
async def test_a_locked_hub_that_lets_us_in_is_unlocked_if_wanted(
    hass: HomeAssistant, unlock: bool, found_hub: VirtualHub
) -> None:
    found_hub.locked = found_hub.opens_when_locked = True
    dialogue = await begin_add(hass)
    await choose(dialogue, found_hub)
    assert dialogue.step == "unlock"
    found_hub.faults.silent = True
    if unlock:
        await dialogue.submit(unlock=True)
        assert "does not answer" in dialogue.error
    found_hub.faults.silent = False
    await dialogue.submit(unlock=unlock)
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    assert found_hub.locked is not unlock


async def test_a_hub_that_opens_no_session_is_tried_again(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, found_hub: VirtualHub
) -> None:
    dialogue = await begin_add(hass)
    with monkeypatch.context() as broken:
        broken.setattr(found_hub, "_authenticate", Mock(side_effect=DeviceError(-4)))
        await choose(dialogue, found_hub)
    assert dialogue.step == "session"
    assert "opened no session" in dialogue.error
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY


async def test_an_unknown_model_is_treated_like_a_known_one(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub("rm4_pro", devtype=0x521A, discovery_port=port, name="New") as hub:
        dialogue = await begin_add(hass)
        await choose(dialogue, hub)
        assert dialogue.step == "like"
        assert dialogue.texts["model"] == "0x521a"
        # The neighbour's kind is suggested, and named.
        schema = dialogue.shown["data_schema"]
        assert schema is not None
        [field] = schema.schema
        assert field.description == {"suggested_value": "rm4_pro"}
        assert dialogue.texts["nearest"] == "RM4C pro"
        await dialogue.submit(type="rm2")
        assert dialogue.step == "like"
        assert "does not work like that" in dialogue.error
        assert hub.receiver.listening is None
        await dialogue.submit(type="rm4_pro")
        assert dialogue.type is FlowResultType.CREATE_ENTRY
        assert dialogue.shown["data"]["type"] == "rm4_pro"
        await hass.async_block_till_done()
        await until(lambda: hass.states.is_state("remote.new", "on"))


async def test_an_unknown_model_without_radio_gets_none(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub("rm4_mini", devtype=0x521A, discovery_port=port, name="New") as hub:
        dialogue = await begin_add(hass)
        await choose(dialogue, hub)
        assert dialogue.texts["nearest"] == "RM4C pro"
        await dialogue.submit(type="rm4_pro")
        assert dialogue.step == "like"
        assert "does not work like that" in dialogue.error
        await dialogue.submit(type="rm4_mini")
        assert dialogue.type is FlowResultType.CREATE_ENTRY
        await until(lambda: hass.states.is_state("remote.new", "on"))
        await hass.async_block_till_done()
        assert hass.states.async_entity_ids("radio_frequency") == []


async def test_an_unknown_model_that_falls_silent_is_waited_for(
    hass: HomeAssistant, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "DEFAULT_TIMEOUT_S", 0.5)
    async with VirtualHub("rm4_pro", devtype=0x521A, discovery_port=port) as hub:
        dialogue = await begin_add(hass)
        await choose(dialogue, hub)
        assert dialogue.step == "like"
        hub.faults.silent = True
        async with asyncio.timeout(8):  # the library's own patience is 10 s
            await dialogue.submit(type="rm4_pro")
        assert dialogue.step == "session"
        assert "does not answer within 0.5 s" in dialogue.error


@pytest.mark.parametrize("model", ["bg1"])
async def test_a_device_of_another_kind_is_not_offered_and_refused(
    hass: HomeAssistant, found_hub: VirtualHub
) -> None:
    dialogue = await begin_add(hass)
    assert dialogue.step == "nothing_found"
    await dialogue.submit(host=where(found_hub))
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "not_supported"


async def test_a_hub_that_is_there_already_is_corrected(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    entry = await add(hass, virtual_hub)
    dialogue = await begin_add(hass)
    await dialogue.submit(host=f"localhost:{virtual_hub.port}")
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "already_configured"
    assert entry.data["host"] == "localhost"


async def test_a_hub_of_cores_integration_comes_with_a_notice(
    hass: HomeAssistant, found_hub: VirtualHub
) -> None:
    MockConfigEntry(domain="broadlink", unique_id="34ea34000001").add_to_hass(hass)
    dialogue = await begin_add(hass)
    await choose(dialogue, found_hub)
    assert dialogue.step == "shared"
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY


async def test_a_hub_is_named_as_in_yaml(hass: HomeAssistant, port: int) -> None:
    async with VirtualHub(discovery_port=port, name="\u667a\u80fd\u9065\u63a7") as hub:
        await set_up(hass, "remote", yaml_entry(hub, name="Lounge"))
        dialogue = await begin_add(hass)
        await choose(dialogue, hub)
        assert dialogue.shown["title"] == "Lounge"


async def dhcp(hass: HomeAssistant, ip: str, mac: str) -> str:
    result = await hass.config_entries.flow.async_init(
        "irhub",
        context={"source": SOURCE_DHCP},
        data=DhcpServiceInfo(ip=ip, hostname="", macaddress=mac),
    )
    return str(result["reason"])


async def test_a_hub_is_followed_to_its_new_address(hass: HomeAssistant) -> None:
    async with VirtualHub(host="127.0.0.2") as hub:
        entry = await add(hass, hub)
        await hub.move("127.0.0.3")
        assert await dhcp(hass, "127.0.0.3", "34ea34000001") == "already_configured"
        await hass.async_block_till_done()
        assert entry.data["host"] == "127.0.0.3"
        await until(lambda: entry.runtime_data.hub.available)


async def test_a_host_name_is_left_to_the_name_server(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    entry = await add(hass, virtual_hub)
    hass.config_entries.async_update_entry(entry, data={**entry.data, "host": "localhost"})
    assert await dhcp(hass, "127.0.0.9", "34ea34000001") == "already_configured"
    assert entry.data["host"] == "localhost"


async def discovered(hass: HomeAssistant, hub: VirtualHub, ip: str = "") -> Dialogue:
    """Let the router tell of a hub."""
    flows = hass.config_entries.flow
    shown = await flows.async_init(
        "irhub",
        context={"source": SOURCE_DHCP},
        data=DhcpServiceInfo(
            ip=ip or hub.host, hostname="", macaddress=hub.mac.replace(":", "").lower()
        ),
    )
    return Dialogue(flows.async_configure, shown)


@pytest.fixture
async def hub_at_default_port(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[VirtualHub]:
    """Return a hub in the lounge at the port of real ones, here one that needs no rights."""
    port = free_udp_port()
    monkeypatch.setattr(add_module, "DEFAULT_PORT", port)
    async with VirtualHub(model, port=port, name="Lounge") as hub:
        yield hub


async def test_a_new_hub_in_the_network_is_offered(
    hass: HomeAssistant, hub_at_default_port: VirtualHub
) -> None:
    dialogue = await discovered(hass, hub_at_default_port)
    assert dialogue.step == "discovered"
    assert dialogue.texts["name"] == "Lounge"
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["context"]["title_placeholders"]["name"] == "Lounge"
    assert (await discovered(hass, hub_at_default_port)).shown["reason"] == "already_in_progress"
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    assert dialogue.shown["title"] == "Lounge"


async def test_a_hub_of_cores_integration_is_not_offered(
    hass: HomeAssistant, hub_at_default_port: VirtualHub
) -> None:
    MockConfigEntry(domain="broadlink", unique_id="34ea34000001").add_to_hass(hass)
    assert (await discovered(hass, hub_at_default_port)).shown["reason"] == "not_added"


async def test_a_hub_in_yaml_is_not_offered(
    hass: HomeAssistant, hub_at_default_port: VirtualHub
) -> None:
    await set_up(hass, "remote", yaml_entry(hub_at_default_port, name="Lounge"))
    assert (await discovered(hass, hub_at_default_port)).shown["reason"] == "not_added"


@pytest.mark.parametrize("model", ["bg1"])
async def test_what_is_no_hub_is_not_offered(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, hub_at_default_port: VirtualHub
) -> None:
    monkeypatch.setattr(probe, "DEFAULT_TIMEOUT_S", 0.3)
    assert (await discovered(hass, hub_at_default_port)).shown["reason"] == "not_supported"
    hub_at_default_port.faults.silent = True
    assert (await discovered(hass, hub_at_default_port)).shown["reason"] == "not_added"


async def test_a_hub_gets_another_host(hass: HomeAssistant) -> None:
    async with VirtualHub(host="127.0.0.2", name="Lounge") as hub, VirtualHub(mac=SECOND) as other:
        entry = await add(hass, hub)
        await hub.move("127.0.0.3")
        dialogue = await reconfigure(hass, entry)
        assert dialogue.step == "reconfigure"
        for wrong, error in (
            ("a b", "invalid_host"),
            ("http://192.168.1.20/", "host_is_url"),
            ("192.168.1.20:99999", "invalid_port"),
            ("192.168.1.20:port", "invalid_port"),
            ("fe80::1", "invalid_host"),
        ):
            await dialogue.submit(host=wrong)
            assert dialogue.shown["errors"] == {"host": error}
        await dialogue.submit(host=where(other))
        assert "its MAC address is 34:EA:34:00:00:02" in dialogue.error
        await dialogue.submit(host=where(hub))
        assert dialogue.shown["reason"] == "reconfigure_successful"
        await hass.async_block_till_done()
        assert entry.data["host"] == "127.0.0.3"
        await until(lambda: entry.runtime_data.hub.available)


async def test_a_hub_chosen_several_times_at_once_is_added_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, found_hub: VirtualHub
) -> None:
    first, other = await begin_add(hass), await begin_add(hass)
    answers = await asyncio.gather(
        choose(first, found_hub),
        choose(first, found_hub),
        choose(other, found_hub),
        return_exceptions=True,
    )
    assert all(isinstance(answer, Dialogue | UnknownFlow) for answer in answers)
    await hass.async_block_till_done()
    [entry] = hass.config_entries.async_entries("irhub")
    assert entry.state is ConfigEntryState.LOADED
    assert hass.config_entries.flow.async_progress() == []
    assert "Traceback" not in caplog.text
    assert "same unique ID" not in caplog.text


async def test_a_hub_that_is_removed_meanwhile_gets_no_other_host(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    entry = await add(hass, virtual_hub)
    dialogue = await reconfigure(hass, entry)
    await hass.config_entries.async_remove(entry.entry_id)
    await dialogue.submit(host=where(virtual_hub))
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "removed"


def test_pages_and_teaching_are_loaded_when_somebody_opens_a_dialogue() -> None:
    """Home Assistant imports the platforms and the config flow of each start."""
    modules = ("config_flow", "climate", "media_player", "remote", "button", "event", "repairs")
    script = "; ".join(
        [
            *(f"import custom_components.irhub.{module}" for module in modules),
            "import sys",
            "print(*(name for name in sys.modules if '.irhub.' in name))",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    loaded = {name.partition(".irhub.")[2] for name in done.stdout.split()}
    assert "dialogues.flow" in loaded
    assert not loaded & {"dialogues.add", "dialogues.appliance", "dialogues.options"}
    assert not {name for name in loaded if name.startswith("ircodes.teaching")}


def test_the_table_of_protocols_is_read_at_the_first_press() -> None:
    script = """
import custom_components.irhub.remote
from custom_components.irhub.ircodes.protocols.protocol_table import table
print(table.cache_info().currsize, len(table()))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    was_read, rows = map(int, done.stdout.split())
    assert not was_read
    assert rows
