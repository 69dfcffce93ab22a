"""Televisions and receivers: each function sends its packet, over UDP to the virtual hub."""

import asyncio
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.ircodes import to_timings
from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, our_hub, set_up
from .ircodes.code_files import Codes, Commands, bytes_of, code_file, paths, write

TV = "media_player.tv"
CODES = Codes()


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


def television(**commands: Commands | str) -> dict[str, Any]:
    names = ("on", "off", "volumeUp", "volumeDown", "mute", "nextChannel", "previousChannel")
    return code_file(
        CODES.nest([*names])
        | {"sources": CODES.nest(["HDMI 1", "TV", *(f"Channel {digit}" for digit in range(9))])}
        | commands
    )


async def start(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub, file: dict[str, Any], **keys: object
) -> None:
    name = write(config_dir, "codes/tv.json", file)
    await set_up(hass, "media_player", entry(hub, name="TV", file=name, delay=0, **keys))
    await until(lambda: our_hub(hass, hub).available)
    await hass.async_block_till_done()


async def act(hass: HomeAssistant, action: str, **data: object) -> None:
    data = {"entity_id": TV, **data}
    await hass.services.async_call("media_player", action, data, blocking=True)


def attributes(hass: HomeAssistant) -> dict[str, Any]:
    state = hass.states.get(TV)
    assert state is not None
    return {"state": state.state, **state.attributes}


async def test_each_action_sends_its_packet(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = television(sound_modes=CODES.nest(["Movie"]), play=CODES.packet(), stop=CODES.packet())
    codes = {path: bytes_of(text) for path, text in paths(file["commands"])}
    await start(hass, config_dir, virtual_hub, file, device_class="tv")
    assert (
        attributes(hass).items()
        >= {
            "state": "unknown",  # nobody has said
            "device_class": "tv",
            "assumed_state": True,
        }.items()
    )
    await act(hass, "turn_on")
    assert attributes(hass)["source_list"] == ["HDMI 1", "TV"]
    for action, data, command in (
        ("volume_up", {}, "volumeUp"),
        ("volume_down", {}, "volumeDown"),
        ("media_next_track", {}, "nextChannel"),
        ("media_previous_track", {}, "previousChannel"),
        ("media_play", {}, "play"),
        ("media_stop", {}, "stop"),
        ("volume_mute", {"is_volume_muted": True}, "mute"),
        ("volume_mute", {"is_volume_muted": False}, "mute"),
        ("select_source", {"source": "HDMI 1"}, "sources HDMI 1"),
        ("select_sound_mode", {"sound_mode": "Movie"}, "sound_modes Movie"),
        ("turn_off", {}, "off"),
    ):
        await act(hass, action, **data)
        assert virtual_hub.transmitted[-1] == codes[command]
    assert len(virtual_hub.transmitted) == 12
    assert attributes(hass)["state"] == "off"
    await act(hass, "turn_on")
    assert (
        attributes(hass).items()
        >= {
            "source": "HDMI 1",
            "sound_mode": "Movie",
            "is_volume_muted": False,
        }.items()
    )
    await act(hass, "volume_mute", is_volume_muted=False)  # it is not
    assert len(virtual_hub.transmitted) == 13


async def test_a_channel_is_sent_digit_by_digit(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = television()
    sources = file["commands"]["sources"]
    await start(hass, config_dir, virtual_hub, file)
    await act(hass, "turn_on")
    await act(hass, "play_media", media_content_type="channel", media_content_id="117")
    digits = [bytes_of(sources[f"Channel {digit}"]) for digit in "117"]
    assert virtual_hub.transmitted[1:] == digits
    for wrong in (("channel", "one"), ("music", "11"), ("channel", "1" * 20)):
        with pytest.raises(ServiceValidationError, match="as a number of 5 digits at most"):
            await act(hass, "play_media", media_content_type=wrong[0], media_content_id=wrong[1])
    with pytest.raises(ServiceValidationError, match="no command for digit 9"):
        await act(hass, "play_media", media_content_type="channel", media_content_id="19")
    assert virtual_hub.transmitted[1:] == digits


async def test_only_functions_with_a_code_are_offered(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, code_file({"mute": CODES.packet(), "eject": ""}))
    with pytest.raises(HomeAssistantError):
        await act(hass, "turn_on")
    await act(hass, "volume_mute", is_volume_muted=True)
    assert len(virtual_hub.transmitted) == 1


async def test_a_button_for_both_ways_is_pressed_once(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, code_file({"mute": CODES.packet()}))
    await act(hass, "volume_mute", is_volume_muted=False)  # nothing has muted it
    assert virtual_hub.transmitted == []
    mute = [act(hass, "volume_mute", is_volume_muted=True) for _ in range(2)]
    await asyncio.gather(*mute)
    assert len(virtual_hub.transmitted) == 1


async def test_an_entry_of_smartirs_is_a_television(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    write(config_dir, "custom_components/smartir/codes/media_player/1000.json", television())
    of_smartir = entry(virtual_hub, name="TV", device_code=1000)
    radio = entry(
        virtual_hub, name="Radio", device_code=1000, device_class="receiver", unique_id="r"
    )
    await set_up(hass, "media_player", of_smartir, radio)
    assert attributes(hass)["device_class"] == "tv"
    assert hass.states.get("media_player.radio").attributes["device_class"] == "receiver"  # type: ignore[union-attr]


async def test_sources_by_other_names_and_without_some(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = television()
    names = {"HDMI 1": "Console", "TV": None}
    await start(hass, config_dir, virtual_hub, file, source_names=names)
    await act(hass, "turn_on")
    assert attributes(hass)["source_list"] == ["Console"]
    await act(hass, "select_source", source="Console")
    assert virtual_hub.transmitted[1:] == [bytes_of(file["commands"]["sources"]["HDMI 1"])]
    assert attributes(hass)["source"] == "Console"


async def test_a_single_button_for_on_and_off(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    power = CODES.packet()
    file = code_file({"on": power, "off": power})
    hass.states.async_set("switch.socket", "off")
    await start(hass, config_dir, virtual_hub, file, power_sensor="switch.socket")
    await act(hass, "turn_off")  # it is off: pressed, it would go on
    assert virtual_hub.transmitted == []
    await act(hass, "turn_on")
    await act(hass, "turn_on")
    assert virtual_hub.transmitted == [bytes_of(power)]
    hass.states.async_set("switch.socket", "on")
    await act(hass, "turn_off")
    assert virtual_hub.transmitted == [bytes_of(power)] * 2


async def test_turned_on_by_its_own_remote_control(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.states.async_set("switch.socket", "off")
    await start(hass, config_dir, virtual_hub, television(), power_sensor="switch.socket")
    hass.states.async_set("switch.socket", "on")
    await until(lambda: hass.states.is_state(TV, "on"))
    assert virtual_hub.transmitted == []


async def test_removed_while_it_is_turned_on_it_leaves_no_timer(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    hass.states.async_set("switch.socket", "off")
    await set_up(hass, "remote", entry(virtual_hub))
    await start(hass, config_dir, virtual_hub, television(), power_sensor="switch.socket")
    virtual_hub.faults.slow = 0.3
    turning_on = hass.async_create_task(act(hass, "turn_on"))
    await virtual_hub.until(lambda: bool(virtual_hub.transmitted))
    er.async_get(hass).async_remove(TV)
    await turning_on
    assert hass.states.get(TV) is None
    settling = [
        handle
        for handle in hass.loop._scheduled  # type: ignore[attr-defined]  # noqa: SLF001  (as Home Assistant's own tests)
        if not handle.cancelled() and "settled" in str(handle._args)  # noqa: SLF001  (same)
    ]
    assert settling == []


async def test_another_emitter_transmits_in_place_of_the_hub(
    hass: HomeAssistant, config_dir: Path
) -> None:
    radio = "sgA0ABARHx0QHRAdEB0QDx8eEB0QDx8dEA8fHRAdEB0RDh8PHw8fDh8OHx0QDx8dEA8fHQ8AAYEA"
    file = television(mute=radio)
    codes = {path: bytes_of(text) for path, text in paths(file["commands"])}
    async with VirtualHub("rm4_mini") as hub, VirtualHub("rm4_pro") as other:
        await set_up(hass, "infrared", entry(other, name="Other"))
        await until(lambda: our_hub(hass, other).available)
        await start(hass, config_dir, hub, file, emitter="infrared.other")
        await act(hass, "volume_up")
        assert hub.transmitted == []
        assert [to_timings(packet) for packet in other.transmitted] == [
            to_timings(codes["volumeUp"])
        ]
        with pytest.raises(ServiceValidationError, match=r"infrared\.other emits infrared: a"):
            await act(hass, "volume_mute", is_volume_muted=True)
        assert attributes(hass)["state"] == "unknown"
        # It is there as long as the emitter is, whatever becomes of the hub that learned it.
        other.faults.silent = True
        await our_hub(hass, other).connection.disconnect()
        await until(lambda: attributes(hass)["state"] == "unavailable")


async def test_an_emitter_that_is_none_makes_it_unavailable(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, virtual_hub, television(), emitter="infrared.nobody")
    assert attributes(hass)["state"] == "unavailable"
