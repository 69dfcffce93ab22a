"""The pages quote their examples word for word, and their scripts work."""

import asyncio
from pathlib import Path
import re
from typing import Any

from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml

from custom_components.irhub.hub.device_types import TYPE_NAMES
from custom_components.irhub.ircodes.files import reading
from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.protocols.protocols import COMMANDS
from known_rows import makers
from tests.files import anchors
from tests.home import until
from virtual_home.hub import VirtualHub

from .home import HDMI, POWER, commands, entry, known, our_hub, set_up

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples" / "irhub"
PAGE = (DOCS / "irhub.md").read_text()
REFERENCE = (DOCS / "irhub_reference.md").read_text()
LINK = re.compile(r"\[([\w/]+\.yaml)\]\(examples/irhub/([\w/]+\.yaml)\)")
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_quotes_its_examples() -> None:
    pages = PAGE + REFERENCE + (DOCS / "appliances.md").read_text()
    names = [name for name, target in LINK.findall(pages) if name == target]
    assert BLOCK.findall(pages) == [(EXAMPLES / name).read_text() for name in names]
    assert sorted(names) == sorted(
        str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.yaml")
    )


def test_links_to_what_is_in_the_reference_go_on() -> None:
    """Pages of others link to sections that were on the first page until 0.4.1."""
    ids = {*re.findall(r'<a id="([^"]+)">', PAGE)}
    both = anchors(DOCS / "irhub.md") & anchors(DOCS / "irhub_reference.md")
    assert anchors(DOCS / "irhub_reference.md") - {"irhub-reference"} - both == ids


def test_the_page_knows_every_type() -> None:
    assert all(f"`{name}`" in REFERENCE for name in TYPE_NAMES)


def test_the_page_names_what_this_hosts_library_reads() -> None:
    named = re.findall(
        r"[A-Z]\w+", REFERENCE.partition("it reads depends on")[2].partition("\n")[0]
    )
    for cls in COMMANDS:
        if hasattr(cls, "from_raw_timings") and cls.__name__ != "ProntoCommand":
            assert cls.__name__.upper().startswith(tuple(map(str.upper, named))), cls


def test_the_page_of_codes_lists_each_format_that_is_read() -> None:
    page = (DOCS / "codes.md").read_text()
    names = [
        *(module.NAME for module in reading._TEXTS),  # noqa: SLF001  (the formats)
        *(module.NAME for module in reading._MAPPINGS),  # noqa: SLF001  (same)
    ]
    assert not [
        name for name in names if not re.search(rf"^\| [^|]*{re.escape(name)}", page, re.MULTILINE)
    ]


def test_the_page_of_known_air_conditioners_lists_the_makers_of_the_table() -> None:
    text = makers.PAGE.read_text()
    assert makers.page(KnownAirConditioners.load().rows, text) == text


async def scripts(hass: HomeAssistant, name: str, hub: VirtualHub) -> None:
    """Set up the scripts of an example, for a virtual hub."""
    text = (EXAMPLES / "actions" / name).read_text()
    config = parse_yaml(text.replace("192.168.1.20", f"{hub.host}:{hub.port}"))
    assert isinstance(config, dict)
    assert await async_setup_component(hass, "script", config)
    await set_up(hass, "remote", entry(hub, name="Lounge"), entry(hub, name="Bedroom", **OTHER))
    await until(lambda: our_hub(hass, hub).available)


OTHER = {"host": "127.0.0.99", "mac": "34:EA:34:00:00:99"}
"""Another hub, which is off."""


async def run(hass: HomeAssistant, script: str) -> None:
    await hass.services.async_call("script", script, {}, blocking=True)


async def codes(hass: HomeAssistant, remote: str) -> Any:  # noqa: ANN401  (JSON)
    response = await hass.services.async_call(
        "irhub", "export_codes", {"entity_id": remote}, blocking=True, return_response=True
    )
    return response and response["codes"]


async def test_learn_and_send(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await scripts(hass, "learn_and_send.yaml", virtual_hub)
    running = asyncio.create_task(run(hass, "repeat_after_me"))
    await virtual_hub.press_when_listening(HDMI)
    await running
    assert virtual_hub.transmitted == [HDMI]


async def test_undo(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await scripts(hass, "undo.yaml", virtual_hub)
    for packet in (POWER, HDMI):
        await known(hass).store({"television": {"power": [packet]}})
    await run(hass, "undo_what_was_changed_last_of_the_television")
    assert commands(known(hass)) == {"television": {"power": [POWER]}}


async def test_the_remote(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await scripts(hass, "remote.yaml", virtual_hub)
    running = asyncio.create_task(run(hass, "learn_the_television"))
    await virtual_hub.press_when_listening(POWER)
    await virtual_hub.press_when_listening(HDMI)
    await running
    await run(hass, "watch_the_news")
    assert virtual_hub.transmitted == [POWER, HDMI]


async def test_the_codes(hass: HomeAssistant, virtual_hub: VirtualHub) -> None:
    await scripts(hass, "codes.yaml", virtual_hub)
    await run(hass, "give_the_fan_its_codes")
    await run(hass, "copy_all_codes_to_another_remote")
    copied = await codes(hass, "remote.bedroom")
    assert copied == await codes(hass, "remote.lounge")
    assert set(copied) == {"fan", "television"}
    assert len(copied["television"]["power"]) == 2


async def test_an_automation_for_a_spare_button(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    config = parse_yaml((EXAMPLES / "actions" / "followed.yaml").read_text())
    assert isinstance(config, dict)
    toggled: list[ServiceCall] = []
    hass.services.async_register("light", "toggle", toggled.append)
    await set_up(hass, "remote", entry(virtual_hub))
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {
            "entity_id": "remote.broadlink",
            "codes": {"television": {"red": POWER.hex(), "green": HDMI.hex()}},
        },
        blocking=True,
        return_response=True,
    )
    followed = entry(virtual_hub, name="Television remote", device="television")
    await set_up(hass, "event", followed)
    assert await async_setup_component(hass, "automation", config)
    remote = "event.television_remote"
    await until(lambda: hass.states.is_state(remote, "unknown"))
    await virtual_hub.press_when_listening(HDMI)
    await until(lambda: not hass.states.is_state(remote, "unknown"))
    await virtual_hub.press_when_listening(POWER)
    await until(lambda: toggled)
    await hass.async_block_till_done()
    [call] = toggled
    assert call.data["entity_id"] == ["light.floor_lamp"]
