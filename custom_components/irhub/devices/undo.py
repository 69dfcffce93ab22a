"""Restoring deletions, and undoing changes: pure functions, as in `edits`."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from ..errors import UserError, list_names
from .device import Device
from .edits import join
from .history import sentences
from .journal import Change
from .parts import COMMANDS, WHOLE, Part, fingerprint, is_in, overlap, part_of, with_part
from .stored import Label, Stored


def restore(stored: Stored, ids: Iterable[str]) -> Stored:
    """Restore what these changes deleted or replaced; of a command, its latest version."""
    chosen = {*ids}
    if not chosen <= stored.deleted.keys():
        raise UserError("not_restored")
    return _restored(stored, [change for id_, change in stored.deleted.items() if id_ in chosen])[0]


def restore_named(
    stored: Stored, name: str | None, commands: Iterable[str] | None, label: Label
) -> tuple[Stored, int]:
    """Restore the deleted commands of a device, or of all; also return their number.

    With `commands`, restore only these, each in the version that was deleted or replaced last.
    `name` is the device's name then or now. Raise UserError, and restore nothing, if nothing was
    deleted or one of the commands was not.
    """
    deleted = [
        change
        for change in stored.deleted.values()
        if name is None or name in _names_of(stored, change, label)
    ]
    if commands is None:
        names = None
        deleted = [change for change in deleted if not change.replaced]
    else:
        names = {*commands}
        if names - {name for change in deleted for name in change.lost.by_name}:
            deleted = []
    if not deleted:
        labels = {change.label or change.device.name for change in stored.deleted.values()}
        raise UserError("nothing_deleted", known=list_names(labels))
    return _restored(stored, deleted, names)


def _restored(
    stored: Stored, changes: Iterable[Change], chosen: Collection[str] | None = None
) -> tuple[Stored, int]:
    """Restore what changes deleted or replaced; also return the number of commands.

    Earlier versions of the same command stay in the journal.
    """
    parts: list[tuple[Change, Device]] = []
    restored: set[tuple[str, str]] = set()  # id or name of the device, name of the command
    for change in reversed([*changes]):
        lost = change.lost
        names = {
            name
            for name in lost.by_name
            if (chosen is None or name in chosen)
            and restored.isdisjoint({(lost.id, name), (lost.name, name)})
        }
        restored |= {(device, name) for name in names for device in (lost.id, lost.name)}
        if names or not lost.commands:
            parts.append((change, lost.only(lost.by_name[name].id for name in names)))
    for change, part in reversed(parts):
        stored = join(_without(stored, change, change.without(part.commands.keys())), part)
    return stored, sum(len(part.commands) for _, part in parts)


def undo(stored: Stored, id_: str, label: Label) -> Stored:
    """Undo the write that contains a change, and nothing else.

    Deletions are restored alongside later additions. All other parts must be unchanged since the
    write; otherwise raise UserError that names the later change.
    """
    before = stored
    for change in write_of(stored, id_):
        try:
            undone = (
                join(stored, change.lost) if change.is_only_deletion else _undone(stored, change)
            )
        except _ChangedSinceError as err:
            if err.later is None:
                raise UserError("changed_meanwhile") from err
            later = sentences(write_of(before, err.later.id), before.devices, label)
            raise UserError("changed_since", change=later[0].change) from err
        stored = _without(undone, change)
    return stored


def is_about(stored: Stored, changes: Iterable[Change], name: str, label: Label) -> bool:
    """Return whether changes concern a device, given its name then or now."""
    return any(name in _names_of(stored, change, label) for change in changes)


def write_of(stored: Stored, id_: str) -> list[Change]:
    """Return all changes of the write that contains a change. Raise UserError if it is unknown."""
    if (change := stored.journal.get(id_)) is None:
        raise UserError("no_change")
    return next(changes for changes in writes_of(stored) if change in changes)


def writes_of(stored: Stored) -> list[list[Change]]:
    """Return the changes that can be undone, grouped by write, latest first."""
    writes: dict[int | str, list[Change]] = {}
    for change in stored.journal.values():
        # The first versions did not store the number of the write.
        writes.setdefault(change.write or change.id, []).append(change)
    return [*reversed(writes.values())]


class _ChangedSinceError(Exception):
    """A part was changed again since; `later` is that change, if known."""

    def __init__(self, later: Change | None) -> None:
        super().__init__()
        self.later = later


def _undone(stored: Stored, change: Change) -> Stored:
    """Undo a change of a device. Raise _ChangedSinceError."""
    now, previous = stored.devices.get(change.device.id), None if change.added else change.device
    for part, expected in change.after.items():
        if not is_in(now, part) or fingerprint(part_of(now, part)) != expected:
            raise _ChangedSinceError(_last(stored, change, change.device.id, part))
    if WHOLE in change.after:
        if previous is None:
            return stored.without_device(change.device.id)
        undone = previous
    else:
        if now is None:
            raise _ChangedSinceError(None)
        undone = now
        # Commands first, since functions refer to them.
        for part in sorted(change.after, key=lambda part: part[0] != COMMANDS):
            undone = with_part(undone, part, part_of(previous, part))
    _check_names(stored, change, undone)
    return stored.with_devices(_without_lost_functions(undone))


def _check_names(stored: Stored, change: Change, undone: Device) -> None:
    """Raise _ChangedSinceError if another device or command has the name by now."""
    other = stored.named(undone.name)
    if other is not None and other.id != undone.id:
        later = _last(stored, change, other.id, ("name",)) or _last(stored, change, other.id, WHOLE)
        raise _ChangedSinceError(later)
    names = [command.name for command in undone.commands.values()]
    if len({*names}) < len(names):
        double = {id_ for id_, command in undone.commands.items() if names.count(command.name) > 1}
        parts = [part for id_ in double for part in ((COMMANDS, id_), (COMMANDS, id_, "name"))]
        of_parts = (_last(stored, change, undone.id, part) for part in parts)
        raise _ChangedSinceError(next((later for later in of_parts if later is not None), None))


def _without_lost_functions(device: Device) -> Device:
    kept = {name: id_ for name, id_ in device.functions.items() if id_ in device.commands}
    return device if len(kept) == len(device.functions) else replace(device, functions=kept)


def _last(stored: Stored, change: Change, device_id: str, part: Part) -> Change | None:
    """Return the last change after `change` that overlaps with a part, if any."""
    return next(
        (
            later
            for later in reversed([*stored.journal.values()])
            if later.write > change.write
            and later.device.id == device_id
            and any(overlap(part, other) for other in later.after or [WHOLE])
        ),
        None,
    )


def _without(stored: Stored, change: Change, remainder: Change | None = None) -> Stored:
    """Remove a change from the journal, or replace it with what remains of it."""
    journal = {
        id_: remainder if remainder is not None and id_ == change.id else other
        for id_, other in stored.journal.items()
        if remainder is not None or id_ != change.id
    }
    return replace(stored, journal=journal)


def _names_of(stored: Stored, change: Change, label: Label) -> set[str]:
    """Return the names of a change's device, then and now."""
    now = stored.devices.get(change.device.id, change.device)
    return {change.device.name, change.label, now.name, label(now)}
