"""scripts/install on configuration folders as users have them."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from .run import ROOT, files, run

OURS = ROOT / "custom_components"
NAMES = ("rest", "mqtt_binary", "irhub")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Give a configuration folder that a Home Assistant has run in."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "configuration.yaml").write_text("default_config:\n")
    (folder / ".HA_VERSION").write_text("2026.7.4")
    return folder


def install(*arguments: str | Path) -> CompletedProcess[str]:
    return run(ROOT / "scripts" / "install", *arguments)


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
    assert "rest is not installed" in again.stdout


def test_uninstall_dry_run(config: Path) -> None:
    install(config)
    before = files(config)
    done = install(config, "--uninstall", "--dry-run")
    assert done.stdout.count("would be taken out") == 3
    assert files(config) == before


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
    assert "custom_components_backup" in done.stdout
    assert files(config) == before


def test_custom_components_is_a_file(config: Path) -> None:
    (config / "custom_components").write_text("")
    done = install(config)
    assert done.returncode == 1
    assert done.stdout.endswith(f"install: {config / 'custom_components'}: File exists\n")


def test_runs_alone_without_the_project(config: Path, tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "install"
    script.parent.mkdir()
    script.write_bytes((ROOT / "scripts" / "install").read_bytes())
    done = run(script, config)
    assert done.returncode == 1
    assert "run this in the whole project" in done.stdout
