"""What a reply means is what it means to core's own classes, beside ours on the same endpoint."""

from collections.abc import Iterable

from homeassistant.components.rest import binary_sensor as core
from homeassistant.const import STATE_OFF, STATE_UNKNOWN
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_component import DATA_INSTANCES
import pytest

from .home import RestHome

type Entry = tuple[str, dict[str, str]]
"""A path of the endpoint, and what is written besides."""

BODIES = (
    *("true", "True", "TRUE", "on", "ON", "open", "Open", "yes", "YES", '"true"', '"on"'),
    *("false", "False", "off", "closed", "no", "", " ", "null", "None", "none", "nonsense"),
    *("0", "1", "2", "-1", "+1", "-0", "01", "1_0", " 1 ", "1.0", "0.0", "1.5", "1e3", "0x1", "٣"),
    *("true ", " true", "truely", "on\n", "1\n", "y", "t", "{}", "[]", "[1]", '{"on": true}'),
)
VALUES: tuple[object, ...] = (
    *(True, False, None, 0, 1, 2, -1, 0.0, 1.0, "on", "off", "open", "1", " 1 ", "", [], [1]),
)
TEMPLATES = (
    *("{{ value_json.v }}", "{{ value_json.v | int }}", "{{ value_json.v == 'on' }}"),
    *("{{ value_json.v.w }}", "{{ value_json.v | bool }}", "{{ value_json.missing }}", "on"),
    *("{{ value_json.v is none }}", "{{ none }}", "{{ 1 / 0 }}", "{{ value | length }}"),
)


async def _differences(home: RestHome, *, block: bool, entities: list[Entry]) -> list[object]:
    """Return the entities whose state in ours, platforms or a block each, is not core's."""
    ours: list[object] = []
    cores: list[Entity] = []

    def add(new_entities: Iterable[Entity], update_before_add: bool = False) -> None:  # noqa: ARG001  (core's)
        cores.extend(new_entities)

    for number, (path, more) in enumerate(entities):
        request = {"resource": home.endpoint.url + path, "scan_interval": 3600}
        entity = {"name": f"ours {number}", **more}
        ours.append(
            {**request, "binary_sensor": [entity]}
            if block
            else {"platform": "rest", **request, **entity}
        )
        entry = {"platform": "rest", **request, "name": f"cores {number}", **more}
        await core.async_setup_platform(home.hass, core.PLATFORM_SCHEMA(entry), add)
    await home.load({"rest": ours, "binary_sensor": []} if block else {"binary_sensor": ours})
    await home.hass.data[DATA_INSTANCES]["binary_sensor"].async_add_entities(cores)
    differences: list[object] = []
    for number, entry_of_both in enumerate(entities):
        mine = await home.state(lambda s: s.state != STATE_UNKNOWN, f"binary_sensor.ours_{number}")
        theirs = home.hass.states.get(f"binary_sensor.cores_{number}")
        # With a template that raises, core has no entity.
        if mine.state != (theirs.state if theirs else STATE_OFF):
            differences.append((entry_of_both, mine, theirs))
    return differences


@pytest.mark.parametrize("block", [False, True], ids=["platform", "block"])
async def test_a_text_is_on_when_it_is_to_core(home: RestHome, *, block: bool) -> None:
    entities: list[Entry] = []
    for number, body in enumerate(BODIES):
        home.endpoint.set(f"/{number}", body)
        entities.append((f"/{number}", {}))
    assert not await _differences(home, block=block, entities=entities)


@pytest.mark.parametrize("block", [False, True], ids=["platform", "block"])
async def test_a_template_is_on_when_it_is_to_core(home: RestHome, *, block: bool) -> None:
    entities: list[Entry] = []
    for number, value in enumerate(VALUES):
        home.endpoint.set(f"/{number}", {"v": value})
        entities += [(f"/{number}", {"value_template": template}) for template in TEMPLATES]
    assert not await _differences(home, block=block, entities=entities)
