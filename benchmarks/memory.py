"""Memory usage of the process."""

import gc
from pathlib import Path
import resource


def resident() -> int:
    """Return the resident bytes of this process, after a full garbage collection.

    Python retains memory that was used temporarily, in pieces too small to be returned.
    """
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
