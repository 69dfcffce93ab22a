"""Run the virtual home by itself, or press its buttons from another terminal.

.venv/bin/python -m virtual_home             runs it, prints what is where
… press lounge                               presses a button (of the packet given, in Base64)
… sent lounge                                prints what the hub transmitted
… fault lounge loss 0.3                      makes a fault, ends it without a number
… publish home/x ON                          publishes an MQTT message, retained
… show                                       prints all of it

With --discovery-port 80 the hubs are found by broadcast, as real ones are; that needs root.
"""

import argparse
import asyncio
import contextlib
import signal
import sys

import aiohttp

from .control import serve
from .home import Home

CONTROL_PORT = 8730


async def run(port: int, discovery_port: int | None) -> int:
    """Run the home until Ctrl-C."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in signal.SIGINT, signal.SIGTERM:
        loop.add_signal_handler(number, stop.set)
    async with Home(discovery_port=discovery_port) as home, serve(home, port) as address:
        print(f"The virtual home is running, its control is at {address}.\n")
        print("For a secrets.yaml:")
        for name, value in home.secrets().items():
            print(f"  {name}: {value}")
        print(f"\nMQTT broker: {home.broker.host}, port {home.broker.port}")
        print("Press a button: .venv/bin/python -m virtual_home press lounge", flush=True)
        await stop.wait()
    return 0


async def ask(control: str, verb: str, words: list[str]) -> int:
    """Send one command to a running home and print its answer."""
    body: str | None = None
    match verb, words:
        case "press", [hub, *packet]:
            method, path, body = "POST", f"/press/{hub}", "".join(packet)
        case "sent", [hub]:
            method, path = "GET", f"/sent/{hub}"
        case "fault", [hub, fault, *value]:
            method, path, body = "POST", f"/fault/{hub}/{fault}", "".join(value)
        case "publish", [topic, payload]:
            method, path, body = "POST", f"/publish/{topic}", payload
        case "show", []:
            method, path = "GET", "/"
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    try:
        async with (
            aiohttp.ClientSession(control) as session,
            session.request(method, path, data=body) as reply,
        ):
            print(await reply.text(), end="")
            return 0 if reply.ok else 1
    except aiohttp.ClientError:
        print(
            f"No virtual home answers at {control}: start it, or name its address with --control."
        )
        return 1


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog=".venv/bin/python -m virtual_home",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--control", default=f"http://127.0.0.1:{CONTROL_PORT}")
    parser.add_argument(
        "--port", type=int, default=CONTROL_PORT, help="of the control; 0: a free one"
    )
    parser.add_argument("--discovery-port", type=int, help="where the hubs hear broadcasts")
    parser.add_argument("verb", nargs="?", default="run")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        if options.verb == "run":
            return asyncio.run(run(options.port, options.discovery_port))
        return asyncio.run(ask(options.control, options.verb, options.words))
    return 0


if __name__ == "__main__":
    sys.exit(main())
