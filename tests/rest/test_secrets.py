"""No secret reaches a log, a state, a notification or an issue, debug logging on."""

import pytest

from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

ENTRY = (
    "- platform: rest\n  resource: URL{path}{mark}key=canary-query\n  method: POST\n"
    "  username: canary-user\n  password: canary-password\n  authentication: {auth}\n"
    "  headers: {{X-Token: canary-header}}\n  params: {{p: canary-param}}\n"
    "  payload: canary-payload\n  timeout: 1\n"
    "  value_template: '{{{{ value_json.a | int }}}}'\n"
)


@pytest.mark.parametrize("auth", ["basic", "digest"])
@pytest.mark.parametrize(
    "path",
    [
        "/body",
        "/text",
        "/long",
        "/digest",
        "/status/500",
        "/slow/9",
        "/redirect?to=http://u:canary@127.0.0.1:1/canary",
        "/redirect?to=ftp://u:canary@h/canary",
        "/fault/reset",
        "/fault/half",
        "/fault/garbage",
        "/broken-xml",
    ],
)
async def test_nothing_is_told(home: RestHome, path: str, auth: str) -> None:
    home.endpoint.set("/body", {"a": "canary-body"})
    home.endpoint.set("/text", "canary-text " * 9)
    home.endpoint.set("/long", Answer.of("canary-text " * 99))
    mark = "&" if "?" in path else "?"
    await home.set_up(ENTRY.format(path=path, mark=mark, auth=auth))
    await home.state(lambda state: state.state == "unavailable" or home.log())
    await home.update()
    await home.state(lambda state: state.state in ("unknown", "unavailable"))
    assert "canary" not in home.whole_log
    assert home.log()


async def test_another_instances_state_with_a_password_in_the_query(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  value_template: '{{ value_json.state }}'\n"
        "  resource: URL/api/states/sensor.garden_temperature?api_password=virtual-home\n"
    )
    await home.state("12.3")
    await home.endpoint.stop()
    await home.update()
    await home.state("unavailable")
    assert "virtual-home" not in home.whole_log


async def test_what_is_undefined_in_a_request_is_told_once_and_without_its_template(
    home: RestHome, form: Form
) -> None:
    home.endpoint.set("/canary/", {"on": True})
    login = {
        "resource_template": home.endpoint.url + "/canary/{{ seven }}",
        "values": {"known": "1"},
    }
    request = {
        "resource_template": home.endpoint.url + "/canary/{{ one }}",
        "method": "POST",
        "payload_template": "canary {{ two }}",
        "headers": {"Authorization": "Bearer canary {{ three }}"},
        "params": {"key": "canary {{ four }}{{ login.unknown }}"},
        "login": login,
    }
    await home.load(form.config(request))
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    assert home.endpoint.count("/canary/") == 3
    mine = f"resource_template ({form.entity_id}): "
    assert home.log() == [
        "resource_template: login: resource_template warns: 'seven' is undefined",
        f"{mine}resource_template warns: 'one' is undefined",
        f"{mine}headers 'Authorization' warns: 'three' is undefined",
        f"{mine}payload_template warns: 'two' is undefined",
        f"{mine}params 'key' warns: 'four' is undefined",
        f"{mine}params 'key' warns: 'dict object' has no attribute 'unknown'",
    ]
    assert "canary" not in home.whole_log
