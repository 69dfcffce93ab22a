"""Every action and each of its keys has its text, and the system information its numbers."""

from collections import Counter
from collections.abc import Iterator
import json
from pathlib import Path

import homeassistant
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    get_system_health_info,
)

from custom_components import irhub
from custom_components.irhub.actions import services
from custom_components.irhub.button import icon_key
from custom_components.irhub.devices.kinds import PLAYERS, Kind
from custom_components.irhub.devices.names import functions_of
from custom_components.irhub.ircodes import FORMATS
from custom_components.irhub.ircodes.reasons import REASONS
from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, our_hub, set_up

FOLDER = Path(irhub.__file__).parent
LANGUAGES = {
    path.stem: json.loads(path.read_text()) for path in (FOLDER / "translations").glob("*.json")
}
TEXTS = LANGUAGES["en"]
CORE_CLIMATE = Path(homeassistant.__file__).parent / "components" / "climate" / "translations"
USUAL_ROWS = 4
"""A level is usual if so many known protocols have it."""
SCHEMAS = {
    "learn": services.LEARN_SCHEMA,
    "listen": services.LISTEN_SCHEMA,
    "send": services.SEND_SCHEMA,
    "import_codes": services.IMPORT_SCHEMA,
    "export_codes": services.EXPORT_SCHEMA,
    "rename_code": services.RENAME_SCHEMA,
    "delete_codes": services.DELETE_SCHEMA,
}


def test_a_search_finds_the_integration_by_its_name() -> None:
    """Home Assistant searches the manifest's name and shows the title, in every language."""
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    hacs = json.loads((FOLDER.parents[1] / "hacs.json").read_text())
    titles = {texts["title"] for texts in LANGUAGES.values()}
    assert {manifest["name"], hacs["name"]} == titles == {manifest["name"]}
    assert {"broadlink", "infrared", "remote"} <= {*manifest["name"].lower().split()}


@pytest.mark.parametrize("attribute", ["fan", "swing", "preset"])
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_usual_levels_of_air_conditioners_have_names(language: str, attribute: str) -> None:
    """Without a name, Home Assistant shows a level as the table of protocols spells it."""
    key, climate = f"{attribute}_mode", LANGUAGES[language]["entity"]["climate"]
    own = climate[Kind.AIR_CONDITIONER]["state_attributes"][key]["state"]
    # Home Assistant falls back to English: its translations are complete in that alone.
    core = json.loads((CORE_CLIMATE / "en.json").read_text())["entity_component"]["_"]
    assert len({*own.values()}) == len(own)
    table = (FOLDER / "ircodes" / "known" / "table.jsonl").read_text().splitlines()
    rules = [json.loads(line)["rule"] for line in table]
    rows = Counter(level for rule in rules for level in rule.get(attribute, {}).get("values", ()))
    usual = {level for level, count in rows.items() if count >= USUAL_ROWS}
    assert usual <= {*own, *core["state_attributes"][key]["state"]}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_field_has_a_help_text(language: str) -> None:
    texts = LANGUAGES[language]
    flows = texts["config"], texts["options"], texts["config_subentries"]["appliance"]
    for step, page in (each for flow in flows for each in flow["step"].items()):
        for part in (page, *page.get("sections", {}).values()):
            assert {*part.get("data", ())} == {*part.get("data_description", ())}, step


MOST_ON_A_PHONE = 40
"""Letters of an option: Home Assistant's menus do not wrap it, and cut off what is longer."""


def menus(texts: object) -> Iterator[dict[str, str]]:
    """Return the menus in texts, each of its options with what it says."""
    if isinstance(texts, dict):
        for key, part in texts.items():
            if key == "menu_options":
                yield part
            else:
                yield from menus(part)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_an_option_of_a_menu_fits_a_phone(language: str) -> None:
    options = {text for menu in menus(LANGUAGES[language]) for text in menu.values()}
    assert [text for text in options if len(text) > MOST_ON_A_PHONE] == []


async def test_every_action_is_described(hass: HomeAssistant) -> None:
    await async_setup_component(hass, "irhub", {})
    described = load_yaml_dict(str(FOLDER / "services.yaml"))
    icons = json.loads((FOLDER / "icons.json").read_text())["services"]
    registered = hass.services.async_services_for_domain("irhub")
    assert set(registered) == set(described) == set(TEXTS["services"]) == set(icons)
    for name, schema in SCHEMAS.items():
        keys = {str(key) for key in schema.schema}
        assert keys == set(described[name]["fields"]) == set(TEXTS["services"][name]["fields"])
        for key in schema.schema:
            field = described[name]["fields"][str(key)]
            assert field["selector"]
            assert "example" in field
            assert field.get("required", False) == (type(key).__name__ == "Required")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_each_written_format_has_a_name_and_is_offered_by_the_action(
    language: str,
) -> None:
    format_field = load_yaml_dict(str(FOLDER / "services.yaml"))["export_codes"]["fields"]["format"]
    formats = {services.OUR_FORMAT, *FORMATS}
    assert {*format_field["selector"]["select"]["options"]} == formats
    assert {*LANGUAGES[language]["selector"]["code_format"]["options"]} == formats


async def test_system_information_counts_the_hubs(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "system_health", {})
    async with VirtualHub() as on, VirtualHub(mac="34:EA:34:00:00:02") as off:
        off.faults.silent = True
        await set_up(hass, "remote", entry(on), entry(off, name="off"))
        await until(lambda: our_hub(hass, on).available)
        assert await get_system_health_info(hass, "irhub") == {
            "hubs_online": 1,
            "hubs_offline": 1,
        }


def test_the_reasons_are_those_of_the_english_texts() -> None:
    texts = {
        key.removeprefix("reason_"): text
        for key, text in TEXTS["common"].items()
        if key.startswith("reason_")
    }
    assert texts == REASONS


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
def test_a_remote_learned_in_any_language_becomes_the_same_appliance(language: str) -> None:
    for kind in Kind:
        buttons = [
            kind.traits.called_by(function).replace(" ", "_") for function in kind.traits.template
        ]
        english, theirs = (
            [LANGUAGES[each]["common"][f"name_{button}"] for button in buttons]
            for each in ("en", language)
        )
        assert len({*theirs}) == len(buttons)
        functions = functions_of(kind, english)
        assert [*functions_of(kind, theirs).values()] == [
            theirs[english.index(name)] for name in functions.values()
        ]
        if kind in PLAYERS:
            assert [*map(icon_key, theirs)] == [*map(icon_key, english)]
