"""All benchmarks, by name."""

from benchmarks.case import Case

from . import (
    irhub_appliance,
    irhub_commands,
    irhub_home,
    irhub_listening,
    irhub_parallel,
    irhub_press,
    mqtt_messages,
    mqtt_setup,
    mqtt_turns,
    mqtt_wire,
    rest_host,
    rest_memory,
    rest_poll,
    rest_slow,
    start,
)

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        rest_poll.CASE,
        rest_poll.BLOCK_CASE,
        rest_poll.LARGE_CASE,
        rest_slow.CASE,
        rest_host.CASE,
        rest_memory.CASE,
        mqtt_messages.CASE,
        mqtt_wire.CASE,
        *mqtt_setup.CASES,
        mqtt_turns.CASE,
        irhub_appliance.CASE,
        irhub_commands.CASE,
        irhub_parallel.CASE,
        irhub_listening.CASE,
        irhub_press.CASE,
        irhub_home.CASE,
        start.CASE,
    )
}
