"""Measure how well presses are distinguished from ambient infrared, and plot it.

    python -m benchmarks.measure_noise FOLDER [--most N] [--svg FILE]

FOLDER contains public code files of any format, in folders of any depth, and C sources with raw
captures (`uint16_t rawData[] = {…}`). Each of their codes is tested as it is, and with the errors
of a receiver: each duration up to 5 % off. Codes classified as noise are lost. Then each kind of
ambient infrared is tested (`benchmarks/ambient.py`): captures classified as a press are accepted.

    --most N    test at most this many codes of a collection, chosen at random
    --svg FILE  plot both against the threshold that decides on long captures
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log10
from pathlib import Path
from random import Random
import re
from typing import Final

from custom_components.irhub.ircodes import from_timings, read_codes, to_timings
from custom_components.irhub.ircodes.files import SUFFIXES
from custom_components.irhub.ircodes.packet import LIMITS, is_noise, kind

from .ambient import KINDS, at_the_edge

EACH: Final = 5_000
"""Number of captures of each kind of noise."""
MOST: Final = 20_000
"""Maximum number of codes of a collection."""
DRAWN: Final = 4_000
"""Number of codes used for the diagram."""
LONG: Final = LIMITS.few
"""Minimum number of marks of a capture that is not short."""
JITTER: Final = 0.05
THRESHOLDS: Final = [step / 20 for step in range(6, 20)]
_ARRAY: Final = re.compile(r"uint16_t\s+\w+\[\s*\d*\s*\](?:\s*PROGMEM)?\s*=\s*\{([^}]*)\}")
_SOURCES: Final = {".cpp", ".h", ".ino"}


def codes_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the folder and the packet of each infrared code, without duplicates in a folder."""
    seen: set[tuple[str, bytes]] = set()
    for path in sorted(folder.rglob("*")):
        collection = path.relative_to(folder).parts[0]
        for packet in _packets(path) if path.is_file() else ():
            if kind(packet) == "ir" and (collection, packet) not in seen:
                seen.add((collection, packet))
                yield collection, packet


def _packets(path: Path) -> Iterator[bytes]:
    if path.suffix in _SOURCES:
        yield from _arrays(path.read_text("utf-8", "replace"))
        return
    if path.suffix not in SUFFIXES:
        return
    try:
        imported = read_codes(path.read_text("utf-8", "replace"), device=path.stem)
    except ValueError:
        return  # not a code file
    for commands in imported.commands.values():
        for packets in commands.values():
            yield from packets


def _arrays(source: str) -> Iterator[bytes]:
    """Yield the arrays of microseconds in a C source."""
    for match in _ARRAY.finditer(source):
        without_comments = re.sub(r"//.*", "", match[1])
        durations = [int(us) for us in re.findall(r"(?<![\w.])\d+(?![\w.])", without_comments)]
        is_raw = len(durations) >= 4 and 0 not in durations and max(durations) > 255  # noqa: PLR2004
        if is_raw:
            yield from_timings([us * (-1) ** index for index, us in enumerate(durations)])


def received_with_errors(packet: bytes, random: Random) -> bytes:
    """Return a code with the errors of a receiver."""
    factors = (random.uniform(1 - JITTER, 1 + JITTER) for _ in iter(int, 1))
    timings = [round(us * factor) for us, factor in zip(to_timings(packet), factors, strict=False)]
    return from_timings([us or 1 for us in timings])


def accepted(packets: Sequence[bytes], regular: float = LIMITS.regular) -> float:
    """Return the share of packets that are accepted as presses."""
    limits = replace(LIMITS, regular=regular)
    return sum(not is_noise(packet, limits) for packet in packets) / len(packets)


def marks_of(packet: bytes) -> int:
    """Return the number of marks of a capture."""
    return (len(to_timings(packet)) + 1) // 2


def noises() -> Mapping[str, Sequence[bytes]]:
    """Return captures of each kind of ambient infrared."""
    return {
        name: [from_timings(make(Random(seed))) for seed in range(EACH)]  # noqa: S311
        for name, make in KINDS.items()
    }


def main() -> None:
    """Measure, and print the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--most", type=int, default=MOST)
    options = parser.parse_args()
    random = Random(1)  # noqa: S311  (reproducible)
    collections: dict[str, list[bytes]] = {}
    for collection, packet in codes_of(options.folder):
        collections.setdefault(collection, []).append(packet)
    counts, lost, received_lost = Counter[str](), Counter[str](), Counter[str]()
    codes: list[bytes] = []
    for collection, packets in collections.items():
        for packet in random.sample(packets, min(options.most, len(packets))):
            counts[collection] += 1
            lost[collection] += is_noise(packet)
            received_lost[collection] += is_noise(received_with_errors(packet, random))
            codes.append(packet)
    print("| collection | codes | lost | lost as they are heard |\n|---|---|---|---|")
    for collection, count in counts.items():
        print(f"| {collection} | {count:,} | {lost[collection]} | {received_lost[collection]} |")
    ambient = noises()
    print("\n| noise | accepted | of 10 marks and more |\n|---|---|---|")
    for name, captures in ambient.items():
        long_captures = [packet for packet in captures if marks_of(packet) >= LONG]
        print(f"| {name} | {accepted(captures):.1%} | {accepted(long_captures):.1%} |")
    sample = random.sample(codes, min(DRAWN, len(codes)))
    print("\n| marks that do not arrive | accepted |\n|---|---|")
    for share in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        weak = [at_the_edge(to_timings(packet), share, random) for packet in sample]
        arrived = [from_timings(timings) for timings in weak if len(timings) > 1]
        print(f"| {share:.0%} | {accepted(arrived):.1%} |")
    if options.svg is not None:
        all_noise = [packet for captures in ambient.values() for packet in captures]
        curves = {
            "codes lost": [1 - accepted(sample, threshold) for threshold in THRESHOLDS],
            "noise accepted": [accepted(all_noise, threshold) for threshold in THRESHOLDS],
        }
        options.svg.write_text(svg_plot(curves), "utf-8")


def svg_plot(curves: Mapping[str, Sequence[float]]) -> str:
    """Return the curves as an SVG: shares on a logarithmic scale from 0.01 % to 100 %."""
    colours = ("#c62828", "#1565c0")
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" font-family="sans-serif"',
        ' font-size="13"><rect width="640" height="360" fill="#fff"/>',
    ]
    for decade in range(5):
        y, label = 30 + decade * 70, ("100 %", "10 %", "1 %", "0.1 %", "0.01 %")[decade]
        lines.append(f'<path d="M70 {y}H610" stroke="#ddd"/><text x="8" y="{y + 4}">{label}</text>')
    first, last = THRESHOLDS[0], THRESHOLDS[-1]

    def x_of(threshold: float) -> float:
        return 70 + (threshold - first) / (last - first) * 540

    lines += [
        f'<text x="{x_of(threshold) - 10:.0f}" y="330">{threshold:.1f}</text>'
        for threshold in THRESHOLDS[::2]
    ]
    chosen = x_of(LIMITS.regular)
    lines.append(f'<path d="M{chosen:.0f} 30V310" stroke="#888" stroke-dasharray="4"/>')
    lines.append('<text x="230" y="352">share of durations of few lengths that is asked for</text>')
    for number, (name, shares) in enumerate(curves.items()):
        points = " ".join(
            f"{x_of(threshold):.0f},{30 + 70 * min(4, -log10(max(share, 1e-4))):.0f}"
            for threshold, share in zip(THRESHOLDS, shares, strict=True)
        )
        colour, y = colours[number], 50 + 20 * number
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        lines.append(f'<text x="480" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    main()
