"""docs/migration.md: what it promises is what the script writes and the integrations accept."""

from itertools import pairwise
from pathlib import Path
import re
from textwrap import dedent
from typing import NamedTuple

from homeassistant.util.yaml import parse_yaml
import pytest

from custom_components.irhub.ircodes import parse_text
from tests.files import ROOT

from .migrating import advise

GUIDE = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")


class Block(NamedTuple):
    """An example: its kind, and its text without the list's indent."""

    kind: str
    text: str


EXAMPLE = re.compile(r"^( *)```yaml ?(\w*)\n *(.*?)^ *```$", re.MULTILINE | re.DOTALL)
BLOCKS = [Block(match[2], dedent(f"{match[1]}{match[3]}")) for match in EXAMPLE.finditer(GUIDE)]
PAIRS = [(before.text, after.text) for before, after in pairwise(BLOCKS) if before.kind == "before"]
AFTER = [block.text for block in BLOCKS if block.kind == "after"]


def test_the_examples_are_found() -> None:
    assert [block.kind for block in BLOCKS].count("before") == 1
    assert len(BLOCKS) == GUIDE.count("```yaml")
    assert all(block.kind in {"before", "after", "action", ""} for block in BLOCKS)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_script_makes_the_one_of_the_other(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(before)
    advise(tmp_path)
    assert file.read_text() == after


@pytest.mark.usefixtures("hass")  # templates are validated only where one is running
@pytest.mark.parametrize("after", AFTER)
def test_the_new_configuration_is_accepted(tmp_path: Path, after: str) -> None:
    (tmp_path / "configuration.yaml").write_text(after)
    assert advise(tmp_path).endswith("0 changes made, 0 remarks for you")


def test_the_codes_can_be_imported() -> None:
    [action] = [parse_yaml(block.text) for block in BLOCKS if block.kind == "action"]
    assert isinstance(action, dict)
    for commands in action["data"]["codes"].values():
        for packets in commands.values():
            for packet in packets if isinstance(packets, list) else [packets]:
                assert parse_text(packet)
