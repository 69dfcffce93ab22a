"""scripts/install on configuration folders as users have them."""

import json
from pathlib import Path
import re
import shutil
from subprocess import CompletedProcess

import pytest

from tests.files import ROOT

from .run import files as all_files, read_only, run

OURS = ROOT / "custom_components"
NAMES = ("rest", "mqtt_binary", "irhub")
RECORD = ".installed.json"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration folder that a Home Assistant has run in."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "configuration.yaml").write_text("default_config:\n")
    (folder / ".HA_VERSION").write_text("2026.7.4")
    return folder


def install(*arguments: str | Path) -> CompletedProcess[str]:
    return run(ROOT / "scripts" / "install", *arguments)


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file but the script's own record."""
    return {name: data for name, data in all_files(folder).items() if name != RECORD}


def backups(config: Path) -> list[Path]:
    return sorted((config / "custom_components_backup").glob("*"))


def test_all_three(config: Path) -> None:
    done = install(config)
    assert done.returncode == 0, done.stdout
    for name in NAMES:
        assert files(config / "custom_components" / name) == files(OURS / name)
    assert sorted(path.name for path in (config / "custom_components").iterdir()) == sorted(NAMES)
    assert not backups(config)
    assert "takes the place of the one that comes with Home Assistant" in done.stdout
    assert "restart Home Assistant" in done.stdout


def test_chosen_ones(config: Path) -> None:
    done = install(config, "irhub", "mqtt_binary")
    assert done.returncode == 0, done.stdout
    assert not (config / "custom_components" / "rest").exists()
    assert (config / "custom_components" / "irhub" / "manifest.json").is_file()
    assert "takes the place" not in done.stdout


def test_what_is_replaced_is_kept_where_nothing_loads_it(config: Path) -> None:
    old = config / "custom_components" / "irhub"
    (old / "translations").mkdir(parents=True)
    (old / "manifest.json").write_text('{"domain": "irhub", "version": "0.0.9"}')
    (old / "translations" / "en.json").write_text("{}")
    (old / "gone.py").write_text("1 / 0\n")
    neighbour = config / "custom_components" / "other" / "manifest.json"
    neighbour.parent.mkdir()
    neighbour.write_text("{}")
    before = files(old)

    done = install(config, "irhub")

    assert done.returncode == 0, done.stdout
    assert files(old) == files(OURS / "irhub")
    assert neighbour.read_text() == "{}"
    [backup] = backups(config)
    assert files(backup / "irhub") == before
    assert "over 0.0.9" in done.stdout
    assert str(backup) in done.stdout


def test_again_changes_nothing(config: Path) -> None:
    install(config)
    cache = config / "custom_components" / "rest" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").write_bytes(b"")
    before = (config / "custom_components" / "rest").stat().st_ino
    done = install(config)
    assert done.returncode == 0
    assert done.stdout.count("is already there, unchanged") == 3
    assert "restart" not in done.stdout
    assert (config / "custom_components" / "rest").stat().st_ino == before
    assert not backups(config)


def test_one_changed_file_is_noticed(config: Path) -> None:
    install(config)
    manifest = config / "custom_components" / "rest" / "manifest.json"
    manifest.write_text(manifest.read_text() + " ")
    done = install(config)
    assert done.stdout.count("is already there, unchanged") == 2
    assert files(manifest.parent) == files(OURS / "rest")
    assert [path.name for path in backups(config)[0].iterdir()] == ["rest"]


def test_dry_run_writes_nothing(config: Path) -> None:
    before = files(config)
    done = install("--dry-run", config)
    assert done.returncode == 0
    assert "rest" in done.stdout
    assert "would be installed" in done.stdout
    assert "Nothing was changed" in done.stdout
    assert files(config) == before
    assert not (config / "custom_components").exists()


def test_uninstall_moves_them_away(config: Path) -> None:
    install(config)
    done = install("--uninstall", config, "rest", "irhub")
    assert done.returncode == 0, done.stdout
    assert [path.name for path in (config / "custom_components").iterdir()] == ["mqtt_binary"]
    [backup] = backups(config)
    assert files(backup / "rest") == files(OURS / "rest")
    assert "comes with Home Assistant serves your YAML again" in done.stdout
    assert "restart Home Assistant" in done.stdout
    again = install("--uninstall", config, "rest")
    assert again.returncode == 0
    assert f"rest is not installed: there is no {config / 'custom_components/rest'}" in again.stdout
    assert "restart" not in again.stdout


def foreign(config: Path, name: str = "rest", version: str = "9.9.9") -> Path:
    """Put a stranger's integration of this name there."""
    folder = config / "custom_components" / name
    folder.mkdir(parents=True)
    manifest = {"domain": name, "version": version, "documentation": "https://example.com"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "theirs.py").write_text("")
    return folder


def test_uninstall_gives_back_what_was_replaced(config: Path) -> None:
    folder = foreign(config)
    before = files(folder)
    install(config)
    # an update in between does not make our own older files what was replaced
    (folder / "manifest.json").write_text((folder / "manifest.json").read_text() + " ")
    install(config)
    dry = install("--uninstall", config, "--dry-run")
    assert "what it replaced (9.9.9) would come back" in dry.stdout
    assert files(folder) != before
    done = install("--uninstall", config)
    assert done.returncode == 0, done.stdout
    assert "what it replaced (9.9.9) is back" in done.stdout
    assert "comes with Home Assistant serves" not in done.stdout
    assert all_files(folder) == before
    assert not (config / "custom_components" / "irhub").exists()


def test_uninstall_leaves_what_it_did_not_put_in(config: Path) -> None:
    folder = foreign(config)
    link = config / "custom_components" / "irhub"
    link.symlink_to(OURS / "irhub")
    unpacked = config / "custom_components" / "mqtt_binary"
    shutil.copytree(OURS / "mqtt_binary", unpacked)
    shutil.copy(ROOT / "LICENSE", unpacked)
    before = all_files(config)
    done = install("--uninstall", config)
    assert done.returncode == 0
    assert f"rest 9.9.9 was not put in by this script, and stays: {folder}" in done.stdout
    assert done.stdout.count("was not put in by this script, and stays") == 3
    assert "uninstall it in the Marketplace or in HACS if it came from there" in done.stdout
    assert "restart" not in done.stdout
    assert all_files(config) == before
    assert link.is_symlink()


def test_uninstall_knows_what_the_first_version_put_in(config: Path) -> None:
    """0.1.0 left no record, but a backup of what it replaced."""
    for name in NAMES:
        folder = config / "custom_components" / name
        folder.mkdir(parents=True)
        manifest = json.loads((OURS / name / "manifest.json").read_text())
        then = {"version": "0.1.0", "documentation": manifest["documentation"].split("/blob")[0]}
        (folder / "manifest.json").write_text(json.dumps(manifest | then))
    unpacked = config / "custom_components" / "irhub" / "LICENSE"
    unpacked.write_text("in the zips only")
    theirs = foreign(config / "custom_components_backup" / "2026-01-01_00-00-00" / "elsewhere")
    theirs.rename(config / "custom_components_backup" / "2026-01-01_00-00-00" / "rest")
    done = install("--uninstall", config)
    assert (config / "custom_components" / "rest" / "theirs.py").exists()
    assert "mqtt_binary 0.1.0 is taken out" in done.stdout
    assert "irhub 0.1.0 was not put in by this script" in done.stdout


def test_what_was_replaced_may_have_been_deleted(config: Path) -> None:
    foreign(config)
    install(config)
    shutil.rmtree(config / "custom_components_backup")
    done = install("--uninstall", config)
    assert done.returncode == 0
    assert "what it replaced is no longer in " in done.stdout
    assert not (config / "custom_components" / "rest").exists()


def test_uninstall_within_the_second_of_the_install(config: Path) -> None:
    """What is taken out then is kept under the name of the backup that was deleted."""
    stands_still = (
        "import runpy, sys, time\n"
        "time.strftime = lambda *_: '2026-01-01_00-00-00'\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    foreign(config)
    run(Path("-c"), stands_still, OURS.parent / "scripts" / "install", config)
    shutil.rmtree(config / "custom_components_backup")
    done = run(Path("-c"), stands_still, OURS.parent / "scripts" / "install", "--uninstall", config)
    assert "what it replaced is no longer in " in done.stdout
    assert not (config / "custom_components" / "rest").exists()


def test_uninstall_without_the_folder(tmp_path: Path) -> None:
    done = install("--uninstall", tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stdout == f"install: there is no folder {tmp_path / 'nowhere'}.\n"


def test_uninstall_dry_run(config: Path) -> None:
    install(config)
    before = files(config)
    done = install(config, "--uninstall", "--dry-run")
    assert done.stdout.count("would be taken out") == 3
    assert files(config) == before


def test_from_a_read_only_folder(config: Path, tmp_path: Path) -> None:
    """Such as a share, or a checkout of somebody else's: what is installed can be replaced."""
    for name in ("scripts", "custom_components"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    with read_only(tmp_path / "project") as project:
        for state in ("is installed", "is already there, unchanged"):
            done = run(project / "scripts" / "install", config)
            assert done.returncode == 0, done.stdout
            assert done.stdout.count(state) == 3
        done = run(project / "scripts" / "install", config, "--uninstall")
    assert done.returncode == 0, done.stdout
    assert [*(config / "custom_components").iterdir()] == []


def test_into_a_read_only_folder(config: Path) -> None:
    with read_only(config):
        done = install(config)
    assert done.returncode == 1
    assert done.stdout == f"install: {config / 'custom_components'}: Permission denied\n"


def test_too_old(config: Path) -> None:
    (config / ".HA_VERSION").write_text("2026.6.3\n")
    done = install(config)
    assert done.returncode == 1
    assert "this Home Assistant is 2026.6.3; the integrations need 2026.7 or newer" in done.stdout
    assert not (config / "custom_components").exists()


@pytest.mark.parametrize("version", ["2026.7.0", "2026.12.0.dev202611210211", "2027.1.0b0"])
def test_new_enough(config: Path, version: str) -> None:
    (config / ".HA_VERSION").write_text(version)
    assert install(config, "--dry-run").returncode == 0


def test_a_version_in_another_encoding_is_said(config: Path) -> None:
    (config / ".HA_VERSION").write_text("2026.7.0", encoding="utf-16")
    done = install(config, "--dry-run")
    assert done.returncode == 0, done.stdout
    assert r"in .HA_VERSION is no version; it must be" in done.stdout
    assert r"\xff\xfe2" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("order", [0, 1, 2])
def test_arguments_in_any_order(config: Path, order: int) -> None:
    words: list[str | Path] = [config, "irhub"]
    install(*words)
    words.insert(order, "--uninstall")
    done = install(*words)
    assert done.returncode == 0, done.stdout
    assert "irhub 0" in done.stdout
    assert not (config / "custom_components" / "irhub").exists()


def test_newer_than_it_was_tried_with(config: Path) -> None:
    tried = re.search(r"homeassistant==(\d+\.\d+)", (ROOT / "requirements/host.in").read_text())
    assert tried
    (config / ".HA_VERSION").write_text(f"{tried[1]}.3")
    assert "were tried up to" not in install(config, "--dry-run").stdout
    (config / ".HA_VERSION").write_text("2031.1.0")
    done = install(config)
    assert done.returncode == 0
    assert f"This Home Assistant is 2031.1.0; these integrations were tried up to {tried[1]}:" in (
        done.stdout
    )


def test_a_downgrade_is_called_one(config: Path) -> None:
    install(config, "irhub")
    manifest = config / "custom_components" / "irhub" / "manifest.json"
    content = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(content | {"version": "0.0.9"}))
    assert "over 0.0.9:" in install(config, "irhub", "--dry-run").stdout
    manifest.write_text(json.dumps(content | {"version": "10.0.0"}))
    assert "is installed over 10.0.0, a downgrade: " in install(config, "irhub").stdout


def test_never_started(config: Path) -> None:
    (config / ".HA_VERSION").unlink()
    done = install(config)
    assert done.returncode == 0
    assert "has not run here yet; it must be 2026.7 or newer" in done.stdout


def test_no_configuration_folder(tmp_path: Path) -> None:
    done = install(tmp_path)
    assert done.returncode == 1
    assert f"{tmp_path} is not Home Assistant's configuration folder" in done.stdout
    assert not list(tmp_path.iterdir())


def test_no_folder_named() -> None:
    done = install()
    assert done.returncode == 2
    assert done.stdout.endswith("the following arguments are required: CONFIG_DIR\n")


def test_unknown_integration(config: Path) -> None:
    done = install(config, "mqtt")
    assert done.returncode == 2
    assert "no integration 'mqtt' here: there are rest, mqtt_binary, irhub" in done.stdout


def test_a_linked_development_folder_stays_as_it_is(config: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text("")
    link = config / "custom_components" / "irhub"
    link.parent.mkdir()
    link.symlink_to(elsewhere)
    done = install(config, "irhub")
    assert done.returncode == 0, done.stdout
    assert not link.is_symlink()
    assert files(link) == files(OURS / "irhub")
    assert (elsewhere / "mine.py").exists()
    assert (backups(config)[0] / "irhub").is_symlink()


def test_a_failure_leaves_what_was_there(config: Path) -> None:
    """The backup cannot be made: a file stands where its folder would be."""
    install(config, "irhub")
    manifest = config / "custom_components" / "irhub" / "manifest.json"
    manifest.write_text("{}")
    (config / "custom_components_backup").write_text("in the way")
    before = files(config)
    done = install(config, "irhub")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout
    assert done.stdout.startswith("install: ")  # nothing was announced
    assert "custom_components_backup" in done.stdout
    assert files(config) == before


def test_custom_components_is_a_file(config: Path) -> None:
    (config / "custom_components").write_text("")
    done = install(config)
    assert done.returncode == 1
    assert done.stdout == f"install: {config / 'custom_components'}: File exists\n"


def test_runs_alone_without_the_project(config: Path, tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "install"
    script.parent.mkdir()
    script.write_bytes((ROOT / "scripts" / "install").read_bytes())
    done = run(script, config)
    assert done.returncode == 1
    assert "run this in the whole project" in done.stdout
