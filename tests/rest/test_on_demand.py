"""Asked for when somebody wants it, kept over a restart, seen by an action."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any

from homeassistant.auth.const import GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.core import Context, CoreState, HomeAssistant, State
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
    UnknownUser,
)
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    async_mock_restore_state_shutdown_restart,
    mock_restore_cache_with_extra_data,
)

from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome


async def ask(hass: HomeAssistant, entity_id: str, user_id: str | None = None) -> dict[str, Any]:
    """Call rest.request."""
    answer = await hass.services.async_call(
        "rest",
        "request",
        {"entity_id": entity_id},
        blocking=True,
        context=Context(user_id=user_id),
        return_response=True,
    )
    assert isinstance(answer, dict)
    return dict(answer)


async def test_scan_interval_zero_sends_no_polls(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", {"on": True}, Answer.of("down", status=500))
    config = form.config({**home.url("/x"), "scan_interval": 0})
    await home.load(config)
    await home.state("unknown", form.entity_id)
    await home.reload(config)
    await home.passes(3600)
    await asyncio.sleep(0.2)
    assert home.endpoint.count("/x") == 0
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    await home.state("unavailable", form.entity_id)
    assert home.log()[0].endswith("data: status 500")
    await home.passes(3600)
    await asyncio.sleep(0.05)
    assert home.endpoint.count("/x") == 2


async def test_the_action_returns_what_came_and_updates_all(home: RestHome, form: Form) -> None:
    answer = Answer.of({"on": True}, headers={"X-Left": "7", "Set-Cookie": "s=canary"})
    home.endpoint.set("/x", answer)
    config = form.config({**home.url("/x"), "scan_interval": 0})
    for domain, entries in form.config({**home.url("/x"), "scan_interval": 0}, name="y").items():
        config[domain] += entries
    await home.load(config)
    response = await ask(home.hass, form.entity_id)
    headers = response.pop("headers")
    assert headers["X-Left"] == "7"
    assert response == {
        "status": 200,
        "cookies": ["s"],
        "value": '{"on": true}',
        "value_json": {"on": True},
    }
    assert "canary" not in str(headers)
    for name in ("x", "y"):
        await home.state(form.on, f"{form.domain}.{name}")
    assert home.endpoint.count("/x") == 1


async def test_the_action_says_what_went_wrong(home: RestHome) -> None:
    home.endpoint.set("/x", Answer.of("down", status=503))
    home.hass.states.async_set("sensor.other", "1")
    await home.load(Form("sensor", is_block=True).config(home.url("/x?canary")))
    with pytest.raises(HomeAssistantError) as error:
        await ask(home.hass, "sensor.x")
    assert str(error.value) == f"The request of {home.endpoint.url} failed: status 503"
    with pytest.raises(ServiceValidationError) as no_entity:
        await ask(home.hass, "sensor.other")
    assert str(no_entity.value).startswith("sensor.other is no REST entity")


async def test_the_action_returns_nothing_old_when_its_request_is_stopped(home: RestHome) -> None:
    home.endpoint.set("/x", {"on": True}, Answer.of({"on": False}, delay=5))
    request = {**home.url("/x"), "scan_interval": 0}
    await home.load(Form("sensor", is_block=True).config(request))
    await home.update("sensor.x")
    asked = asyncio.create_task(ask(home.hass, "sensor.x"))
    await home.polls("/x", 2)
    await home.reload({"rest": []})
    with pytest.raises(HomeAssistantError, match="failed: it was stopped"):
        await asked


async def test_the_action_asks_who_may_control_the_entity(home: RestHome) -> None:
    """As `homeassistant.update_entity` does."""
    home.endpoint.set("/x", {"on": True})
    request = {**home.url("/x"), "scan_interval": 0}
    await home.load(Form("sensor", is_block=True).config(request))
    auth = home.hass.auth
    await auth.async_create_user("owner")  # the first one may do all
    reader = await auth.async_create_user("reader", group_ids=[GROUP_ID_READ_ONLY])
    user = await auth.async_create_user("user", group_ids=[GROUP_ID_USER])
    with pytest.raises(Unauthorized):
        await ask(home.hass, "sensor.x", reader.id)
    with pytest.raises(UnknownUser):
        await ask(home.hass, "sensor.x", "nobody")
    assert home.endpoint.count("/x") == 0
    assert (await ask(home.hass, "sensor.x", user.id))["status"] == 200


@pytest.mark.parametrize("by", ["action", "button"])
async def test_a_request_during_a_poll_waits_for_the_next_one(
    home: RestHome, form: Form, by: str
) -> None:
    """Two that ask while a poll is under way share the one request that follows it."""
    home.endpoint.set("/x", Answer.of({"on": "before"}, delay=0.5), {"on": True})
    await home.load(with_button(home, form))
    poll = home.hass.async_create_task(home.update(form.entity_id))
    await home.polls("/x", 1)
    for_now = (
        partial(ask, home.hass, form.entity_id) if by == "action" else partial(press, home.hass)
    )
    answers = await asyncio.gather(for_now(), for_now())
    assert home.value(form.entity_id) == form.on
    if by == "action":
        assert [answer and answer["value_json"] for answer in answers] == [{"on": True}] * 2
    await poll
    assert home.endpoint.count("/x") == 2


async def test_a_reload_ends_what_waits_for_a_poll(home: RestHome) -> None:
    home.endpoint.set("/x", Answer.of({"on": True}, delay=30))
    await home.load(Form("sensor", is_block=False).config(home.url("/x")))
    await home.polls("/x", 1)
    asked = home.hass.async_create_task(ask(home.hass, "sensor.x"))
    await asyncio.sleep(0.1)
    await home.reload({"sensor": []})
    with pytest.raises(HomeAssistantError, match="it was stopped"):
        await asked
    assert home.endpoint.count("/x") == 1


async def test_the_action_on_text_has_no_value_json(home: RestHome) -> None:
    home.endpoint.set("/x", "plain")
    await home.load(Form("sensor", is_block=True).config(home.url("/x"), value_template=None))
    assert "value_json" not in await ask(home.hass, "sensor.x")


def with_button(home: RestHome, form: Form, **button: object) -> dict[str, Any]:
    """Return the YAML of an entity that is asked for by a button called x."""
    request = {**home.url("/x"), "scan_interval": 0}
    config = form.config(request)
    button = {"name": "x", **button}
    if form.is_block:
        config["rest"][0]["button"] = button
    else:
        config["button"] = [{"platform": "rest", **request, **button}]
    return config


async def press(hass: HomeAssistant) -> None:
    """Press it."""
    await hass.services.async_call("button", "press", {"entity_id": "button.x"}, blocking=True)


async def test_a_button_asks_and_says_what_went_wrong(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", {"on": True}, Answer.of("down", status=503))
    await home.load(with_button(home, form, unique_id="u"))
    assert (await home.state("unknown", "button.x")).attributes["icon"] == "mdi:refresh"
    await press(home.hass)
    await home.state(form.on, form.entity_id)
    with pytest.raises(HomeAssistantError, match="failed: status 503"):
        await press(home.hass)
    await home.state("unavailable", form.entity_id)
    assert home.endpoint.count("/x") == 2


async def test_a_button_over_a_reload(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", {"on": True})
    await home.load(with_button(home, form))
    await press(home.hass)
    pressed = await home.state(lambda state: state.state != "unknown", "button.x")
    await home.reload(with_button(home, form))
    assert home.hass.states.get("button.x") is pressed
    await home.reload(with_button(home, form, icon="mdi:meter-gas"))
    await home.state(lambda state: state.attributes["icon"] == "mdi:meter-gas", "button.x")
    await press(home.hass)
    assert home.endpoint.count("/x") == 2
    with pytest.raises(ServiceValidationError, match="button"):
        await home.reload(with_button(home, form, device_class="update"))
    await press(home.hass)
    await home.reload(form.config(home.url("/x")))
    assert home.hass.states.get("button.x") is None


async def test_a_button_alone_sends_its_request(home: RestHome) -> None:
    home.endpoint.set("/x", {}, Answer.of("down", status=503))
    await home.load({"button": [{"platform": "rest", **home.url("/x"), "method": "POST"}]})
    await home.passes(60)
    for _ in range(2):
        with suppress(HomeAssistantError):
            await home.hass.services.async_call(
                "button", "press", {"entity_id": "button.rest_button"}, blocking=True
            )
    assert [received.method for received in home.endpoint.received("/x")] == ["POST"] * 2
    (line,) = home.log()
    assert line.startswith(f"Error fetching {home.endpoint.url} data: status 503")


LOOK = {
    "name": "{{ value_json.name if value_json is defined else 'x' }}",
    "icon": "mdi:{{ value_json.icon }}",
    "picture": "/local/{{ value_json.icon }}.png",
}


@pytest.mark.parametrize("look", [{}, LOOK], ids=["plain", "templates"])
async def test_values_are_kept_over_a_restart(
    home: RestHome, form: Form, look: dict[str, str]
) -> None:
    """With the name, icon and picture that templates gave."""
    home.endpoint.set("/x", {"on": True, "a": 5, "icon": "lamp", "name": "Lamp"})
    keys = {"json_attributes": ["a"]} if form.domain == "sensor" else {}
    config = form.config({**home.url("/x"), "scan_interval": 0}, restore=True, **keys, **look)
    await home.load(config)
    await home.update(form.entity_id)
    before = await home.state(form.on, form.entity_id)
    if look:
        assert before.attributes["icon"] == "mdi:lamp"
    home.hass.set_state(CoreState.running)
    stored = await async_mock_restore_state_shutdown_restart(home.hass)
    extra = stored.last_states[form.entity_id].extra_data
    assert extra
    await home.reload({form.domain: []})
    mock_restore_cache_with_extra_data(home.hass, [(before, extra.as_dict())])
    await home.reload(config)
    after = await home.state(form.on, form.entity_id)
    assert after.attributes == before.attributes
    assert home.endpoint.count("/x") == 1


async def test_what_is_stored_wrongly_of_icons_is_left_out(home: RestHome) -> None:
    extra = {"value": "7", "attributes": {}, "look": {"icon": 5, "state": "1"}}
    mock_restore_cache_with_extra_data(home.hass, [(State("sensor.x", "7"), extra)])
    request = {**home.url("/x"), "scan_interval": 0}
    await home.load(Form("sensor", is_block=False).config(request, restore=True, **LOOK))
    assert "icon" not in (await home.state("7", "sensor.x")).attributes


@pytest.mark.parametrize(
    ("device_class", "value"),
    [
        ("timestamp", "2026-11-22T08:00:00+00:00"),
        ("date", "2026-11-22"),
        (None, "text"),
        ("temperature", "21.5"),
    ],
)
async def test_each_kind_of_value_is_restored(
    home: RestHome, device_class: str | None, value: str
) -> None:
    extra = {"value": value, "attributes": {}}
    mock_restore_cache_with_extra_data(home.hass, [(State("sensor.x", value), extra)])
    keys = {"device_class": device_class} if device_class else {}
    request = {**home.url("/x"), "scan_interval": 0}
    await home.load(Form("sensor", is_block=False).config(request, restore=True, **keys))
    await home.state(value, "sensor.x")


async def test_what_is_restored_lasts_until_max_failures(home: RestHome) -> None:
    extra = {"value": "7", "attributes": {"a": 1}}
    mock_restore_cache_with_extra_data(home.hass, [(State("sensor.x", "7"), extra)])
    home.endpoint.set("/x", Answer.of("down", status=500))
    config = Form("sensor", is_block=False).config(
        {**home.url("/x"), "scan_interval": 0}, restore=True, max_failures=2, json_attributes="a"
    )
    await home.load(config)
    await home.update("sensor.x")
    assert (await home.state("7", "sensor.x")).attributes["a"] == 1
    await home.update("sensor.x")
    await home.state("unavailable", "sensor.x")


@pytest.mark.parametrize(
    "extra", [{"native_value": 5}, {"value": 5, "attributes": {}}, {"value": "7", "attributes": 7}]
)
async def test_what_another_integration_stored_is_not_restored(
    home: RestHome, form: Form, extra: dict[str, object]
) -> None:
    """It goes by the entity id, which was another's before."""
    if form.domain == "binary_sensor":
        extra = extra | ({"value": "on"} if "value" in extra else {})
    mock_restore_cache_with_extra_data(home.hass, [(State(form.entity_id, "7"), extra)])
    await home.load(form.config({**home.url("/x"), "scan_interval": 0}, restore=True))
    await home.state("unknown", form.entity_id)


async def test_nothing_is_restored_unless_asked_for(home: RestHome) -> None:
    extra = {"value": "7", "attributes": {}}
    mock_restore_cache_with_extra_data(home.hass, [(State("sensor.x", "7"), extra)])
    await home.load(Form("sensor", is_block=False).config({**home.url("/x"), "scan_interval": 0}))
    await home.state("unknown", "sensor.x")
