"""The command line: scripts/migrate CONFIG_DIR [--write]."""

import argparse
import asyncio
from collections import Counter
import logging
from pathlib import Path
import sys
import time
from typing import override

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .advice import call_advice, concerns_us, headline, new_name, remarks
from .configuration import Configuration, Entry
from .rewrite import read_file, rename, replace_file


def say(text: str = "") -> None:
    """Tell the user."""
    sys.stdout.write(f"{text}\n")


class Warnings(logging.Handler):
    """Keeps what Home Assistant's loader says, because its errors do not always name the file."""

    def __init__(self) -> None:
        """Keep warnings and errors."""
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"migrate: {record.getMessage()}")


def report(configuration: Configuration, entries: list[Entry], config_dir: Path) -> int:
    """List what to change by hand and what --write changes; gives the number of remarks."""
    count = 0
    lines: list[str] = []
    for entry in entries:
        lines.append(f"{entry.place.text(config_dir)}  {headline(entry)}")
        for remark in remarks(entry):
            lines.append(f"    {remark}")
            count += 1
    for call in configuration.calls():
        first, *more = call_advice(call)
        lines.append(f"{call.place.text(config_dir)}  {first}")
        lines += [f"    {line}" for line in more]
        count += 1 + len(more)
    for line in lines:
        say(configuration.without_secrets(line))
    return count


def write(entries: list[Entry], config_dir: Path) -> int:
    """Change the platform names in place; gives the number of those left to the user."""
    wanted = Counter(
        (entry.place, entry.platform, name) for entry in entries if (name := new_name(entry))
    )
    kept = {(entry.place, entry.platform) for entry in entries if not new_name(entry)}
    by_file: dict[Path, dict[tuple[int, str], tuple[str, int]]] = {}
    left: list[str] = []
    for (place, old, new), count in wanted.items():
        if place.file is None or (place, old) in kept:
            left.append(place.text(config_dir))
        else:
            by_file.setdefault(place.file, {})[place.line, old] = (new, count)
    backup = config_dir / f"migration-backup-{time.strftime('%Y-%m-%d_%H-%M-%S')}"
    for path, renames in sorted(by_file.items()):
        before = read_file(path)
        after, missed = rename(before, renames)
        inside = path.is_relative_to(config_dir)
        shown = path.relative_to(config_dir) if inside else path
        left += [f"{shown}:{line}" for line in sorted(missed)]
        if after != before:
            kept_at = backup / (shown if inside else path.relative_to(path.anchor))
            replace_file(path, after, kept_at)
            say(f"{shown} is changed; as it was: {kept_at}")
    for place_text in left:
        say(f"{place_text}: change this one by hand: the word could not be found for certain.")
    return len(left)


async def main() -> None:
    """Report, and change what was asked for."""
    parser = argparse.ArgumentParser(
        prog="scripts/migrate",
        description="Lists what classic YAML needs to run on rest, mqtt_binary and irhub.",
    )
    parser.add_argument("config_dir", type=Path, metavar="CONFIG_DIR")
    parser.add_argument("--write", action="store_true", help="change the platform names in place")
    options = parser.parse_args()
    config_dir = options.config_dir.resolve()
    loader = Warnings()
    logging.basicConfig(handlers=[loader])
    HomeAssistant(str(config_dir))  # templates are validated only where one is running
    try:
        configuration = Configuration(config_dir)
    except FileNotFoundError as err:
        sys.exit(f"migrate: {err.filename}: no such file: CONFIG_DIR is its folder.")
    except HomeAssistantError as err:
        if not any(str(err) in line for line in loader.lines):
            loader.lines.append(f"migrate: {err}")
        sys.exit("\n".join(loader.lines))
    logging.disable()
    for line in loader.lines:
        say(line)

    entries = [entry for entry in configuration.entries() if concerns_us(entry)]
    remarked = report(configuration, entries, config_dir)
    names = sum(1 for entry in entries if new_name(entry))
    say()
    if options.write:
        try:
            left = write(entries, config_dir)
        except OSError as err:
            sys.exit(f"migrate: {err.filename}: {err.strerror}")
        say(f"{names - left} platform names changed, {left + remarked} remarks are left to you.")
    else:
        say(f"{names} platform names to change (--write does it), {remarked} remarks.")


if __name__ == "__main__":
    asyncio.run(main())
