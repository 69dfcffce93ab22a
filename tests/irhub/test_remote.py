"""The remote: learning, sending, deleting, and what it remembers."""

import asyncio
import time
from typing import Any, cast

from homeassistant.const import STATE_OFF, STATE_ON, STATE_UNAVAILABLE
from homeassistant.core import CoreState, HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    mock_restore_cache_with_extra_data,
)

from custom_components.irhub import remote as remote_platform
from custom_components.irhub.hub import learning
from custom_components.irhub.ircodes import meaning, to_base64
from custom_components.irhub.ircodes.protocols import learned
from tests.home import Notices, until
from virtual_home.hub import VirtualHub

from .home import FAN, HDMI, NEC, POWER, RC5, RF, entry, our_hub, set_up, start

REMOTE = "remote.broadlink"


async def remote(hass: HomeAssistant, service: str, **data: object) -> None:
    await hass.services.async_call("remote", service, {"entity_id": REMOTE, **data}, blocking=True)


async def teach(hass: HomeAssistant, device: str, command: str, *texts: str) -> None:
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": REMOTE, "codes": {device: {command: list(texts)}}},
        blocking=True,
    )


async def codes(hass: HomeAssistant) -> dict[str, Any]:
    response = await hass.services.async_call(
        "irhub", "export_codes", {"entity_id": REMOTE}, blocking=True, return_response=True
    )
    answer = cast("dict[str, dict[str, Any]]", response)
    return answer["codes"]


async def test_the_defaults(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    keys = {key: entry(virtual_hub)[key] for key in ("platform", "host", "mac", "port")}
    await set_up(hass, "remote", keys)
    state = hass.states.get(REMOTE)
    assert state is not None
    assert state.name == "Broadlink"
    settings = our_hub(hass, virtual_hub).settings
    assert (settings.timeout, settings.min_gap) == (5, 0.1)
    registered = er.async_get(hass).async_get(REMOTE)
    assert registered is not None
    assert registered.unique_id == "34ea34000001"


async def test_learn_and_send(hass: HomeAssistant, notices: Notices, hub: VirtualHub) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command=["power", "hdmi"])
    )
    await hub.press_when_listening(POWER)
    await until(lambda: notices.text == "Press the 'hdmi' button.")
    await hub.press_when_listening(HDMI)
    await learn
    assert notices.history == ["Press the 'power' button.", "Press the 'hdmi' button."]
    assert notices.text is None
    await remote(hass, "send_command", device="tv", command=["hdmi", "power"], delay_secs=0)
    assert hub.transmitted == [HDMI, POWER]


async def test_repeats_and_delays(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5)
    await teach(hass, "tv", "hdmi", NEC)
    await remote(
        hass,
        "send_command",
        device="tv",
        command=["power", "hdmi", "hdmi"],
        num_repeats=2,
        delay_secs=0.2,
    )
    assert hub.transmitted == [POWER, HDMI, HDMI, POWER, HDMI, HDMI]
    times = [transmission.at for transmission in hub.logs.transmitted]
    assert times[-1] - times[0] >= 1.0


async def test_an_alternating_command_is_learned_with_two_presses(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command="power", alternative=True)
    )
    await hub.press_when_listening(POWER)
    await hub.press_when_listening(HDMI)
    await learn
    assert notices.history == [
        "Press the 'power' button.",
        "Press the 'power' button again, for its second code.",
    ]
    for _ in range(3):
        await remote(hass, "send_command", device="tv", command="power")
    assert hub.transmitted == [POWER, HDMI, POWER]


async def test_each_command_alternates_for_itself(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await teach(hass, "tv", "mute", NEC, RC5)
    for command in ("power", "mute", "mute", "power"):
        await remote(hass, "send_command", device="tv", command=command)
    assert hub.transmitted == [POWER, HDMI, POWER, HDMI]


async def test_alternating_calls_at_once_alternate(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await asyncio.gather(
        *(remote(hass, "send_command", device="tv", command="power") for _ in range(6))
    )
    assert hub.transmitted == [POWER, HDMI] * 3


async def test_what_was_not_confirmed_keeps_its_turn(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, timeout=0.4)
    await teach(hass, "tv", "power", RC5, NEC)
    virtual_hub.faults.lose_replies = 1
    with pytest.raises(HomeAssistantError, match="does not answer: is it plugged in"):
        await remote(hass, "send_command", device="tv", command="power")
    await until(lambda: our_hub(hass, virtual_hub).available)
    virtual_hub.faults.clear()
    await remote(hass, "send_command", device="tv", command="power")
    await remote(hass, "send_command", device="tv", command="power")
    assert virtual_hub.transmitted == [POWER, POWER, HDMI]


async def test_packets_may_be_given_directly(hass: HomeAssistant, hub: VirtualHub) -> None:
    await remote(
        hass,
        "send_command",
        command=[f"b64:{RC5}", f"hex:{HDMI.hex()}", " PRONTO:0000 006D 0001 0000 0010 0010"],
        delay_secs=0,
    )
    assert hub.transmitted[:2] == [POWER, HDMI]
    assert len(hub.transmitted) == 3


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            {"device": "tv", "command": ["power", "off"]},
            "The device tv has no command off; it has: power",
        ),
        ({"device": "radio", "command": "power"}, "No device radio was learned; there are: tv"),
        ({"command": "power"}, "The command power needs the key device"),
        ({"command": RC5}, r"The command 'JgAcAB0d…' \(60\) needs the key device"),
        (
            {"device": "tv", "command": RC5},
            r"tv has no command 'JgAcAB0d…' \(60\); if that is a packet, write b64:",
        ),
        ({"device": "tv", "command": "26000500 0a0b000d05"}, "no command '26000500…'"),
        ({"device": "tv", "command": RC5[:-7]}, "no command 'JgAcAB0d…'"),
        ({"command": ["b64:" + RC5, "hex:zz"]}, "command: "),
        ({"device": "tv", "command": "power", "delay_secs": -1}, "delay_secs is -1"),
        ({"device": "tv", "command": "power", "delay_secs": "nan"}, "delay_secs is nan"),
        ({"device": "tv", "command": "power", "num_repeats": 0}, "num_repeats is 0; it must be 1"),
    ],
)
async def test_the_whole_list_is_checked_before_anything_is_sent(
    hass: HomeAssistant, data: dict[str, object], sentence: str, hub: VirtualHub
) -> None:
    await teach(hass, "tv", "power", RC5)
    with pytest.raises(ServiceValidationError, match=sentence):
        await remote(hass, "send_command", **data)
    assert hub.transmitted == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"command": "power"}, "The key device is missing"),
        ({"device": "tv"}, "The key command is missing"),
        ({"device": "tv", "command": "power", "command_type": "uv"}, "command_type is uv"),
        ({"device": "tv", "command": "power", "command_type": "rf"}, "has no radio"),
    ],
)
@pytest.mark.parametrize("model", ["rm_mini"])
@pytest.mark.usefixtures("hub")
async def test_what_learning_needs(
    hass: HomeAssistant, data: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ServiceValidationError, match=sentence):
        await remote(hass, "learn_command", **data)


async def test_one_of_several_is_not_pressed(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command=["a", "b", "c"], timeout=1)
    )
    await hub.press_when_listening(POWER)
    await until(lambda: notices.text == "Press the 'c' button.")
    await hub.press_when_listening(HDMI)
    with pytest.raises(HomeAssistantError, match="Not learned: b: No signal was received"):
        await learn
    kept = [to_base64(packet) for packet in learned([POWER])]
    assert await codes(hass) == {"tv": {"a": kept, "c": to_base64(HDMI)}}
    assert hub.receiver.listening is None
    assert notices.text is None


async def test_a_toggle_bit_is_learned_once_and_flipped_each_time(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(remote(hass, "learn_command", device="tv", command="power"))
    await hub.press_when_listening(POWER)
    await learn
    for _ in range(3):
        await remote(hass, "send_command", device="tv", command="power")
    heard, other, again = hub.transmitted
    assert heard == again == POWER
    assert other != POWER
    assert meaning(other) == meaning(POWER)


async def test_a_second_press_that_does_not_come_stores_nothing(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command="a", alternative=True, timeout=1)
    )
    await hub.press_when_listening(POWER)
    with pytest.raises(HomeAssistantError, match="Not learned: a"):
        await learn
    assert await codes(hass) == {}
    assert notices.history
    assert notices.text is None


async def test_the_hub_dies_while_learning_several(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, timeout=0.5)
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command=["a", "b", "c"], timeout=1)
    )
    await virtual_hub.press_when_listening(POWER)
    armed = virtual_hub.count("learn")
    await virtual_hub.until(lambda: virtual_hub.count("learn") > armed)
    virtual_hub.faults.silent = True
    with pytest.raises(HomeAssistantError, match="Not learned: b: "):
        await learn
    assert list((await codes(hass))["tv"]) == ["a"]


async def test_radio_is_learned_with_a_notification_per_step(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="fan", command="off", command_type="rf")
    )
    await hub.until(lambda: hub.receiver.hold(433.92))
    await hub.press_when_listening(FAN)
    await learn
    assert notices.history == [
        "Press and hold the 'off' button.",
        "Press the 'off' button again.",
    ]
    await remote(hass, "send_command", device="fan", command="off")
    assert hub.transmitted == [FAN]


async def test_the_name_of_a_command_is_no_markdown_in_a_notification(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="tv", command="![](https://example.com/a.png)")
    )
    await hub.press_when_listening(POWER)
    await learn
    assert notices.history == [r"Press the '!\[\](https\://example.com/a.png)' button."]


@pytest.mark.parametrize(
    ("model", "commands", "alternative", "last_step"),
    [
        ("rm_pro", ["on"], True, "Press the 'on' button again, for its second code."),
        ("rm4_pro", ["on", "off"], False, "Press the 'off' button."),
    ],
    ids=["an alternating command", "two commands"],
)
async def test_the_frequency_of_radio_commands_is_searched_for_once(
    *,
    hass: HomeAssistant,
    notices: Notices,
    hub: VirtualHub,
    commands: list[str],
    alternative: bool,
    last_step: str,
) -> None:
    learn = asyncio.create_task(
        remote(
            hass,
            "learn_command",
            device="fan",
            command=commands,
            command_type="rf",
            alternative=alternative,
        )
    )
    await hub.until(lambda: hub.receiver.hold(433.92))
    await hub.press_when_listening(FAN)
    await hub.press_when_listening(FAN)
    await learn
    assert hub.count("sweep") == 1
    assert notices.history == [
        "Press and hold the 'on' button.",
        "Press the 'on' button again.",
        last_step,
    ]
    assert [*(await codes(hass))["fan"]] == commands


async def test_who_learns_second_takes_nothing_from_the_first(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    learn = asyncio.create_task(remote(hass, "learn_command", device="tv", command="power"))
    await hub.until(lambda: hub.receiver.listening is not None)
    await until(lambda: notices.text)
    with pytest.raises(ServiceValidationError, match="already"):
        await remote(hass, "learn_command", device="radio", command="power")
    with pytest.raises(ServiceValidationError, match="already"):
        await hass.services.async_call("irhub", "learn", {"host": hub.host}, blocking=True)
    assert notices.text == "Press the 'power' button."
    await hub.press_when_listening(POWER)
    await learn
    assert notices.text is None


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_radio_on_the_configured_frequency_is_learned_without_a_search(
    hass: HomeAssistant, notices: Notices, virtual_hub: VirtualHub
) -> None:
    await start(hass, virtual_hub, frequency=315)
    learn = asyncio.create_task(
        remote(hass, "learn_command", device="fan", command="off", command_type="rf")
    )
    await virtual_hub.press_when_listening(FAN)
    await learn
    assert virtual_hub.receiver.asked_khz == 315000
    assert virtual_hub.count("sweep") == 0
    assert notices.history == ["Press the 'off' button."]
    learn = asyncio.create_task(remote(hass, "learn_command", device="tv", command="off"))
    await virtual_hub.press_when_listening(POWER)  # infrared is learned as ever
    await learn


@pytest.mark.parametrize("model", ["rm4_pro"])
@pytest.mark.parametrize("frequency", [1, 2000, "x"])
async def test_a_frequency_that_no_remote_control_uses_is_a_mistake(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    frequency: object,
    virtual_hub: VirtualHub,
) -> None:
    await async_setup_component(
        hass, "remote", {"remote": [entry(virtual_hub, frequency=frequency)]}
    )
    await hass.async_block_till_done()
    assert not hass.states.async_all("remote")
    assert "for dictionary value 'frequency'" in caplog.text


async def test_of_many_commands_that_were_not_learned_ten_are_named(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(learning, "BETWEEN_PRESSES_S", 0)
    monkeypatch.setattr(remote_platform, "LEARN_WINDOW_S", 0.01)
    await start(hass, virtual_hub)
    with pytest.raises(HomeAssistantError, match=r"; … \(\+2\)$") as caught:
        await remote(
            hass,
            "learn_command",
            device="tv",
            command=[f"key {number:02}" for number in range(12)],
        )
    assert str(caught.value).count("No signal was received") == 10


async def test_delete(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5, NEC)
    await teach(hass, "tv", "mute", NEC)
    await remote(hass, "send_command", device="tv", command="power")
    with pytest.raises(ServiceValidationError, match="no command off; it has: mute, power"):
        await remote(hass, "delete_command", device="tv", command=["power", "off"])
    await remote(hass, "delete_command", device="tv", command="power")
    assert set((await codes(hass))["tv"]) == {"mute"}
    await teach(hass, "tv", "power", RC5, NEC)
    await remote(hass, "send_command", device="tv", command="power")
    assert hub.transmitted == [POWER, POWER]  # a new command begins anew
    await remote(hass, "delete_command", device="tv", command=["mute", "power"])
    assert await codes(hass) == {}
    with pytest.raises(ServiceValidationError, match="No device tv"):
        await remote(hass, "delete_command", device="tv", command="power")
    with pytest.raises(ServiceValidationError, match="The key device is missing"):
        await remote(hass, "delete_command", command="power")


async def test_turned_off_it_refuses(hass: HomeAssistant, hub: VirtualHub) -> None:
    await teach(hass, "tv", "power", RC5)
    await remote(hass, "turn_off")
    assert hass.states.is_state(REMOTE, STATE_OFF)
    for service in ("send_command", "learn_command"):
        with pytest.raises(ServiceValidationError, match=r"remote\.broadlink is turned off"):
            await remote(hass, service, device="tv", command="power")
    assert hub.transmitted == []
    await remote(hass, "turn_on")
    assert hass.states.is_state(REMOTE, STATE_ON)
    await remote(hass, "send_command", device="tv", command="power")
    assert hub.transmitted == [POWER]


@pytest.mark.parametrize("last", [STATE_OFF, STATE_UNAVAILABLE])
async def test_off_is_remembered(hass: HomeAssistant, last: str, virtual_hub: VirtualHub) -> None:
    hass.set_state(CoreState.not_running)
    mock_restore_cache_with_extra_data(hass, [(State(REMOTE, last), {"is_on": False})])
    await start(hass, virtual_hub)
    await until(lambda: hass.states.is_state(REMOTE, STATE_OFF))


@pytest.mark.usefixtures("hub")
async def test_import_takes_any_text_and_export_gives_it_back(hass: HomeAssistant) -> None:
    response = await hass.services.async_call(
        "irhub",
        "import_codes",
        {
            "entity_id": REMOTE,
            "codes": {
                "tv": {"power": HDMI.hex(" "), "mute": [NEC, NEC.rstrip("=")]},
                "fan": {"off": RF},
            },
        },
        blocking=True,
        return_response=True,
    )
    assert response == {
        "imported": 3,
        "refused": 0,
        "reasons": {},
        "codes": 3,
        "states": 0,
        "commands": 3,
        "rejected": [],
        "presets": {},
        "descriptions": {},
        "contradictions": {},
    }
    exported = await codes(hass)
    assert set(exported) == {"tv", "fan"}
    assert isinstance(exported["tv"]["power"], str)
    assert exported["tv"]["mute"] == [exported["tv"]["power"]] * 2
    await hass.services.async_call(
        "irhub", "import_codes", {"entity_id": REMOTE, "codes": exported}, blocking=True
    )
    assert await codes(hass) == exported


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            {"tv": {"power": RC5, "mute": "garbage!"}},
            "tv → mute: not a code in Base64/hex/Pronto/Tuya",
        ),
        ({"tv": {"power": RC5, "mute": []}}, "tv → mute: no packet"),
        ({"tv": {}}, "there are no commands"),
        ({}, "there are no commands"),
    ],
)
@pytest.mark.usefixtures("hub")
async def test_nothing_is_imported_strictly_if_one_packet_is_wrong(
    hass: HomeAssistant, wrong: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Exception, match=sentence):
        await hass.services.async_call(
            "irhub",
            "import_codes",
            {"entity_id": REMOTE, "codes": wrong, "strict": True},
            blocking=True,
        )
    assert await codes(hass) == {}


async def test_import_and_export_work_while_the_hub_is_off(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub))
    await teach(hass, "tv", "power", RC5)
    assert set(await codes(hass)) == {"tv"}
    hass.states.async_set("remote.stranger", "on")
    with pytest.raises(ServiceValidationError, match=r"remote\.stranger is no remote of irhub"):
        await hass.services.async_call(
            "irhub",
            "export_codes",
            {"entity_id": "remote.stranger"},
            blocking=True,
            return_response=True,
        )


async def test_a_pause_ends_with_home_assistant(hass: HomeAssistant, hub: VirtualHub) -> None:
    sending = asyncio.create_task(
        remote(hass, "send_command", command=f"b64:{RC5}", num_repeats=2, delay_secs=600)
    )
    await hub.until(lambda: bool(hub.transmitted))
    began = time.monotonic()
    await hass.async_stop(force=True)
    assert time.monotonic() - began < 2
    with pytest.raises(HomeAssistantError, match="was closed"):
        await sending


async def test_what_is_learned_anew_begins_with_its_first_packet(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    named = {"entity_id": "remote.broadlink", "device": "tv", "command": "power"}
    for _ in range(2):
        learning = asyncio.create_task(
            hass.services.async_call("remote", "learn_command", named, blocking=True)
        )
        await hub.press_when_listening(POWER)
        await learning
        hub.logs.transmitted.clear()
        await hass.services.async_call("remote", "send_command", named, blocking=True)
        assert hub.transmitted == [POWER]
