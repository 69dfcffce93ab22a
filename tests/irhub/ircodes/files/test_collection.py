"""The index of the collection that is shipped: whose remote control sends what was heard."""

from itertools import product
from pathlib import Path
import time

import pytest

from custom_components.irhub.ircodes.files.fingerprints import fingerprint
from custom_components.irhub.ircodes.files.shipped import SHIPPED, CollectedFile, Collection
from custom_components.irhub.ircodes.packet.reader import read

from .indexes import FANS, MODES, heard, state


def collected(maker: int, *models: str) -> CollectedFile:
    return CollectedFile(
        kind="climate",
        manufacturer=f"Maker {maker}",
        models=models,
        path=f"codes/climate/{maker}.json",
        size=1000 + maker,
        sha256=f"{maker:064x}",
    )


FILES = [collected(1, "A 1", "B 2"), collected(2, "A 1"), collected(3)]


def codes_of(maker: int) -> frozenset[int]:
    """Return the fingerprints of a maker's states; the first two makers' are the same."""
    packets = (
        state(max(maker, 2), mode, fan, degrees)
        for mode, fan, degrees in product(MODES, FANS, range(16, 31))
    )
    keys = (read(packet).key for packet in packets)
    return frozenset(fingerprint(key) for key in keys if key is not None)


def collection() -> Collection:
    return Collection(
        commit="c" * 40,
        licence="as you like",
        codes={file: codes_of(number) for number, file in enumerate(FILES, 1)},
    )


def test_a_press_names_maker_and_model() -> None:
    known = Collection.from_bytes(collection().to_bytes())
    assert known.find([heard(state(3, "dry", "low", 22), 1)]) == [FILES[2]]
    assert known.find([heard(state(2, "cool", "auto", 30), 2)]) == FILES[:2]
    assert known.find([state(4, "cool", "auto", 30)]) == []
    assert known.find([]) == []


def test_several_presses() -> None:
    known = collection()
    ours, theirs, nobodys = (
        state(3, "dry", "low", 22),
        state(2, "dry", "low", 22),
        state(9, "dry", "low", 22),
    )
    assert known.find([ours, state(3, "cool", "low", 22), nobodys]) == [FILES[2]]
    assert known.find([ours, theirs]) == FILES


def test_maker_and_model_are_searched_for() -> None:
    known = collection()
    assert known.search("maker a 1") == FILES[:2]
    assert known.search("B MAKER 2") == [FILES[0]]
    assert known.search("maker", kind="fan") == []
    assert known.search("", kind="climate") == FILES


def test_an_index_is_the_same_when_written_again() -> None:
    content = collection().to_bytes()
    again = Collection.from_bytes(content)
    assert again.to_bytes() == content
    assert (again.commit, again.licence, again.count) == ("c" * 40, "as you like", 270)
    assert list(again.files) == FILES
    url = again.url(FILES[0])
    assert url.startswith("https://")
    assert url.endswith(f"/{'c' * 40}/codes/climate/1.json")


def test_what_is_shipped() -> None:
    before = time.process_time()
    shipped = Collection.load()
    shipped.find([state(1, "cool", "auto", 24)])
    first = time.process_time() - before
    before = time.process_time()
    shipped.find([heard(state(1, "cool", "auto", 24), 1)])
    following = time.process_time() - before
    assert SHIPPED.stat().st_size < 500_000
    assert "MIT License" in shipped.licence
    assert "Copyright" in shipped.licence
    assert {file.kind for file in shipped.files} == {"climate", "fan", "light", "media_player"}
    assert all(file.manufacturer and len(file.sha256) == 64 for file in shipped.files)
    assert all(".." not in Path(file.path).parts for file in shipped.files)
    assert shipped.search("daikin", kind="climate")
    assert shipped.count > 60_000
    assert first < 0.2
    assert following < 0.02


@pytest.mark.parametrize("cut", [0, 3, 50])
def test_a_broken_index_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="index"):
        Collection.from_bytes(collection().to_bytes()[:cut])
