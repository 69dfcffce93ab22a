"""Who shares a hub with whom, and how long it lives."""

import asyncio
from contextlib import AsyncExitStack
import json
from pathlib import Path
import time

from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.irhub.hub import connection
from custom_components.irhub.hub.hello import hello
from custom_components.irhub.hub.hubs import DATA_HUBS, Hubs
from custom_components.irhub.hub.library import Capability, firmware_version, is_known
from custom_components.irhub.hub.search import discover_devices
from custom_components.irhub.settings import HubSettings, Mac
from custom_components.irhub.yaml.hubs import DATA_YAML_HUBS
from tests.home import until
from virtual_home.hub import VirtualHub, exchange_addresses

from ..dialogue import add
from ..home import FAN, HDMI, NEC, POWER, RC5, RF, entry, our_hub, our_status, send, set_up
from ..yaml.configuration import configure, item, living, reload, start
from .network import use_interfaces


def settings(virtual: VirtualHub, **changes: object) -> HubSettings:
    """Return what a config entry says of a virtual hub."""
    keys = {
        "host": virtual.host,
        "port": virtual.port,
        "mac": Mac(virtual.mac.replace(":", "").lower()),
        "timeout": 1.0,
        "min_gap": 0.0,
        **changes,
    }
    return HubSettings(**keys)  # type: ignore[arg-type]


def hubs_of(hass: HomeAssistant) -> Hubs:
    return hass.data[DATA_HUBS]


def conflicts(hass: HomeAssistant) -> list[str]:
    """Return the repairs about two MAC addresses for one host."""
    return [
        issue
        for domain, issue in ir.async_get(hass).issues
        if domain == "irhub" and issue.startswith("mac_conflict")
    ]


async def test_one_device_by_two_hosts_is_one_hub(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await set_up(
        hass,
        "remote",
        entry(virtual_hub, host="localhost", name="By name"),
        entry(virtual_hub, host="127.0.0.1", mac="01:00:00:34:EA:34", name="By address"),
    )
    await until(lambda: our_hub(hass, virtual_hub).available)
    await asyncio.gather(
        send(hass, virtual_hub, [RC5, NEC]),
        hass.services.async_call(
            "irhub", "send", {"host": "localhost", "packet": [RF, RC5]}, blocking=True
        ),
    )
    assert virtual_hub.transmitted == [POWER, HDMI, FAN, POWER]
    assert len(hubs_of(hass).hubs) == 1
    assert virtual_hub.count("auth") == 1


async def test_what_an_entry_asks_for_while_the_hub_connects_holds_at_once(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.slow = 0.2
    await set_up(hass, "remote", entry(virtual_hub, timeout=1))
    hub = our_hub(hass, virtual_hub)
    for greeted in (1, 2):  # with a hello, with the request for a session
        await virtual_hub.until(lambda: virtual_hub.count("hello") >= greeted)  # noqa: B023
    await virtual_hub.until(lambda: virtual_hub.count("auth") == 1)
    assert not hub.available
    hubs_of(hass).use(settings(virtual_hub, timeout=7.0, min_gap=0.3))
    await until(lambda: hub.available)
    assert hub.connection.device is not None
    assert hub.connection.device.timeout == 7
    virtual_hub.faults.clear()
    await send(hass, virtual_hub, [RC5, NEC])
    first, second = (transmission.at for transmission in virtual_hub.logs.transmitted)
    assert second - first >= 0.3


async def test_a_hub_lives_while_anyone_uses_it(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "remote:", item(virtual_hub, "min_gap: 0.4"))
    hub = our_hub(hass, virtual_hub)
    await until(lambda: hub.available)
    used = settings(virtual_hub)
    assert hubs_of(hass).use(used) == (hub, our_status(hass, virtual_hub))
    sending = asyncio.create_task(send(hass, virtual_hub, [RC5, NEC, RF]))
    await virtual_hub.until(lambda: virtual_hub.count("send") == 1)
    configure(config_dir, "")
    await reload(hass)
    assert living(hass) == []
    await sending  # the session and the queue are the entry's, too
    assert virtual_hub.transmitted == [POWER, HDMI, FAN]
    assert our_hub(hass, virtual_hub) is hub
    assert hub.settings.min_gap == 0
    assert virtual_hub.count("auth") == 1
    await hubs_of(hass).release([used])
    assert hub.closed
    assert hubs_of(hass).hubs == []
    with pytest.raises(HomeAssistantError, match="No irhub hub is configured"):
        await send(hass, virtual_hub, RC5)


async def test_an_entry_that_goes_leaves_yaml_its_hub(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    hub = our_hub(hass, new_hub)
    used = settings(new_hub, timeout=30.0, host="127.0.0.9")
    hubs_of(hass).use(used)
    assert hub.settings.timeout == 30
    await hubs_of(hass).release([used])
    assert hub.settings.timeout == 1
    assert not hub.closed
    assert hubs_of(hass).get(Mac("01000034ea34")) is hub


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_switch_entry_that_was_reloaded_no_longer_follows_the_hub(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await start(hass, config_dir, "switch:", item(virtual_hub))
    hubs_of(hass).use(settings(virtual_hub, timeout=0.3))
    configure(config_dir, "")
    await reload(hass)
    virtual_hub.faults.clear()
    hub = our_hub(hass, virtual_hub)
    hub.connection.check_now()
    await until(lambda: hub.available)
    await hass.async_block_till_done()
    assert living(hass) == []


async def test_the_repair_goes_when_the_yaml_is_right_again(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub, attic: VirtualHub
) -> None:
    wrong = item(attic, "name: Other").replace(f"port: {attic.port}", f"port: {lounge.port}")
    await start(hass, config_dir, "remote:", item(lounge), wrong)
    [issue] = conflicts(hass)
    assert issue == f"mac_conflict_127.0.0.1_{lounge.port}"
    configure(config_dir, "remote:", item(lounge), item(attic, "name: Other"))
    await reload(hass)
    assert conflicts(hass) == []
    await until(lambda: our_hub(hass, attic).available)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_device_says_who_it_is(hass: HomeAssistant, lounge: VirtualHub) -> None:
    device = await hello(lounge.host, lounge.port, 5)
    assert (device.name, device.manufacturer) == ("Lounge", "Broadlink")
    assert device.model == "RM4 pro"
    lounge.faults.silent = True
    await set_up(hass, "remote", entry(lounge))
    hub = our_hub(hass, lounge)
    assert hub.can(Capability.RADIO) is None
    lounge.faults.clear()
    await until(lambda: hub.available)
    assert sorted(hub.capabilities or ()) == [
        "humidity",
        Capability.LEARN,
        Capability.RADIO,
        "temperature",
        Capability.TRANSMIT,
    ]
    assert await hub.request(firmware_version) == 52079


async def test_a_broadcast_on_every_interface_finds_each_device_once(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_interfaces(monkeypatch, "127.0.0.1", "127.0.0.9", "192.0.2.77")
    async with (
        VirtualHub(host="127.0.0.2") as first,
        VirtualHub("mp1", host="127.0.0.3", port=first.port, mac="34:EA:34:00:00:02") as other,
        VirtualHub(host="127.0.0.4", port=first.port, mac="34:EA:34:00:00:03") as garbled,
    ):
        other.faults.duplicate = 1
        garbled.faults.garbage = 1
        devices = await discover_devices(hass, first.port)
        assert {(device.host[0], device.model) for device in devices if is_known(device)} == {
            ("127.0.0.2", "RM pro/pro+"),
            ("127.0.0.3", "MP1-1K4S"),
        }


@pytest.fixture
def broadcasts(
    monkeypatch: pytest.MonkeyPatch,
    quick_retries: None,  # noqa: ARG001  (for its effect)
) -> None:
    """Let a broadcast reach the virtual hubs; retry quickly."""
    use_interfaces(monkeypatch, "127.0.0.1")


def moved(hass: HomeAssistant) -> list[dict[str, str]]:
    """Return what the repairs about hubs at other addresses say."""
    return [
        issue.translation_placeholders or {}
        for (domain, _), issue in ir.async_get(hass).issues.items()
        if domain == "irhub" and issue.translation_key == "moved"
    ]


@pytest.mark.usefixtures("broadcasts")
async def test_the_name_of_a_hub_that_moved_is_no_markdown(hass: HomeAssistant) -> None:
    names: list[str] = []

    @callback
    def note(_event: Event[ir.EventIssueRegistryUpdatedData]) -> None:
        """Note what the repair says: it goes when the entry has the new address."""
        names.extend(repair["hub"] for repair in moved(hass))

    async with VirtualHub(host="127.0.0.2", name="[Lounge](https://example.com)") as virtual:
        await add(hass, virtual)
        hub = our_hub(hass, virtual)
        await until(lambda: hub.available)
        hass.bus.async_listen(ir.EVENT_REPAIRS_ISSUE_REGISTRY_UPDATED, note)
        await virtual.move("127.0.0.3")
        await until(lambda: bool(names))
        assert names[0].startswith(r"\[Lounge\](https\://example.com)")


@pytest.mark.usefixtures("broadcasts")
async def test_a_hub_that_moved_is_found_and_used_where_it_is(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async with VirtualHub(host="127.0.0.2") as virtual:
        await set_up(hass, "remote", entry(virtual))
        hub = our_hub(hass, virtual)
        await until(lambda: hub.available)
        label = f"127.0.0.2:{virtual.port}"
        await virtual.move("127.0.0.3")
        await until(lambda: not hub.available)
        await until(lambda: hub.available)
        await hass.services.async_call(
            "irhub", "send", {"host": label, "packet": RC5}, blocking=True
        )
        assert virtual.transmitted == [POWER]
        assert moved(hass) == [{"hub": label, "address": "127.0.0.3", "mac": "34:EA:34:00:00:01"}]
        assert caplog.text.count("was found at 127.0.0.3 and is used there") == 1
        await virtual.move("127.0.0.2")
        await until(lambda: not moved(hass))
        await send(hass, virtual, NEC)
        assert virtual.transmitted == [POWER, HDMI]


@pytest.mark.usefixtures("broadcasts")
async def test_a_reload_does_not_tell_again_where_a_hub_is(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once for each change of the address."""
    async with VirtualHub(host="127.0.0.2") as virtual:
        config = {"remote": [entry(virtual)]}
        (config_dir / "configuration.yaml").write_text(json.dumps(config))
        await set_up(hass, "remote", *config["remote"])
        for address, times in (("127.0.0.3", 1), ("127.0.0.4", 1), ("127.0.0.3", 2)):
            await virtual.move(address)
            for _ in range(2):
                await hass.services.async_call("irhub", "reload", blocking=True)
                await until(lambda: hubs_of(hass).hubs[0].available)
                assert caplog.text.count(f"was found at {address} and is used there") == times
                assert moved(hass)[0]["address"] == address


@pytest.mark.usefixtures("broadcasts")
async def test_a_hub_that_moved_while_home_assistant_was_off(hass: HomeAssistant) -> None:
    async with VirtualHub(host="127.0.0.2") as virtual:
        await set_up(hass, "remote", entry(virtual, host="127.0.0.3", timeout=2))
        assert not moved(hass)
        began = time.monotonic()
        await until(lambda: hubs_of(hass).hubs[0].available)
        assert time.monotonic() - began < 2
        assert moved(hass)
        hass.data[DATA_HUBS].hubs[0].connection.check_now()
        async with hass.data[DATA_YAML_HUBS].reloading():
            assert not moved(hass)


@pytest.mark.usefixtures("broadcasts")
async def test_hubs_that_exchange_their_addresses_transmit_what_is_theirs(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 60)
    async with (
        VirtualHub(host="127.0.0.2") as first,
        VirtualHub(host="127.0.0.3", port=first.port, mac="34:EA:34:00:00:02") as other,
    ):
        await set_up(hass, "remote", entry(first), entry(other, name="other"))
        hubs = our_hub(hass, first), our_hub(hass, other)
        await until(lambda: all(hub.available for hub in hubs))
        await exchange_addresses(first, other)
        for packet in (RC5, NEC, RF):  # for the first entry's hub, at the other's address now
            await hass.services.async_call(
                "irhub", "send", {"host": "127.0.0.2", "packet": packet}, blocking=True
            )
        await hass.services.async_call(
            "irhub", "send", {"host": "127.0.0.3", "packet": RC5}, blocking=True
        )
        assert first.transmitted == [POWER, HDMI, FAN]
        assert other.transmitted == [POWER]


async def test_nothing_is_transmitted_to_another_device_at_the_address(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_interfaces(monkeypatch)
    async with (
        VirtualHub(host="127.0.0.2") as first,
        VirtualHub(host="127.0.0.3", port=first.port, mac="34:EA:34:00:00:02") as other,
    ):
        await set_up(hass, "remote", entry(first))
        await until(lambda: our_hub(hass, first).available)
        first.stop()
        await other.move("127.0.0.2")
        with pytest.raises(HomeAssistantError, match="is not the configured one"):
            await send(hass, first, RC5)
        assert other.transmitted == []
        assert other.count("auth") == 0


@pytest.mark.usefixtures("broadcasts")
async def test_many_hubs_that_are_gone_share_a_broadcast(hass: HomeAssistant) -> None:
    async with VirtualHub(host="127.0.0.2", mac="34:EA:34:00:00:02") as witness:
        gone = [
            entry(witness, host=f"127.0.1.{n}", mac=f"34:EA:34:00:01:{n:02}", name=f"Gone {n}")
            for n in range(20)
        ]
        await set_up(hass, "remote", *gone)
        await until(lambda: all(hub.connection.error for hub in hubs_of(hass).hubs))
        assert witness.count("hello") <= 3


@pytest.mark.usefixtures("broadcasts")
@pytest.mark.parametrize("count", [1, 30])
async def test_hubs_that_moved_are_found_among_thirty_at_the_start(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 60)
    async with AsyncExitStack() as stack:
        hubs: list[VirtualHub] = []
        for number in range(1, 31):
            port = hubs[0].port if hubs else 0
            mac = f"34:EA:34:00:02:{number:02}"
            virtual = VirtualHub(host=f"127.0.2.{number}", port=port, mac=mac)
            hubs.append(await stack.enter_async_context(virtual))
        entries = [entry(virtual, name=f"Hub {virtual.host}", timeout=5) for virtual in hubs]
        for each in entries[:count]:
            each["host"] = each["host"].replace("127.0.2.", "127.0.3.")
        began = time.monotonic()
        await set_up(hass, "remote", *entries)
        await until(lambda: all(hub.available for hub in hubs_of(hass).hubs))
        assert time.monotonic() - began < 5
        assert len(moved(hass)) == count
        # Each is greeted before its session and in it; a broadcast for all asks three times.
        assert {virtual.count("auth") for virtual in hubs} == {1}
        assert max(virtual.count("hello") for virtual in hubs) <= 2 + 3 + 1  # one came late
