"""scripts/setup: quick when nothing is to do, plain when it cannot go on."""

import os
from pathlib import Path
import shutil
import subprocess
import time

import pytest

from tests.files import ROOT

from .run import as_a_plain_user, read_only

COREUTILS = ("bash", "cat", "cmp", "cp", "dirname", "env", "flock", "mkdir", "mktemp", "rm", "ls")


def setup(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path or os.environ["PATH"]}
    return subprocess.run(
        [*as_a_plain_user(), folder / "scripts" / "setup", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy what scripts/setup needs of a fresh clone."""
    for name in "scripts", "requirements":
        shutil.copytree(ROOT / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


def programs(folder: Path, **fakes: str) -> str:
    """Make a PATH with the shell's own tools, and these scripts besides."""
    folder.mkdir()
    for name in COREUTILS:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    for name, script in fakes.items():
        (folder / name.replace("_", ".")).write_text(f"#!{shutil.which('bash')}\n{script}\n")
        (folder / name.replace("_", ".")).chmod(0o755)
    return str(folder)


def make_ready(clone: Path) -> Path:
    """Make an environment that is there, in this place, and as the pins say."""
    venv = clone / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text("")
    (venv / "bin" / "python").chmod(0o755)
    shutil.copy(clone / "requirements" / "test.txt", venv / "requirements.txt")
    (venv / "location").write_text(str(clone))
    return venv


def test_it_is_quick_and_silent_when_nothing_is_to_do(clone: Path) -> None:
    make_ready(clone)
    began = time.monotonic()
    with read_only(clone):
        result = setup(clone)
    assert time.monotonic() - began < 1
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_unknown_environment_is_named(clone: Path) -> None:
    result = setup(clone, "newest")
    assert result.returncode != 0
    assert (
        "unknown environment 'newest': it is one of test, oldest, host, oldest-host, audit,"
        " ircodes." in result.stderr
    )


def test_without_uv_and_pip_it_says_what_to_install(clone: Path, tmp_path: Path) -> None:
    result = setup(clone, path=programs(tmp_path / "bin", python3="exit 1"))
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert "neither 'uv' nor a working 'python3 -m pip' is on this machine" in last
    assert "install one of them" in last


def test_without_network_it_says_that_and_not_that_pip_is_missing(
    clone: Path, tmp_path: Path
) -> None:
    python3 = 'case $* in *--version) exit 0 ;; esac; echo "No route to host" >&2; exit 1'
    result = setup(clone, path=programs(tmp_path / "bin", python3=python3))
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert "uv could not be fetched from PyPI (.tools.log has the reason)" in last
    assert "connect this machine to the internet, or install uv" in last
    assert (clone / ".tools.log").read_text() == "No route to host\n"


def test_in_a_read_only_folder_it_says_so(clone: Path) -> None:
    with read_only(clone):
        result = setup(clone)
    assert result.returncode == 1
    assert result.stderr == (
        f"setup: {clone} is read-only: copy it to where it can be written, and run this there.\n"
    )


def test_without_any_python_3_14_it_says_what_it_tried(clone: Path, tmp_path: Path) -> None:
    uv = 'echo "error: invalid peer certificate: UnknownIssuer ($UV_SYSTEM_CERTS)" >&2; exit 1'
    path = programs(tmp_path / "bin", python3="exit 1", uv=uv)
    result = setup(clone, path=path)
    assert result.returncode == 1
    # A company's own CA is one of the system's certificates, which uv reads if told to.
    *_, reason, last = result.stderr.splitlines()
    assert reason == "setup: uv said: error: invalid peer certificate: UnknownIssuer (1)"
    assert last == (
        "setup: no Python >= 3.14.2: none is on PATH, uv could not download one, and this is no "
        "Debian system: install python3.14 and run this again."
    )


def test_a_failing_mirror_is_reported(clone: Path, tmp_path: Path) -> None:
    path = programs(
        tmp_path / "bin", python3="exit 1", uv="exit 1", apt_get="", dpkg="", id="echo root"
    )
    (tmp_path / "bin" / "apt.get").rename(tmp_path / "bin" / "apt-get")
    result = setup(clone, path=path)
    assert result.returncode == 1
    assert "Debian's packages did not work (.python.log has the reason)" in result.stderr
    assert not list(clone.glob(".python.?????*/")), "the half-made prefix is left behind"


def test_an_environment_made_elsewhere_is_made_again(clone: Path, tmp_path: Path) -> None:
    venv = make_ready(clone)
    (venv / "location").write_text("/somewhere/else")
    result = setup(clone, path=programs(tmp_path / "bin", python3="exit 1", uv="exit 1"))
    assert result.returncode == 1, "a moved environment counts as ready"
    (venv / "location").write_text(str(clone))
    assert setup(clone, path=str(tmp_path / "bin")).returncode == 0
