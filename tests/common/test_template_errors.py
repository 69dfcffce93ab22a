"""Errors of templates name what stands in the template, never what it was given."""

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template
import pytest

from common.template_errors import reason

SECRET = "s3cret'\" tail"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ value_json.a.b }}", "'None' has no attribute 'a'"),
        ("{{ value | int }}", None),
        ("{{ value | from_json }}", None),
        ("{{ {}[value] }}", None),
        ("{{ value.nothing.more }}", "'str object' has no attribute 'nothing'"),
        ("{{ nobody.there }}", "'nobody' is undefined"),
        ("{{ (value ~ '') | timestamp_custom(value) }}", None),
        ("{{ as_datetime(value).year }}", None),
        ("{{ strptime(value, '%Y') }}", None),
    ],
)
def test_no_part_of_the_payload_is_logged(
    hass: HomeAssistant, source: str, expected: str | None
) -> None:
    template = Template(source, hass)
    with pytest.raises(TemplateError) as caught:
        template.async_render({"value": SECRET, "value_json": None}, strict=True)
    message = reason(caught.value, source)
    assert message
    for part in ("s3cret", "tail"):
        assert part not in message
    if expected is not None:
        assert message == expected
