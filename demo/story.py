"""A story in steps: each says what happens, waits until it was seen, and prints what it saw."""

from collections.abc import Awaitable
import time


class Story:
    """Prints steps and remembers which were not seen."""

    def __init__(self) -> None:
        self.unseen: list[str] = []
        self.seen = 0

    def chapter(self, title: str) -> None:
        """Begin a part of the story."""
        print(f"\n{title}", flush=True)

    async def step(self, title: str, saw: Awaitable[str]) -> None:
        """Wait for what proves the step; print it, or why it was not seen."""
        began = time.monotonic()
        try:
            text = await saw
        except Exception as err:  # noqa: BLE001  (whatever it is: the step was not seen)
            self.unseen.append(title)
            why = str(err) or type(err).__name__
            print(f"  ✗ {title}\n      NOT SEEN: {why}", flush=True)
        else:
            self.seen += 1
            print(f"  ✓ {title} ({time.monotonic() - began:.1f} s)\n      {text}", flush=True)
