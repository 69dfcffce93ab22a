"""Captures of any length, and 100,000 mutations of real packets: a packet or a clear mistake."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.irhub.hub import hub_learning
from custom_components.irhub.ircodes import parse_text, to_base64, to_timings
from custom_components.irhub.ircodes.packet import MAX_PACKET, from_bytes, kind
from tests.irhub.home import send, start
from tests.irhub.ircodes.captured import captured, decode, lenient
from virtual_home.hub import VirtualHub

from .hubs import outcome

pytestmark = pytest.mark.reliability

MUTATIONS = 100_000
SENT = 1000
LONGEST_SENTENCE = 300
EXAMPLES: Final = [
    *(decode(example.base64) for example in captured()),
    *(example.raw for example in lenient()),
]
LONGEST = MAX_PACKET - 4
"""Bytes of durations."""


def flip(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def replace(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0xFF, random.randrange(256)))


def cut(random: Random, data: bytearray) -> None:
    del data[random.randrange(len(data)) :]


def drop(random: Random, data: bytearray) -> None:
    begin = random.randrange(len(data))
    del data[begin : begin + random.randrange(1, 9)]


def insert(random: Random, data: bytearray) -> None:
    begin = random.randrange(len(data) + 1)
    data[begin:begin] = random.randbytes(random.randrange(1, 9))


def append(random: Random, data: bytearray) -> None:
    data += random.choice((b"\r\5", bytes(16), random.randbytes(random.randrange(1, 17))))


def double(random: Random, data: bytearray) -> None:
    data += data[random.randrange(len(data)) :]


def announce(random: Random, data: bytearray) -> None:
    length = len(data) - 4 + random.randrange(-20, 21)
    data[2:4] = (max(0, length) & 0xFFFF).to_bytes(2, "little")


def retype(random: Random, data: bytearray) -> None:
    data[0] = random.choice((0x26, 0xB1, 0xB2, 0xD7, 0xE9, random.randrange(256)))


MUTATE: Final[list[Callable[[Random, bytearray], None]]] = [
    *(flip, replace, cut, drop, insert, append, double, announce, retype)
]


def mutation(random: Random) -> bytes:
    """Return an example after one to three accidents."""
    data = bytearray(random.choice(EXAMPLES))
    for _ in range(random.randrange(1, 4)):
        if data:
            random.choice(MUTATE)(random, data)
    return bytes(data)


def is_a_sentence(error: Exception) -> None:
    """See that an error says something, and gives no packet away."""
    assert 0 < len(str(error)) < LONGEST_SENTENCE, error


def test_mutations_of_real_packets_are_packets_or_mistakes() -> None:
    random = Random(20)
    good = 0
    for _ in range(MUTATIONS):
        data = mutation(random)
        text = random.choice((to_base64, bytes.hex))(data)
        if text.startswith(("0000", "0100")):
            text = to_base64(data)  # in hex that is Pronto
        try:
            checked = from_bytes(data)
        except ValueError as err:
            is_a_sentence(err)
            with pytest.raises(ValueError) as caught:  # noqa: PT011  (any sentence will do)
                parse_text(text)
            is_a_sentence(caught.value)
            continue
        good += 1
        assert data.startswith(checked)
        assert from_bytes(checked) == checked
        assert kind(checked) == ("ir" if data[0] == 0x26 else "rf")
        assert to_timings(checked)
        assert parse_text(text) == checked
        assert parse_text(to_base64(checked)) == checked
    print(f"{good} of {MUTATIONS} are packets")  # noqa: T201  (the figure)
    assert MUTATIONS / 10 < good < MUTATIONS * 9 / 10


async def test_mutations_are_sent_whole_or_refused(hass: HomeAssistant) -> None:
    random = Random(13)
    refused = 0
    async with VirtualHub("rm4_pro") as hub:
        hub.quirks.air_time = 0.0
        await start(hass, hub)
        for _ in range(SENT):
            data = mutation(random)
            before = len(hub.transmitted)
            error = await outcome(send(hass, hub, f"hex:{data.hex()}"))
            went_out = hub.transmitted[before:]
            if error is None:
                [transmitted] = went_out
                end = 4 + int.from_bytes(data[2:4], "little")
                assert transmitted == data[:end].ljust(end, b"\0")
            else:
                assert isinstance(error, ServiceValidationError), error
                is_a_sentence(error)
                assert went_out == []
                refused += 1
    assert SENT / 10 < refused < SENT * 9 / 10


def of_length(random: Random, length: int) -> bytes:
    """Return an infrared packet with so many bytes of durations: a leader, and random bits."""
    spaces = random.choices((18, 55), k=length)
    body = bytes([120, 60, *(ticks for space in spaces for ticks in (18, space))])[:length]
    return b"\x26\0" + length.to_bytes(2, "little") + body


@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_captures_of_any_length_are_learned_and_sent(
    hass: HomeAssistant, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_learning, "LEARNING_READ_S", 0.02)
    random = Random(4)
    lengths = [*range(1, 35), *(random.randrange(35, LONGEST) for _ in range(60))]
    lengths += [1452, 1453, 2040, 2041, LONGEST - 1, LONGEST]  # of datagrams, and the limit
    async with VirtualHub(model) as hub:
        hub.quirks.air_time = 0.0
        await start(hass, hub)
        for length in lengths:
            code = of_length(random, length)
            assert await learn(hass, hub, code) == to_base64(code)
            await send(hass, hub, to_base64(code))
            assert hub.transmitted[-1] == code
        assert len(hub.transmitted) == len(lengths)


async def learn(hass: HomeAssistant, hub: VirtualHub, code: bytes) -> str:
    """Press a button before the hub; return what irhub heard."""
    heard: asyncio.Task[Any] = asyncio.create_task(
        hass.services.async_call(
            "irhub", "learn", {"host": hub.host}, blocking=True, return_response=True
        )
    )
    await hub.press_when_listening(code)
    return str((await heard)["base64"])
