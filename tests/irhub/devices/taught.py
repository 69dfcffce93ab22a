"""An air conditioner whose rule was taught."""

from functools import cache

from custom_components.irhub.devices.device import Device, Settings, Taught
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.ircodes import Teacher

from ..ircodes.teaching.remotes import RemoteControl, sum_over_two_frames

CONTROL = sum_over_two_frames()

NAME = "Acme A1"


@cache
def taught() -> Device:
    """Return what presses have taught, as it is passed on."""
    return taught_by(CONTROL)


def taught_by(control: RemoteControl) -> Device:
    """Return what presses of a remote control have taught, in a house that has a thermometer."""
    teacher = Teacher(control.capabilities)
    while (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
    rule = teacher.rule()
    assert rule is not None
    return Device(
        id="of-its-owner",
        name=NAME,
        kind=Kind.AIR_CONDITIONER,
        rule=Taught(data=rule.as_data()),
        capabilities=rule.capabilities,
        settings=Settings(temperature_sensor="sensor.bedroom_of_its_owner"),
        entity="of-its-owner",
    )
