"""scripts/browser: prints the path of a Chromium, and gets one only where it may."""

from pathlib import Path
import shutil
import subprocess

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "browser"
INSTALLING = "browser: installing Debian's chromium\n"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Make a folder for PATH with the shell's own tools alone."""
    for name in "bash", "cat", "chmod", "cp", "env", "mktemp", "rm":
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    return tmp_path


def add(programs: Path, name: str, script: str = "") -> Path:
    """Put a program on PATH."""
    path = programs / name
    path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
    path.chmod(0o755)
    return path


def browser(programs: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT],
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_prints_one_that_is_there(programs: Path) -> None:
    chrome = add(programs, "google-chrome")
    found = browser(programs)
    assert (found.returncode, found.stdout, found.stderr) == (0, f"{chrome}\n", "")


def test_chromium_names_another(programs: Path) -> None:
    add(programs, "chromium")
    mine = add(programs, "mine")
    assert browser(programs, CHROMIUM=str(mine)).stdout == f"{mine}\n"


def test_chromium_that_names_nothing_is_an_error(programs: Path) -> None:
    add(programs, "chromium")
    found = browser(programs, CHROMIUM="/nowhere")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "browser: CHROMIUM names /nowhere, which is no program.\n"


@pytest.mark.parametrize("user", [None, 1000])
def test_it_installs_nothing_where_it_may_not(programs: Path, user: int | None) -> None:
    if user is not None:
        add(programs, "apt-get", "exit 1")
        add(programs, "id", f"echo {user}")
    found = browser(programs)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("browser: no Chromium is on this machine: install chromium ")


def test_root_gets_debians_even_with_old_lists(programs: Path) -> None:
    add(programs, "id", "echo 0")
    package = add(programs, "package")
    target = programs / "chromium"
    add(
        programs,
        "apt-get",
        f'if [ "$1" = update ]; then > {programs}/lists; exit; fi\n'
        f'echo "$*" >> {programs}/calls; echo noise\n'
        f"[ -e {programs}/lists ] && cp -p {package} {target}",
    )
    found = browser(programs)
    assert (found.returncode, found.stdout, found.stderr) == (0, f"{target}\n", INSTALLING)
    install = "install -qq --no-install-recommends chromium"
    assert (programs / "calls").read_text().splitlines() == [install, install]


def test_what_apt_says_is_shown_when_it_fails(programs: Path) -> None:
    add(programs, "id", "echo 0")
    add(programs, "apt-get", 'echo "E: no $1" >&2; exit 100')
    found = browser(programs)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == (
        f"{INSTALLING}E: no install\nE: no update\nE: no install\n"
        "browser: apt-get could not install chromium: its message above says why.\n"
    )
