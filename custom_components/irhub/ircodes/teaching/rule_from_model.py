"""Convert the proven part of a model to a rule."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import or_, xor
from statistics import median

from ..packet.bits import Signal
from ..packet.codings import Bits
from ..packet.reader import read
from ..states import messages
from ..states.bit_rule import BitRule, ModeBits
from ..states.capabilities import Capabilities, Levels
from ..states.rule_parts import Extra
from ..states.state import ATTRIBUTES, State, Value, attributes, value
from .enclosing import Enclosing
from .equations import Equation, GrowingEquations
from .evidence import Evidence
from .hypotheses import ExtraTerm
from .model import Model
from .other_layout import OtherLayout
from .proof import Proof


def make_rule(proof: Proof) -> BitRule:
    """Return the rule of the proven states.

    States that the tables do not produce are sent as received, if that is certain.
    """
    model, observations = proof.model, proof.observations
    layout = observations.layout
    assert layout is not None  # noqa: S101 - for mypy: there are messages
    usual = [p.packet for p in observations.presses if p.message is not None and not p.is_enclosed]
    unmarked = observations.unmarked
    signal = _usual_signal(usual, layout, model.evidence.received[0][1] & unmarked)
    capabilities = model.evidence.capabilities
    proven = {
        state: message
        for mode in capabilities
        for state in capabilities.states(mode)
        if (message := proof.message(state)) is not None
    }
    offered = {state: bits & model.data for state, bits in proven.items() if bits <= unmarked}
    data = model.data & unmarked
    modes, without, by_tables = _tables(model.evidence, offered, data, partial(_extras, model))
    order = Capabilities.alike(capabilities, capabilities.levels)
    others = [_other_rule(proof, other, order) for other in proof.other_layouts if other.messages]
    for enclosing in observations.enclosing:
        enclosed = {
            state: message & unmarked
            for state, message in proven.items()
            if message & ~unmarked and observations.enclosed_by(message) == enclosing
        }
        if enclosed:
            others.append(_enclosing_rule(proof, enclosing, enclosed, order))
    by_others = {state for other in others for state in other.states}
    return BitRule(
        signal=signal,
        order=order,
        modes=modes,
        checks=tuple(alternatives[0] for alternatives in reversed(model.evidence.checks)),
        volatile=model.volatile,
        without=frozenset(without),
        pressed={
            state: _written_like(signal, packet)
            for state, packet in proof.pressed.items()
            if state not in by_tables and state not in by_others
        },
        others=tuple(others),
        off=proof.off and _written_like(signal, proof.off),
    )


def _other_rule(proof: Proof, other: OtherLayout, order: Capabilities) -> BitRule:
    """Return the rule of the proven states with another layout."""

    def extras(mode: str) -> tuple[Extra, ...]:
        usual = _extras(proof.model, mode)
        return tuple(own for extra in usual for own in other.extras_like(extra))

    offered = {state: message & other.data for state, message in other.messages.items()}
    modes, without, _ = _tables(proof.model.evidence, offered, other.data, extras)
    packets = _packets_of(proof, other.layout)
    return BitRule(
        signal=_usual_signal(packets, other.layout, other.presses[0].message),
        order=order,
        modes=modes,
        checks=tuple(alternatives[0] for alternatives in reversed(other.checks)),
        volatile=0,
        without=frozenset(without),
        pressed={},
    )


def _enclosing_rule(
    proof: Proof, enclosing: Enclosing, enclosed: Mapping[State, int], order: Capabilities
) -> BitRule:
    """Return the rule of the proven states whose usual message is enclosed in other frames."""
    model, start = proof.model, enclosing.start
    checks = [alternatives[0].moved(start) for alternatives in reversed(model.evidence.checks)]
    sent = (1 << sum(enclosing.layout.frames)) - 1
    data = sent & ~reduce(or_, (check.target.mask for check in checks), model.volatile << start)

    def extras(mode: str) -> tuple[Extra, ...]:
        usual = _extras(model, mode)
        return tuple(replace(extra, flips=extra.flips << start & data) for extra in usual)

    messages_of = {state: enclosing.message(usual) for state, usual in enclosed.items()}
    offered = {state: message & data for state, message in messages_of.items()}
    modes, without, _ = _tables(model.evidence, offered, data, extras)
    packets = _packets_of(proof, enclosing.layout)
    return BitRule(
        signal=_usual_signal(packets, enclosing.layout, next(iter(messages_of.values()))),
        order=order,
        modes=modes,
        checks=tuple(checks),
        volatile=model.volatile << start,
        without=frozenset(without),
        pressed={},
    )


def _packets_of(proof: Proof, layout: messages.Layout) -> list[bytes]:
    """Return the received packets with a layout."""
    return [
        press.packet
        for press in proof.observations.presses
        if press.decoded is not None and press.decoded[0] == layout
    ]


def _tables(
    evidence: Evidence,
    offered: Mapping[State, int],
    data: int,
    extras: Callable[[str], tuple[Extra, ...]],
) -> tuple[Mapping[str, ModeBits], set[State], set[State]]:
    """Return tables for the bits of some states.

    Also return the states that the tables produce incorrectly, and those that they produce.
    """
    modes: dict[str, ModeBits] = {}
    without: set[State] = set()
    by_tables: set[State] = set()
    for mode in evidence.capabilities:
        of_mode = {state: bits for state, bits in offered.items() if state.mode == mode}
        if of_mode:
            modes[mode] = _mode_bits(evidence, of_mode, data, extras(mode))
            made = modes[mode].messages(mode)
            right = {state for state in of_mode if made.get(state) == of_mode[state]}
            by_tables |= right
            without |= _left_out(made, right)
    return modes, without, by_tables


def _usual_signal(packets: Iterable[bytes], layout: messages.Layout, message: int) -> Signal:
    """Return the signal with the frames of most packets, with the bits of a message.

    Any single press may have been received late, without its leader, or with disturbances:
    durations are the medians of all presses with the same frames.
    """
    signals = [signal for packet in packets if (signal := read(packet).signal) is not None]
    shapes = [[(len(f.leader), len(f.bits), len(f.trailer)) for f in s.whole] for s in signals]
    usual = max(shapes, key=shapes.count)
    alike = [signal for signal, shape in zip(signals, shapes, strict=True) if shape == usual]
    alike.sort(key=lambda signal: _layout(signal) != layout)  # those without equal frames first
    like = alike[0]
    if like.coding.kind == "pairs":  # in biphase, the leader may include half a bit
        frames = zip(*(signal.whole for signal in alike), strict=True)
        like = replace(
            like,
            coding=replace(
                like.coding,
                one=_pair(_medians(signal.coding.one for signal in alike)),
                zero=_pair(_medians(signal.coding.zero for signal in alike)),
            ),
            frames=tuple(
                replace(
                    of_position[0],
                    leader=_medians(frame.leader for frame in of_position),
                    trailer=_medians(frame.trailer for frame in of_position),
                    gap=_medians((frame.gap,) for frame in of_position)[0],
                )
                for of_position in frames
            ),
        )
    written = messages.signal_of(like, message)
    return written if _layout(written) == layout else like


def _layout(signal: Signal) -> messages.Layout | None:
    decoded = messages.decode(signal)
    return None if decoded is None else decoded[0]


def _pair(durations: Sequence[int]) -> tuple[int, int]:
    mark, space = durations
    return mark, space


def _medians(durations: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the median of each position."""
    return tuple(round(median(of_position)) for of_position in zip(*durations, strict=True))


def _written_like(signal: Signal, packet: bytes) -> bytes:
    """Return a packet with the durations of a signal; unchanged if it has other frames."""
    received = read(packet).signal
    decoded = messages.read(packet, like=_layout(signal))
    if received is None or decoded is None:
        return packet
    written = messages.write(signal, decoded[1])
    again = read(written).signal
    is_same = again is not None and received.is_like(again) and _frames(received) == _frames(again)
    return written if is_same else packet


def _frames(signal: Signal) -> list[Bits]:
    """Return the bits of all frames, including repeats."""
    return [frame.bits for frame in signal.whole]


def _extras(model: Model, mode: str) -> tuple[Extra, ...]:
    """Return the extra terms of a mode as extras of the rule."""
    terms: list[Extra] = []
    capabilities = model.evidence.capabilities[mode]
    for extra, flips in model.extra_flips(mode):
        values = _values_of(extra, capabilities)
        if flips:
            terms.append(Extra(flips=flips, values=values))
        if extra.toggles:
            flips_of = model.flips(extra.toggles)
            set_by: dict[frozenset[Value], int] = {}
            for bit in range(model.data.bit_length()):
                known = capabilities.values(extra.toggles)
                setting = frozenset(v for v in known if flips_of.get(v, 0) >> bit & 1)
                set_by[setting] = set_by.get(setting, 0) | 1 << bit
            terms += [
                Extra(flips=bits_set, values={**values, extra.toggles: settings})
                for settings, bits_set in set_by.items()
                if settings
            ]
    return tuple(terms)


def _values_of(extra: ExtraTerm, capabilities: Levels) -> Mapping[str, frozenset[Value]]:
    """Return the values of states that have an extra term."""
    values = {attribute: frozenset([setting]) for attribute, setting in extra.values}
    if extra.last_below is not None:
        here = (t for t in capabilities.temperatures if extra.applies_at(t))
        values["temperature"] = frozenset[Value](here)
    return values


def _mode_bits(
    evidence: Evidence, offered: Mapping[State, int], data: int, extras: tuple[Extra, ...]
) -> ModeBits:
    """Return the bits of a mode; tables may not produce all states correctly."""
    plain = {
        state: reduce(xor, (extra.flips for extra in extras if extra.applies_to(state)), bits_of)
        for state, bits_of in offered.items()
    }
    unknowns, equations = evidence.unknowns, GrowingEquations(data)
    for state, bits_of in plain.items():
        total = unknowns["mode", "", state.mode]
        total |= sum(unknowns[attribute, "", setting] for attribute, setting in attributes(state))
        equations.add(Equation(total, bits_of, 0))
    first = next(iter(offered))
    tables: dict[str, dict[Value, int]] = {}
    for attribute in ATTRIBUTES:
        base = value(first, attribute)
        for setting in dict.fromkeys(value(state, attribute) for state in offered):
            if setting is not None and base is not None:
                both = unknowns[attribute, "", setting] ^ unknowns[attribute, "", base]
                if (flips := equations.solve(both)) is not None:
                    tables.setdefault(attribute, {})[setting] = flips
    return ModeBits(bits=plain[first], tables=tables, extras=extras)


def _left_out(made: Collection[State], right: Collection[State]) -> set[State]:
    """Return states that tables produce incorrectly; columns of temperatures are combined."""
    columns = {replace(state, temperature=None) for state in right}
    return {
        state if (column := replace(state, temperature=None)) in columns else column
        for state in made
        if state not in right
    }
