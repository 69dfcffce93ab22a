"""docs/architecture.md names nothing that is gone, and its tree is whole."""

from pathlib import Path
import re

from .files import ROOT

PAGE = ROOT / "docs/architecture.md"


def test_the_files_it_names_are_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for path in re.findall(
        r"`((?:tests|scripts|requirements|docs|demo|benchmarks)/[\w./]*)`", page
    ):
        assert (ROOT / path).exists(), path
    for target in re.findall(r"\]\(([^)#]+)", page):
        assert (PAGE.parent / target).exists(), target


def test_the_tree_is_as_it_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (tree,) = re.findall(r"```\n(common/.*?)```", page, re.DOTALL)
    written: dict[Path, set[str]] = {}
    above: list[str] = []
    for line in tree.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        folder, *modules = line.split()
        above = [*above[:depth], folder]
        written[ROOT.joinpath(*above)] = set(modules)
    real: dict[Path, set[str]] = {}
    for path in (*ROOT.glob("common/*.py"), *ROOT.glob("custom_components/**/*.py")):
        if path.parent.name != "_common":
            stems = real.setdefault(path.parent, set())
            stems |= {path.stem} - {"__init__"}
    assert written == real
