"""All benchmarks, by name."""

from benchmarks.case import Case

from . import (
    irhub_commands,
    irhub_parallel,
    mqtt_messages,
    mqtt_setup,
    mqtt_wire,
    rest_poll,
    rest_slow,
    start,
)

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        rest_poll.CASE,
        rest_slow.CASE,
        mqtt_messages.CASE,
        mqtt_wire.CASE,
        *mqtt_setup.CASES,
        irhub_commands.CASE,
        irhub_parallel.CASE,
        start.CASE,
    )
}
