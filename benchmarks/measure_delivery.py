"""Measure how often the delivery of a command is reported wrongly, in simulated houses.

    python -m benchmarks.measure_delivery [--sent N] [--limits]

A house has rooms, walls between them, a hub and some appliances in each room. Home Assistant sends
commands through the hubs; people press the same remote controls, lamps flicker, someone stands in
the way, and sometimes a hub confirms a packet without transmitting it. A receiver gets the real
durations of all signals in the air at the time, with more marks missing at a larger distance, and
they are read by the same code as in Home Assistant. A hub holds one capture, and is read every half
second.

The simulation knows whether the appliance has received its command. That is compared with the
conclusion from the other hubs' captures.

    --sent N    commands of each house
    --limits    try other limits of doubt
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Final

from custom_components.irhub.hub.link_quality import LIMITS, Limits, LinkQuality, Outcome
from custom_components.irhub.ircodes import encode, from_timings, to_timings
from custom_components.irhub.ircodes.packet import is_noise
from custom_components.irhub.ircodes.protocols import is_reception, same_button

from .ambient import KINDS, at_the_edge
from .measure_noise import received_with_errors

SENT: Final = 3_000
READ_S: Final = 0.5
"""Interval between two reads of a hub."""
MOST_AGAIN: Final = 2
"""Maximum number of retransmissions in case of doubt, as in Home Assistant."""
WINDOW_S: Final = 1.5
"""Time after a transmission in which its reception is expected."""
_AFTER_S: Final = 14.0
"""End of the simulated time; the command is sent at 10 s."""
CODINGS: Final = ("NEC", "RC5", "Samsung32", "Sony12")
TRIED: Final = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)

type Pulses = Sequence[tuple[float, float]]
"""Start and end of marks, in µs."""


@dataclass(frozen=True, kw_only=True)
class House:
    """Parameters of a simulated house. Losses are shares of the marks that do not arrive."""

    losses: Mapping[tuple[int, int], float]
    """Between the hubs of two rooms; missing pairs are out of reach."""
    hubs: int = 2
    blocked_probability: float = 0.01
    """Probability that a person blocks the appliance."""
    dead_probability: float = 0.01
    """Probability that a hub confirms a packet without transmitting it."""
    noise_s: float = 120.0
    """Mean time between two disturbances of a receiver."""
    press_s: float = 600.0
    """Mean time between two presses of a remote control in a room."""
    same_press_share: float = 0.2
    """Share of these presses whose command Home Assistant sends, too."""
    closed_probability: float = 0.0
    """Probability that the door between the rooms is closed and blocks everything."""
    is_moved_apart: bool = False
    """Whether the hubs are moved out of each other's reach for a while, half way through."""


GOOD: Final = {(0, 1): 0.002, (1, 0): 0.002}
HOUSES: Final[Mapping[str, House]] = {
    "two hubs in one large room": House(losses={(0, 1): 0.0, (1, 0): 0.0}),
    "two rooms, an open door": House(losses=GOOD),
    "two rooms, one signal in ten damaged": House(losses={(0, 1): 0.005, (1, 0): 0.005}),
    "two rooms, every other signal damaged": House(losses={(0, 1): 0.04, (1, 0): 0.04}),
    "two rooms, a wall": House(losses={}),
    "three hubs, each reaches two": House(
        hubs=3, losses={(a, b): 0.002 for a in range(3) for b in range(3) if a != b}
    ),
    "a door that is closed a tenth of the time": House(losses=GOOD, closed_probability=0.1),
    "a lamp that disturbs every 5 s": House(losses=GOOD, noise_s=5),
    "a family: a press in each room every 20 s": House(losses=GOOD, press_s=20),
    "the hubs are moved apart for a while": House(losses=GOOD, is_moved_apart=True),
    "one in twenty is not delivered": House(
        losses=GOOD, dead_probability=0.04, blocked_probability=0.01
    ),
}


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A signal in the air of a room, starting at `at` seconds."""

    at: float
    timings: Sequence[int]

    @property
    def ends(self) -> float:
        """Return the end of the signal in seconds."""
        return self.at + sum(map(abs, self.timings)) / 1e6


class Simulation:
    """Simulation of a house in which commands are sent; counts real and reported outcomes."""

    def __init__(self, house: House, limits: Limits, seed: int, sent: int) -> None:
        self._house = house
        self._random = Random(seed)  # noqa: S311  (reproducible)
        self._link_quality = LinkQuality(limits)
        self._sent = sent
        self.counts = Counter[tuple[bool, Outcome | None]]()
        """Whether the appliance received the command, and the reported outcome → number of
        commands."""
        self.lost_in_the_end = 0
        """Number of commands not received, including retransmissions in case of doubt."""

    def run(self) -> None:
        """Send all commands."""
        for number in range(self._sent):
            is_apart = (
                self._house.is_moved_apart and self._sent // 2 <= number < self._sent * 3 // 4
            )
            self._send(self._random.randrange(self._house.hubs), is_apart=is_apart)

    def _send(self, room: int, *, is_apart: bool) -> None:
        """Send a command, and retransmit it in case of doubt, as Home Assistant does."""
        house, random = self._house, self._random
        packet = command(room, random.randrange(8))
        is_blocked = random.random() < house.blocked_probability
        is_cut_off = is_apart or random.random() < house.closed_probability
        is_obeyed, outcome = self._transmit(packet, room, is_blocked, is_cut_off)
        self.counts[is_obeyed, outcome] += 1
        for _ in range(MOST_AGAIN):
            if outcome is not Outcome.IN_DOUBT:
                break
            is_obeyed_again, outcome = self._transmit(
                packet, room, is_blocked, is_cut_off, is_again=True
            )
            is_obeyed |= is_obeyed_again
        self.lost_in_the_end += not is_obeyed

    def _transmit(
        self,
        packet: bytes,
        room: int,
        is_blocked: bool,
        is_cut_off: bool,
        *,
        is_again: bool = False,
    ) -> tuple[bool, Outcome | None]:
        """Return whether the appliance receives a packet, and the reported outcome."""
        house, random = self._house, self._random
        sent = Signal(at=10.0 + random.uniform(0, READ_S), timings=closed(packet))
        is_dead = random.random() < house.dead_probability
        presses = {room_: self._signals(house.press_s, room_) for room_ in range(house.hubs)}
        ambient = {
            room_: [*self._signals(house.noise_s, None), *self._presses_at(room_, presses)]
            for room_ in range(house.hubs)
        }
        is_obeyed = (
            not is_dead
            and not is_blocked
            and same_button(packet, mixed([sent, *ambient[room]], sent) or packet[:1])
        )
        receivers: list[str] = []
        missed_by: list[str] = []
        for other_room in range(house.hubs):
            loss = house.losses.get((room, other_room))
            if other_room == room:
                continue
            in_reach = loss is not None and not (is_cut_off or is_dead)
            arriving = self._arriving(sent, loss or 0.0) if in_reach else None
            match self._received(packet, sent, arriving, ambient[other_room]):
                case True:
                    receivers.append(str(other_room))
                case False:
                    missed_by.append(str(other_room))
                case None:
                    pass
        outcome = self._link_quality.outcome(str(room), receivers, missed_by)
        self._link_quality.learn(str(room), receivers, () if is_again else missed_by)
        return is_obeyed, outcome

    def _signals(self, mean_s: float, room: int | None) -> list[Signal]:
        """Return other signals around the time of a command: noise, or presses in a room.

        They occur at random, `mean_s` apart on average.
        """
        signals: list[Signal] = []
        at = 8.0 + self._random.expovariate(1 / mean_s)
        while at < _AFTER_S:
            timings = self._noise() if room is None else self._press(room)
            signals.append(Signal(at=at, timings=timings))
            at += self._random.expovariate(1 / mean_s)
        return signals

    def _presses_at(self, room: int, presses: Mapping[int, Sequence[Signal]]) -> list[Signal]:
        """Return the presses that are received in a room."""
        received = [*presses[room]]
        for other, signals in presses.items():
            if (loss := self._house.losses.get((other, room))) is not None and other != room:
                arriving = (self._arriving(signal, loss) for signal in signals)
                received += [signal for signal in arriving if signal is not None]
        return received

    def _noise(self) -> Sequence[int]:
        make = KINDS[self._random.choice([*KINDS])]
        return make(self._random)

    def _press(self, room: int) -> Sequence[int]:
        number = self._random.randrange(8)
        if self._random.random() >= self._house.same_press_share:
            number += 8
        return to_timings(
            received_with_errors(from_timings(closed(command(room, number))), self._random)
        )

    def _arriving(self, sent: Signal, loss: float) -> Signal | None:
        timings = at_the_edge(sent.timings, loss, self._random)
        return replace(sent, timings=timings) if len(timings) > 1 else None

    def _received(
        self, packet: bytes, sent: Signal, arriving: Signal | None, ambient: Sequence[Signal]
    ) -> bool | None:
        """Return whether a hub has received the transmission; None if it captured nothing.

        It keeps the first capture until it is read, and receives nothing else until then.
        """
        all_signals = sorted(
            [*ambient, *([] if arriving is None else [arriving])], key=lambda signal: signal.at
        )
        ready_at, other_captures = 0.0, 0
        for signal in all_signals:
            if signal.at < ready_at:
                continue
            read_at = -(-signal.ends // READ_S) * READ_S
            ready_at = read_at
            capture = mixed(all_signals, signal)
            if not sent.at <= read_at <= sent.ends + WINDOW_S or capture is None:
                continue
            if not is_noise(capture) and is_reception(
                received_with_errors(capture, self._random), packet
            ):
                return True
            other_captures += 1
        return None if other_captures else False


def command(room: int, number: int) -> bytes:
    """Return the packet of a button; buttons of a room belong to one remote control."""
    coding = CODINGS[room % len(CODINGS)]
    if (packet := encode(coding, address=room + 1, command=number + 3)) is None:
        raise ValueError(coding)
    return packet


def closed(packet: bytes) -> list[int]:
    """Return the durations of a packet with a silence at the end."""
    timings = to_timings(packet)
    return [*timings, -30_000] if timings[-1] > 0 else [*timings[:-1], -30_000]


def mixed(signals: Sequence[Signal], first: Signal) -> bytes | None:
    """Return the capture that starts with a signal, including marks of other signals during it."""
    pulses: list[tuple[float, float]] = []
    for signal in signals:
        if signal.at >= first.at - 0.2 and signal.at < first.ends and signal.ends > first.at:
            pulses += _pulses(signal)
    start, end = first.at * 1e6, first.ends * 1e6
    inside = sorted(
        (max(start_us, start), min(end_us, end))
        for start_us, end_us in pulses
        if end_us > start and start_us < end
    )
    united: list[tuple[float, float]] = []
    for begin, stop in inside:
        if united and begin <= united[-1][1] + 60:
            united[-1] = united[-1][0], max(stop, united[-1][1])
        else:
            united.append((begin, stop))
    if not united:
        return None
    timings: list[float] = []
    for (begin, stop), (following, _) in pairwise([*united, (united[-1][1] + 30_000, 0.0)]):
        timings += [stop - begin, -(following - stop)]
    return from_timings([round(us) or 1 for us in timings])


def _pulses(signal: Signal) -> list[tuple[float, float]]:
    at, pulses = signal.at * 1e6, []
    for us in signal.timings:
        if us > 0:
            pulses.append((at, at + us))
        at += abs(us)
    return pulses


def measured(house: House, limits: Limits, sent: int) -> Simulation:
    """Return a simulation in which commands were sent."""
    simulation = Simulation(house, limits, seed=1, sent=sent)
    simulation.run()
    return simulation


def share(part: int, whole: int) -> str:
    """Return a share formatted for a table."""
    return f"{part / whole:.1%}" if whole else "none"


def row(houses: Sequence[Simulation]) -> str:
    """Return the table cells for some houses."""
    counts = Counter[tuple[bool, Outcome | None]]()
    for simulated in houses:
        counts += simulated.counts
    sent = counts.total()
    lost = sum(count for (is_obeyed, _), count in counts.items() if not is_obeyed)
    outcomes = Counter[Outcome | None]()
    for (_, outcome), count in counts.items():
        outcomes[outcome] += count
    return " | ".join(
        (
            share(lost, sent),
            share(outcomes[Outcome.CONFIRMED], sent),
            share(counts[False, Outcome.CONFIRMED], outcomes[Outcome.CONFIRMED]),
            share(outcomes[Outcome.IN_DOUBT], sent),
            share(counts[True, Outcome.IN_DOUBT], sent - lost),
            share(counts[False, Outcome.IN_DOUBT], lost),
            share(outcomes[None], sent),
            share(sum(simulated.lost_in_the_end for simulated in houses), sent),
        )
    )


HEAD: Final = (
    "not received | confirmed | of these wrong | in doubt | of those received |"
    " of those not received | unknown | not received if sent again |"
)


def main() -> None:
    """Measure, and print the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--sent", type=int, default=SENT)
    parser.add_argument("--limits", action="store_true")
    options = parser.parse_args()
    print(f"| house | {HEAD}\n|{'---|' * 9}")
    for name, house in HOUSES.items():
        print(f"| {name} | {row([measured(house, LIMITS, options.sent)])} |")
    if options.limits:
        print(f"\n| limit of doubt | {HEAD}\n|{'---|' * 9}")
        for limit in TRIED:
            limits = replace(LIMITS, max_miss_probability=limit)
            houses = [measured(house, limits, options.sent) for house in HOUSES.values()]
            print(f"| {limit:g} | {row(houses)} |")


if __name__ == "__main__":
    main()
