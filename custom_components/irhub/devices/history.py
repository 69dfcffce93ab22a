"""What changes did, in sentences, and what undoing them does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import Text, list_names
from .device import Device
from .journal import Change
from .parts import FUNCTIONS, GONE, PACKETS, WHOLE, Part
from .stored import Label

_ARROW = " \N{RIGHTWARDS ARROW} "
_UNKNOWN = "\N{EN DASH}"


_UNDO: Final = {
    "change_added": "undo_removes",
    "change_gone": "undo_restores",
    "change_commands_came": "undo_removes",
    "change_commands_gone": "undo_restores",
    "change_replaced": "undo_replaces",
    "change_commands_renamed": "undo_renames",
    "change_moved": "undo_moves",
    "change_renamed": "undo_renames",
    "change_kind": "undo_sets",
    "change_functions": "undo_sets",
    "change_settings": "undo_sets",
}
"""What a change did → what undoing it does: keys of the texts."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What a change did, and what undoing it does."""

    change: Text
    undo: Text


def sentences(
    changes: Sequence[Change], devices: Mapping[str, Device], label: Label
) -> list[Sentence]:
    """Return what the changes of one write did, and what undoing it does.

    `devices` are those of today, `label` is what they are called.
    """
    described = [
        _DescribedChange(change, devices.get(change.device.id), label) for change in changes
    ]
    went = {id_ for change in described for id_ in change.went}
    moved = {id_: change.name for change in described for id_ in change.came if id_ in went}
    return [
        Sentence(change=text, undo=Text(_UNDO[text.key]))
        for change in described
        for text in change.texts(moved)
    ]


class _DescribedChange:
    """A change of one device, and the device as it is today."""

    def __init__(self, change: Change, now: Device | None, label: Label) -> None:
        self._change = change
        self._now = now
        self.name = label(now) if now is not None else change.label or change.device.name
        """What the device is called."""
        before, after = change.device.by_id, {} if now is None else now.by_id
        self._names = before | after
        self.went, self.came = [*self._commands(gone=True)], [*self._commands(gone=False)]
        """The ids of commands that have left the device, and of those that are new to it."""

    def _commands(self, *, gone: bool) -> Iterator[str]:
        for part, left in self._change.after.items():
            if (left == GONE) is gone:
                match part:
                    case ():
                        whole = self._change.device if gone else self._now
                        yield from () if whole is None else whole.commands
                    case ("commands", id_):
                        yield id_
                    case _:
                        pass

    def texts(self, moved: Mapping[str, str]) -> Iterator[Text]:
        """Yield what has changed; `moved` says of commands to which device they went."""
        came = [id_ for id_ in self.came if id_ not in moved]
        went = [id_ for id_ in self.went if id_ not in moved]
        for other in sorted({moved[id_] for id_ in self.went if id_ in moved}):
            there = [id_ for id_ in self.went if moved.get(id_) == other]
            yield Text("change_moved", device=self.name, commands=self._list(there), other=other)
        if WHOLE in self._change.after:
            yield from self._whole(came, went)
            return
        for key, ids in (
            ("change_commands_gone", went),
            ("change_commands_came", came),
            ("change_replaced", self._with(PACKETS)),
        ):
            if ids:
                yield Text(key, device=self.name, commands=self._list(ids))
        yield from self._renamed()
        yield from self._otherwise()

    def _whole(self, came: Sequence[str], went: Sequence[str]) -> Iterator[Text]:
        if self._change.added and (came or not self.came):
            yield Text("change_added", device=self.name)
        elif not self._change.added and (went or not self.went):
            yield Text("change_gone", device=self.name, count=len(went))

    def _renamed(self) -> Iterator[Text]:
        before = self._change.device
        if ids := self._with("name"):
            names = [
                f"{before.commands[id_].name}{_ARROW}{self._names.get(id_, _UNKNOWN)}"
                for id_ in ids
            ]
            yield Text("change_commands_renamed", device=self.name, commands=list_names(names))
        if ("name",) in self._change.after:
            yield Text("change_renamed", device=before.name, name=self.name)

    def _otherwise(self) -> Iterator[Text]:
        """Yield what of the device itself is otherwise."""
        others = {part[0] for part in self._change.after if not _is_about_names(part)}
        if self.came or self.went:
            others.discard(FUNCTIONS)  # they come and go with their commands
        if "kind" in others:
            yield Text("change_kind", device=self.name)
        elif others == {FUNCTIONS}:
            yield Text("change_functions", device=self.name)
        elif others:
            yield Text("change_settings", device=self.name)

    def _with(self, field: str) -> list[str]:
        """Return the ids of commands of which a field is different."""
        return [part[1] for part in self._change.after if part[2:] == (field,)]

    def _list(self, ids: Sequence[str]) -> str:
        return list_names(self._names.get(id_, _UNKNOWN) for id_ in ids)


def _is_about_names(part: Part) -> bool:
    """Return whether another sentence tells of a part: what came, went, or is called otherwise."""
    match part:
        case () | ("name",) | ("commands", _):
            return True
        case ("commands", _, field):
            return field in ("name", PACKETS)
        case _:
            return False
