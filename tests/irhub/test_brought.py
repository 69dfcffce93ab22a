"""What somebody brings goes on where it belongs."""

from io import BytesIO
import json
from pathlib import Path
import zipfile

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.devices.brought import async_bring
from custom_components.irhub.errors import UserError

from .home import POWER, RC5

FLIPPER = (
    "Filetype: IR signals file\nVersion: 1\n#\nname: Power\ntype: parsed\nprotocol: NEC\n"
    "address: 04 00 00 00\ncommand: 08 00 00 00\n"
)
SMARTIR = json.dumps(
    {
        "manufacturer": "Acme",
        "supportedModels": ["A1"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "commands": {"off": RC5},
    }
)
WHOLE = {"id": "a", "name": "tv", "commands": [{"id": "b", "name": "on", "packets": [RC5]}]}


@pytest.mark.parametrize(
    ("given", "goes_on", "missing"),
    [
        (SMARTIR, "device", ()),
        (json.dumps({"devices": [WHOLE]}), "device", ()),
        (json.dumps({"devices": [WHOLE, WHOLE | {"id": "c", "name": "fan"}]}), "devices", ()),
        (f"tv:\n  on: {RC5}\nfan:\n  on: {RC5}", "devices", ()),
        (FLIPPER, "names", ("device",)),
        ("Received NEC: address=0xFB04, command=0xF708", "names", ("device",)),
        (RC5, "names", ("device", "command")),
    ],
)
async def test_where_it_goes_on(
    hass: HomeAssistant, given: str, goes_on: str, missing: tuple[str, ...]
) -> None:
    brought = await async_bring(hass, given)
    assert (brought.goes_on, brought.missing) == (goes_on, missing)
    assert (brought.imported is None) is bool(missing)


async def test_with_the_names_it_goes_on_as_commands(hass: HomeAssistant) -> None:
    brought = await async_bring(hass, FLIPPER, device="tv")
    assert brought.goes_on == "device"
    brought = await async_bring(hass, RC5, device="tv", command="off")
    assert brought.imported is not None
    assert (brought.goes_on, brought.imported.commands) == ("devices", {"tv": {"off": [POWER]}})


async def test_a_zip_of_many_files_goes_on_with_a_press(hass: HomeAssistant) -> None:
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a.json", SMARTIR)
        archive.writestr("b.ir", FLIPPER)
    brought = await async_bring(hass, content.getvalue(), name="codes.zip")
    assert (brought.goes_on, brought.content.paths) == ("press", ["a.json", "b.ir"])


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("hello", r"^Nothing was imported: no packet in "),
        (b"\0\1\2", r"^Nothing was imported: this is no text file"),
        (Path("/nothing/here.json"), r"^Nothing was imported: the file is damaged, or cannot be"),
    ],
)
async def test_what_is_nothing_says_why(hass: HomeAssistant, given: object, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        await async_bring(hass, given)
