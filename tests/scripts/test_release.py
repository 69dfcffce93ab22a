"""scripts/release in a copy of the project: what a user downloads."""

import hashlib
import json
from pathlib import Path
import shutil
import tomllib
import zipfile

import pytest

from tests.files import ROOT

from .run import files, run

NAMES = ("rest", "mqtt_binary", "irhub")
ARCHIVES = ("home-integrations", *NAMES)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of what a release is made of."""
    folder = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "custom_components", folder / "custom_components", ignore=ignored)
    (folder / "scripts").mkdir()
    for name in ("scripts/release", "LICENSE", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def release(project: Path, version: str) -> Path:
    done = run(project / "scripts" / "release", version)
    assert done.returncode == 0, done.stdout
    return project / "dist"


def test_one_zip_each_and_one_with_all(project: Path, tmp_path: Path) -> None:
    dist = release(project, "1.2.3")
    assert sorted(path.name for path in dist.iterdir()) == sorted(
        ["SHA256SUMS", *(f"{name}-1.2.3.zip" for name in ARCHIVES)]
    )
    for archive, names in [("home-integrations", NAMES), *((name, (name,)) for name in NAMES)]:
        config = tmp_path / archive
        with zipfile.ZipFile(dist / f"{archive}-1.2.3.zip") as packed:
            assert packed.testzip() is None
            packed.extractall(config)
        assert [path.name for path in config.iterdir()] == ["custom_components"]
        unpacked = config / "custom_components"
        assert sorted(path.name for path in unpacked.iterdir()) == sorted(names)
        for name in names:
            found = files(unpacked / name)
            assert found.pop("LICENSE") == (ROOT / "LICENSE").read_bytes()
            assert found == files(project / "custom_components" / name)


def test_the_version_stands_everywhere(project: Path) -> None:
    before = (project / "custom_components" / "irhub" / "manifest.json").read_text()
    release(project, "v2.0.0b1")
    for name in NAMES:
        manifest = project / "custom_components" / name / "manifest.json"
        assert json.loads(manifest.read_text())["version"] == "2.0.0b1"
    after = (project / "custom_components" / "irhub" / "manifest.json").read_text()
    assert after == before.replace(json.loads(before)["version"], "2.0.0b1")
    pyproject = tomllib.loads((project / "pyproject.toml").read_text())
    assert pyproject["project"]["version"] == "2.0.0b1"


def test_checksums(project: Path) -> None:
    dist = release(project, "1.2.3")
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == len(ARCHIVES)
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest


def test_the_same_sources_give_the_same_bytes(project: Path) -> None:
    first = files(release(project, "1.2.3"))
    cache = project / "custom_components" / "irhub" / "__pycache__"
    cache.mkdir()
    (cache / "packet.pyc").write_bytes(b"compiled")
    (project / "custom_components" / "irhub" / ".DS_Store").write_bytes(b"")
    for path in project.rglob("*.py"):
        path.touch()
        path.chmod(0o600)
    assert files(release(project, "1.2.3")) == first


@pytest.mark.parametrize("version", ["", "1.2", "1.2.3.4", "one", "01.2.3", "1.2.3-beta"])
def test_no_version(project: Path, version: str) -> None:
    done = run(project / "scripts" / "release", version)
    assert done.returncode == 2
    assert f"'{version}' is no version" in done.stdout
    assert not (project / "dist").exists()


def test_a_manifest_without_version(project: Path) -> None:
    manifest = project / "custom_components" / "irhub" / "manifest.json"
    manifest.write_text('{"domain": "irhub"}\n')
    done = run(project / "scripts" / "release", "1.2.3")
    assert done.returncode == 1
    assert "custom_components/irhub/manifest.json has 0 versions, not one." in done.stdout
    assert '"1.2.3"' not in (project / "custom_components" / "rest" / "manifest.json").read_text()
