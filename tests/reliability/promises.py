"""Break the code for one promise of docs/reliability.md at a time: its test must fail.

A patch in `broken/` breaks one promise. Its first lines name the promise, as the page has it,
and the tests that must fail:

    Promise: At most 10 redirects
    Test: tests/reliability/test_rest_network.py::test_10_000_redirects

A sentence of another page is a promise, too: a line `Page: docs/irhub.md` names the page.

Everything happens in a copy of the project.
"""

import argparse
from dataclasses import dataclass
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Final, Self

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = "docs/reliability.md"
PATCHES: Final = "tests/reliability/broken"
TESTS_FAILED: Final = 1
"""Exit codes of pytest; others mean that the tests could not be run."""
NOT_TRIED: Final = "ERROR at setup of "
PATIENCE_S: Final = 900


class StaleError(Exception):
    """A patch does not fit the current code or page; the message has the reason."""


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A patch that breaks one promise."""

    path: Path
    promise: str
    tests: tuple[str, ...]
    page: str = PAGE

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the lines before the first file. Raise StaleError if one of the two is missing."""
        head = path.read_text(encoding="utf-8").partition("\n--- ")[0]
        promises = re.findall(r"^Promise: (.*)$", head, re.MULTILINE)
        tests = re.findall(r"^Test: (.*)$", head, re.MULTILINE)
        if len(promises) != 1 or not tests:
            raise StaleError(f"{path.name}: it names not one promise and its tests")
        [page] = re.findall(r"^Page: (.*)$", head, re.MULTILINE) or [PAGE]
        return cls(path=path, promise=promises[0], tests=tuple(tests), page=page)

    def check_page(self, root: Path) -> None:
        """Raise StaleError if the page does not have the promise: as a row, or in its text."""
        text = (root / self.page).read_text(encoding="utf-8")
        if self.page == PAGE:
            if self.promise not in promises(text):
                raise StaleError(f"{self.path.stem}: {PAGE} has no row '{self.promise}'")
        elif self.promise not in " ".join(text.split()):
            raise StaleError(f"{self.path.stem}: {self.page} does not say '{self.promise}'")


def promises(page: str) -> list[str]:
    """Return the first cell of each row of the page's tables."""
    cells = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if "|" in line]
    return [cell for cell in cells if cell != "promise" and not cell.startswith("|--")]


def patches(root: Path) -> list[Patch]:
    """Return every patch, in the order of their names."""
    return [Patch.read(path) for path in sorted((root / PATCHES).glob("*.patch"))]


def copy(root: Path, target: Path) -> None:
    """Copy the files of the project that git tracks."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in names:
        if name and (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target / name)


def apply(patch: Patch, project: Path, *options: str) -> None:
    """Apply a patch in the copy, or revert it. Raise StaleError."""
    done = subprocess.run(
        ["git", "apply", "-C1", *options, patch.path],  # noqa: S607
        cwd=project,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise StaleError(f"{patch.path.name} does not fit any more: {done.stderr.strip()}")


def is_seen(patch: Patch, project: Path) -> bool:
    """Break the promise in the copy, and return whether its tests fail. Raise StaleError."""
    apply(patch, project)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", *patch.tests],
            cwd=project,
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            # of the same second and size as the whole file, the broken one's would be taken for its
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        apply(patch, project, "--reverse")
    if done.returncode not in {0, TESTS_FAILED} or NOT_TRIED in done.stdout:
        raise StaleError(
            f"{patch.path.name}: {', '.join(patch.tests)} cannot be run: {done.stdout}"
        )
    return done.returncode == TESTS_FAILED


def say(text: str) -> None:
    """Print immediately, since a run takes long."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(root: Path = ROOT) -> int:
    """Try each patch, and return the number of promises without a failing test."""
    parser = argparse.ArgumentParser(
        prog="scripts/promises", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of patches; without one, all")
    wanted = parser.parse_args().names
    every = patches(root)
    if unknown := {*wanted} - {patch.path.stem for patch in every}:
        parser.error(f"there is no {PATCHES}/{min(unknown)}.patch")
    faults = 0
    rows = promises((root / PAGE).read_text(encoding="utf-8"))
    for patch in every:
        try:
            patch.check_page(root)
        except StaleError as err:
            faults += 1
            say(str(err))
    if not wanted:
        for row in rows:
            if row not in {patch.promise for patch in every}:
                faults += 1
                say(f"no patch breaks: {row}")
    with tempfile.TemporaryDirectory(prefix="promises-") as folder:
        copy(root, Path(folder))
        for patch in every:
            if wanted and patch.path.stem not in wanted:
                continue
            began = time.monotonic()
            try:
                seen = is_seen(patch, Path(folder))
            except StaleError as err:
                faults += 1
                say(str(err))
                continue
            faults += not seen
            outcome = "seen" if seen else f"NOT SEEN by {', '.join(patch.tests)}"
            say(f"{patch.path.stem}: {outcome} ({time.monotonic() - began:.0f} s)")
    say(f"{faults} {'fault' if faults == 1 else 'faults'}.")
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
