"""The page's examples are files, and each file works as it stands."""

from pathlib import Path
import re
from typing import Any

from homeassistant.config import async_hass_config_yaml
from homeassistant.setup import async_setup_component
import pytest

from custom_components.rest.schema import (
    BINARY_SENSOR_KEYS,
    BUTTON_KEYS,
    REQUEST_KEYS,
    SENSOR_KEYS,
)
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_auth import PASSWORD, USERNAME
from virtual_home.endpoint_documents import AREST, RELEASE, ROOMS, STATE

from .home import RestHome

DOCS = Path(__file__).parents[2] / "docs"
FILES = sorted((DOCS / "examples/rest").glob("*.yaml"))
SECRETS = f"""
github_user: {USERNAME}
github_token: {PASSWORD}
other_instance_token: Bearer abc
query_user: {USERNAME}
query_password: {PASSWORD}
inverter_login: '{{"user": "me", "password": "{PASSWORD}"}}'
solar_id: me
solar_secret: {PASSWORD}
modem_login: csrf={{{{ login.csrf | urlencode }}}}&password={PASSWORD}
gateway_user: {USERNAME}
gateway_password: {PASSWORD}
router_login: user=me&password={PASSWORD}
"""
REPLIES: dict[str, object] = {
    "/temperature": "21.5",
    "/repos/home-assistant/core/releases/latest": RELEASE,
    "/api/states/sensor.garden_temperature": STATE,
    "/rooms": ROOMS,
    "/": AREST,
    "/status": {"state": "heating", "power": 800, "door": "open"},
    "/api/login": {"access_token": "abc", "expires_in": 3600},
    "/api/values": {"power": 800},
    "/status.html": Answer(
        body=b'<table class="values"><tr><td>1<tr><td>26,5</table><img id="camera" src="/1.jpg">',
        content_type="text/html",
    ),
    "/token": {"access_token": "abc", "expires_in": 3600},
    "/v1/energy": {"today": 12.5},
    "/login": "welcome",
    "/login.html": "<form action=/login method=post><input name=username>"
    "<input name=password type=password></form>",
    "/index.html": '<input name="csrf" value="abc"><input name="password">',
    "/data.json": {"signal": -61},
    "/status.json": {"uptime": 77, "load": 12},
    "/devices": {
        "devices": [
            {"serial": "A1", "name": "Hall", "temperature": 21, "valve": "open", "battery": 80},
            {"serial": "B2", "name": "Bath", "temperature": 23, "valve": "shut", "battery": 70},
        ]
    },
    "/query/rooms": {"rows": [{"value": 7, "room": "kitchen"}]},
}
STATES = {
    "minimal": {"sensor.rest_sensor": "21.5"},
    "github_release": {"sensor.latest_release": "2026.11.0"},
    "other_instance": {"sensor.garden_temperature": "12.3"},
    "rooms": {
        "sensor.rooms": "OK",
        "sensor.kitchen_temperature": "21.4",
        "sensor.bathroom_humidity": "71",
        "sensor.bedroom_battery": "64",
    },
    "arest": {"sensor.living_room_temperature": "21.5", "sensor.living_room_humidity": "43"},
    "for_each": {
        "sensor.hall_temperature": "21",
        "sensor.bath_temperature": "23",
        "binary_sensor.hall_valve": "on",
        "binary_sensor.bath_valve": "off",
    },
    "patient": {"sensor.boiler": "heating"},
    "post": {"sensor.query": "7"},
    "login": {"sensor.inverter": "800"},
    "login_cookie": {"sensor.router_uptime": "77"},
    "web_page": {"sensor.pool_temperature": "26.5", "sensor.pool_camera_picture": "/1.jpg"},
    "login_page": {"sensor.gateway_load": "12"},
    "login_oauth2": {"sensor.solar_today": "12.5"},
    "login_form": {"sensor.modem_signal": "-61"},
    "on_demand": {"sensor.meter": "unknown", "button.read_the_meter": "unknown"},
    "block": {"sensor.power": "800", "binary_sensor.door": "on"},
}


def at_the_endpoint(path: Path) -> str:
    """Return an example whose URLs lead to the endpoint."""
    return re.sub(r"https?://[^/\s\"]+", "URL", path.read_text())


# The one with a certificate works with https only: test_certificates.py.
@pytest.mark.parametrize(
    "path", [file for file in FILES if file.stem in STATES], ids=lambda path: path.stem
)
async def test_an_example_works(home: RestHome, path: Path) -> None:
    for where, reply in REPLIES.items():
        home.endpoint.set(where, reply)
    home.hass.states.async_set("input_text.table", "rooms")
    home.hass.states.async_set("input_datetime.since", "2026-11-21")
    home.yaml.with_name("secrets.yaml").write_text(SECRETS)
    home.write(at_the_endpoint(path))
    loaded: Any = await async_hass_config_yaml(home.hass)
    for domain in ("rest", "sensor", "binary_sensor", "template"):
        if domain in loaded:
            assert await async_setup_component(home.hass, domain, loaded)
    for entity_id, expected in STATES[path.stem].items():
        await home.state(expected, entity_id)
    assert not home.log()
    assert PASSWORD not in home.whole_log
    assert "Bearer" not in home.whole_log


async def test_one_request_serves_an_arest_device(home: RestHome) -> None:
    await test_an_example_works(home, DOCS / "examples/rest/arest.yaml")
    assert home.endpoint.count("/") == 1


def test_the_page_quotes_the_files() -> None:
    pages = "".join(path.read_text() for path in DOCS.glob("rest*.md"))
    blocks = re.findall(r"```yaml\n(.*?)```", pages, re.DOTALL)
    assert sorted(blocks) == sorted(path.read_text() for path in FILES)


def test_the_page_names_every_key() -> None:
    page = (DOCS / "rest.md").read_text()
    for key in {**REQUEST_KEYS, **SENSOR_KEYS, **BINARY_SENSOR_KEYS, **BUTTON_KEYS}:
        assert f"`{key}`" in page, f"docs/rest.md does not name {key}"
