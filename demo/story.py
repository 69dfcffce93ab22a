"""A story in steps, each of which waits for its proof and prints it."""

from collections.abc import Awaitable
import time


class Story:
    """Prints steps and records which ones failed."""

    def __init__(self) -> None:
        self.unseen: list[str] = []
        self.seen = 0

    def chapter(self, title: str) -> None:
        """Begin a part of the story."""
        print(f"\n{title}", flush=True)

    async def step(self, title: str, saw: Awaitable[str]) -> None:
        """Wait for the proof of a step; print it, or why it failed."""
        began = time.monotonic()
        try:
            text = await saw
        except Exception as err:  # noqa: BLE001  (the step failed, whatever the reason)
            self.unseen.append(title)
            why = str(err) or type(err).__name__
            print(f"  ✗ {title}\n      NOT SEEN: {why}", flush=True)
        else:
            self.seen += 1
            print(f"  ✓ {title} ({time.monotonic() - began:.1f} s)\n      {text}", flush=True)
