"""scripts/release in a copy of the project: what a user downloads or the Marketplace installs."""

import base64
import hashlib
from importlib.metadata import distributions
import json
from pathlib import Path
import re
import shutil
import subprocess
from subprocess import CompletedProcess
import sys
import tomllib
import zipfile

import pytest

from tests.files import ROOT

from .run import files, read_only, run

NAMES = ("rest", "mqtt_binary", "irhub")
VALIDATE = ".github/workflows/validate.yml"
BLOB = "home-integrations/home-integrations/blob"
ARCHIVES = ("home-integrations", *NAMES)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of what a release is made of."""
    folder = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("custom_components", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("scripts/release", "LICENSE", "hacs.json", "pyproject.toml", VALIDATE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def script(project: Path, *arguments: str) -> CompletedProcess[str]:
    return run(project / "scripts" / "release", *arguments)


def prepare(project: Path, version: str) -> None:
    """Write the version where it stands, and what is new in it."""
    assert script(project, version, "--set").returncode == 0
    final = version.removeprefix("v").partition("b")[0]
    (project / "CHANGELOG.md").write_text(f"# Changelog\n\n## {final}\n\n- It is better.\n")


def release(project: Path, version: str, *arguments: str) -> Path:
    prepare(project, version)
    done = script(project, version, *arguments)
    assert done.returncode == 0, done.stdout
    return project / "dist"


def test_one_zip_each_and_one_with_all(project: Path, tmp_path: Path) -> None:
    dist = release(project, "1.2.3")
    assert sorted(path.name for path in dist.iterdir()) == sorted(
        ["SHA256SUMS", "ircodes-1.2.3-py3-none-any.whl"]
        + [f"{name}-1.2.3.zip" for name in ARCHIVES]
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


def test_the_library_is_a_wheel_of_its_own(project: Path, tmp_path: Path) -> None:
    """It is the integration's folder, typed, and works where nothing else of irhub is."""
    dist = release(project, "1.2.3")
    site = tmp_path / "site"
    with zipfile.ZipFile(dist / "ircodes-1.2.3-py3-none-any.whl") as packed:
        packed.extractall(site)
    assert sorted(path.name for path in site.iterdir()) == ["ircodes", "ircodes-1.2.3.dist-info"]
    folder = project / "custom_components" / "irhub" / "ircodes"
    assert files(site / "ircodes") == files(folder)
    assert (site / "ircodes" / "py.typed").exists()
    [installed] = distributions(path=[str(site)])
    assert (installed.metadata["Name"], installed.version) == ("ircodes", "1.2.3")
    assert installed.metadata["License-Expression"] == "Apache-2.0"
    assert f"](https://github.com/{BLOB}/v1.2.3/docs/codes.md)" in str(
        installed.read_text("METADATA")
    )
    recorded = {str(name): name.hash for name in installed.files or ()}
    assert {*recorded} == {*files(site)}
    for name, recorded_hash in recorded.items():
        if recorded_hash is not None:
            digest = hashlib.sha256((site / name).read_bytes()).digest()
            assert recorded_hash.value == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    [command] = installed.entry_points.select(group="console_scripts")
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        f"from {command.module} import {command.attr}\n"
        "status = main(['read', '9000 -4500 560'])\n"
        "assert not {'homeassistant', 'custom_components'} & {*sys.modules}\n"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("infrared, 14 ms"), done.stderr
    assert done.returncode == 0


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
    assert len(lines) == len(ARCHIVES) + 1
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
    done = script(project, version)
    assert done.returncode == 2
    assert f"'{version}' is no version" in done.stdout
    assert not (project / "dist").exists()


def test_a_manifest_without_version(project: Path) -> None:
    manifest = project / "custom_components" / "irhub" / "manifest.json"
    manifest.write_text('{"domain": "irhub"}\n')
    done = script(project, "1.2.3", "--set")
    assert done.returncode == 1
    assert "custom_components/irhub/manifest.json has 0 versions, not one." in done.stdout
    assert '"1.2.3"' not in (project / "custom_components" / "rest" / "manifest.json").read_text()


def test_what_does_not_agree_is_named_and_nothing_is_made(project: Path) -> None:
    """The Marketplace and HACS show and install what stands at the tag."""
    prepare(project, "1.2.2")
    script(project, "1.2.3", "--set")
    manifest = project / "custom_components" / "irhub" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("1.2.3", "1.2.2"))
    done = script(project, "1.2.3")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        (
            "release: custom_components/irhub/manifest.json is another version's:"
            " scripts/release 1.2.3 --set"
        ),
        "release: CHANGELOG.md does not begin with ## 1.2.3",
    ]
    script(project, "1.2.3", "--set")
    (project / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- x\n")
    assert "CHANGELOG.md says nothing under ## 1.2.3" in script(project, "1.2.3").stdout
    assert not (project / "dist").exists()


def test_this_version_can_be_released() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    done = run(ROOT / "scripts" / "release", version, "--dry-run")
    assert done.returncode == 0, done.stdout


def test_dry_run_makes_nothing(project: Path) -> None:
    prepare(project, "1.2.3")
    before = files(project)
    done = script(project, "v1.2.3", "--dry-run")
    assert done.returncode == 0
    for name in ARCHIVES:
        assert f"dist/{name}-1.2.3.zip would have" in done.stdout
    for name in NAMES:
        assert f"{name}: v1.2.3 would have" in done.stdout
    assert files(project) == before


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words],  # noqa: S607  (whichever git there is)
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.fixture
def hosted(tmp_path: Path) -> Path:
    """Return a folder with an empty repository for each integration."""
    folder = tmp_path / "hosted"
    for name in NAMES:
        (folder / name).mkdir(parents=True)
        git(folder / name, "init", "--quiet", "--bare", "--initial-branch=main")
    return folder


def test_each_integration_gets_a_repository_of_its_own(
    project: Path, hosted: Path, tmp_path: Path
) -> None:
    release(project, "1.2.3", "--push", str(hosted))
    gone = project / "custom_components" / "irhub" / "quality_scale.yaml"
    gone.unlink()
    release(project, "1.2.4", "--push", str(hosted))
    for name in NAMES:
        assert git(hosted / name, "tag").split() == ["v1.2.3", "v1.2.4"]
        assert git(hosted / name, "log", "--format=%s", "main").splitlines() == [
            "Release 1.2.4",
            "Release 1.2.3",
        ]
        clone = tmp_path / name
        git(tmp_path, "clone", "--quiet", str(hosted / name), name)
        # what they ask for: one integration, its version at the tag, a name, a page to show
        assert [path.name for path in (clone / "custom_components").iterdir()] == [name]
        installed = clone / "custom_components" / name
        assert json.loads((installed / "manifest.json").read_text())["version"] == "1.2.4"
        assert (installed / "brand" / "icon.png").is_file()
        assert json.loads((clone / "hacs.json").read_text()).keys() == {"name", "homeassistant"}
        assert (clone / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
        # and what the catalogue asks for besides, where it takes what is in there
        assert (clone / VALIDATE).exists() == (name != "rest")
        page = (clone / "README.md").read_text()
        assert page.startswith("# ")
        assert "*Settings → Marketplace → Add from link*" in page
        assert "*HACS → ⋮ → Custom repositories*" in page
        links = re.findall(r"\]\(([^)]*)\)", page)
        assert links
        for link in links:
            assert link.startswith(("https://", "#")), link
            path = re.fullmatch(r".*/(?:blob|raw)/v1\.2\.4/([^#]*).*", link)
            assert path is None or (ROOT / path[1]).exists(), link
    assert not (tmp_path / "irhub/custom_components/irhub/quality_scale.yaml").exists()


def test_a_version_is_pushed_once(project: Path, hosted: Path) -> None:
    release(project, "1.2.3", "--push", str(hosted))
    again = script(project, "1.2.3", "--push", str(hosted))
    assert again.returncode == 0
    assert "irhub: v1.2.3 is there" in again.stdout
    (project / "custom_components" / "irhub" / "new.py").write_text("")
    other = script(project, "1.2.3", "--push", str(hosted))
    assert other.returncode == 1
    assert "release: irhub has another v1.2.3: a version is released once." in other.stdout
    assert git(hosted / "irhub", "log", "--format=%s", "main").splitlines() == ["Release 1.2.3"]


def test_in_a_read_only_folder(project: Path) -> None:
    prepare(project, "1.2.3")
    with read_only(project):
        made = script(project, "1.2.3")
        written = script(project, "1.2.4", "--set")
    assert made.stdout == f"release: {project / 'dist'}: Permission denied\n"
    assert written.stdout == f"release: {project / 'pyproject.toml'}: Permission denied\n"
    assert (made.returncode, written.returncode) == (1, 1)


def test_where_nothing_can_be_pushed(project: Path, tmp_path: Path) -> None:
    prepare(project, "1.2.3")
    done = script(project, "1.2.3", "--push", str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "release: git clone: " in done.stdout
    assert "Traceback" not in done.stdout
