"""The logic of the page that tries web resources, without a browser, and its texts."""

import json
from pathlib import Path
import re

import pytest
import quickjs  # type: ignore[import-untyped]

import custom_components.rest
from tests.files import texts

PAGE = Path(custom_components.rest.__file__).parent / "trial" / "rest-trial.js"
SINGLE = {"platform": "sensor", "name": "Rooms 1 t", "value_template": "{{ value_json.t }}"}
EACH = {"platform": "sensor", "name": "{{ item.n }}", "for_each": "{{ value_json.rooms }}"}


@pytest.fixture
def page() -> quickjs.Context:
    """Return the page's functions: a script has no exports, a module no globals."""
    context = quickjs.Context()
    context.eval(PAGE.read_text("utf-8").replace("export ", ""))
    return context


def evaluated(page: quickjs.Context, function: str, *values: object) -> object:
    arguments = ", ".join(map(json.dumps, values))
    return json.loads(page.eval(f"JSON.stringify({function}({arguments}) ?? null)"))


def test_a_row_is_of_the_value_or_of_each_like_it(page: quickjs.Context) -> None:
    row = {"id": 1, "proposals": [SINGLE, EACH], "entity": SINGLE, "isForEach": False}
    assert evaluated(page, "rowOf", [SINGLE, EACH], 1) == row
    is_for_each = True
    assert evaluated(page, "forEach", row, is_for_each) == {
        **row,
        "entity": EACH,
        "isForEach": True,
    }
    assert evaluated(page, "fieldsOf", SINGLE) == [
        *("name", "value_template", "unit_of_measurement", "device_class", "state_class")
    ]
    assert evaluated(page, "fieldsOf", EACH) == [
        *("name", "for_each", "value_template"),
        *("unit_of_measurement", "device_class", "state_class"),
    ]
    door = {"platform": "binary_sensor", "name": "Door"}
    assert evaluated(page, "fieldsOf", door) == ["name", "value_template", "device_class"]


def test_what_is_empty_is_left_out(page: quickjs.Context) -> None:
    entity = {**SINGLE, "device_class": "", "unit_of_measurement": "W"}
    door = {"platform": "binary_sensor", "name": "Door", "unit_of_measurement": "W"}
    rows = [{"entity": entity}, {"entity": door}]
    assert evaluated(page, "entitiesOf", rows) == [
        {**SINGLE, "unit_of_measurement": "W"},
        {"platform": "binary_sensor", "name": "Door"},
    ]


def test_what_a_row_shows(page: quickjs.Context) -> None:
    states = [
        {"name": "Kitchen", "state": "21.5", "unit": "°C"},
        {"name": "Bath", "state": "on", "unit": None},
    ]
    lines = evaluated(page, "statesOf", {"states": states, "count": 30})
    assert lines == ["Kitchen: 21.5 °C", "Bath: on", "… (30)"]


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("status 401", "hint_refused"),
        ("status 403 (invalid_client)", "hint_refused"),
        ("status 404", "hint_not_found"),
        ("status 503", None),
        ("host name not found", "hint_unreachable"),
        ("cannot connect: Connection refused", "hint_unreachable"),
        ("no complete reply within 10 s", "hint_timeout"),
        ("TLS certificate not accepted: it expired", "hint_tls"),
        ("the server's TLS version is too old", "hint_tls"),
    ],
)
def test_what_to_do_about_a_failure(page: quickjs.Context, reason: str, hint: str | None) -> None:
    assert evaluated(page, "hintOf", reason) == hint


def test_every_text_of_the_page_is_there_and_used(page: quickjs.Context) -> None:
    source = PAGE.read_text("utf-8")
    written = {*re.findall(r"#text\(\s*\"(\w+)\"", source)}
    written |= {f"field_{name}" for name in re.findall(r"field\(\"\w+\", \"(\w+)\"", source)}
    written |= {f"key_{name}" for name in json.loads(page.eval("JSON.stringify(FIELDS)"))}
    written |= {*re.findall(r"\"(hint_\w+)\"", source)}
    written |= {f"kind_{kind}" for kind in ("json", "xml", "text", "page")}
    written |= {"kind_of_object", "kind_of_list", "copy", "copy_secrets", "copied", "not_copied"}
    assert written == {*texts("rest")["selector"]["trial"]["options"]}
