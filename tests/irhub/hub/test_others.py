"""Other integrations that want a hub to listen: when it does, and who is told."""

from homeassistant.components import infrared
from homeassistant.core import CoreState
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.entities import entity
from custom_components.irhub.hub import hub_receiver
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from ..dialogue import add, configure
from ..home import HDMI, entry, our_hub, set_up

BUTTON = "button.lounge_listen_for_others"
RECEIVER = "infrared.lounge_receiver"
SENSOR = "sensor.lounge_listening_for"


def subscribe(home: Home, receiver: str) -> list[object]:
    """Subscribe to a receiver as another integration does; return what comes."""
    heard: list[object] = []
    infrared.async_subscribe_receiver(home.hass, receiver, heard.append)
    return heard


async def listen(home: Home, hub: VirtualHub) -> None:
    await home.hass.services.async_call(
        "irhub", "listen", {"host": f"{hub.host}:{hub.port}"}, blocking=True
    )


async def press_button(home: Home) -> None:
    await home.hass.services.async_call("button", "press", {"entity_id": BUTTON}, blocking=True)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_hub_listens_for_others_when_its_button_was_pressed(
    home: Home, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(hub_receiver, "OTHERS_S", 3)
    added = await add(home.hass, lounge)
    await (await (await configure(home.hass, added)).choose("settings")).submit(
        listen_for_others="on_request"
    )
    await home.hass.async_block_till_done()
    await home.wait_for(SENSOR, lambda state: state.state == "nobody")
    heard = subscribe(home, "infrared.lounge_receiver")
    await press_button(home)
    shown = await home.wait_for(SENSOR, lambda state: "receiver" in state.state)
    assert shown.attributes["listeners"] == ["infrared.lounge_receiver"]
    await lounge.press_when_listening(HDMI)
    await until(lambda: len(heard) == 1)
    await home.wait_for(SENSOR, lambda state: state.state == "nobody")
    await lounge.until(lambda: lounge.receiver.listening is None)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_action_starts_listening_on_request(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(hub_receiver, "OTHERS_S", 3)
    await set_up(
        home.hass, "infrared", entry(virtual_hub, name="IR", listen_for_others="on_request")
    )
    await until(lambda: our_hub(home.hass, virtual_hub).available)
    await home.wait_for("infrared.ir_receiver", lambda state: state.state != "unavailable")
    heard = subscribe(home, "infrared.ir_receiver")
    await listen(home, virtual_hub)
    await virtual_hub.press_when_listening(HDMI)
    await until(lambda: len(heard) == 1)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_hub_that_never_listens_for_others_says_so(
    home: Home, virtual_hub: VirtualHub
) -> None:
    await set_up(home.hass, "infrared", entry(virtual_hub, name="IR", listen_for_others="never"))
    await until(lambda: our_hub(home.hass, virtual_hub).available)
    await home.wait_for("infrared.ir_receiver", lambda state: state.state != "unavailable")
    subscribe(home, "infrared.ir_receiver")
    with pytest.raises(ServiceValidationError, match="never listens for other integrations"):
        await listen(home, virtual_hub)
    assert virtual_hub.count("learn") == 0


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_an_unknown_option_is_refused(
    home: Home, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(home.hass, "infrared", entry(virtual_hub, listen_for_others="sometimes"))
    assert not home.hass.states.async_entity_ids("infrared")
    assert "listen_for_others" in caplog.text


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_button_stays_whatever_commands_come_and_go(
    home: Home, lounge: VirtualHub
) -> None:
    await add(home.hass, lounge)
    await home.wait_for(BUTTON, lambda state: state.state != "unavailable")
    for action, data in (
        ("import_codes", {"codes": {"tv": {"power": HDMI.hex()}}}),
        ("delete_codes", {"device": "tv"}),
    ):
        await home.hass.services.async_call(
            "irhub", action, {"entity_id": "remote.lounge", **data}, blocking=True
        )
        await home.hass.async_block_till_done()
    assert er.async_get(home.hass).async_get(BUTTON) is not None
    await press_button(home)


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_device_that_cannot_hear_has_no_button(home: Home, lounge: VirtualHub) -> None:
    await add(home.hass, lounge)
    await home.wait_for("switch.lounge", lambda state: state.state != "unavailable")
    assert home.hass.states.get(BUTTON) is None
    with pytest.raises(HomeAssistantError, match="cannot learn"):
        await listen(home, lounge)


@pytest.mark.parametrize("model", ["rm4_pro"])
@pytest.mark.parametrize("setting", ["on_request", "never"])
async def test_the_hub_listens_for_a_new_subscriber_for_a_while(
    home: Home, monkeypatch: pytest.MonkeyPatch, setting: str, lounge: VirtualHub
) -> None:
    """Whoever edits an automation or learns is done by then; who stays is refused, and shown so."""
    monkeypatch.setattr(hub_receiver, "NEW_S", 4)
    monkeypatch.setattr(entity, "RETURN_S", 1000)
    await add(home.hass, lounge, listen_for_others=setting)
    await home.wait_for(RECEIVER, lambda state: state.state != "unavailable")
    permanent = subscribe(home, RECEIVER)  # as soon as it is there
    assert home.hass.states.get(SENSOR).state == "nobody"  # type: ignore[union-attr]
    await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 1)
    assert lounge.count("learn") == 0

    monkeypatch.setattr(entity, "RETURN_S", 0)
    heard: list[object] = []
    end = infrared.async_subscribe_receiver(home.hass, RECEIVER, heard.append)
    await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 0)
    await lounge.press_when_listening(HDMI)
    await until(lambda: heard)
    assert len(permanent) == len(heard)
    end()  # it is done: the rest is refused at once
    await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 1)
    await lounge.until(lambda: lounge.receiver.listening is None)

    infrared.async_subscribe_receiver(home.hass, RECEIVER, heard.append)
    shown = await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 0)
    assert shown.attributes["subscribers"] == 2
    await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 2)
    await lounge.until(lambda: lounge.receiver.listening is None)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_subscribers_during_the_start_are_permanent(
    home: Home, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(entity, "RETURN_S", 0)
    await add(home.hass, lounge, listen_for_others="on_request")
    await home.wait_for(RECEIVER, lambda state: state.state != "unavailable")
    home.hass.set_state(CoreState.starting)
    subscribe(home, RECEIVER)
    await home.wait_for(RECEIVER, lambda state: state.attributes["refused"] == 1)
    assert lounge.count("learn") == 0
    home.hass.set_state(CoreState.running)
