"""`scripts/audit`: each package is looked up, whatever becomes of the others."""

import json
from pathlib import Path
import shutil
import subprocess

ROOT = Path(__file__).parents[2]
PIP_AUDIT = """#!/usr/bin/env bash
while [ "$1" != -r ]; do shift; done
pin=$(cat "$2")
echo "$pin" >>asked
[ "$pin" != second==2.0 ]
"""


def test_a_package_that_cannot_be_looked_up_hides_no_other(tmp_path: Path) -> None:
    names = ["first", "second", "third"]
    for folder in ("scripts", ".venv-audit/bin", "requirements", "custom_components/ours"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("audit", "usage"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    for path in ("scripts/setup", ".venv-audit/bin/bandit", ".venv-audit/bin/zizmor"):
        (tmp_path / path).write_text("#!/bin/sh\n")
        (tmp_path / path).chmod(0o755)
    (tmp_path / ".venv-audit/bin/pip-audit").write_text(PIP_AUDIT)
    (tmp_path / ".venv-audit/bin/pip-audit").chmod(0o755)
    (tmp_path / "requirements/host.txt").write_text(
        "".join(f"{name}=={number}.0\n" for number, name in enumerate(names, 1))
    )
    manifest = tmp_path / "custom_components/ours/manifest.json"
    manifest.write_text(json.dumps({"requirements": names}))
    done = subprocess.run(
        [tmp_path / "scripts/audit"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert (tmp_path / "asked").read_text().split() == ["first==1.0", "second==2.0", "third==3.0"]
    assert done.stderr.endswith("(the messages above say which): second==2.0\n")
