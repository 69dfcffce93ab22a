"""Sharing learned commands from the dialogue: one device or all, in the formats of others."""

from collections.abc import Mapping
from http import HTTPStatus
from io import BytesIO
import json
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.devices.code_file import understand
from custom_components.irhub.devices.importing import read_import
from custom_components.irhub.ircodes import (
    FORMATS,
    from_timings,
    read_codes,
    to_base64,
    to_timings,
    write_codes,
)
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure, download_link
from ..home import FAN, POWER
from .remotes import code_of_button

GIRR = "{http://www.harctoolbox.org/Girr}"


async def open_share_page(hass: HomeAssistant, hub: VirtualHub) -> Dialogue:
    """Have two devices, and choose to share."""
    assert await async_setup_component(hass, "config", {})
    entry = await add(hass, hub)
    devices = entry.runtime_data.devices
    await devices.load()
    await devices.store({"tv & radio": {"power": [code_of_button(1)], "mute": [code_of_button(2)]}})
    await devices.store({"Fan": {"on": [POWER], "radio": [FAN]}})
    return await (await configure(hass, entry)).choose("share")


@pytest.mark.parametrize("format_name", ["irhub", *FORMATS])
@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_a_device_is_shared(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    hass_client_no_auth: ClientSessionGenerator,
    format_name: str,
    lounge: VirtualHub,
) -> None:
    dialogue = await open_share_page(hass, lounge)
    assert dialogue.suggested == {}, "nothing is chosen for the user"
    await dialogue.submit(device="tv & radio", format=format_name)
    assert dialogue.step == "shared"
    assert dialogue.texts["refused"] == "0"
    text = dialogue.suggested["text"]
    [commands] = read_import(text, device="tv").commands.values()
    assert {*commands} == {"power", "mute"}
    link = await download_link(await hass_client(), dialogue)
    stranger = await hass_client_no_auth()
    served = await stranger.get(link)
    assert served.status == HTTPStatus.OK
    suffix = ".json" if format_name == "irhub" else FORMATS[format_name][1]
    assert f'"tv_radio{suffix}"' in served.headers["Content-Disposition"]
    assert await served.text() == text
    changed = await stranger.get(link.replace(f"={format_name}", "=x"))
    assert changed.status == HTTPStatus.UNAUTHORIZED, "what is asked for is signed"
    await dialogue.submit(text=text)
    assert dialogue.step == "init"


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_all_devices_are_in_a_zip(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, lounge: VirtualHub
) -> None:
    dialogue = await open_share_page(hass, lounge)
    await dialogue.submit(format="flipper")
    assert "text" not in dialogue.fields
    assert dialogue.texts["refused"] == "1\n- Fan → radio: radio cannot be written in this format"
    client = await hass_client()
    served = await client.get(await download_link(client, dialogue))
    assert "lounge.zip" in served.headers["Content-Disposition"]
    with ZipFile(BytesIO(await served.read())) as archive:
        assert {*archive.namelist()} == {"tv_radio.ir", "fan.ir"}
        read = read_codes(archive.read("fan.ir").decode(), device="Fan")
    assert {*read.commands["Fan"]} == {"on"}
    url = (await download_link(client, dialogue)).partition("?")[0]
    for query in ("?format=x", "?device=x", "?device=x&format=flipper"):
        assert (await client.get(url + query)).status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_without_a_format_the_dialogue_goes_back(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await open_share_page(hass, lounge)
    await dialogue.submit(device="gone", format="girr")
    assert "gone" in dialogue.error
    await dialogue.submit()
    assert dialogue.step == "init"


@pytest.mark.parametrize(
    ("head", "level"),
    [
        ({"speed": ["low", "high"]}, "speeds"),
        ({"brightness": [10, 255]}, "brightnesses"),
        ({"colorTemperature": [2700, 6500]}, "kelvins"),
    ],
)
def test_the_kind_is_preserved_by_an_export_for_smartir(
    head: dict[str, object], level: str
) -> None:
    """SmartIR takes no fan without its speeds, and no file without a model."""
    content = head | {
        "manufacturer": "Acme",
        "supportedModels": ["A"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "commands": {"off": to_base64(POWER), "default": {"low": to_base64(code_of_button(1))}},
    }
    file = understand(json.dumps(content))
    assert file.head is not None
    names = {name: [*packets] for name, packets in file.commands.items()}
    text = write_codes("smartir", "Ventilator", names, steps=file.head.steps).text
    again = understand(text)
    assert again.head == file.head
    assert getattr(again.head.steps, level)
    assert again.device == "Ventilator", "and not twice, since it has no model"
    assert json.loads(text)["supportedModels"] == ["Ventilator"]


def test_an_export_for_girr_follows_its_schema() -> None:
    """Names are attributes, durations signed and in pairs; read here by XML's own reader."""
    odd = from_timings([900, -900, 900])
    names: Mapping[str, list[bytes]] = {"<\"power\" & 'x'>": [POWER], "odd": [odd], "a\x01b": [odd]}
    exported = write_codes("girr", 'Acme & "Co"', names)
    assert {name: str(why) for name, why in exported.refused.items()} == {
        "a\x01b": "character '\\x01' in 'a\\x01b'"
    }
    root = ET.fromstring(exported.text)  # noqa: S314  (our own)
    assert (root.tag, root.get("girrVersion")) == (f"{GIRR}remotes", "1.2")
    [remote] = root
    assert (remote.tag, remote.get("name")) == (f"{GIRR}remote", 'Acme & "Co"')
    [commands] = remote
    assert commands.tag == f"{GIRR}commandSet"
    assert [each.get("name") for each in commands] == ["<\"power\" & 'x'>", "odd"]
    for command, packet in zip(commands, (POWER, odd), strict=True):
        [raw] = command
        assert (raw.tag, raw.get("frequency")) == (f"{GIRR}raw", "38000")
        written = [int(each) for each in (raw.findtext(f"{GIRR}intro") or "").split()]
        assert len(written) % 2 == 0
        assert written[: len(to_timings(packet))] == to_timings(packet)
    assert [*read_codes(exported.text).commands] == ['Acme & "Co"']
