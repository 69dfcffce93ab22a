"""Several hubs in one house: what one sends, others hear; one press is heard by all."""

import asyncio

import pytest

from custom_components.irhub.errors import UserError
from custom_components.irhub.hub import hub_receiver
from custom_components.irhub.hub.arming import INFRARED, Tuned
from custom_components.irhub.ircodes import encode, from_timings, to_timings
from custom_components.irhub.settings import Others
from tests.home import Home, until
from virtual_home.hub import VirtualHub

from ..home import FAN, HDMI, entry, our_hub, set_up
from ..infrared_entities import EMITTER, Blaster


def nec(number: int) -> bytes:
    packet = encode("NEC", address=0x20, command=number)
    assert packet is not None
    return packet


POWER, MUTE = nec(1), nec(2)


async def follow(home: Home, **hubs: tuple[VirtualHub, dict[str, bytes]]) -> dict[str, list[str]]:
    """Follow a remote control of these commands with each hub; return what happens from then."""
    entries = {name: entry(hub, name=name) for name, (hub, _) in hubs.items()}
    await set_up(home.hass, "remote", *entries.values())
    for name, (_, commands) in hubs.items():
        codes = {"tv": {command: packet.hex() for command, packet in commands.items()}}
        await home.hass.services.async_call(
            "irhub",
            "import_codes",
            {"entity_id": f"remote.{name}", "codes": codes},
            blocking=True,
        )
    followed = [{**entries[name], "device": "tv", "name": f"{name} events"} for name in entries]
    await set_up(home.hass, "event", *followed)
    for hub, _ in hubs.values():
        await hub.until(lambda hub=hub: hub.receiver.listening == "ir")  # type: ignore[misc]
    return {name: home.changes(f"event.{name}_events") for name in hubs}


async def send(home: Home, name: str, command: str) -> None:
    await home.hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": f"remote.{name}", "device": "tv", "command": command},
        blocking=True,
    )


async def settle(*hubs: VirtualHub) -> None:
    """Wait until what the hubs hold has been read."""
    await asyncio.sleep(2 * hub_receiver.READ_S)
    for hub in hubs:
        await hub.until(lambda hub=hub: hub.receiver.listening == "ir")  # type: ignore[misc]


async def test_a_transmission_is_no_press_for_another_hub(
    home: Home, lounge: VirtualHub, attic: VirtualHub
) -> None:
    lounge.near, attic.near = [attic], [lounge]
    fired = await follow(
        home, lounge=(lounge, {"power": POWER}), attic=(attic, {"power": POWER, "mute": MUTE})
    )
    await send(home, "lounge", "power")
    await settle(lounge, attic)
    assert fired == {"lounge": [], "attic": []}
    await attic.press_when_listening(MUTE)
    await until(lambda: fired["attic"])


async def test_a_transmission_sets_nothing_that_another_hub_follows(
    home: Home, lounge: VirtualHub, attic: VirtualHub
) -> None:
    """Neither a hub nor another emitter of Home Assistant's is a remote control."""
    await follow(home, lounge=(lounge, {"power": POWER}), attic=(attic, {"power": POWER}))
    player = entry(attic, name="Player", device="tv", follow=True)
    await set_up(home.hass, "media_player", player)
    blaster = Blaster(home.hass)
    await blaster.begin()
    lounge.near = blaster.near = [attic]
    data = {"entity_id": "media_player.player"}
    await home.hass.services.async_call("media_player", "turn_on", data, blocking=True)
    await settle(attic)
    changes = home.changes("media_player.player")
    await send(home, "lounge", "power")
    await settle(lounge, attic)
    emitter = entry(lounge, name="lounge", emitters={"tv": EMITTER})
    home.write({"remote": [emitter, entry(attic, name="attic")], "media_player": [player]})
    await home.hass.services.async_call("irhub", "reload", blocking=True)
    await home.wait_for("remote.lounge", "on")
    await attic.until(lambda: attic.receiver.listening == "ir")
    await send(home, "lounge", "power")
    assert len(blaster.heard) == 1
    await settle(attic)
    assert home.value("media_player.player") == "on"
    assert "off" not in changes


async def test_a_press_of_a_packet_that_was_just_transmitted_counts(
    home: Home, virtual_hub: VirtualHub
) -> None:
    """A hub that transmits does not listen: what it hears then was pressed."""
    fired = await follow(home, lounge=(virtual_hub, {"power": POWER}))
    await send(home, "lounge", "power")
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "ir")
    assert fired == {"lounge": []}
    assert virtual_hub.press(POWER)
    await until(lambda: fired["lounge"])


async def test_a_press_that_two_hubs_receive_counts_once(
    home: Home, lounge: VirtualHub, attic: VirtualHub
) -> None:
    fired = await follow(
        home, lounge=(lounge, {"power": POWER, "mute": MUTE}), attic=(attic, {"power": POWER})
    )
    late = [each + 30 if each > 0 else each - 30 for each in to_timings(POWER)]
    assert lounge.press(POWER)
    assert attic.press(from_timings(late))
    await settle(lounge, attic)
    assert len(fired["lounge"]) + len(fired["attic"]) == 1
    assert lounge.press(MUTE)
    await settle(lounge)
    assert len(fired["lounge"]) + len(fired["attic"]) == 2


async def test_the_hub_that_follows_it_fires_whichever_received_it_first(
    home: Home, lounge: VirtualHub, attic: VirtualHub
) -> None:
    fired = await follow(home, lounge=(lounge, {"mute": MUTE}), attic=(attic, {"power": POWER}))
    assert lounge.press(POWER)
    await asyncio.sleep(0.1)
    assert attic.press(POWER)
    await until(lambda: fired["attic"])
    assert fired["lounge"] == []


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_infrared_and_radio_take_turns(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(hub_receiver, "TURN_S", 0.2)
    monkeypatch.setattr(hub_receiver, "READ_S", 0.05)
    await set_up(home.hass, "remote", entry(virtual_hub))
    listener = our_hub(home.hass, virtual_hub).receiver
    heard: list[tuple[str, bytes]] = []
    ends = [
        listener.async_subscribe(
            Tuned(frequency=433.92), lambda packet: heard.append(("rf", packet)), listener="fan"
        ),
        listener.async_subscribe(
            INFRARED, lambda packet: heard.append(("ir", packet)), listener="tv"
        ),
    ]
    assert listener.tunings == [INFRARED, Tuned(frequency=433.92)]
    assert listener.listens_for == ["fan", "tv"]
    for _ in range(2):
        await virtual_hub.press_when_listening(HDMI)
        await until(lambda: heard.pop() == ("ir", HDMI) if heard else False)
        await virtual_hub.press_when_listening(FAN)
        await until(lambda: heard.pop() == ("rf", FAN) if heard else False)
    ends.pop()()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening == "rf")
    await asyncio.sleep(0.5)
    assert virtual_hub.receiver.listening == "rf"
    ends.pop()()
    await virtual_hub.until(lambda: virtual_hub.receiver.listening is None)


async def test_others_are_listened_for_when_it_is_wanted(
    home: Home, monkeypatch: pytest.MonkeyPatch, virtual_hub: VirtualHub
) -> None:
    monkeypatch.setattr(hub_receiver, "OTHERS_S", 3)
    await set_up(home.hass, "remote", entry(virtual_hub))
    ours = our_hub(home.hass, virtual_hub)
    await until(lambda: ours.available)
    listener = ours.receiver
    listener.async_set_others(Others.ON_REQUEST)
    heard: list[bytes] = []
    end = listener.async_subscribe(INFRARED, heard.append, listener="HAIR", is_other=True)
    await asyncio.sleep(0.2)
    assert (virtual_hub.count("learn"), listener.listens_for) == (0, [])
    listener.async_listen_for_others()
    await virtual_hub.press_when_listening(HDMI)
    await until(lambda: heard == [HDMI])
    assert listener.listens_for == ["HAIR"]
    await virtual_hub.until(lambda: virtual_hub.receiver.listening is None)
    listener.async_set_others(Others.NEVER)
    with pytest.raises(UserError, match="never listens"):
        listener.async_listen_for_others()
    asked = virtual_hub.count("learn")
    own: list[bytes] = []
    end_own = listener.async_subscribe(INFRARED, own.append, listener="tv")
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: own == [POWER])
    assert heard == [HDMI]
    assert virtual_hub.count("learn") > asked
    end_own()
    end()


async def test_an_appliance_follows_its_remote_whichever_hub_receives_it_first(
    home: Home, lounge: VirtualHub, attic: VirtualHub
) -> None:
    commands = {"power": POWER, "on": HDMI}
    fired = await follow(home, lounge=(lounge, commands), attic=(attic, commands))
    player = entry(lounge, name="Player", device="tv", follow=True)
    await set_up(home.hass, "media_player", player)
    assert home.value("media_player.player") == "unknown"
    for presses, (packet, state) in enumerate([(HDMI, "on"), (POWER, "off")], 1):
        assert attic.press(packet)
        await until(lambda presses=presses: len(fired["attic"]) == presses)  # type: ignore[misc]
        await lounge.press_when_listening(packet)
        await home.wait_for("media_player.player", state)
        await settle(lounge, attic)
    assert fired["lounge"] == []
