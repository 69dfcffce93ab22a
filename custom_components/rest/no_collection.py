"""No garbage collection while a large reply is parsed.

A full collection walks through every container there is while nothing else runs, and a million
new ones set it off: with them, it takes a tenth of a second and more. None of them is garbage,
so it waits; afterwards they count as old, which is the next full collection's business.
"""

from collections.abc import Generator
from contextlib import contextmanager
import gc
from threading import Lock

_lock = Lock()
_inside = 0
_was_on = False


@contextmanager
def no_collection() -> Generator[None]:
    """Hold off collections until the last of those who want it is done."""
    global _inside, _was_on  # noqa: PLW0603  (there is one garbage collector)
    with _lock:
        if _inside == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _was_on:
                if gc.get_freeze_count() == 0:
                    gc.freeze()  # and at once back: moves all there is to the oldest generation,
                    gc.unfreeze()  # without a walk
                gc.enable()
