"""Show the three integrations at work, or keep them running for a browser."""

import argparse
import asyncio
import contextlib
from pathlib import Path
import signal
import sys
import time

from virtual_home.control import serve
from virtual_home.home import Home

from .client import CallError
from .host import Host, HostError
from .story import Story
from .walk import Walk

CONFIG = Path(__file__).parent
VIEW = "/virtual-home/home"


async def demo(*, keep: bool) -> int:
    """Tell the story; return the exit code."""
    story = Story()
    began = time.monotonic()
    async with Home() as home:
        print("The virtual home is running: IR hubs, a JSON endpoint, an MQTT broker.", flush=True)
        async with Host(CONFIG, home.secrets()) as host:
            client = await host.client()
            version = (await client.command({"type": "get_config"}))["version"]
            print(
                f"Home Assistant {version} runs at {host.url} "
                f"(started in {time.monotonic() - began:.1f} s).",
                flush=True,
            )
            await Walk(home, client, story).all()
            story.chapter("Home Assistant's log")
            await story.step("It holds no error of ours", clean_log(host))
            print()
            if story.unseen:
                print(f"{len(story.unseen)} steps were NOT seen:")
                print("".join(f"  ✗ {title}\n" for title in story.unseen), end="")
                print(f"\nHome Assistant's log:\n{host.log()}")
            else:
                print(f"All {story.seen} steps were seen, in {time.monotonic() - began:.0f} s.")
            if keep:
                async with serve(home, 0) as control:
                    print(f"\nOpen {host.url}{VIEW} (no login needed from this machine).")
                    lounge = home.hubs["lounge"]
                    print(f"Learn from the hub {lounge.host}:{lounge.port}; to press a button:")
                    print(f"  curl -X POST {control}/press/lounge")
                    print("Ctrl-C ends it.", flush=True)
                    await asyncio.Event().wait()
    return 1 if story.unseen else 0


async def clean_log(host: Host) -> str:
    """Look for errors that our integrations logged or caused, and for deprecated uses."""
    lines = host.log().splitlines()
    ours = [line for line in lines if "custom_components" in line or "from integration" in line]
    errors = [line for line in ours if " INFO " not in line and " WARNING " not in line]
    if errors := [*errors, *host.deprecated_uses()]:
        raise CallError("\n      ".join(errors))
    return f"{len(lines)} lines"


async def until_stopped(*, keep: bool) -> int:
    """Run the demo; SIGTERM and Ctrl-C end it in order, Home Assistant included."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(demo(keep=keep))
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except (HostError, CallError) as err:
        print(f"✗ {err}", file=sys.stderr)
        return 1


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument("--serve", action="store_true", help="keep it running for a browser")
    options = parser.parse_args()
    with contextlib.suppress(asyncio.CancelledError):
        return asyncio.run(until_stopped(keep=options.serve))
    return 0 if options.serve else 130


if __name__ == "__main__":
    sys.exit(main())
