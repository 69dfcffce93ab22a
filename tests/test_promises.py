"""scripts/promises on a project of one function: what a test sees, and what it does not."""

from difflib import unified_diff
from pathlib import Path
import subprocess

import pytest

from tests.reliability import promises

PAGE = """\
| promise | test | figure |
|---|---|---|
| Two is two | `test_it.py` | 1 |
| One is one | `test_it.py` | 1 |
"""
CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
TEST = """\
from it import one, two


def test_one():
    one()


def test_two():
    assert two() == 2
"""


def broken(promise: str, test: str, old: str, new: str) -> str:
    before, after = (text.splitlines(keepends=True) for text in (CODE, CODE.replace(old, new)))
    return f"Promise: {promise}\nTest: {test}\n" + "".join(
        unified_diff(before, after, "a/it.py", "b/it.py", n=1)
    )


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with two promises, one of which no test keeps."""
    # Its tests need no Home Assistant, which the plugins would load for each (3 s).
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist")
    for name, text in {
        promises.PAGE: PAGE,
        "pytest.ini": "[pytest]\n",
        "it.py": CODE,
        "test_it.py": TEST,
        f"{promises.PATCHES}/one.patch": broken(
            "One is one", "test_it.py::test_one", "return 1", "return 3"
        ),
        f"{promises.PATCHES}/two.patch": broken(
            "Two is two", "test_it.py::test_two", "return 2", "return 3"
        ),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)  # noqa: S607
    return tmp_path


def run(project: Path, capsys: pytest.CaptureFixture[str], *names: str) -> tuple[int, list[str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["promises", *names])
        faults = promises.main(project)
    return faults, capsys.readouterr().out.splitlines()


def test_a_test_that_stays_green_is_a_fault(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults, lines = run(project, capsys)
    assert faults == 1
    assert lines[0].startswith("one: NOT SEEN by test_it.py::test_one (")
    assert lines[1].startswith("two: seen (")
    assert lines[-1] == "1 fault."
    assert (project / "it.py").read_text() == CODE


def test_one_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faults, lines = run(project, capsys, "two")
    assert (faults, lines[-1]) == (0, "0 faults.")
    with pytest.raises(SystemExit):
        run(project, capsys, "three")


def test_what_does_not_fit_any_more_is_a_fault(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "it.py").write_text(CODE.replace("def two", "def deux"))
    (project / promises.PATCHES / "one.patch").unlink()
    page = project / promises.PAGE
    page.write_text(page.read_text().replace("Two is two", "Two are two"))
    faults, lines = run(project, capsys)
    assert faults == 1
    assert lines[:3] == [
        "two: docs/reliability.md has no row 'Two is two'",
        "no patch breaks: Two are two",
        "no patch breaks: One is one",
    ]
    assert lines[3].startswith("two.patch does not fit any more: ")


def test_a_test_that_is_not_there_is_a_fault(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = project / promises.PATCHES / "two.patch"
    patch.write_text(patch.read_text().replace("::test_two", "::test_three"))
    faults, lines = run(project, capsys, "two")
    assert faults == 1
    assert lines[0].startswith("two.patch: test_it.py::test_three cannot be run: ")


def test_a_test_that_cannot_begin_sees_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "conftest.py").write_text(
        "import it\n\n\ndef pytest_runtest_setup():\n    it.one() / 0\n"
    )
    faults, lines = run(project, capsys, "two")
    assert faults == 1
    assert lines[0].startswith("two.patch: test_it.py::test_two cannot be run: ")


@pytest.mark.parametrize("head", ["Test: x\n", "Promise: x\n", "Promise: x\nPromise: y\nTest: x\n"])
def test_a_patch_names_one_promise_and_its_tests(tmp_path: Path, head: str) -> None:
    path = tmp_path / "x.patch"
    path.write_text(f"{head}--- a/it.py\n")
    with pytest.raises(promises.StaleError, match=r"^x\.patch: it names not one promise"):
        promises.Patch.read(path)


def test_a_sentence_of_another_page_is_a_promise(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs/two.md").write_text("What is two? Two is\ntwo, always.\n")
    patch = project / promises.PATCHES / "two.patch"
    patch.write_text(patch.read_text().replace("Test:", "Page: docs/two.md\nTest:"))
    faults, lines = run(project, capsys, "two")
    assert (faults, lines[0].partition(" (")[0]) == (0, "two: seen")
    (project / "docs/two.md").write_text("What is two? Perhaps three.\n")
    assert run(project, capsys, "two")[1][0] == "two: docs/two.md does not say 'Two is two'"


def test_each_patch_of_the_project_applies() -> None:
    """A patch that no longer applies breaks nothing, so nothing tests whether its test notices.

    The same holds for one whose promise is no longer made.
    """
    stale = []
    for patch in promises.patches(promises.ROOT):
        try:
            promises.apply(patch, promises.ROOT, "--check")
            patch.check_page(promises.ROOT)
        except promises.StaleError as err:
            stale.append(str(err))
    assert stale == []
