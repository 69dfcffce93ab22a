"""Web pages: an element by its CSS selector is the value."""

import sys
import threading

import pytest

from custom_components.rest.reply import html
from custom_components.rest.reply.html import Selector
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

PAGE = """<!doctype html><html><head><script>var level = 3;</script></head><body>
<div class="current"><h1> 21.5 \n</h1><a class="big link" href="/next">next</a></div>
<ul><li>one<li>two<li>on</ul><p></p></body>"""
SENSOR = Form("sensor", is_block=False)


@pytest.fixture(autouse=True)
def page(home: RestHome) -> None:
    """Let the endpoint answer with a page."""
    home.endpoint.set("/x", Answer(body=PAGE.encode(), content_type="text/html"))


@pytest.mark.parametrize("is_block", [False, True])
@pytest.mark.parametrize(
    ("keys", "state"),
    [
        ({"select": ".current h1"}, "21.5"),
        ({"select": "li", "index": 1}, "two"),
        ({"select": "li:nth-of-type(3)"}, "on"),
        ({"select": "a", "attribute": "href"}, "/next"),
        ({"select": "a", "attribute": "class"}, "big link"),
        ({"select": "script"}, "var level = 3;"),
        ({"select": "h1", "value_template": "{{ value | float + status }}"}, "221.5"),
        ({"select": "p"}, ""),
    ],
)
async def test_an_element(
    home: RestHome, is_block: bool, keys: dict[str, object], state: str
) -> None:
    form = Form("sensor", is_block=is_block)
    await home.load(form.config(home.url("/x"), **{"value_template": None, **keys}))
    await home.state(state, "sensor.x")
    assert not home.log()


async def test_an_element_of_a_binary_sensor(home: RestHome) -> None:
    keys = {"select": "li", "index": 2, "value_template": None}
    await home.load(Form("binary_sensor", is_block=False).config(home.url("/x"), **keys))
    await home.state("on", "binary_sensor.x")


async def test_an_element_of_xml(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(body=b"<a><b>5</b></a>", content_type="text/xml"))
    await home.load(SENSOR.config(home.url("/x"), select="b", value_template=None))
    await home.state("5", "sensor.x")


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"select": ".gone"}, "select: no element of the page fits"),
        ({"select": "li", "index": 3}, "select: no element of the page fits"),
        ({"select": "a", "attribute": "title"}, "select: the element has no 'title'"),
        ({"select": "a["}, "select: it is no CSS selector"),
    ],
)
async def test_what_is_not_there_is_told_once(
    home: RestHome, keys: dict[str, object], reason: str
) -> None:
    """No template fails on what is not there."""
    await home.load(SENSOR.config(home.url("/x"), value_template="{{ value | float }}", **keys))
    await home.polls("/x", 1)
    await home.state(lambda _: bool(home.log()), "sensor.x")
    await home.update("sensor.x")
    await home.state("unknown", "sensor.x")
    assert home.log() == [f"sensor.x: {reason}"]


@pytest.mark.parametrize("missing", ["bs4", "lxml"])
async def test_without_the_parser(
    home: RestHome, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    if missing == "lxml":
        monkeypatch.setattr("bs4.builder_registry.lookup", lambda *_: None)
    else:
        monkeypatch.setitem(sys.modules, missing, None)
    await home.load(SENSOR.config(home.url("/x"), select="h1", value_template=None))
    await home.state(lambda _: bool(home.log()), "sensor.x")
    await home.state("unknown", "sensor.x")
    assert home.log() == [
        "sensor.x: select: there is no parser of HTML; add the Scrape integration, which has it"
    ]


async def test_a_page_is_parsed_once_for_all_in_a_thread(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def select_elements(text: str, selectors: list[Selector]) -> dict[Selector, str | ValueError]:
        calls.append(len(selectors))
        assert home.hass.loop_thread_id != threading.get_ident()
        return html.select_elements(text, selectors)

    monkeypatch.setattr("custom_components.rest.reply.reply.select_elements", select_elements)
    entities = [{"name": f"s{n}", "select": "li", "index": n} for n in range(3)]
    await home.load({"rest": [{**home.url("/x"), "sensor": entities}]})
    for number, text in enumerate(["one", "two", "on"]):
        await home.state(text, f"sensor.s{number}")
    await home.update("sensor.s0")
    assert calls == [3]
    entities.append({"name": "late", "select": "h1"})
    await home.reload({"rest": [{**home.url("/x"), "sensor": entities}]})
    await home.state("21.5", "sensor.late")
    assert calls == [3, 1]


@pytest.mark.parametrize("key", ["index", "attribute"])
async def test_a_mistake_is_named(home: RestHome, form: Form, key: str) -> None:
    await home.load(form.config(home.url("/x"), **{key: 1 if key == "index" else "href"}))
    (error,) = home.log(40, "homeassistant.config")
    assert f"{key} needs select beside it" in error
