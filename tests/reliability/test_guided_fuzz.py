"""Fuzzing guided by coverage (atheris), where that runs: it finds what chance does not."""

from pathlib import Path
import subprocess
import sys

import pytest

from tests.files import ROOT
from tests.irhub.ircodes.captured import captured

pytest.importorskip("atheris", reason="atheris has no wheel for every platform")

pytestmark = pytest.mark.reliability

RUNS = 100_000
MAX_S = 60


def fuzz(parser: str, folder: Path, *seeds: bytes) -> subprocess.CompletedProcess[str]:
    """Run one parser on RUNS inputs, grown from the seeds, or until one of them breaks it."""
    for number, seed in enumerate(seeds):
        (folder / str(number)).write_bytes(seed)
    options = [f"-runs={RUNS}", f"-max_total_time={MAX_S}", "-seed=1", "-max_len=600"]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.reliability.guided_child",
            parser,
            *options,
            f"-artifact_prefix={folder}/",
            str(folder),
        ],
        check=False,
        capture_output=True,
        cwd=ROOT,
        text=True,
        timeout=2 * MAX_S,
    )


@pytest.mark.parametrize(
    ("parser", "seeds"),
    [
        ("texts", [code.base64.encode() for code in captured()]),
        ("texts", [f"hex: {code.packet.hex(' ')}".encode() for code in captured()]),
        ("texts", [b"9000 -4500 560", b"0000 006d 0002 0000 0157 00ac 0015 0689"]),
        ("captures", [code.packet for code in captured()]),
        ("header_lines", [b"Accept: text/html\nX-Token: a:b\r\n", b"\xe9: \x0b"]),
    ],
    ids=["Base64", "hex", "numbers", "captures", "headers"],
)
def test_only_documented_errors_come_out(tmp_path: Path, parser: str, seeds: list[bytes]) -> None:
    """100,000 inputs for each parser, each of them a step further into its code."""
    done = fuzz(parser, tmp_path, *seeds)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "DONE" in done.stderr
    assert len(list(tmp_path.iterdir())) > len(seeds)  # some led somewhere new


def test_an_undocumented_error_is_found(tmp_path: Path) -> None:
    done = fuzz("planted", tmp_path)
    assert done.returncode != 0
    assert "LookupError: planted" in done.stderr + done.stdout
