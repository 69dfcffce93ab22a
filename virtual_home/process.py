"""Child processes that do not outlive the one that started them."""

from collections.abc import Sequence
import ctypes
import shutil
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1


def start_program(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a program that says nothing, and ends when the thread that started it ends.

    util-linux's `setpriv` asks for that where it is installed: what Python calls in a new child
    makes it copy the page tables of this process first, which takes 20 ms in a large one.
    """
    if (setpriv := shutil.which("setpriv")) is not None:
        asked, call = [setpriv, "--pdeathsig", "KILL", "--", *command], None
    else:
        asked, call = [*command], die_with_parent
    return subprocess.Popen(  # noqa: S603  (our own arguments, no shell)
        asked,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=call,  # noqa: PLW1509  (it takes no lock)
    )


def die_with_parent() -> None:
    """Ask Linux to end this new child when the thread that started it ends, however."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
