"""Encodings that a document names itself, and XML that the server calls something else."""

import pytest

from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

SENSOR = Form("sensor", is_block=False)
ENTRY = "- platform: rest\n  resource: URL/x\n"
META = '<!DOCTYPE html><html><head><meta charset="{}"></head><body><p>{}</p></body></html>'
HTTP_EQUIV = (
    "<html><head><META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset={}'>"
    "</head><body><p>{}</p></body></html>"
)


@pytest.mark.parametrize("page", [META, HTTP_EQUIV], ids=["charset", "http-equiv"])
@pytest.mark.parametrize("content_type", ["text/html", "text/plain"])
@pytest.mark.parametrize(
    "encoded",
    [
        ("windows-1250", "cp1250", "Příliš žluťoučký kůň"),
        ("Shift_JIS", "cp932", "温度①"),
        ("x-sjis", "cp932", "温度"),
        ("gb2312", "gb18030", "温度镕"),
        ("iso-8859-1", "cp1252", "21 € naïve"),
        ("utf-8", "utf-8", "Zürich"),
    ],
)
async def test_a_page_names_its_encoding(
    home: RestHome, page: str, content_type: str, encoded: tuple[str, str, str]
) -> None:
    name, encoding, text = encoded
    body = page.format(name, text).encode(encoding)
    home.endpoint.set("/x", Answer(body=body, content_type=content_type))
    await home.load(SENSOR.config(home.url("/x"), select="p", value_template=None))
    await home.state(text, "sensor.x")


@pytest.mark.parametrize(
    ("content_type", "more"),
    [("text/html; charset=windows-1250", {}), ("text/html", {"encoding": "cp1250"})],
    ids=["header", "key"],
)
async def test_the_header_and_the_key_win_over_the_page(
    home: RestHome, content_type: str, more: dict[str, str]
) -> None:
    body = META.format("iso-8859-5", "žluť").encode("cp1250")
    home.endpoint.set("/x", Answer(body=body, content_type=content_type))
    await home.load(SENSOR.config({**home.url("/x"), **more}, select="p", value_template=None))
    await home.state("žluť", "sensor.x")


async def test_an_encoding_that_nobody_knows_is_left_out(home: RestHome) -> None:
    body = META.format("klingon", "Zürich").encode()
    home.endpoint.set("/x", Answer(body=body, content_type="text/html"))
    await home.load(SENSOR.config(home.url("/x"), select="p", value_template=None))
    await home.state("Zürich", "sensor.x")


XML = '<?xml version="1.0" encoding="{}" ?>\n<item><Power><value>{}</value></Power></item>'


@pytest.mark.parametrize(
    "content_type", ["application/x-javascript", "text/html", "text/plain", "application/json"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1250", "utf-16"])
async def test_xml_is_known_by_its_content(
    home: RestHome, content_type: str, encoding: str
) -> None:
    """As an audio receiver sends it; `value` stays what core's template has."""
    body = XML.format(encoding, "zapnutý ů").encode(encoding)
    home.endpoint.set("/x", Answer(body=body, content_type=content_type))
    await home.set_up(
        ENTRY
        + "  name: json\n  value_template: '{{ value_json.item.Power.value }}'\n"
        + ENTRY
        + "  name: text\n  value_template: '{{ value[:5] }}'\n"
        + ENTRY
        + "  name: attributes\n  value_template: OK\n  json_attributes: item\n"
    )
    await home.state("zapnutý ů", "sensor.json")
    await home.state("<?xml", "sensor.text")
    state = await home.state("OK", "sensor.attributes")
    assert state.attributes["item"] == {"Power": {"value": "zapnutý ů"}}
    assert not home.log()


async def test_a_key_that_xml_lacks_suggests_no_login(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(body=XML.format("utf-8", 1).encode(), content_type="text/html"))
    await home.set_up(ENTRY + "  value_template: '{{ value_json.item.gone.value }}'\n")
    await home.state("unknown")
    await home.state(lambda _: bool(home.log()))
    assert "web page" not in home.log()[0]


async def test_json_as_a_page_is_proposed_value_by_value(home: RestHome) -> None:
    """Small servers call everything text/html."""
    home.endpoint.set("/x", Answer(body=b'{"power": 5}', content_type="text/html"))
    await home.load({"sensor": [{"platform": "rest", **home.url("/x"), "scan_interval": 0}]})
    answer = await home.hass.services.async_call(
        "rest", "request", home.url("/x"), blocking=True, return_response=True
    )
    assert answer
    assert "value_json.power" in str(answer["yaml"])
    assert "warnings" not in answer


@pytest.mark.parametrize(
    "body",
    [b"<?xml version='1.0'?><a><b></a>", b"<?xml ", b"<?xml version='1.0'?>" + b"<a>" * 5000],
    ids=["broken", "cut", "deep"],
)
async def test_what_only_begins_as_xml_is_a_text(home: RestHome, body: bytes) -> None:
    home.endpoint.set("/x", Answer(body=body, content_type="text/plain"))
    await home.set_up(ENTRY + "  value_template: '{{ value_json is defined }}'\n")
    await home.state("False")
    assert not home.log()
