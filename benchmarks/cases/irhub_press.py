"""Recognition of a press among 100,000 codes."""

from importlib import import_module
from random import Random
import time

from benchmarks.case import Case, Job
from benchmarks.summary import OURS, Row

CODES = 100_000
PRESSES = 200
BITS = 48
JITTER = 0.05
LONGER_US = 60


_CODES = "custom_components.irhub.ircodes"
"""Imported in the run: an earlier import would hide the integrations of other cases."""


def _packet(bits: int) -> bytes:
    from_timings = import_module(f"{_CODES}.packet.packet").from_timings
    durations = [3400, -1700]
    for bit in f"{bits:0{BITS}b}":
        durations += [430, -1290 if bit == "1" else -430]
    packet: bytes = from_timings([*durations, 430, -40_000])
    return packet


def _heard(packet: bytes, random: Random) -> bytes:
    module = import_module(f"{_CODES}.packet.packet")
    timings = [
        round(us * random.uniform(1 - JITTER, 1 + JITTER)) + LONGER_US
        for us in module.to_timings(packet)
    ]
    received: bytes = module.from_timings(timings)
    return received


async def _run(job: Job) -> dict[str, float]:
    random = Random(1)  # noqa: S311  (codes of a benchmark need no cryptography)
    count = 1000 if job.tiny else CODES
    packets = {number: _packet(random.getrandbits(BITS)) for number in range(count)}
    began = time.process_time()
    remote = import_module(f"{_CODES}.protocols.presses").Recognizer(packets.items())
    learned = time.process_time() - began
    pressed = random.sample(range(count), PRESSES)
    received = [_heard(packets[number], random) for number in pressed]
    began = time.process_time()
    known = [remote.recognize(packet) for packet in received]
    took = time.process_time() - began
    if known != [[number] for number in pressed]:
        raise RuntimeError("a press was taken for another one")
    return {"press": took / PRESSES * 1e6, "read": learned / count * 1e6}


CASE = Case(
    name="irhub-press",
    what="a press recognized among 100,000 codes, heard with a receiver's errors",
    run=_run,
    rows=(
        Row(key="press", what="CPU for a press", unit="µs", limit=5000),
        Row(key="read", what="CPU for each code, once", unit="µs", limit=1000),
    ),
    sides=(OURS,),
)
