"""Generate the list of makers of known air conditioners in docs/known.md.

.venv/bin/python -m known_rows.makers      rewrites it from the shipped table
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from custom_components.irhub.ircodes.known.row import Row
from custom_components.irhub.ircodes.known.table import KnownAirConditioners

PAGE: Final = Path(__file__).parent.parent / "docs" / "known.md"
BEGIN: Final = "<!-- the table is generated: python -m known_rows.makers -->\n"
_OF_PROTOCOLS: Final = "(of several makers)"


def table(rows: Iterable[Row]) -> str:
    """Return makers and the protocols of their remote controls, as Markdown."""
    makers: dict[str, tuple[str, set[str]]] = {}
    nameless: set[str] = set()
    for row in rows:
        for maker in row.makers:
            makers.setdefault(maker.casefold(), (maker, set()))[1].add(row.protocol)
        if not row.makers:
            nameless.add(row.protocol)
    lines = ["| maker | protocols |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(sorted(protocols, key=str.casefold))} |"
        for _, (name, protocols) in sorted(makers.items())
    ]
    if nameless:
        lines.append(f"| {_OF_PROTOCOLS} | {', '.join(sorted(nameless))} |")
    return "".join(f"{line}\n" for line in lines)


def page(rows: Iterable[Row], before: str) -> str:
    """Return the page with a current table."""
    text, _, _ = before.partition(BEGIN)
    return f"{text}{BEGIN}\n{table(rows)}"


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(page(KnownAirConditioners.load().rows, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
