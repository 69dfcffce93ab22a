"""The command line: scripts/migrate CONFIG_DIR [--write] [--check] [--try]."""

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
import logging
import os
from pathlib import Path
import sys
import tempfile
import time
from typing import override

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .advice import Advice, Finding, findings
from .configuration import Configuration, Place, ReadSecrets
from .rewrite import AddedKey, Change, NewValue, read_file, replace_file, rewrite


def say(text: str = "") -> None:
    """Tell the user."""
    sys.stdout.write(f"{text}\n")


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its word: "1 change", "2 changes"."""
    return f"{number} {singular if number == 1 else plural or f'{singular}s'}"


class Warnings(logging.Handler):
    """Keeps what Home Assistant's loader says, because its errors do not always name the file."""

    def __init__(self) -> None:
        """Keep warnings and errors."""
        super().__init__(logging.WARNING)
        self.lines: list[str] = []
        self.warnings: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        line = f"migrate: {record.getMessage()}"
        self.lines.append(line)
        if record.levelno == logging.WARNING:  # an error comes as an exception besides
            self.warnings.append(line)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What --write makes of the files, and what it leaves to the user."""

    texts: dict[Path, str]
    """The files that change, as they will be."""
    left: list[Advice]
    """What cannot be done for certain."""


def plan(configuration: Configuration, all_findings: list[Finding]) -> Plan:
    """Work out the new texts, without writing them."""
    # a word that also serves an entry which keeps it cannot be changed
    uses = Counter(
        (Place.of(word), str(word))
        for entry in configuration.entries()
        for word in (entry.platform, *entry.config)
    )
    advice = [item for finding in all_findings for item in finding.advice if item.changes]
    counts = Counter((item.place, item.changes) for item in advice)
    by_file: dict[Path, dict[tuple[Change, ...], int]] = {}
    for (place, changes), count in counts.items():
        if (
            place is not None
            and place.file is not None
            and all(
                uses[Place(file=place.file, line=change.line), _word(change)] in {0, count}
                for change in changes
            )
        ):
            by_file.setdefault(place.file, {})[changes] = count
    texts = {}
    done = set()
    for path, changes_of in by_file.items():
        before = read_file(path)
        after, left = rewrite(before, changes_of)
        done |= {(path, changes) for changes in changes_of if changes not in left}
        if after != before:
            texts[path] = after
    return Plan(
        texts=texts,
        left=[
            item for item in advice if item.place and (item.place.file, item.changes) not in done
        ],
    )


def _word(change: Change) -> str:
    match change:
        case NewValue(old=word) | AddedKey(value=word):
            return word
        case _:
            return change.key


def report(
    all_findings: Sequence[Finding], left: list[Advice], config_dir: Path
) -> tuple[int, int]:
    """List what --write changes and what is for the user; return how many there are of each."""
    changes = by_hand = 0
    for finding in all_findings:
        lines = [f"{finding.place.text(config_dir)}  {finding.title}"]
        for advice in finding.advice:
            uncertain = any(advice is item for item in left)
            if not advice.changes or uncertain:
                by_hand += 1
            else:
                changes += 1
            hint = " (by hand: it could not be found for certain)" if uncertain else ""
            if advice.text:
                lines.append(f"    {advice.text}{hint}")
            else:
                lines[0] += hint
        for line in lines:
            say(line)
    return changes, by_hand


def write(texts: dict[Path, str], config_dir: Path) -> None:
    """Write the new texts, and keep the files as they were in a backup."""
    backup = config_dir / f"migration-backup-{time.strftime('%Y-%m-%d_%H-%M-%S')}"
    for path, text in sorted(texts.items()):
        inside = path.is_relative_to(config_dir)
        shown = path.relative_to(config_dir) if inside else path
        kept_at = backup / (shown if inside else path.relative_to(path.anchor))
        replace_file(path, text, kept_at)
        say(f"{shown} is changed; as it was: {kept_at}")


def read(config_dir: Path) -> Configuration:
    """Read the configuration, or end with what Home Assistant says about it."""
    loader, secrets = Warnings(), ReadSecrets(config_dir)
    logging.getLogger().addHandler(loader)
    try:
        configuration = Configuration(config_dir, secrets)
    except FileNotFoundError as err:
        path = Path(err.filename)
        if path.is_symlink():
            sys.exit(f"migrate: {path}: it is a link to {path.readlink()}, which is not there.")
        sys.exit(f"migrate: {path}: no such file: CONFIG_DIR is its folder.")
    except HomeAssistantError as err:
        if not any(str(err) in line for line in loader.lines):
            loader.lines.append(f"migrate: {err}")
        sys.exit(secrets.hide("\n".join(dict.fromkeys(loader.lines))))
    finally:
        logging.getLogger().removeHandler(loader)
    for line in dict.fromkeys(loader.warnings):
        say(secrets.hide(line).replace(f"{config_dir}{os.sep}", ""))
    for line in configuration.unread:
        say(line)
    return configuration


def migrate(configuration: Configuration, config_dir: Path, *, writing: bool) -> str:
    """Report, write if asked to, and return a summary."""
    all_findings = sorted(
        findings(configuration), key=lambda finding: (str(finding.place.file), finding.place.line)
    )
    planned = plan(configuration, all_findings)
    changes, by_hand = report(all_findings, planned.left, config_dir)
    say()
    if writing:
        write(planned.texts, config_dir)
    pronoun = "it" if changes == 1 else "them"
    done = "made" if writing else f"(--write makes {pronoun})"
    unread = len(configuration.unread)
    unread_text = (
        "1 thing could not be read and was"
        if unread == 1
        else f"{unread} things could not be read and were"
    )
    omitted = f"; {unread_text} left out" if unread else ""
    return f"{counted(changes, 'change')} {done}, {counted(by_hand, 'remark')} for you{omitted}"


async def try_copy(config_dir: Path) -> str:
    """Migrate a copy of the home, use what is in it, and return a summary."""
    from .try_out import copy_home, try_out  # noqa: PLC0415  (loads all of Home Assistant's start)

    with tempfile.TemporaryDirectory(prefix="migrate-try-") as folder:
        home = copy_home(config_dir, Path(folder))
        before = Configuration(home, ReadSecrets(home))
        for path, text in plan(before, [*findings(before)]).texts.items():
            if path.is_relative_to(home):
                path.write_text(text, encoding="utf-8", newline="")
        tried = await try_out(Configuration(home, ReadSecrets(home)), home)
    for failure in tried.failures:
        say(failure)
    works = tried.things - len(tried.failures)
    return f"Tried out: {works} of {counted(tried.things, 'thing')} work."


async def main() -> None:
    """Read the command line, and do what was asked for."""
    parser = argparse.ArgumentParser(
        prog="scripts/migrate",
        description="Lists what classic YAML needs to run on rest, mqtt_binary and irhub.",
    )
    parser.add_argument("config_dir", type=Path, metavar="CONFIG_DIR")
    parser.add_argument("--write", action="store_true", help="change what is certain, in place")
    parser.add_argument(
        "--check", action="store_true", help="load the entries in Home Assistant, without network"
    )
    parser.add_argument(
        "--try",
        action="store_true",
        dest="trying",
        help="use each thing once, in a migrated copy of the home on virtual devices",
    )
    options = parser.parse_args()
    config_dir = options.config_dir.resolve()
    HomeAssistant(str(config_dir))  # templates are validated only where one is running
    logging.getLogger().addHandler(
        logging.NullHandler()
    )  # what Home Assistant's loader says is in the report
    configuration = read(config_dir)
    try:
        summary = migrate(configuration, config_dir, writing=options.write)
    except OSError as err:
        sys.exit(f"migrate: {err.filename}: {err.strerror}")
    if options.check:
        from .check import check  # noqa: PLC0415  (loads all of Home Assistant's start)

        loaded = await check(Configuration(config_dir, ReadSecrets(config_dir)), config_dir)
        for failure in loaded.failures:
            say(failure)
        entities = counted(loaded.entities, "entity", "entities")
        summary += f"; loaded: {entities}, {counted(len(loaded.failures), 'failure')}"
    if options.trying:
        worked = await try_copy(config_dir)
        say(f"{summary}.")
        say(worked)
        return
    say(f"{summary}.")


if __name__ == "__main__":
    asyncio.run(main())
