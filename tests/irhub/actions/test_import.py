"""`irhub.import_codes` on a remote: what is good is stored, what is not is told."""

import json
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.irhub.ircodes import to_timings
from custom_components.irhub.ircodes.packet import TICK_US
from virtual_home.hub import VirtualHub

from ..home import HDMI, NEC, POWER, RC5, RF, start
from ..remotes_of_protocols import shows

REMOTE = "remote.broadlink"


async def act(hass: HomeAssistant, action: str, **data: object) -> Any:  # noqa: ANN401  (JSON)
    return await hass.services.async_call(
        "irhub", action, {"entity_id": REMOTE, **data}, blocking=True, return_response=True
    )


async def test_one_wrong_command_hurts_only_itself(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    wrong = {f"key {number:02}": "nonsense!" for number in range(12)}
    codes = f"tv: {{power: {RC5}, power: {NEC}, power: nonsense!, hdmi: {NEC}}}"
    await start(hass, virtual_hub)
    assert await act(hass, "import_codes", codes=codes) == {
        "imported": 3,
        "refused": 1,
        "reasons": {"tv → power": "not a code in Base64/hex/Pronto/Tuya: 'nonsense…' (9)"},
        "codes": 4,
        "states": 0,
        "commands": 3,
        "rejected": [{"reason": "not a code in Base64/hex/Pronto/Tuya: …", "count": 1}],
        "presets": {},
        "descriptions": {},
        "contradictions": {},
    }
    response = await act(hass, "import_codes", codes={"fan": {"on": RC5, **wrong}})
    assert (response["imported"], response["refused"]) == (1, 12)
    assert [*response["reasons"]] == [f"fan → key {number:02}" for number in range(10)]
    assert "12 of 13 commands were not imported: fan → key 00: not a code in Base64" in caplog.text
    assert caplog.text.strip().endswith("; … (+2)")
    exported = (await act(hass, "export_codes"))["codes"]
    assert {device: [*commands] for device, commands in exported.items()} == {
        "fan": ["on"],
        "tv": ["power", "power 2", "hdmi"],
    }


@pytest.mark.usefixtures("hub")
async def test_strict_imports_all_or_nothing(hass: HomeAssistant) -> None:
    codes = {"tv": {"power": RC5, "hdmi": "nonsense!"}}
    refused = r"^Nothing was imported: tv → hdmi: not a code in"
    with pytest.raises(ServiceValidationError, match=refused):
        await act(hass, "import_codes", codes=codes, strict=True)
    assert (await act(hass, "export_codes"))["codes"] == {}
    with pytest.raises(ServiceValidationError, match=refused):
        await act(hass, "import_codes", codes={"tv": {"hdmi": "nonsense!"}})


async def test_reasons_are_in_the_language_of_the_home(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    hass.config.language = "de"
    await start(hass, virtual_hub)
    response = await act(hass, "import_codes", codes={"tv": {"on": RC5, "off": "hex:260000"}})
    assert response["reasons"] == {"tv → off": "unvollständig, oder etwas ist zu viel: '260000'"}
    assert "tv → off: incomplete, or too long: '260000'" in caplog.text
    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, "import_codes", codes="garbage!", device="tv", command="up")
    [stored] = _told_in_german(caught.value)
    assert stored == "tv → up: kein Code in Base64/hex/Pronto/Tuya: 'garbage!'"
    with pytest.raises(ServiceValidationError) as caught:
        await hass.services.async_call(
            "remote",
            "send_command",
            {"entity_id": REMOTE, "command": "b64:JgA="},
            blocking=True,
        )
    *_, sent = _told_in_german(caught.value)
    assert sent == "unvollständig, oder etwas ist zu viel: '2600'"
    assert str(caught.value) == "command: incomplete, or too long: '2600'"


def _told_in_german(err: ServiceValidationError) -> list[str]:
    """Return what Home Assistant's interface puts into its own translation of the sentence."""
    return [*(err.translation_placeholders or {}).values()]


@pytest.mark.parametrize("format_name", ["smartir", "flipper", "girr", "pronto", "esphome"])
@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_codes_go_to_other_programs_and_come_back(
    hass: HomeAssistant, format_name: str, hub: VirtualHub
) -> None:
    await act(hass, "import_codes", codes={"tv": {"power": RC5}, "fan": {"on": RF}})
    written = await act(hass, "export_codes", format=format_name)
    assert [*written["files"]] == ["tv", "fan"]
    assert [*written["reasons"]] == ([] if format_name == "smartir" else ["fan → on"])
    assert written["refused"] == len(written["reasons"])
    exported = await act(hass, "export_codes", format=format_name, device="tv")
    assert exported["files"] == {"tv": written["files"]["tv"]}
    again = {"device": "copy", "codes": written["files"]["tv"]}
    assert (await act(hass, "import_codes", **again))["imported"] == 1
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": REMOTE, "device": "copy", "command": "power"},
        blocking=True,
    )
    [sent] = hub.transmitted
    for ours, theirs in zip(to_timings(POWER), to_timings(sent), strict=False):
        assert abs(ours - theirs) <= TICK_US + 1


@pytest.mark.usefixtures("hub")
async def test_one_device_is_exported(hass: HomeAssistant) -> None:
    await act(hass, "import_codes", codes={"tv": {"power": RC5}, "fan": {"on": NEC}})
    assert [*(await act(hass, "export_codes", device="tv"))["codes"]] == ["tv"]
    with pytest.raises(ServiceValidationError, match=r"No device x was learned.*fan, tv"):
        await act(hass, "export_codes", device="x")


async def test_three_packets_of_one_command_are_sent_in_turn(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    await act(hass, "import_codes", codes={"tv": {"input": [RC5, NEC, RC5]}})
    for _ in range(4):
        await hass.services.async_call(
            "remote",
            "send_command",
            {"entity_id": REMOTE, "device": "tv", "command": "input"},
            blocking=True,
        )
    assert hub.transmitted == [POWER, HDMI, POWER, POWER]


async def test_a_state_that_contradicts_its_packet_is_reported_in_the_language_of_the_home(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    hass.config.language = "nl"
    await start(hass, virtual_hub)
    log = ""
    for sent, power in (("cool", "On"), ("heat", "Off")):
        durations = [round(duration) for duration in to_timings(shows("COOLIX", sent, 24))]
        named = {"Vendor": "COOLIX", "Power": power, "Mode": "Auto", "Temp": 24}
        received = {"Protocol": "COOLIX", "RawData": durations, "IRHVAC": named}
        log += f"RESULT = {json.dumps({'IrReceived': received})}\n"
    response = await act(hass, "import_codes", codes=log, device="copy")
    makers = "Actron, Airwell, Alliance, Apton, …"
    packet = f"maar volgens het bekende protocol COOLIX ({makers}) zegt het pakket"
    cool, heat = "Koelen, 24 °C", "Verwarmen, 24 °C"
    fan = ", Ventilatormodus: Automatisch"
    assert response["contradictions"] == {
        "copy → auto 24": f"de tekst zegt “Automatisch, 24 °C”, {packet} “{cool}{fan}”",
        "copy → off": f"de tekst zegt “Uit”, {packet} “{heat}{fan}”",
    }
