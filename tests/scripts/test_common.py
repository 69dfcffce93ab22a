"""scripts/common: each integration gets what it imports of common/, and nothing else."""

from pathlib import Path
import shutil
from subprocess import CompletedProcess

import pytest

from tests.files import ROOT

from .run import run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project of one integration that imports one module, which imports another."""
    for name, text in {
        "common/__init__.py": '"""What is shared."""\n',
        "common/one.py": "from .two import x\n",
        "common/two.py": "x = 1\n",
        "common/three.py": "y = 1\n",
        "custom_components/__pycache__/__init__.cpython-314.pyc": "",
        "custom_components/a/__init__.py": "",
        "custom_components/a/manifest.json": "{}",
        "custom_components/a/deep/file.py": "from .._common.one import x\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "scripts").mkdir()
    for name in "common", "usage":
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    return tmp_path


def common(project: Path, *arguments: str) -> CompletedProcess[str]:
    return run(project / "scripts" / "common", *arguments, program="bash")


def test_what_is_imported_is_copied_and_what_is_not_goes(project: Path) -> None:
    copy = project / "custom_components" / "a" / "_common"
    assert common(project, "--check").returncode == 1
    assert common(project).returncode == 0
    assert {path.name for path in copy.iterdir()} == {"__init__.py", "one.py", "two.py"}
    assert (copy / "two.py").read_text() == "x = 1\n"
    assert common(project, "--check").returncode == 0

    (copy / "two.py").write_text("x = 2\n")
    done = common(project, "--check")
    assert done.returncode == 1
    assert "custom_components/a/_common is not what" in done.stdout

    (project / "custom_components/a/deep/file.py").write_text("from .._common.two import x\n")
    assert common(project).returncode == 0
    assert {path.name for path in copy.iterdir()} == {"__init__.py", "two.py"}
    assert (copy / "two.py").read_text() == "x = 1\n"
