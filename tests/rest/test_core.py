"""What stands beside the sensors: blocks, switches, notifications, scrape, in our folder."""

from homeassistant.config import async_hass_config_yaml
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import async_get_translations
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
import pytest

from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_auth import PASSWORD, USERNAME

from .home import RestHome


@pytest.fixture
def expected_lingering_timers(request: pytest.FixtureRequest) -> bool:
    """On Home Assistant 2026.7, scrape leaves its coordinator's timer when it stops."""
    return "scrape" in request.node.name


async def test_ours_is_loaded(home: RestHome) -> None:
    integration = await async_get_integration(home.hass, "rest")
    assert integration.pkg_path == "custom_components.rest"


async def test_a_rest_block_with_sensors_and_binary_sensors(home: RestHome) -> None:
    home.endpoint.set("/x", {"a": 1, "b": True, "c": {"d": 5}}, {"a": 2, "b": False})
    await home.set_up(
        "- resource: URL/x\n  scan_interval: 60\n"
        "  sensor:\n"
        "    - name: one\n      value_template: '{{ value_json.a }}'\n      json_attributes: [c]\n"
        "    - name: two\n      value_template: '{{ value_json.a + 1 }}'\n"
        "  binary_sensor:\n    - name: three\n      value_template: '{{ value_json.b }}'\n",
        "rest",
    )
    assert (await home.state("1", "sensor.one")).attributes["c"] == {"d": 5}
    await home.state("2", "sensor.two")
    await home.state("on", "binary_sensor.three")
    assert home.endpoint.count("/x") == 1
    await home.passes(61)
    await home.state("2", "sensor.one")
    await home.state("off", "binary_sensor.three")


async def test_rest_blocks_of_packages_are_merged(home: RestHome) -> None:
    home.write(
        "homeassistant:\n  packages:\n"
        "    kitchen:\n      rest:\n"
        "        - {resource: URL/x, sensor: [{name: one}]}\n"
        "        - {resource: URL/x, sensor: [{name: two}]}\n"
        "    hall:\n      rest: {resource: URL/x, sensor: [{name: three}]}\n"
        "rest: {resource: URL/x, sensor: [{name: four}]}\n",
    )
    home.endpoint.set("/x", "5")
    merged = await async_hass_config_yaml(home.hass)
    assert await async_setup_component(home.hass, "rest", merged)
    await home.hass.async_block_till_done()
    for name in ("one", "two", "three", "four"):
        await home.state("5", f"sensor.{name}")


async def test_a_binary_sensor(home: RestHome) -> None:
    home.endpoint.set("/b", '{"on": true}')
    await home.set_up(
        "- platform: rest\n  resource: URL/b\n  name: door\n"
        "  value_template: '{{ value_json.on }}'\n",
        "binary_sensor",
    )
    await home.state("on", "binary_sensor.door")


async def test_a_switch_and_its_translated_errors(home: RestHome) -> None:
    home.endpoint.set("/switch", "OFF", "OFF", "OK", "ON", "ON")
    await home.set_up(
        "- platform: rest\n  resource: URL/switch\n  name: lamp\n"
        "  body_on: 'ON'\n  body_off: 'OFF'\n",
        "switch",
    )
    await home.state("off", "switch.lamp")
    call = home.hass.services.async_call
    lamp = {"entity_id": "switch.lamp"}
    await call("switch", "turn_on", lamp, blocking=True)
    posted = [request.body for request in home.endpoint.requests if request.method == "POST"]
    assert posted == [b"ON"]
    home.endpoint.set("/switch", Answer.of("no", status=500))
    with pytest.raises(HomeAssistantError) as error:
        await call("switch", "turn_off", lamp, blocking=True)
    assert str(error.value) == f"Failed to turn off {home.endpoint.url}/switch"
    await home.endpoint.stop()
    with pytest.raises(HomeAssistantError) as error:
        await call("switch", "turn_on", lamp, blocking=True)
    assert str(error.value) == f"Error communicating with {home.endpoint.url}/switch"


async def test_a_notification(home: RestHome) -> None:
    home.endpoint.set("/notify", "OK")
    await home.set_up(
        "- platform: rest\n  name: phone\n  resource: URL/notify\n  method: POST_JSON\n"
        "  title_param_name: title\n  data: {room: kitchen}\n",
        "notify",
    )
    await home.hass.services.async_call(
        "notify", "phone", {"message": "Hello", "title": "T"}, blocking=True
    )
    (request,) = home.endpoint.received("/notify")
    assert request.body in (
        b'{"message":"Hello","title":"T","room":"kitchen"}',
        b'{"message": "Hello", "title": "T", "room": "kitchen"}',
    )


async def test_rest_command(home: RestHome) -> None:
    home.endpoint.set("/command", {"done": True})
    assert await async_setup_component(
        home.hass,
        "rest_command",
        {"rest_command": {"go": {"url": home.endpoint.url + "/command", "method": "post"}}},
    )
    result = await home.hass.services.async_call(
        "rest_command", "go", {}, blocking=True, return_response=True
    )
    assert result
    assert result["content"] == {"done": True}


async def test_scrape_gets_its_data_through_us(home: RestHome) -> None:
    page = "<html><div class='current'>21.5</div></html>"
    home.endpoint.set("/page", Answer(body=page.encode(), content_type="text/html"))
    await home.set_up(
        "- resource: URL/page\n  sensor:\n    - name: scraped\n      select: .current\n", "scrape"
    )
    await home.state("21.5", "sensor.scraped")


async def test_reload_brings_back_every_kind(home: RestHome) -> None:
    home.endpoint.set("/x", '{"on": true}')
    yaml = (
        "rest:\n- resource: URL/x\n  sensor: [{name: block}]\n"
        "sensor:\n- platform: rest\n  resource: URL/x\n  name: ours\n"
        "binary_sensor:\n- platform: rest\n  resource: URL/x\n  name: door\n"
        "  value_template: '{{ value_json.on }}'\n"
        "switch:\n- platform: rest\n  resource: URL/x\n  name: lamp\n"
        "  is_on_template: '{{ value_json.on }}'\n"
    )
    home.write(yaml)
    await home.set_up("[]", "rest")
    await home.hass.services.async_call("rest", "reload", blocking=True)
    await home.hass.async_block_till_done()
    for entity_id in ("sensor.block", "sensor.ours", "binary_sensor.door", "switch.lamp"):
        await home.state(lambda state: state.state != "unknown", entity_id)
    await home.hass.services.async_call("rest", "reload", blocking=True)
    await home.hass.async_block_till_done()
    assert sorted(home.hass.states.async_entity_ids()) == [
        "binary_sensor.door",
        "sensor.block",
        "sensor.ours",
        "switch.lamp",
    ]


async def test_texts_come_from_our_folder(home: RestHome) -> None:
    await home.set_up("[]", "rest")
    texts = await async_get_translations(home.hass, "en", "exceptions", {"rest"})
    assert texts["component.rest.exceptions.turn_on_failed.message"].startswith("Failed to turn on")
    assert await async_get_translations(home.hass, "en", "services", {"rest"})


async def test_a_release_with_basic_authentication(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/repos/home/assistant/releases/latest\n"
        f"  username: {USERNAME}\n  password: {PASSWORD}\n  authentication: basic\n"
        "  value_template: '{{ value_json.tag_name }}'\n"
        "  headers: {Accept: application/vnd.github.v3+json, User-Agent: Home Assistant}\n"
    )
    await home.state("2026.11.0")
    assert home.endpoint.requests[0].headers["User-Agent"] == "Home Assistant"
