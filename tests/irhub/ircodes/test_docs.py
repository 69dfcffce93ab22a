"""The examples of docs/ircodes.md are true: Python's as doctests, the others as they are typed."""

from importlib import import_module
from pathlib import Path
import re
import shlex

import pytest

from custom_components.irhub import ircodes

from .own_process import run

PAGE = Path(__file__).parents[3] / "docs" / "ircodes.md"
EXAMPLE = re.compile(r"^```console\n\$ ircodes (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
SUBJECTS = [
    f"{ircodes.__name__}.{subject}"
    for subject in ("packet", "states", "protocols", "files", "known", "teaching", "reasons")
]
MOST = 30
"""Names that a program finds its way among."""
FLIPPER = """Filetype: IR signals file
Version: 1
#
name: Power
type: parsed
protocol: NEC
address: 04 00 00 00
command: 08 00 00 00
"""


def test_the_examples_in_python(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "doctest", "-o", "IGNORE_EXCEPTION_DETAIL", str(PAGE)) == ""


@pytest.mark.parametrize(("line", "output"), EXAMPLE.findall(PAGE.read_text()))
def test_the_examples_on_the_command_line(tmp_path: Path, line: str, output: str) -> None:
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "television.ir").write_text(FLIPPER)
    assert run(tmp_path, "-m", "ircodes", *shlex.split(line)) == output


def test_it_needs_no_home_assistant(tmp_path: Path) -> None:
    program = "import sys, ircodes; print({'homeassistant', 'voluptuous'} & {*sys.modules})"
    assert run(tmp_path, "-c", program) == "set()\n"


def test_each_public_name_is_in_one_place() -> None:
    """There are few of them in the package itself, and those of a subject are not repeated."""
    subjects = [ircodes, *map(import_module, SUBJECTS)]
    names = [name for subject in subjects for name in subject.__all__]
    assert len(names) == len({*names})
    assert all(hasattr(subject, name) for subject in subjects for name in subject.__all__)
    assert len(ircodes.__all__) <= MOST
