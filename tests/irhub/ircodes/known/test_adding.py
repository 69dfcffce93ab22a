"""Rows of new code files are added to the table of known air conditioners."""

import json

import pytest

from custom_components.irhub.ircodes.known.table import TABLE
from known_rows.adding import with_new

LINES = TABLE.read_text(encoding="utf-8").splitlines()
MIRAGE = next(line for line in LINES if '"protocol":"MIRAGE"' in line)


def test_a_row_of_an_unknown_protocol_is_added_in_its_place() -> None:
    others = [line for line in LINES if line != MIRAGE]
    assert with_new(others, [MIRAGE]) == LINES


def test_a_row_that_the_table_has_is_not_added(capsys: pytest.CaptureFixture[str]) -> None:
    same = json.dumps({**json.loads(MIRAGE), "protocol": "Acme 120"}, separators=(",", ":"))
    assert with_new(LINES, [same]) == LINES
    assert capsys.readouterr().out == "Acme 120: not added, the table has it as MIRAGE\n"
