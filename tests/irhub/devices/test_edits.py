"""Edits, and how they are undone: what is stored before and after, without Home Assistant."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
import json
from typing import Any

import pytest

from custom_components.irhub.devices import edits, undo
from custom_components.irhub.devices.device import Command, Device, Protocol, Settings
from custom_components.irhub.devices.journal import KEPT_CHANGES, Change
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.devices.parts import (
    different,
    fingerprint,
    part_of,
    read_part,
    with_part,
)
from custom_components.irhub.devices.stored import Stored, read_stored
from custom_components.irhub.errors import UserError
from custom_components.irhub.ircodes import Capabilities, Levels, State
from custom_components.irhub.ircodes.states import Steps

from ..ircodes.captured import FAN, HDMI, POWER

EMPTY = Stored(mac="34ea34000001")


def name_of(device: Device) -> str:
    return device.name


def edited(stored: Stored, edit: Callable[..., Stored], *arguments: Any, **named: Any) -> Stored:  # noqa: ANN401
    """Return what is written when an edit is made, read from the file again."""
    written = edit(stored, *arguments, **named).written_after(stored, name_of)
    read, odd = read_stored(json.loads(json.dumps(written.as_data())))
    assert odd == []
    assert read == written
    return read


def learned(stored: Stored = EMPTY, **packets: bytes) -> Stored:
    """Return what is stored when commands of the TV are learned, in one write."""
    commands = {name: [packet] for name, packet in packets.items()}
    return edited(stored, edits.store, {"TV": commands}, edits.Known(), name_of)


def television(stored: Stored) -> Device:
    return next(device for device in stored.devices.values() if device.name == "TV")


def packets(stored: Stored) -> dict[str, dict[str, tuple[bytes, ...]]]:
    return {
        device.name: {name: each.packets for name, each in device.by_name.items()}
        for device in stored.devices.values()
    }


def last(stored: Stored) -> str:
    """Return the id of the last change."""
    return [*stored.journal][-1]


def undone(stored: Stored, id_: str | None = None) -> Stored:
    return edited(stored, undo.undo, id_ or last(stored), name_of)


def settings(**fields: Any) -> Callable[[Device], Device]:  # noqa: ANN401
    return lambda device: replace(device, settings=replace(device.settings, **fields))


EDITS: dict[str, Callable[[Stored], Stored]] = {
    "a device comes": lambda stored: edited(
        stored, edits.put, [Device(id="34ea34000001-00000007", name="Lamp", kind=Kind.LIGHT)]
    ),
    "a command comes": lambda stored: learned(stored, mute=FAN),
    "a command is learned again": lambda stored: learned(stored, power=HDMI),
    "a device is renamed": lambda stored: edited(
        stored, edits.rename, television(stored), "Set", name_of
    ),
    "a command is renamed": lambda stored: edited(
        stored,
        edits.rename_command,
        television(stored),
        television(stored).by_name["hdmi"],
        "input",
        new_device=None,
        label=name_of,
    ),
    "a command moves": lambda stored: edited(
        stored,
        edits.rename_command,
        television(stored),
        television(stored).by_name["hdmi"],
        "hdmi",
        new_device="Box",
        label=name_of,
    ),
    "a command is deleted": lambda stored: edited(
        stored, edits.delete, television(stored), [television(stored).by_name["hdmi"]], name_of
    ),
    "a device is deleted": lambda stored: edited(
        stored, edits.delete, television(stored), None, name_of
    ),
    "all are deleted": lambda stored: edited(stored, edits.delete_all),
    "settings": lambda stored: edited(
        stored, edits.change, television(stored), settings(delay=2, events=True), name_of
    ),
    "its kind": lambda stored: edited(
        stored,
        edits.change,
        television(stored),
        lambda device: replace(device, kind=Kind.TELEVISION, entity=device.id),
        name_of,
    ),
    "functions": lambda stored: edited(
        stored,
        edits.change,
        television(stored),
        lambda device: replace(device, functions={"on": device.by_name["power"].id}),
        name_of,
    ),
    "a rule": lambda stored: edited(
        stored,
        edits.change,
        television(stored),
        lambda device: replace(device, rule=Protocol(name="Gree", fields={"light": 1})),
        name_of,
    ),
    "a state": lambda stored: edited(
        stored,
        edits.change,
        television(stored),
        lambda device: device.with_commands(
            replace(device.by_name["power"], state=State(mode="cool", temperature=21))
        ),
        name_of,
    ),
    "an import": lambda stored: edited(
        stored,
        edits.import_devices,
        [
            replace(
                television(learned(power=FAN, menu=FAN)), id="34ea34000009-00000001", model="X"
            ),
            Device(
                id="34ea34000009-00000002",
                name="Fan",
                kind=Kind.FAN,
                unknown_keys={"colour": "red"},
            ),
        ],
        lambda _id: False,
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_change_can_be_undone_and_that_again(edit: Callable[[Stored], Stored]) -> None:
    before = learned(power=POWER, hdmi=HDMI)
    after = edit(before)
    assert after.devices != before.devices
    assert after.writes == before.writes + 1
    back = undone(after)
    assert back.devices == before.devices
    assert undone(back).devices == after.devices


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_change_can_be_undone_after_another_device_changed(
    edit: Callable[[Stored], Stored],
) -> None:
    before = learned(power=POWER, hdmi=HDMI)
    after = edit(before)
    change = last(after)
    other = edited(
        after, edits.store, {"Radio": {"on": [FAN]}}, edits.Known(kind=Kind.RECEIVER), name_of
    )
    [radio] = [device for device in other.devices.values() if device.name == "Radio"]
    assert undone(other, change).devices == {**before.devices, radio.id: radio}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a command is learned again", "a command is renamed"),
        ("a command is learned again", "a device is renamed"),
        ("settings", "a command is deleted"),
        ("a command is deleted", "a device is renamed"),
        ("a command is renamed", "settings"),
        ("its kind", "settings"),
        ("a command comes", "a command is learned again"),
    ],
)
def test_an_undo_keeps_later_independent_changes(first: str, second: str) -> None:
    before = learned(power=POWER, hdmi=HDMI)
    after = EDITS[first](before)
    change = last(after)
    back = undone(EDITS["a device comes"](EDITS[second](after)), change)
    assert back.devices == EDITS["a device comes"](EDITS[second](before)).devices


def other(value: object) -> Any:  # noqa: ANN401  (of any field)
    """Return something else than the value of a field."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case tuple():
            return (*value, "other")
        case Mapping():
            return {**value, "other": "value"}
        case None:
            return State(mode="cool")
        case _:
            return "something else"


def test_every_field_is_a_part_that_can_be_undone() -> None:
    """A field that comes with a new version is in the journal without further ado."""
    stored = learned(power=POWER, hdmi=HDMI)
    device = television(stored)
    power = device.by_name["power"]
    others = [
        replace(device, **{each.name: other(getattr(device, each.name))})
        for each in fields(Device)
        if each.name not in {"id", "commands", "settings", "capabilities", "steps", "rule"}
    ]
    others.append(replace(device, capabilities=Capabilities.alike(["cool"], Levels())))
    others.append(replace(device, steps=Steps(speeds=("low", "high"))))
    others += [
        replace(device, settings=replace(device.settings, **{each.name: other(None)}))
        for each in fields(Settings)
    ]
    others += [
        device.with_commands(replace(power, **{each.name: other(getattr(power, each.name))}))
        for each in fields(Command)
        if each.name != "id"
    ]
    for changed in others:
        parts = [*different(device, changed)]
        assert parts, changed
        back = changed
        for part in parts:
            assert fingerprint(part_of(changed, part)) != fingerprint(part_of(device, part))
            back = with_part(back, part, part_of(device, part))
            assert read_part(list(part)) == part
        assert back == device


def learned_anew(stored: Stored) -> Stored:
    return learned(stored, power=FAN)


@pytest.mark.parametrize(
    ("first", "second", "later"),
    [
        ("a command is learned again", learned_anew, "power"),
        ("a command comes", lambda stored: learned(stored, mute=HDMI), "mute"),
        ("a command is learned again", EDITS["a device is deleted"], "TV"),
        ("settings", EDITS["a device is deleted"], "TV"),
        ("a command is renamed", EDITS["a command is deleted"], "hdmi"),
    ],
)
def test_what_changed_since_then_is_named(
    first: str, second: Callable[[Stored], Stored], later: str
) -> None:
    after = EDITS[first](learned(power=POWER, hdmi=HDMI))
    change = last(after)
    if first == "a command is renamed":
        after = edited(
            after, edits.delete, television(after), [television(after).by_name["input"]], name_of
        )
        later = "input"
    else:
        after = second(after)
    with pytest.raises(UserError) as error:
        undone(after, change)
    assert error.value.translation_key == "changed_since"
    assert later in str(error.value.values["change"])


def test_a_name_that_is_taken_now_is_not_given_twice() -> None:
    before = learned(power=POWER, hdmi=HDMI)
    renamed = EDITS["a command is renamed"](before)
    change = last(renamed)
    with pytest.raises(UserError) as error:
        undone(learned(renamed, hdmi=FAN), change)
    assert error.value.translation_key == "changed_since"
    moved = EDITS["a device is renamed"](before)
    with pytest.raises(UserError) as error:
        undone(learned(moved, power=FAN), last(moved))
    assert error.value.translation_key == "changed_since"


def test_a_restored_device_is_added_beside_another_of_its_name() -> None:
    deleted = EDITS["a command is deleted"](learned(power=POWER, hdmi=HDMI))
    change = last(deleted)
    back = undone(learned(deleted, hdmi=FAN), change)
    assert packets(back)["TV"] == {"power": (POWER,), "hdmi": (HDMI,)}
    assert packets(undone(back))["TV"] == {"power": (POWER,), "hdmi": (FAN,)}


def test_a_command_that_comes_back_does_what_it_did() -> None:
    stored = edited(
        EMPTY,
        edits.store,
        {"TV": {"power": [POWER], "mute": [HDMI]}},
        edits.Known(kind=Kind.TELEVISION, functions={"power": "toggle"}),
        name_of,
    )
    before = television(stored)
    assert before.functions.keys() == {"toggle", "mute"}
    deleted = edited(stored, edits.delete, before, [before.by_name["power"]], name_of)
    assert television(deleted).functions.keys() == {"mute"}
    assert television(undone(deleted)).functions == before.functions
    for restored in (
        undo.restore(deleted, deleted.deleted),
        undo.restore_named(deleted, "TV", ["power"], name_of)[0],
    ):
        assert television(restored).functions == before.functions
        assert television(restored).commands == before.commands


def test_commands_never_get_the_same_name() -> None:
    """What a command was comes back under its name, which another one has got meanwhile."""
    stored = learned(learned(power=POWER), power=HDMI)
    [replaced] = stored.deleted
    stored = edited(
        stored,
        edits.rename_command,
        television(stored),
        television(stored).by_name["power"],
        "on",
        new_device=None,
        label=name_of,
    )
    stored = edited(learned(stored, power=FAN), undo.restore, [replaced])
    assert packets(stored)["TV"] == {"power 2": (POWER,), "power": (FAN,)}


def test_devices_never_get_the_same_name() -> None:
    """A rule cannot be added to another device: it comes back under another name."""
    rule = Device(id="34ea34000001-00000008", name="TV", rule=Protocol(name="Gree"))
    stored = edited(edited(EMPTY, edits.put, [rule]), edits.delete, rule, None, name_of)
    stored = edited(learned(stored, power=POWER), undo.restore, stored.deleted)
    assert sorted(device.name for device in stored.devices.values()) == ["TV", "TV 2"]


def test_nothing_different_is_no_change() -> None:
    before = learned(power=POWER)
    same: list[Callable[[Stored], Stored]] = [
        lambda stored: edits.store(stored, {"TV": {"power": [POWER]}}, edits.Known(), name_of),
        lambda stored: edits.rename(stored, television(stored), "TV", name_of),
        lambda stored: edits.follow_events(stored, []),
    ]
    for edit in same:
        assert edit(before).has_same_content_as(before)


def test_changes_that_delete_nothing_are_kept_for_fewer_writes() -> None:
    stored = EDITS["a command is deleted"](learned(power=POWER, hdmi=HDMI))
    [deleted] = stored.deleted
    for number in range(KEPT_CHANGES + 3):
        stored = edits.change(
            stored, television(stored), settings(delay=number % 7), name_of
        ).written_after(stored, name_of)
    assert len(stored.journal) == KEPT_CHANGES + 1
    assert next(iter(stored.journal)) == deleted


def test_changes_of_a_newer_version_stay_as_they_are() -> None:
    stored = EDITS["settings"](learned(power=POWER))
    data = stored.as_data()
    [_, known] = data["journal"]
    newer = [
        {"id": "1", "what": "something else"},
        {**known, "id": "2", "after": [["settings", "loudness", "0123"]]},
        {**known, "id": "3", "mood": "calm"},
    ]
    read, odd = read_stored({**data, "journal": [*data["journal"], *newer]})
    assert odd == []
    assert [*read.journal] == [*stored.journal, "3"]
    written = {each["id"]: each for each in read.as_data()["journal"]}
    for each in newer:
        assert written[each["id"]] == each
    read, odd = read_stored({**data, "journal": "elsewhere"})
    assert odd == []
    assert read.as_data()["journal"] == "elsewhere"


def test_0_4_1_can_restore_what_was_taken() -> None:
    """It reads `deleted`, each with a whole device, and leaves alone what it does not know."""
    for edit in EDITS.values():
        data = edit(learned(power=POWER, hdmi=HDMI)).as_data()
        for each in data["deleted"]:
            assert each["device"].keys() >= {"id", "name", "commands"}
            assert each["device"]["commands"]
            assert isinstance(each["replaced"], bool)
        assert all("replaced" not in each for each in data.get("journal", ()))
    moved = EDITS["a command moves"](learned(power=POWER, hdmi=HDMI))
    assert not moved.deleted, "it is there, elsewhere"


def test_a_deletion_by_0_4_1_can_be_undone() -> None:
    stored = EDITS["a command is deleted"](learned(power=POWER, hdmi=HDMI))
    data = stored.as_data()
    for each in data["deleted"]:
        del each["after"]
    read, _ = read_stored(data)
    [change] = read.deleted.values()
    assert isinstance(change, Change)
    assert packets(undone(read, change.id))["TV"] == {"power": (POWER,), "hdmi": (HDMI,)}
