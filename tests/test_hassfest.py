"""What hassfest and HACS refuse, rule by rule: both run on GitHub only, after a push.

Their rules on imports, dependencies, actions, texts, quality scale and brand are in
test_manifests.py; that the languages agree, in test_translations.py; what the repository of one
integration looks like, in scripts/test_release.py. HACS besides asks for a description, topics
and issues, which are settings on GitHub, and refuses a domain of core's in its own store.
"""

from collections.abc import Callable
from importlib import import_module
import json
from pathlib import Path
import re
import string
from typing import Any

import homeassistant  # noqa: F401  (before voluptuous, which it replaces)
from homeassistant.config_entries import HANDLERS, ConfigFlow
from homeassistant.helpers import config_validation as cv
from homeassistant.util.yaml import load_yaml_dict
import pytest
import voluptuous as vol

from .files import INTEGRATIONS, NEWEST, ROOT, every, read

TRANSLATIONS = sorted(ROOT.glob("custom_components/*/translations/*.json"))


def key(value: str) -> str:
    """Return a key under which texts stand: words of small letters, joined by - or _."""
    if not re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", value):
        raise vol.Invalid(f"{value} is no key of texts")
    return value


def plain(value: object) -> str:
    """Return a text in which nothing is filled in."""
    if any(name is not None for _, name, _, _ in string.Formatter().parse(cv.string(value))):
        raise vol.Invalid(f"nothing can be filled into {value}")
    return str(value)


def parts(**optional: object) -> dict[Any, object]:
    return {vol.Optional(name): part for name, part in optional.items()}


def required(**parts: object) -> dict[Any, object]:
    return {vol.Required(name): part for name, part in parts.items()}


def described(step: dict[str, Any]) -> dict[str, Any]:
    """Refuse a description of a field that the form does not name."""
    if unknown := step.get("data_description", {}).keys() - step.get("data", {}).keys():
        raise vol.Invalid(f"{unknown} are described, but not named")
    return step


FIELDS = {"data": {str: str}, "data_description": {str: str}}
STEP = vol.All(
    parts(
        **FIELDS,
        title=str,
        description=str,
        submit=str,
        menu_options={str: str},
        menu_option_descriptions={str: str},
        sections={str: parts(**FIELDS, name=str, description=str)},
    ),
    described,
)
STEPS = {
    **required(step={str: STEP}),
    **parts(
        flow_title=str,
        error={str: str},
        abort={str: str},
        progress={str: str},
        create_entry={str: str},
    ),
}
DIALOGUE = {**STEPS, **parts(initiate_flow=required(user=str))}
SUBENTRY = {**STEPS, **required(entry_type=str, initiate_flow={**required(user=str), str: str})}
NAMED = {**required(name=str, description=str), **parts(example=str)}
ENTITY = parts(
    name=str,
    state={key: plain},
    unit_of_measurement=plain,
    state_attributes={key: parts(name=plain, state={key: plain})},
)
TEXTS = vol.Schema(
    parts(
        title=str,
        config=DIALOGUE,
        options=DIALOGUE,
        config_subentries={cv.slug: SUBENTRY},
        selector={
            cv.slug: parts(
                options={key: str}, choices={key: str}, unit_of_measurement={key: str}, fields=dict
            )
        },
        device_automation={str: {str: str}},
        system_health=parts(info={key: str}),
        issues={
            str: vol.All(
                cv.has_at_least_one_key("description", "fix_flow"),
                {**required(title=str), **parts(description=str, fix_flow=STEPS)},
            )
        },
        device={key: parts(name=str)},
        entity={cv.slug: {key: ENTITY}},
        exceptions={cv.slug: parts(message=str)},
        services={
            key: {
                **required(name=str, description=str),
                **parts(
                    fields={key: NAMED},
                    sections={key: {**required(name=str), **parts(description=str)}},
                ),
            }
        },
        common={cv.slug: str},
    )
)


def known(kind: str) -> Callable[[str], str]:
    """Return what refuses a category, or a way to connect, that the newest host does not know."""

    def check(value: str) -> str:
        generated = "lib/*/site-packages/homeassistant/generated"
        [path] = NEWEST.parents[1].glob(f"{generated}/integration_{kind}.json")
        slugs = {
            slug
            for entry in json.loads(path.read_text(encoding="utf-8"))
            for slug in (
                entry["slug"],
                *(f"{entry['slug']}.{inner['slug']}" for inner in entry.get("subcategories", ())),
            )
        }
        return str(vol.In(slugs)(value))

    return check


ICON = vol.Match(r"^mdi:[a-z0-9-]+$")
ICONS = vol.Schema(
    parts(
        services={key: vol.Any(ICON, parts(service=ICON, sections={key: ICON}))},
        entity={
            cv.slug: {
                key: parts(
                    default=ICON,
                    state={key: ICON},
                    state_attributes={key: parts(default=ICON, state={key: ICON})},
                )
            }
        },
    )
)
MANIFEST = vol.Schema(
    {
        **required(
            domain=cv.slug,
            name=str,
            codeowners=[str],
            documentation=cv.url,
            iot_class=str,
            version=str,
            # HACS's, beside those above
            issue_tracker=cv.url,
        ),
        **parts(
            after_dependencies=[str],
            categories=[known("categories")],
            config_flow=bool,
            connectivity=[known("connectivity")],
            dependencies=[str],
            dhcp=[parts(registered_devices=bool, macaddress=str, hostname=str)],
            integration_type=str,
            loggers=[str],
            requirements=[str],
            single_config_entry=bool,
        ),
    }
)
HACS = vol.Schema(
    {
        **required(name=str),
        **parts(
            content_in_root=bool,
            country=str,
            filename=str,
            hacs=str,
            hide_default_branch=bool,
            homeassistant=str,
            persistent_directory=str,
            zip_release=bool,
        ),
    }
)
FIELD = parts(
    example=object, default=object, required=bool, advanced=bool, selector=dict, filter=dict
)
ACTIONS = vol.Schema(
    {
        cv.slug: vol.Any(
            None,
            parts(
                target=vol.Any(None, dict),
                fields={
                    str: vol.Any(FIELD, {**required(fields={str: FIELD}), **parts(collapsed=bool)})
                },
            ),
        )
    }
)


@every
def test_manifest_keys(folder: Path) -> None:
    MANIFEST(read(folder / "manifest.json"))


@every
def test_config_flow(folder: Path) -> None:
    """A file of this name is asked for; a folder is not seen."""
    manifest = read(folder / "manifest.json")
    assert not (folder / "config_flow").exists()
    if not manifest.get("config_flow"):
        return
    assert (folder / "config_flow.py").is_file()
    module = import_module(f"custom_components.{folder.name}.config_flow")
    handler = HANDLERS[folder.name]
    assert handler.__module__ == module.__name__
    assert hasattr(handler, "async_step_user")
    for found_by in ("bluetooth", "dhcp", "homekit", "mqtt", "ssdp", "usb", "zeroconf"):
        step = f"async_step_{found_by}"
        has_step = getattr(handler, step) is not getattr(ConfigFlow, step)
        assert has_step == (found_by in manifest), found_by


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda p: f"{p.parents[1].name}-{p.stem}")
def test_texts(path: Path) -> None:
    TEXTS(read(path))


@every
def test_icons(folder: Path) -> None:
    ICONS(read(folder / "icons.json"))


@every
def test_actions(folder: Path) -> None:
    path = folder / "services.yaml"
    assert path.exists() == ("services" in read(folder / "translations" / "en.json"))
    if path.exists():
        ACTIONS(load_yaml_dict(path))


@every
def test_no_strings_and_no_hidden_translations(folder: Path) -> None:
    """strings.json is core's; of a custom integration Home Assistant reads `translations`."""
    assert not (folder / "strings.json").exists()
    assert not (folder / ".translations").exists()


def test_hacs() -> None:
    """Both say which of several folders HACS takes: the first, by name."""
    HACS(read(ROOT / "hacs.json"))
    assert INTEGRATIONS[0].name == "irhub"
    for name in ("README.md", "LICENSE"):
        assert (ROOT / name).stat().st_size
    for folder in INTEGRATIONS:
        assert (folder / "brand" / "icon.png").is_file()


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        (MANIFEST, {"domain": "x"}),
        (MANIFEST, {**read(INTEGRATIONS[0] / "manifest.json"), "categories": ["magic"]}),
        (TEXTS, {"config": {"step": {"user": {"data_description": {"a": "b"}}}}}),
        (TEXTS, {"config": {}}),
        (TEXTS, {"config_subentries": {"appliance": {"step": {}}}}),
        (TEXTS, {"entity": {"sensor": {"two__lines": {"name": "x"}}}}),
        (TEXTS, {"entity": {"sensor": {"x": {"state": {"on": "{value}"}}}}}),
        (TEXTS, {"issues": {"x": {"title": "x"}}}),
        (ICONS, {"services": {"x": "hass:x"}}),
        (HACS, {"name": "x", "iot_class": "x"}),
        (ACTIONS, {"x": {"field": {}}}),
    ],
)
def test_what_they_refuse_is_refused_here(schema: vol.Schema, wrong: dict[str, Any]) -> None:
    with pytest.raises(vol.Invalid):
        schema(wrong)
