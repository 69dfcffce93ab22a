"""The examples of docs/ircodes.md are true: Python's as doctests, the others as they are typed."""

from pathlib import Path
import re
import shlex

import pytest

from custom_components.irhub import ircodes

from .own_process import run

PAGE = Path(__file__).parents[3] / "docs" / "ircodes.md"
EXAMPLE = re.compile(r"^```console\n\$ ircodes (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
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


def test_each_public_name_is_there_once() -> None:
    assert len(ircodes.__all__) == len({*ircodes.__all__})
    assert all(hasattr(ircodes, name) for name in ircodes.__all__)
