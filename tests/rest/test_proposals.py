"""What a value of a reply is proposed to be: read off the words of its keys."""

from typing import Any

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    BinarySensorDeviceClass,
)
from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES, DEVICE_CLASS_UNITS
import pytest

from custom_components.rest.reply import proposals
from custom_components.rest.reply.proposals import part_of, proposed, proposed_for_each


@pytest.mark.parametrize("word", proposals._MEASURED)  # noqa: SLF001  (each word of the table)
def test_home_assistant_takes_each_unit_with_its_class(word: str) -> None:
    entity = proposed([word], 50.0)
    device_class = SensorDeviceClass(entity["device_class"])
    assert entity["unit_of_measurement"] in DEVICE_CLASS_UNITS[device_class]
    assert SensorStateClass(entity["state_class"]) in DEVICE_CLASS_STATE_CLASSES[device_class]


@pytest.mark.parametrize("unit", proposals._CLASS_OF_UNIT)  # noqa: SLF001
def test_a_unit_that_the_reply_says_has_its_class(unit: str) -> None:
    entity = proposed(["value"], 5, {"value": 5, "unit": unit})
    assert (
        entity["unit_of_measurement"]
        in DEVICE_CLASS_UNITS[SensorDeviceClass(entity["device_class"])]
    )


@pytest.mark.parametrize("word", proposals._SWITCHED)  # noqa: SLF001
def test_home_assistant_knows_each_class_of_binary_sensors(word: str) -> None:
    entity = proposed([f"is_{word}"], True)  # noqa: FBT003
    assert entity["platform"] == "binary_sensor"
    assert BinarySensorDeviceClass(entity["device_class"])


@pytest.mark.parametrize(
    ("path", "value", "parent", "expected"),
    [
        (["livingRoomTemp"], 21, None, "temperature °C"),
        (["current_temperature"], 21, None, "temperature °C"),
        (["temperature", "current"], 21, None, "temperature °C"),
        (["temperature", "value"], 70, {"value": 70, "unit": "F"}, "temperature °F"),
        (["tempFahrenheit"], 70, None, "temperature °F"),
        (["current"], 0.5, None, "current A"),
        (["kWh"], "12.5", None, "energy kWh"),
        (["battery"], 87, None, "battery %"),
        (["battery"], 3021, None, ""),
        (["battery"], "low", None, ""),
        (["battery_voltage"], 3.02, None, "voltage V"),
        (["pm2_5"], 7, None, "pm25 μg/m³"),
        (["pressure"], 1.6, {"pressure": 1.6, "unit": "bar"}, "pressure bar"),
        (["flow"], 1.6, {"flow": 1.6, "uom": "l/min"}, "None l/min"),
        (["temperature"], 21, {"temperature": 21, "unit": "bar"}, "temperature °C"),
        (["id"], 7, None, ""),
        (["temperature"], None, None, ""),
        (["power"], "on", None, ""),
        (["unit"], "bar", {"unit": "bar"}, ""),
        (["value"], 1, {"unit": "x" * 100}, ""),
        (["at"], "2026-11-26T04:00:00Z", None, "timestamp None"),
        (["at"], "2026-11-26T04:00:00", None, ""),
        (["at"], "99:99", None, ""),
    ],
)
def test_what_is_measured(path: list[str], value: object, parent: object, expected: str) -> None:
    entity = proposed(path, value, parent)
    measured = entity.get("device_class"), entity.get("unit_of_measurement")
    assert (f"{measured[0]} {measured[1]}" if any(measured) else "") == expected


ROOMS: dict[str, Any] = {
    "list": [{"id": 1, "name": "A", "t": {"v": 1}}, {"id": 2, "name": "B", "t": {"v": 2}}],
    "same": [{"name": "A", "v": 1}, {"name": "A", "v": 2}],
    "single": [{"serial": "x", "v": 1}],
    "map": {"k 1": {"v": 1}, "k2": {"v": 2}},
    "unlike": {"a": {"v": 1}, "b": {"w": 2}},
    "mixed": [{"id": 1, "v": 1}, 7],
    "values": [1, 2],
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (["list", 1, "t", "v"], ("{{ value_json.list }}", "{{ item.id }}", "{{ item.t.v }}")),
        (["single", 0, "v"], ("{{ value_json.single }}", "{{ item.serial }}", "{{ item.v }}")),
        (["map", "k 1", "v"], ("{{ value_json.map }}", None, "{{ item.v }}")),
        (["same", 0, "v"], None),
        (["unlike", "a", "v"], None),
        (["mixed", 0, "v"], None),
        (["values", 0], None),
    ],
)
def test_like_elements_are_offered_together(
    path: list[str | int], expected: tuple[str | None, ...] | None
) -> None:
    entity = proposed_for_each(path, ROOMS)
    keys = entity and tuple(map(entity.get, ("for_each", "key", "value_template")))
    assert keys == expected


@pytest.mark.parametrize("path", [["gone"], ["list", 9], ["list", "x"], ["values", 0, "x"]])
def test_a_path_that_leads_nowhere(path: list[str | int]) -> None:
    with pytest.raises((LookupError, TypeError)):
        part_of(ROOMS, path)
