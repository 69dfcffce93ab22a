"""What the workflows do on GitHub, tried here with programs that stand in for GitHub's."""

import os
from pathlib import Path
import subprocess

from homeassistant.util.yaml import load_yaml_dict
import pytest

from .files import NAMES, ROOT


def run_step(
    workflow: str, job: str, step: str, programs: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a step's script as GitHub does; `gh` writes down how it is called."""
    path = ROOT / ".github" / "workflows" / f"{workflow}.yml"
    steps = load_yaml_dict(path)["jobs"][job]["steps"]
    [script] = [candidate["run"] for candidate in steps if candidate.get("name") == step]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],  # noqa: S607
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.fixture(name="programs")
def programs_fixture(tmp_path: Path) -> Path:
    """Return a folder with a `gh` that knows no release, and writes down what it creates.

    The file `open` says how many issues are open.
    """
    gh = tmp_path / "gh"
    gh.write_text(
        f"""#!/bin/sh
        case $2 in
          view) exit 1 ;;
          list) cat {tmp_path}/open ;;
          *) printf "%s\\n" "$*" >> {tmp_path}/calls ;;
        esac
        """
    )
    gh.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("tag", "kind"), [("v1.3.0b1", "--prerelease"), ("v1.3.0", "--latest"), ("v0.4.0", "--latest")]
)
def test_a_beta_is_published_as_a_pre_release(programs: Path, tag: str, kind: str) -> None:
    done = run_step("release", "repositories", "Publish", programs, TAG=tag, OWNER="someone")
    assert done.returncode == 0, done.stderr
    calls = (programs / "calls").read_text().splitlines()
    assert sorted(call.partition("someone/")[2].split()[0] for call in calls) == sorted(NAMES)
    for call in calls:
        assert call.startswith(f"release create {tag} ")
        assert [word for word in call.split() if word in {"--prerelease", "--latest"}] == [kind]


@pytest.mark.parametrize(
    ("tag", "prerelease", "good"),
    [
        ("v1.3.0b1", "true", True),
        ("v1.3.0b1", "false", False),
        ("v1.3.0", "false", True),
        ("v1.3.0", "true", False),
    ],
)
def test_a_release_that_is_marked_wrongly_goes_no_further(
    programs: Path, tag: str, prerelease: str, good: bool
) -> None:
    step = "A beta is a pre-release, and nothing else is"
    done = run_step("release", "attach", step, programs, TAG=tag, PRERELEASE=prerelease)
    assert (done.returncode == 0) == good
    assert ("edit the release, and run this again" in done.stdout) == (not good)


@pytest.mark.parametrize(("is_open", "opened"), [(0, 1), (1, 0)])
def test_failing_nightly_tests_open_one_issue(programs: Path, is_open: int, opened: int) -> None:
    (programs / "open").write_text(f"{is_open}\n")
    done = run_step("nightly", "tell", "Tell", programs, RUN="https://example.com/runs/1")
    assert done.returncode == 0, done.stderr
    calls = programs / "calls"
    called = calls.read_text().splitlines() if calls.exists() else []
    assert len(called) == opened
    for call in called:
        assert call.startswith("issue create --title The nightly tests fail --body ")
        assert call.endswith("https://example.com/runs/1")


@pytest.mark.parametrize(
    ("workflow", "job"), [("nightly", "newest"), ("promises", "break"), ("ci", "run")]
)
def test_the_scripts_that_a_workflow_runs_are_there(workflow: str, job: str) -> None:
    jobs = load_yaml_dict(ROOT / ".github" / "workflows" / f"{workflow}.yml")["jobs"][job]
    matrix = jobs.get("strategy", {}).get("matrix", {})
    commands = matrix.get("command", [step["run"] for step in jobs["steps"] if "run" in step])
    assert commands
    for command in commands:
        assert (ROOT / command.split()[0]).stat().st_mode & 0o111, command
