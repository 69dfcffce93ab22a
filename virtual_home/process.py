"""Child processes that do not outlive the one that started them."""

from collections.abc import Sequence
import ctypes
import shutil
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1


def start_program(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a program without output, which ends when the thread that started it ends.

    This is requested by util-linux's `setpriv` if installed: a `preexec_fn` makes Python copy the
    page tables of this process first, which takes 20 ms in a large one.
    """
    if (setpriv := shutil.which("setpriv")) is not None:
        arguments, call = [setpriv, "--pdeathsig", "KILL", "--", *command], None
    else:
        arguments, call = [*command], die_with_parent
    return subprocess.Popen(  # noqa: S603  (our own arguments, no shell)
        arguments,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=call,  # noqa: PLW1509  (it takes no lock)
    )


def die_with_parent() -> None:
    """Ask Linux to kill this new child process when the thread that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
