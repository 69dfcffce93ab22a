"""What comes through a wall: most of it, a bit off."""

from broadlink.remote import data_to_pulses  # type: ignore[import-untyped]

from virtual_home.hub import Passage, VirtualHub

PACKET = bytes.fromhex("26000c00") + bytes((40, 30, 20, 10, 0, 1, 244, 40, 30, 20, 30, 200))


class Heard(list[bytes]):
    """Keeps what it hears."""

    def press(self, packet: bytes) -> None:
        """Hear a packet."""
        self.append(packet)


def test_durations_are_a_bit_off() -> None:
    heard = Heard()
    Passage(heard).press(PACKET)
    [received] = heard
    assert received != PACKET
    before, after = data_to_pulses(PACKET), data_to_pulses(received)
    assert len(after) == len(before)
    assert all(abs(a - b) <= 0.06 * b + 33 for a, b in zip(after, before, strict=True))


def test_some_of_it_is_lost() -> None:
    heard = Heard()
    way = Passage(heard, lost=0.3)
    for _ in range(1_000):
        way.press(PACKET)
    assert 600 < way.passed == len(heard) < 800


def test_the_next_are_lost_or_all_while_it_is_closed() -> None:
    heard = Heard()
    way = Passage(heard)
    way.lost_next = 2
    for _ in range(3):
        way.press(PACKET)
    assert len(heard) == 1
    way.closed = True
    way.press(PACKET)
    assert len(heard) == 1


async def test_a_hub_hears_through_it_if_it_listens() -> None:
    async with VirtualHub() as hub:
        way = Passage(hub)
        way.press(PACKET)
        assert hub.receiver.capture is None
        hub.receiver.listen("ir")
        hub.receiver.read()
        hub.quirks.noise = False
        hub.receiver.listen("ir")
        way.press(PACKET)
        assert hub.receiver.capture is not None
