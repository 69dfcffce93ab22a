"""irhub.send and irhub.learn, called as an automation calls them."""

import asyncio
import time
from typing import Any, cast

from homeassistant.core import Context, HomeAssistant, ServiceResponse
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
import pytest
import voluptuous as vol

from custom_components.irhub.hub import arming, hub_learning, learning, library
from custom_components.irhub.ircodes import to_base64
from tests.home import Notices, until
from virtual_home.hub import VirtualHub

from ..dialogue import add
from ..home import FAN, HDMI, NEC, POWER, RC5, RF, entry, our_hub, send, set_up

BURSTS = bytes.fromhex("0c1a0c1a0c00012c") * 3
RM4_CAPTURE = b"\xb1\xc0" + bytes((4 + len(BURSTS), 0)) + (433920).to_bytes(4, "little") + BURSTS
"""433.92 MHz, as an RM4 pro records it: bursts, and a long gap after each."""


async def call(hass: HomeAssistant, service: str, **data: object) -> dict[str, Any]:
    response = await hass.services.async_call(
        "irhub", service, data, blocking=True, return_response=True
    )
    return cast("dict[str, Any]", response)


async def teach(hass: HomeAssistant, codes: dict[str, object]) -> None:
    await call(hass, "import_codes", entity_id="remote.broadlink", codes=codes)


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_send_transmits_and_describes(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    answer = await call(hass, "send", host=new_hub.host, packet=[NEC, FAN.hex(" ")])
    assert new_hub.transmitted == [HDMI, FAN]
    assert answer["packets"][0] == {
        "base64": to_base64(HDMI),
        "hex": HDMI.hex(),
        "kind": "ir",
        "description": "NEC 0x04/0xcc",
        "clean": answer["packets"][0]["clean"],
        "frequency": None,
    }
    assert answer["packets"][1]["kind"] == "rf"


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_hub_is_named_by_an_entity(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    await call(hass, "send", hub="remote.broadlink", packet=NEC)
    assert new_hub.transmitted == [HDMI]
    with pytest.raises(ServiceValidationError, match=f"No irhub hub .*at sun.sun.*{new_hub.host}"):
        await call(hass, "send", hub="sun.sun", packet=NEC)
    for both in ({}, {"hub": "remote.broadlink", "host": new_hub.host}):
        with pytest.raises(ServiceValidationError, match="either hub or host"):
            await call(hass, "send", packet=NEC, **both)
    assert new_hub.transmitted == [HDMI]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_hub_is_named_by_a_device(hass: HomeAssistant, lounge: VirtualHub) -> None:
    added = await add(hass, lounge)
    await added.runtime_data.devices.store({"television": {"power": [POWER]}})
    await hass.async_block_till_done()
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), added.entry_id)
    assert {device.name for device in devices} == {"Lounge", "television"}
    for device in devices:
        await call(hass, "send", hub=device.id, packet=NEC)
    assert lounge.transmitted == [HDMI, HDMI]


@pytest.mark.parametrize("unpadded", [RC5.rstrip("="), f" {RC5}\n", POWER.hex().upper()])
async def test_send_takes_packets_in_any_text(
    hass: HomeAssistant, unpadded: str, new_hub: VirtualHub
) -> None:
    await send(hass, new_hub, unpadded)
    assert new_hub.transmitted == [POWER]


@pytest.mark.parametrize(
    ("packet", "sentence"),
    [
        ([RC5, "garbage!"], "packet 2: not a code in Base64/hex/Pronto/Tuya"),
        ([RC5, RC5, ""], "packet 3: the text is empty"),
        ([RC5, "26" * 9000], "packet 2: "),
        ([], "length of value must be at least 1"),
        ([RC5] * 101, "length of value must be at most 100"),
    ],
)
async def test_nothing_is_sent_if_one_packet_is_wrong(
    hass: HomeAssistant, packet: list[str], sentence: str, new_hub: VirtualHub
) -> None:
    with pytest.raises((ServiceValidationError, vol.Invalid), match=sentence):
        await send(hass, new_hub, packet)
    assert new_hub.transmitted == []


async def test_learned_commands_are_sent_in_turn_with_the_remote(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    await teach(hass, {"tv": {"power": [RC5, NEC], "hdmi": NEC}})
    answer = await call(
        hass, "send", host=hub.host, device="tv", command=["power", "hdmi", "power"]
    )
    assert [packet["hex"] for packet in answer["packets"]] == [
        POWER.hex(),
        HDMI.hex(),
        HDMI.hex(),
    ]
    data = {"entity_id": "remote.broadlink", "device": "tv", "command": "power"}
    await hass.services.async_call("remote", "send_command", data, blocking=True)
    await call(hass, "send", host=hub.host, device="tv", command="power")
    assert hub.transmitted == [POWER, HDMI, HDMI, POWER, HDMI]


async def test_a_learned_command_is_tried_whatever_the_state_says(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.5))
    await teach(hass, {"tv": {"power": RC5}})
    await until(lambda: hass.states.is_state("remote.broadlink", "unavailable"))
    # Home Assistant drops this one, and says nothing.
    data = {"entity_id": "remote.broadlink", "device": "tv", "command": "power"}
    await hass.services.async_call("remote", "send_command", data, blocking=True)
    with pytest.raises(HomeAssistantError, match="does not answer within"):
        await call(hass, "send", host=virtual_hub.host, device="tv", command="power")
    virtual_hub.faults.clear()
    await call(hass, "send", host=virtual_hub.host, device="tv", command="power")
    assert virtual_hub.transmitted == [POWER]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Give either packet, or device and command"),
        ({"device": "tv"}, "Give either packet, or device and command"),
        ({"command": "power"}, "Give either packet, or device and command"),
        ({"packet": RC5, "device": "tv"}, "Give either packet, or device and command"),
        ({"packet": RC5, "device": "tv", "command": "power"}, "Give either packet, or device"),
        ({"device": "fan", "command": "power"}, "No device fan was learned; there are: tv"),
        ({"device": "tv", "command": ["power", "x"]}, "no command x; it has: power"),
        ({"device": "tv", "command": []}, "length of value must be at least 1"),
    ],
)
async def test_nothing_is_sent_if_it_is_not_clear_what(
    hass: HomeAssistant, data: dict[str, object], sentence: str, hub: VirtualHub
) -> None:
    await teach(hass, {"tv": {"power": RC5}})
    with pytest.raises((ServiceValidationError, vol.Invalid), match=sentence):
        await call(hass, "send", host=hub.host, **data)
    assert hub.transmitted == []


async def test_an_unconfigured_host_is_refused_with_the_configured_ones(
    hass: HomeAssistant,
) -> None:
    async with VirtualHub() as hub, VirtualHub() as stranger:
        await set_up(hass, "remote", entry(hub))
        for host in ("127.0.0.99", f"127.0.0.1:{stranger.port}", "hub.example"):
            for service, data in (("send", {"packet": RC5}), ("learn", {})):
                with pytest.raises(ServiceValidationError, match="No irhub hub") as caught:
                    await call(hass, service, host=host, **data)
                assert f"configured are: 127.0.0.1:{hub.port}" in str(caught.value)
        assert not stranger.logs.received


async def test_hubs_on_the_same_host_are_distinguished_by_port(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(lounge), entry(attic, name="other"))
    with pytest.raises(ServiceValidationError, match="Several irhub hubs") as caught:
        await call(hass, "send", host="127.0.0.1", packet=RC5)
    assert f"127.0.0.1:{lounge.port}" in str(caught.value)
    await send(hass, attic, RC5)
    assert (lounge.transmitted, attic.transmitted) == ([], [POWER])


@pytest.mark.parametrize("model", ["rm_mini", "rm_mini_b", "rm_pro", "rm4_mini", "rm4_pro"])
async def test_learn_returns_the_received_packet(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await until(lambda: notices.text)
    assert notices.text == "Press the button of the remote control."
    await new_hub.press_when_listening(HDMI)
    answer = await learn
    assert answer["hex"] == HDMI.hex()
    assert answer["kind"] == "ir"
    assert answer["frequency"] is None
    assert notices.text == (f"Received packet is: {answer['base64']} (NEC 0x04/0xcc)")
    await send(hass, new_hub, answer["base64"])
    assert new_hub.transmitted == [HDMI]


async def test_a_press_is_answered_within_a_quarter_of_a_second(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await new_hub.until(lambda: new_hub.count("read") >= 6)
    reads = [received.at for received in new_hub.logs.received if received.name == "read"]
    assert (reads[-1] - reads[0]) / (len(reads) - 1) <= 0.25
    assert new_hub.press(POWER)
    await learn


async def test_nobody_presses(hass: HomeAssistant, notices: Notices, new_hub: VirtualHub) -> None:
    with pytest.raises(HomeAssistantError, match="No signal was received"):
        await call(hass, "learn", host=new_hub.host, timeout=1)
    assert notices.text == "No signal was received"
    assert new_hub.receiver.listening is None  # told to stop
    assert new_hub.count("cancel") == 1


async def test_learning_on_a_hub_that_is_off_asks_nobody(
    hass: HomeAssistant, notices: Notices, virtual_hub: VirtualHub
) -> None:
    virtual_hub.faults.silent = True
    await set_up(hass, "remote", entry(virtual_hub, timeout=0.4))
    with pytest.raises(HomeAssistantError, match="does not answer"):
        await call(hass, "learn", host=virtual_hub.host)
    assert notices.history == []


async def test_a_second_learn_is_refused(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    first = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await new_hub.until(lambda: new_hub.receiver.listening is not None)
    with pytest.raises(ServiceValidationError, match="is already learning"):
        await call(hass, "learn", host=new_hub.host)
    await new_hub.press_when_listening(POWER)
    assert (await first)["hex"] == POWER.hex()
    again = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await new_hub.press_when_listening(HDMI)
    assert (await again)["hex"] == HDMI.hex()


async def test_a_send_goes_out_during_learning_and_learning_goes_on(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await new_hub.until(lambda: new_hub.receiver.listening is not None)
    await send(hass, new_hub, NEC)
    assert new_hub.transmitted == [HDMI]
    await new_hub.press_when_listening(POWER)
    assert (await learn)["hex"] == POWER.hex()


async def test_a_cancelled_call_ends_learning_on_the_device(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await until(lambda: notices.text)
    learn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await learn
    assert new_hub.receiver.listening is None
    assert notices.text is None
    assert not our_hub(hass, new_hub).receiver.learning


async def test_the_end_of_home_assistant_ends_learning(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await until(lambda: notices.text)
    began = time.monotonic()
    await hass.async_stop(force=True)
    assert time.monotonic() - began < 2
    with pytest.raises(HomeAssistantError, match="was closed"):
        await learn
    assert new_hub.receiver.listening is None


async def test_the_end_comes_soon_even_if_the_hub_just_died(
    hass: HomeAssistant, notices: Notices, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=30))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host))
    await until(lambda: notices.text)
    virtual_hub.faults.silent = True
    arrived = virtual_hub.arrived
    await until(lambda: virtual_hub.arrived > arrived)
    began = time.monotonic()
    await hass.async_stop(force=True)
    assert time.monotonic() - began < 2
    with pytest.raises(HomeAssistantError, match="was closed"):
        await learn


@pytest.mark.parametrize("model", ["rm4_pro"])
@pytest.mark.parametrize("downtime", [0, 1.2])
async def test_a_reboot_during_learning_is_survived(
    hass: HomeAssistant, notices: Notices, downtime: float, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=5))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host))
    await until(lambda: notices.text)
    virtual_hub.reboot(downtime)
    await virtual_hub.press_when_listening(POWER)
    assert (await learn)["hex"] == POWER.hex()


async def test_lost_datagrams_do_not_lose_the_capture(
    hass: HomeAssistant, notices: Notices
) -> None:
    async with VirtualHub(seed=3) as hub:
        await set_up(hass, "remote", entry(hub, timeout=5))
        learn = asyncio.create_task(call(hass, "learn", host=hub.host))
        await until(lambda: notices.text)
        hub.faults.loss = 0.3
        await hub.press_when_listening(POWER)
        assert (await learn)["hex"] == POWER.hex()


async def test_a_capture_that_is_no_packet_is_not_taken(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host))
    await until(lambda: notices.text)
    await new_hub.press_when_listening(POWER[:10])
    await new_hub.press_when_listening(HDMI)
    assert (await learn)["hex"] == HDMI.hex()


async def test_a_received_signal_that_is_no_packet_is_reported(
    hass: HomeAssistant, notices: Notices, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    await set_up(hass, "remote", entry(virtual_hub))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host, timeout=1))
    await until(lambda: notices.text)
    await virtual_hub.press_when_listening(POWER[:10])
    with pytest.raises(HomeAssistantError, match="heard a signal, but it is no packet"):
        await learn
    assert notices.text is not None
    assert "heard a signal, but it is no packet" in notices.text
    assert "A capture of " in caplog.text
    assert "26001c00…" in caplog.text  # the header, and no more of it
    assert POWER[:10].hex(" ") not in caplog.text
    assert POWER[:10].hex() not in caplog.text


async def test_a_press_right_before_the_hub_is_armed_again_counts(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(hub_learning, "LEARNING_READ_S", 0.3)
    monkeypatch.setattr(arming, "REARM_S", 0.3)  # at each reading
    await set_up(hass, "remote", entry(virtual_hub))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host, timeout=3))
    await virtual_hub.until(lambda: virtual_hub.count("learn") == 3)
    assert virtual_hub.press(POWER)
    assert (await learn)["hex"] == POWER.hex()


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_radio_that_alternates_is_searched_for_once(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub
) -> None:
    steps: list[learning.Step] = []

    async def capture() -> list[learning.Captured]:
        async with our_hub(hass, hub).learn() as session:
            return await session.capture(steps.append, command_type="rf", presses=2)

    capturing = asyncio.create_task(capture())
    await hub.until(lambda: hub.receiver.hold(433.92))
    await hub.press_when_listening(FAN)
    await hub.press_when_listening(RM4_CAPTURE)
    assert [captured.packet for captured in await capturing] == [FAN, RM4_CAPTURE]
    assert steps == ["hold", "again", "second"]
    assert hub.count("sweep") == 1
    assert not notices.history  # whoever asks decides how


async def test_a_device_that_stops_listening_is_armed_again(
    hass: HomeAssistant, notices: Notices, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(arming, "REARM_S", 0.5)
    virtual_hub.receiver.window = 0.3
    await set_up(hass, "remote", entry(virtual_hub))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host))
    await until(lambda: notices.text)
    for listens in True, False:
        await until(lambda: (virtual_hub.receiver.listening is not None) == listens)  # noqa: B023  (awaited here)
    await virtual_hub.press_when_listening(POWER)
    assert (await learn)["hex"] == POWER.hex()


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_radio_is_learned_in_two_steps(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(call(hass, "learn", host=new_hub.host, command_type="rf"))
    await new_hub.until(lambda: new_hub.receiver.hold(433.92))
    await new_hub.press_when_listening(FAN)
    answer = await learn
    assert (answer["kind"], answer["frequency"]) == ("rf", 433.92)
    assert answer["hex"] == FAN.hex()
    assert new_hub.receiver.asked_khz == 433920
    assert notices.history[:2] == [
        "Press and hold the button of the remote control.",
        "Press the button of the remote control again.",
    ]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_known_frequency_needs_no_sweep(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        call(hass, "learn", host=new_hub.host, command_type="rf", frequency=315)
    )
    await new_hub.press_when_listening(RM4_CAPTURE)
    answer = await learn
    assert new_hub.count("sweep") == 0
    assert new_hub.receiver.asked_khz == 315000
    assert answer["frequency"] == 433.92  # what the packet itself says
    assert answer["hex"] == RM4_CAPTURE.hex()
    assert notices.history[0] == "Press the button of the remote control."


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_failed_sweep_is_not_taken_for_a_frequency(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        call(hass, "learn", host=new_hub.host, command_type="rf", timeout=2)
    )
    await new_hub.until(lambda: new_hub.receiver.listening == "sweep")
    new_hub.receiver.fail_sweep()  # flag 4, and 430 MHz
    with pytest.raises(HomeAssistantError, match="found no radio frequency"):
        await learn
    assert new_hub.count("find_rf") == 0
    assert notices.history[:1] == ["Press and hold the button of the remote control."]


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_failed_sweep_is_begun_anew_at_once(
    hass: HomeAssistant, new_hub: VirtualHub
) -> None:
    learn = asyncio.create_task(
        call(hass, "learn", host=new_hub.host, command_type="rf", timeout=5)
    )
    for failures in range(3):
        await new_hub.until(lambda: new_hub.receiver.listening == "sweep")
        assert new_hub.count("sweep") == failures + 1
        new_hub.receiver.fail_sweep()
    await new_hub.until(lambda: new_hub.receiver.hold(433.92))
    await new_hub.press_when_listening(FAN)
    assert (await learn)["frequency"] == 433.92


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_another_client_that_transmits_ends_no_learning(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    assert library.REARM_S <= 5
    monkeypatch.setattr(arming, "REARM_S", 0.5)
    await set_up(hass, "remote", entry(virtual_hub))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host))
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    virtual_hub.receiver.idle()  # as the hub does when it transmits for anybody
    await virtual_hub.press_when_listening(POWER)
    assert (await learn)["hex"] == POWER.hex()


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_sweep_is_not_begun_anew_while_it_goes_on(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(arming, "REARM_S", 0.2)
    await set_up(hass, "remote", entry(virtual_hub))
    with pytest.raises(HomeAssistantError, match="found no radio frequency"):
        await call(hass, "learn", host=virtual_hub.host, command_type="rf", timeout=1)
    assert virtual_hub.count("sweep") == 1


async def test_no_frequency_is_found(
    hass: HomeAssistant, notices: Notices, new_hub: VirtualHub
) -> None:
    with pytest.raises(HomeAssistantError, match="found no radio frequency"):
        await call(hass, "learn", host=new_hub.host, command_type="rf", timeout=1)
    assert new_hub.receiver.listening is None
    assert notices.text == "No signal was received"


@pytest.mark.parametrize(
    ("model", "data", "sentence"),
    [
        ("rm_mini", {"command_type": "rf"}, "has no radio"),
        ("sp2", {}, "cannot learn"),
        ("rm_pro", {"frequency": 433.92}, "only used with command_type: rf"),
        ("rm_pro", {"frequency": 5, "command_type": "rf"}, "frequency"),
        ("rm_pro", {"command_type": "uv"}, "command_type"),
        ("rm_pro", {"timeout": 0}, "timeout"),
    ],
)
async def test_what_cannot_be_learned(
    hass: HomeAssistant, data: dict[str, object], sentence: str, new_hub: VirtualHub
) -> None:
    with pytest.raises((ServiceValidationError, vol.Invalid), match=sentence):
        await call(hass, "learn", host=new_hub.host, **data)
    assert not our_hub(hass, new_hub).receiver.learning


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_plug_transmits_nothing(hass: HomeAssistant, new_hub: VirtualHub) -> None:
    with pytest.raises(ServiceValidationError, match="cannot transmit"):
        await send(hass, new_hub, RC5)


async def test_callers_take_turns(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    """A script that sends hundreds holds up nobody; what is its own stays in order."""
    await set_up(hass, "remote", entry(virtual_hub, timeout=5))
    await until(lambda: our_hub(hass, virtual_hub).available)
    virtual_hub.faults.slow = 0.02
    script, sending = Context(), list[asyncio.Task[ServiceResponse]]()
    for text in [RC5, RF] * 10:
        data = {"host": virtual_hub.host, "packet": text}
        sending.append(
            asyncio.create_task(
                hass.services.async_call("irhub", "send", data, blocking=True, context=script)
            )
        )
    await virtual_hub.until(lambda: virtual_hub.count("send") == 2)
    await send(hass, virtual_hub, NEC)
    assert virtual_hub.transmitted[-1] == HDMI
    assert len(virtual_hub.transmitted) <= 4
    await asyncio.gather(*sending)
    assert [packet for packet in virtual_hub.transmitted if packet != HDMI] == [POWER, FAN] * 10


async def test_what_is_asked_is_translated(
    hass: HomeAssistant, notices: Notices, virtual_hub: VirtualHub
) -> None:
    hass.config.language = "de"
    await set_up(hass, "remote", entry(virtual_hub))
    with pytest.raises(HomeAssistantError):
        await call(hass, "learn", host=virtual_hub.host, timeout=1)
    assert notices.history == ["Drücke die Taste der Fernbedienung.", "Es kam kein Signal"]


async def test_fifty_at_once(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await set_up(hass, "remote", entry(virtual_hub, timeout=5))
    learn = asyncio.create_task(call(hass, "learn", host=virtual_hub.host))
    await virtual_hub.until(lambda: virtual_hub.receiver.listening is not None)
    await asyncio.gather(*(send(hass, virtual_hub, [RC5, RF]) for _ in range(50)))
    assert virtual_hub.transmitted == [POWER, FAN] * 50
    await virtual_hub.press_when_listening(POWER)
    await learn
