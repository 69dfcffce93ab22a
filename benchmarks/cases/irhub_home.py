"""A home of 30 appliances: cost of loading the code, of the set-up, and memory."""

from importlib import import_module
from itertools import product
import json
import socket
import time

from homeassistant.core import HomeAssistant

from benchmarks.case import Case, Job, Peers
from benchmarks.host import Entry, bare, ours, set_up, write_config
from benchmarks.hubs import DEVICE_TYPE, PACKET
from benchmarks.memory import resident
from benchmarks.summary import OURS, Row

MIB = 1024 * 1024
PLATFORMS = (
    "http",
    "climate",
    "media_player",
    "fan",
    "light",
    "cover",
    "button",
    "remote",
    "event",
)
"""Home Assistant's own platforms, loaded in advance so that they are not measured."""
STATES = [
    f"{mode} {fan} {degrees}"
    for mode, fan, degrees in product(
        ("cool", "heat", "dry"), ("low", "mid", "high"), range(16, 31)
    )
]
BUTTONS = {
    "climate": [*STATES, "off"],
    "media_player": [
        *("power", "volume up", "volume down", "mute", "channel up", "channel down", "up", "down"),
        *("left", "right", "ok", "back", "home", "menu", "info", "guide", "play", "pause", "stop"),
        *("hdmi 1", "hdmi 2", "hdmi 3", "red", "green", "yellow", "blue"),
        *(str(digit) for digit in range(10)),
    ],
    "fan": ["power", "speed 1", "speed 2", "speed 3", "oscillate", "timer"],
    "light": ["on", "off", "brighter", "darker", "warmer", "colder", "night"],
    "cover": ["open", "stop", "close"],
}
HOME = {"climate": 6, "media_player": 12, "fan": 6, "light": 4, "cover": 2}


def _home(job: Job) -> dict[str, str]:
    """Return the names of the appliances, with their kinds."""
    return {
        f"{kind} {number}": kind
        for kind, count in HOME.items()
        for number in range(1 if job.tiny else count)
    }


def _write(job: Job) -> None:
    """Write the hub's entry and its devices in a format that all versions since 0.3.0 read."""
    [(host, mac)] = job.peers.hubs
    mac = mac.replace(":", "").lower()
    home = _home(job)
    entry = Entry(
        domain="irhub",
        title="Hub",
        data={"host": host, "port": job.peers.hub_port, "mac": mac, "device_type": DEVICE_TYPE},
        unique_id=mac,
        subentries=[
            {
                "subentry_id": f"01J{name.replace(' ', '').upper()}",
                "subentry_type": "appliance",
                "title": name,
                "unique_id": name,
                "data": {"kind": kind, "device": name},
            }
            for name, kind in home.items()
        ],
    )
    # Media players need Home Assistant's web server: use a free port.
    with socket.create_server(("127.0.0.1", 0)) as free:
        http = {"server_host": "127.0.0.1", "server_port": free.getsockname()[1]}
    write_config(job, ours(job, "irhub"), {"http": http}, [entry])
    key = f"irhub_remote_{mac}_codes"
    data = {name: dict.fromkeys(BUTTONS[kind], PACKET) for name, kind in home.items()}
    content = {"version": 1, "minor_version": 1, "key": key, "data": data}
    (job.folder / ".storage" / key).write_text(json.dumps(content))


def _check(hass: HomeAssistant, job: Job) -> None:
    missing = [
        name
        for name, kind in _home(job).items()
        if hass.states.get(f"{kind}.{name.replace(' ', '_')}") is None
    ]
    if missing:
        raise RuntimeError(f"no entity of {', '.join(missing)}")


async def _run(job: Job) -> dict[str, float]:
    _write(job)
    async with bare(job.folder) as hass:
        await set_up(hass, [*PLATFORMS])
        before, cpu = resident(), time.process_time()
        for name in ("", ".config_flow", *(f".{platform}" for platform in PLATFORMS[1:])):
            import_module(f"custom_components.irhub{name}")
        loaded = time.process_time()
        await set_up(hass, ["irhub"])
        ready = time.process_time()
        _check(hass, job)
        home = resident()
        collection = import_module("custom_components.irhub.ircodes").Collection.load()
        index = resident()
        del collection
    return {
        "import": (loaded - cpu) * 1000,
        "cpu": (ready - loaded) * 1000,
        "memory": (home - before) / MIB,
        "index": (index - home) / MIB,
    }


CASE = Case(
    name="irhub-home",
    what="a home of 30 appliances, and the index of the collection of code files",
    run=_run,
    rows=(
        Row(key="import", what="CPU to load the code", unit="ms"),
        Row(key="cpu", what="CPU to set up, all threads", unit="ms"),
        Row(key="memory", what="memory of the code and the appliances", unit="MiB"),
        Row(key="index", what="memory of the index, while it is open", unit="MiB"),
    ),
    sides=(OURS,),
    peers=Peers(hubs=1),
)
