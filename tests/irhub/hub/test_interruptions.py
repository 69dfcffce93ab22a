"""Scripts that stop, reloads, reboots: at every step a call ends well or says why not."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from types import NoneType

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.setup import async_setup_component
import pytest

from tests.home import Notices, until
from virtual_home.hub import VirtualHub

from ..home import HDMI, NEC, POWER, RC5, entry, our_hub, send, set_up, start

REMOTE = "remote.broadlink"


async def learn(hass: HomeAssistant, hub: VirtualHub, **data: object) -> str:
    response = await hass.services.async_call(
        "irhub", "learn", {"host": hub.host, **data}, blocking=True, return_response=True
    )
    assert response is not None
    return str(response["hex"])


async def outcome(call: Awaitable[object]) -> object:
    """Return a call's result, or the error it ended with."""
    try:
        return await call
    except HomeAssistantError as err:
        return err


async def test_a_stopped_script_ends_learning(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    sequence = [{"action": "irhub.learn", "data": {"host": hub.host}}]
    assert await async_setup_component(
        hass, "script", {"script": {"learning": {"sequence": sequence}}}
    )
    await hass.services.async_call("script", "turn_on", {"entity_id": "script.learning"})
    await until(lambda: notices.text)
    await hub.until(lambda: hub.receiver.listening == "ir")
    await hass.services.async_call(
        "script", "turn_off", {"entity_id": "script.learning"}, blocking=True
    )
    await until(lambda: hub.receiver.listening is None)
    assert notices.text is None


async def test_a_reload_ends_learning(
    hass: HomeAssistant, notices: Notices, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    (config_dir / "configuration.yaml").write_text("")
    await start(hass, virtual_hub)
    learning = asyncio.create_task(learn(hass, virtual_hub))
    await until(lambda: notices.text)
    await hass.services.async_call("irhub", "reload", {}, blocking=True)
    with pytest.raises(HomeAssistantError, match="was closed"):
        await learning
    assert virtual_hub.receiver.listening is None
    assert notices.text is None


def sockets() -> int:
    """Return how many UDP sockets this process has open on loopback."""
    inodes = {line.split()[9] for line in Path("/proc/self/net/udp").read_text().splitlines()[1:]}
    links = [str(fd.readlink()) for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
    return sum(link.removeprefix("socket:[").removesuffix("]") in inodes for link in links)


@pytest.mark.skipif(not Path("/proc/self/net/udp").exists(), reason="reads Linux's /proc")
async def test_a_reload_while_everything_hangs_leaves_no_socket(
    hass: HomeAssistant, notices: Notices, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    (config_dir / "configuration.yaml").write_text("")
    before = sockets()
    await start(hass, virtual_hub, timeout=10)
    learning = asyncio.create_task(outcome(learn(hass, virtual_hub)))
    await until(lambda: notices.text)
    virtual_hub.faults.silent = True
    arrived = virtual_hub.arrived
    sending = asyncio.create_task(outcome(send(hass, virtual_hub, RC5)))
    await until(lambda: virtual_hub.arrived > arrived)
    await hass.services.async_call("irhub", "reload", {}, blocking=True)
    for ended in await asyncio.gather(learning, sending):
        assert "was closed" in str(ended)
    assert sockets() == before


async def test_remote_and_action_do_not_learn_at_once(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learning = asyncio.create_task(learn(hass, hub))
    await until(lambda: notices.text)
    with pytest.raises(ServiceValidationError, match="is already learning"):
        await hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": REMOTE, "device": "tv", "command": "power"},
            blocking=True,
        )
    await hub.press_when_listening(POWER)
    assert await learning == POWER.hex()


@pytest.mark.parametrize("step", range(5))
@pytest.mark.parametrize("downtime", [0, 0.5])
async def test_a_reboot_at_any_step_of_a_send(
    hass: HomeAssistant, step: int, downtime: float, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=3))
    sending = asyncio.create_task(outcome(send(hass, virtual_hub, [RC5, NEC])))
    await virtual_hub.until(lambda: len(virtual_hub.logs.received) >= step or sending.done())
    virtual_hub.reboot(downtime)
    result = await sending
    if result is None:
        assert virtual_hub.transmitted == [POWER, HDMI]
    else:
        assert virtual_hub.transmitted in ([], [POWER], [POWER, HDMI])


@pytest.mark.parametrize("model", ["rm4_pro"])
@pytest.mark.parametrize("step", range(2, 7))
async def test_a_reboot_at_any_step_of_learning(
    hass: HomeAssistant, notices: Notices, step: int, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=3))
    learning = asyncio.create_task(learn(hass, virtual_hub, timeout=10))
    await virtual_hub.until(lambda: len(virtual_hub.logs.received) >= step)
    virtual_hub.reboot(downtime=0.3)
    await until(lambda: notices.text)
    await virtual_hub.press_when_listening(POWER)
    assert await learning == POWER.hex()


async def test_everything_at_once_while_reloading(hass: HomeAssistant, config_dir: Path) -> None:
    async with VirtualHub("rm4_pro", seed=7) as hub:
        keys = "\n    ".join(f"{key}: {value!r}" for key, value in entry(hub, timeout=5).items())
        (config_dir / "configuration.yaml").write_text(f"remote:\n  - {keys}\n")
        await start(hass, hub, timeout=5)
        hub.faults.loss = 0.05
        hub.faults.duplicate = 0.1
        hub.faults.reorder = 0.1
        target: dict[str, object] = {"entity_id": REMOTE}
        codes = {"tv": {"power": [RC5, NEC]}}
        calls: list[tuple[str, str, dict[str, object], bool]] = [
            ("irhub", "send", {"host": hub.host, "packet": [RC5, NEC]}, True),
            ("irhub", "learn", {"host": hub.host, "timeout": 1}, True),
            ("irhub", "import_codes", {**target, "codes": codes}, True),
            ("irhub", "export_codes", target, True),
            ("remote", "send_command", {**target, "command": f"b64:{RC5}"}, False),
            ("remote", "learn_command", {**target, "device": "a", "command": "b"}, False),
            ("remote", "delete_command", {**target, "device": "tv", "command": "power"}, False),
            ("irhub", "reload", {}, False),
        ]
        running = [
            outcome(
                hass.services.async_call(
                    domain, service, data, blocking=True, return_response=response
                )
            )
            for _ in range(7)
            for domain, service, data, response in calls
        ]
        async with asyncio.timeout(40):
            results = await asyncio.gather(*running)
        assert all(isinstance(result, (dict, HomeAssistantError, NoneType)) for result in results)
        hub.faults.clear()
        await until(lambda: our_hub(hass, hub).available)
        sent = len(hub.transmitted)
        await send(hass, hub, RC5)
        assert hub.transmitted[sent:] == [POWER]
        assert not our_hub(hass, hub).receiver.learning
