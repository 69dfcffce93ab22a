"""Bring back what changes have taken, and undo changes. Nothing here does I/O or waits."""

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
    """Bring back what these changes took, as it was; of one command what went last."""
    chosen = {*ids}
    if not chosen <= stored.deleted.keys():
        raise UserError("not_restored")
    return _restored(stored, [change for id_, change in stored.deleted.items() if id_ in chosen])[0]


def restore_named(
    stored: Stored, name: str | None, commands: Iterable[str] | None, label: Label
) -> tuple[Stored, int]:
    """Bring back what was deleted of a device, or of all; return how many commands that is, too.

    Of `commands` nothing else comes back than they: each as it was when it was deleted or
    replaced last. A device is named as it was called then, or is now. If nothing is there, or one
    of the commands is not, all stay as they are.
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
        if names - {of for change in deleted for of in change.lost.by_name}:
            deleted = []
    if not deleted:
        labels = {change.label or change.device.name for change in stored.deleted.values()}
        raise UserError("nothing_deleted", known=list_names(labels))
    return _restored(stored, deleted, names)


def _restored(
    stored: Stored, changes: Iterable[Change], chosen: Collection[str] | None = None
) -> tuple[Stored, int]:
    """Return what is stored with what changes took, and how many commands that is.

    What an earlier change took of the same command stays in the journal.
    """
    parts: list[tuple[Change, Device]] = []
    back: set[tuple[str, str]] = set()
    for change in reversed([*changes]):
        lost = change.lost
        names = {
            name
            for name in lost.by_name
            if (chosen is None or name in chosen)
            and back.isdisjoint({(lost.id, name), (lost.name, name)})
        }
        back |= {(of, name) for name in names for of in (lost.id, lost.name)}
        if names or not lost.commands:
            parts.append((change, lost.only(lost.by_name[name].id for name in names)))
    for change, part in reversed(parts):
        stored = join(_without(stored, change, change.without(part.commands.keys())), part)
    return stored, sum(len(part.commands) for _, part in parts)


def undo(stored: Stored, id_: str, label: Label) -> Stored:
    """Make undone what the write has changed that this change is of, and nothing else.

    What it took comes back beside what has come since. Anything else must still be as the write
    left it: else a UserError names what has changed it since.
    """
    before = stored
    for change in write_of(stored, id_):
        try:
            undone = join(stored, change.lost) if change.only_takes else _undone(stored, change)
        except _ChangedSinceError as err:
            if err.later is None:
                raise UserError("changed_meanwhile") from err
            later = sentences(write_of(before, err.later.id), before.devices, label)
            raise UserError("changed_since", change=later[0].change) from err
        stored = _without(undone, change)
    return stored


def is_about(stored: Stored, changes: Iterable[Change], name: str, label: Label) -> bool:
    """Return whether changes are about a device, as it was named then, or is now."""
    return any(name in _names_of(stored, change, label) for change in changes)


def write_of(stored: Stored, id_: str) -> list[Change]:
    """Return the changes of the write that a change is of. Raise UserError if it is not known."""
    if (change := stored.journal.get(id_)) is None:
        raise UserError("no_change")
    return next(changes for changes in writes_of(stored) if change in changes)


def writes_of(stored: Stored) -> list[list[Change]]:
    """Return the changes that can be undone, those of one write together, the latest first."""
    writes: dict[int | str, list[Change]] = {}
    for change in stored.journal.values():
        # The first versions did not say which write it was.
        writes.setdefault(change.write or change.id, []).append(change)
    return [*reversed(writes.values())]


class _ChangedSinceError(Exception):
    """A part is not as a change has left it: another one came later, if it is known."""

    def __init__(self, later: Change | None) -> None:
        super().__init__()
        self.later = later


def _undone(stored: Stored, change: Change) -> Stored:
    """Return what is stored without a change of a device. Raise _ChangedSinceError."""
    now, was = stored.devices.get(change.device.id), None if change.added else change.device
    for part, left in change.after.items():
        if not is_in(now, part) or fingerprint(part_of(now, part)) != left:
            raise _ChangedSinceError(_last(stored, change, change.device.id, part))
    if WHOLE in change.after:
        if was is None:
            return stored.without_device(change.device.id)
        undone = was
    else:
        if now is None:
            raise _ChangedSinceError(None)
        undone = now
        # Commands first: functions name them.
        for part in sorted(change.after, key=lambda part: part[0] != COMMANDS):
            undone = with_part(undone, part, part_of(was, part))
    _check_names(stored, change, undone)
    return stored.with_devices(_without_lost_functions(undone))


def _check_names(stored: Stored, change: Change, undone: Device) -> None:
    """Raise _ChangedSinceError if another device, or command, has come to a name meanwhile."""
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
    """Return the last change, after a change, of a part, of what it is in or of what is in it."""
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


def _without(stored: Stored, change: Change, left: Change | None = None) -> Stored:
    """Return what is stored without a change, or with what is left of it."""
    journal = {
        id_: left if left is not None and id_ == change.id else other
        for id_, other in stored.journal.items()
        if left is not None or id_ != change.id
    }
    return replace(stored, journal=journal)


def _names_of(stored: Stored, change: Change, label: Label) -> set[str]:
    """Return what the device of a change was called then, and is called now."""
    now = stored.devices.get(change.device.id, change.device)
    return {change.device.name, change.label, now.name, label(now)}
