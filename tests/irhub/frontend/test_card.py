"""What the card asks of Home Assistant: a device, each change of it, and to learn a button."""

from typing import Any

from homeassistant.auth.models import Group
from homeassistant.auth.permissions.types import CategoryType
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.errors import load_texts
from custom_components.irhub.ircodes import to_base64
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..home import HDMI, NEC, POWER, our_hub

TV = {"power": POWER.hex(), "hdmi 1": HDMI.hex(), "Volume+": NEC}


@pytest.fixture
async def socket(hass: HomeAssistant, hass_ws_client: WebSocketGenerator) -> MockHAClientWebSocket:
    assert await async_setup_component(hass, "websocket_api", {})
    return await hass_ws_client(hass)


async def teach(hass: HomeAssistant, **codes: object) -> None:
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.lounge", "codes": {"tv": codes}},
        blocking=True,
    )


async def ask(socket: MockHAClientWebSocket, **message: object) -> dict[str, Any]:
    """Send a command; return the reply to it."""
    await socket.send_json_auto_id(message)
    reply: dict[str, Any] = await socket.receive_json()
    return reply


async def event(socket: MockHAClientWebSocket) -> dict[str, Any]:
    message = await socket.receive_json()
    received: dict[str, Any] = message["event"]
    return received


def names(device: dict[str, Any]) -> list[str]:
    return [command["name"] for command in device["commands"]]


async def test_a_device_is_sent_now_and_at_each_change(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    await teach(hass, **TV)
    reply = await ask(socket, type="irhub/device/subscribe", device="tv")
    assert reply["success"]
    device = await event(socket)
    assert (device["name"], device["kind"], names(device)) == ("tv", "other", [*TV])
    await teach(hass, mute=POWER.hex())
    assert "mute" in names(await event(socket))


async def test_an_unknown_device_is_named(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    reply = await ask(socket, type="irhub/device/subscribe", device="radio")
    assert not reply["success"]
    assert "radio" in reply["error"]["message"]


async def test_errors_are_in_the_language_of_home_assistant(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    hass.config.language = "de"
    await load_texts(hass)  # as Home Assistant does at its start
    reply = await ask(socket, type="irhub/device/subscribe", device="radio")
    assert reply["error"]["message"].startswith("Kein Gerät radio wurde gelernt")


async def test_a_button_is_learned_in_its_place(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, lounge).available)
    message = {"type": "irhub/device/learn", "device": "tv", "function": "volume_down"}
    assert (await ask(socket, **message))["success"]
    assert await event(socket) == {"step": "press", "name": "volume down"}
    await lounge.press_when_listening(HDMI)
    assert (await event(socket))["step"] == "learned"
    await ask(socket, type="irhub/device/subscribe", device="tv")
    device = await event(socket)
    [learned] = [each for each in device["commands"] if each["name"] == "volume down"]
    assert learned["functions"] == ["volume_down"]


async def learn_again(
    hass: HomeAssistant, socket: MockHAClientWebSocket, hub: VirtualHub, action: str, **data: object
) -> dict[str, Any]:
    """Learn "power" of a device anew, and call an action meanwhile; return what is told at last."""
    await add(hass, hub)
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, hub).available)
    [devices] = hass.data[DATA_DEVICES].values()
    tv = devices.named("tv")
    message = {"type": "irhub/device/learn", "device": tv.id, "command": tv.by_name["power"].id}
    assert (await ask(socket, **message))["success"]
    assert (await event(socket))["step"] == "press"
    data = {"entity_id": "remote.lounge", "device": "tv", **data}
    await hass.services.async_call("irhub", action, data, blocking=True)
    await hub.press_when_listening(HDMI)
    return await event(socket)


@pytest.mark.parametrize(
    ("meanwhile", "now"),
    [
        ({"new_device": "television"}, ("television", "power")),
        ({"command": "power", "new_command": "standby"}, ("tv", "standby")),
    ],
)
async def test_what_is_renamed_meanwhile_is_learned_all_the_same(
    hass: HomeAssistant,
    socket: MockHAClientWebSocket,
    meanwhile: dict[str, str],
    now: tuple[str, str],
    lounge: VirtualHub,
) -> None:
    received = await learn_again(hass, socket, lounge, "rename_code", **meanwhile)
    assert received["step"] == "learned"
    [devices] = hass.data[DATA_DEVICES].values()
    [device] = devices.values()
    name, command = now
    assert (device.name, len(device.commands)) == (name, len(TV))
    assert device.by_name[command].packets == (HDMI,)


@pytest.mark.parametrize(
    ("meanwhile", "sentence"),
    [
        ({}, "No device tv was learned"),
        ({"command": "power"}, "The device tv has no command power"),
    ],
)
async def test_what_is_deleted_meanwhile_is_not_learned(
    hass: HomeAssistant,
    socket: MockHAClientWebSocket,
    meanwhile: dict[str, str],
    sentence: str,
    lounge: VirtualHub,
) -> None:
    received = await learn_again(hass, socket, lounge, "delete_codes", **meanwhile)
    assert received["step"] == "failed"
    assert sentence in received["error"]
    [devices] = hass.data[DATA_DEVICES].values()
    assert all("power" not in device.by_name for device in devices.values())
    message = {"type": "irhub/device/learn", "device": "tv", "command": "gone", "name": "power"}
    reply = await ask(socket, **message)
    assert sentence in reply["error"]["message"]


async def test_a_closed_page_ends_learning(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, lounge).available)
    await ask(socket, type="irhub/device/learn", device="tv", name="power")
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    await socket.close()
    await lounge.until(lambda: lounge.receiver.listening is None)
    await until(lambda: not our_hub(hass, lounge).receiver.learning)


async def test_another_place_is_learned_at_once(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    await add(hass, lounge)
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, lounge).available)
    for name in ("mute", "menu", "home"):
        learn = {"type": "irhub/device/learn", "device": "tv", "name": name}
        await socket.send_json_auto_id(learn)
        while "event" not in (received := await socket.receive_json()):
            assert received["success"]
        assert received["event"] == {"step": "press", "name": name}
        end = {"type": "unsubscribe_events", "subscription": received["id"]}
        await socket.send_json_auto_id(end)  # and learn the next one, whatever the answer
    await until(lambda: not our_hub(hass, lounge).receiver.learning)


async def test_the_later_of_two_cards_learns(
    hass: HomeAssistant,
    socket: MockHAClientWebSocket,
    hass_ws_client: WebSocketGenerator,
    lounge: VirtualHub,
) -> None:
    """The other one says why it does no longer."""
    await add(hass, lounge)
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, lounge).available)
    first, second = socket, await hass_ws_client(hass)
    await ask(first, type="irhub/device/learn", device="tv", name="mute")
    assert (await event(first))["step"] == "press"
    await ask(second, type="irhub/device/learn", device="tv", name="menu")
    failed = await event(first)
    assert failed["step"] == "failed"
    assert "Another page listens with Lounge" in failed["error"]
    assert (await event(second))["step"] == "press"
    await lounge.press_when_listening(POWER)
    assert (await event(second))["step"] == "learned"


async def test_learning_is_for_administrators(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
    lounge: VirtualHub,
) -> None:
    assert await async_setup_component(hass, "websocket_api", {})
    await add(hass, lounge)
    await teach(hass, **TV)
    socket = await hass_ws_client(hass, hass_read_only_access_token)
    reply = await ask(socket, type="irhub/device/learn", device="tv", name="power")
    assert reply["error"]["code"] == "unauthorized"
    assert (await ask(socket, type="irhub/device/subscribe", device="tv"))["success"]


@pytest.mark.parametrize(
    ("policy", "seen"),
    [
        ({"entity_ids": {"remote.attic": True}}, None),
        ({"entity_ids": {"button.tv_power": True}}, []),
        ({"entity_ids": {"event.tv_remote_control": True}}, ["event"]),
        ({"entity_ids": {"remote.lounge": {"read": True}}}, []),
        (True, ["event"]),
    ],
)
async def test_a_user_sees_the_devices_and_entities_that_they_may_read(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
    policy: CategoryType,
    seen: list[str] | None,
    *,
    lounge: VirtualHub,
) -> None:
    """Whoever may read one entity alone, by a policy of their own."""
    assert await async_setup_component(hass, "websocket_api", {})
    token = hass.auth.async_validate_access_token(hass_read_only_access_token)
    assert token is not None
    token.user.groups = [Group(name="of one", policy={"entities": policy})]
    entry = await add(hass, lounge)
    await teach(hass, **TV)
    flow = await hass.config_entries.options.async_init(entry.entry_id)
    dialogue = Dialogue(hass.config_entries.options.async_configure, flow)
    await (await dialogue.choose("follow")).submit(followed=["tv"])
    await hass.async_block_till_done()
    socket = await hass_ws_client(hass, hass_read_only_access_token)
    reply = await ask(socket, type="irhub/device/subscribe", device="tv")
    assert reply["success"] is (seen is not None)
    if seen is None:
        assert reply["error"]["code"] == "unauthorized"
        reply = await ask(socket, type="irhub/device/subscribe", device="radio")
        assert "tv" not in reply["error"]["message"]  # nor is it told what else there is
    else:
        assert [*(await event(socket))["entities"]] == seen


@pytest.mark.parametrize("spelled", ["Volume+", "volume_up", "VolumeUp", "volume up"])
@pytest.mark.usefixtures("entry")
async def test_a_command_is_found_in_other_spellings(
    hass: HomeAssistant, spelled: str, lounge: VirtualHub
) -> None:
    await teach(hass, **TV)
    await until(lambda: our_hub(hass, lounge).available)
    data = {"device": "tv", "command": spelled}
    await hass.services.async_call("irhub", "send", data, blocking=True)
    remote = {"entity_id": "remote.lounge", **data}
    await hass.services.async_call("remote", "send_command", remote, blocking=True)
    assert len(lounge.transmitted) == 2


async def test_what_an_entity_can_be_set_to(
    hass: HomeAssistant, socket: MockHAClientWebSocket, lounge: VirtualHub
) -> None:
    commands = {"on": to_base64(POWER), "speed low": to_base64(HDMI)}
    fan = {
        "id": "den-fan",
        "name": "Den fan",
        "kind": "fan",
        "entity": "den-fan",
        "commands": [{"id": of, "name": of, "packets": [commands[of]]} for of in commands],
        "functions": {of: of for of in commands},
    }
    await add(hass, lounge)
    await teach(hass, **TV)
    data = {"entity_id": "remote.lounge", "codes": {"devices": [fan]}}
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)
    await until(lambda: hass.states.get("fan.den_fan") is not None)
    reply = await ask(socket, type="irhub/device/possible", device="Den fan")
    states = {"on": {"percentage": [100]}, "off": {}}
    assert reply["result"] == {"entity_id": "fan.den_fan", "states": states}
    reply = await ask(socket, type="irhub/device/possible", device="tv")
    assert "Nothing that was chosen has an entity" in reply["error"]["message"]
