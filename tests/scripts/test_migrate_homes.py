"""scripts/migrate over whole configurations as people had them, and over the examples in docs.

homes/NAME.txt has what the script says of homes/NAME, and the lines that --write changes.
"""

from difflib import unified_diff
from pathlib import Path
import re
import shutil

import pytest

from tests.files import ROOT

from .migrating import make_home, migrate
from .run import files

HOMES = Path(__file__).parent / "homes"
NAMES = sorted(path.name for path in HOMES.iterdir() if path.is_dir())
FAILURES = {
    "2018_packages": ["packages/tv.yaml, line 14: incomplete"],
    "2020_remote": ["configuration.yaml, line 27: 'retain' is an invalid option"],
}
"""What is left to the user, as Home Assistant says it."""


def changed_lines(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    lines: list[str] = []
    for name, content in before.items():
        old, new = (text.decode().splitlines() for text in (content, after[name]))
        lines += unified_diff(old, new, name, name, lineterm="", n=0)
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_home(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    shutil.copytree(HOMES / name, home)
    done = migrate(home, "--write", "--check")
    assert done.returncode == 0, done.stdout
    assert "hunter2" not in done.stdout
    report, _, rest = done.stdout.partition("\n\n")
    *lines, last = rest.splitlines()
    summary, _, loaded = last.partition("; ")
    changed = changed_lines(files(HOMES / name), files(home))
    expected = (HOMES / f"{name}.txt").read_text()
    assert [*report.splitlines(), "", summary, "", *changed] == expected.splitlines()

    failures = [line for line in lines if "is changed; as it was: " not in line]
    sentences = FAILURES.get(name, [])
    assert re.fullmatch(rf"loaded: \d+ entities, {len(sentences)} failures?\.", loaded), rest
    for failure, sentence in zip(failures, sentences, strict=True):
        assert sentence in failure


def test_the_guide_tells_the_numbers() -> None:
    guide = (ROOT / "docs" / "migration.md").read_text()
    summaries = re.findall(
        r"^(\d+) changes? made, (\d+) remarks? for you$",
        "".join((HOMES / f"{name}.txt").read_text() for name in NAMES),
        re.MULTILINE,
    )
    assert len(summaries) == len(NAMES)
    changes, remarks = (sum(int(pair[index]) for pair in summaries) for index in (0, 1))
    failures = sum(len(sentences) for sentences in FAILURES.values())
    assert (
        f"{changes} changes made, {remarks} remarks, and what Home Assistant then refuses:"
        f" {failures} entries" in guide
    )


def test_the_examples_in_the_docs_need_nothing_and_load(tmp_path: Path) -> None:
    examples = sorted(
        path
        for path in (ROOT / "docs" / "examples").rglob("*.yaml")
        if path.parent.name != "actions"
    )
    text = "homeassistant:\n  packages: !include_dir_named packages\n"
    home = make_home(tmp_path, {"configuration.yaml": text})
    for path in examples:
        package = f"packages/{path.parent.name}_{path.name}"
        make_home(home, {package: path.read_text()})
    names = re.findall(r"!secret (\w+)", "".join(path.read_text() for path in examples))
    make_home(home, {"secrets.yaml": "".join(f"{name}: told nobody\n" for name in names)})
    code_file = (ROOT / "demo" / "codes" / "office.json").read_text()
    make_home(home, {"codes/climate/1000.json": code_file})  # which the thermostat's example names
    done = migrate(home, "--check")
    nothing = r"0 changes .*, 0 remarks for you; loaded: \d+ entities, 0 failures\."
    assert re.fullmatch(nothing, done.stdout.splitlines()[-1]), done.stdout
