"""Imports and exports of codes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, override

from homeassistant.core import HomeAssistant
from homeassistant.loader import Integration, async_get_integrations
from homeassistant.util import slugify

from ..errors import LISTED, UserError, list_reasons, localized
from ..ircodes import RefusedError, read_codes, write_codes
from ..ircodes.files import MAX_COMMANDS, OUR_FORMAT, Account, Exported, Imported, Maker, Packets
from ..ircodes.reasons import Reason
from ..ircodes.states import WHATEVER
from .contradictions import contradictions_in
from .device import Device, Taught
from .edits import Known
from .exports import whole_devices
from .kinds import KINDS_OF_PLATFORMS, Kind
from .rules import rule_of
from .state_names import states_of_names
from .store import Devices


@dataclass(frozen=True, kw_only=True)
class ImportedDevices(Imported):
    """An import of our own export: complete devices."""

    devices: Sequence[Device]
    made: int
    """Number of packets that their rules compute."""

    @property
    @override
    def count(self) -> int:
        return super().count + self.made


async def async_read_codes(
    hass: HomeAssistant,
    content: object,
    *,
    device: str | None = None,
    command: str | None = None,
    strict: bool = False,
) -> Imported:
    """Return the commands of a text, as `read_codes` does.

    Raise UserError if no command can be used or, if `strict`, if one cannot.
    """
    read = partial(read_import, content, device=device, command=command)
    try:
        imported = await hass.async_add_executor_job(read)
    except ValueError as err:
        raise UserError("not_imported", error=err) from err
    if not imported.commands or (strict and imported.refused):
        raise UserError("not_imported", error=list_reasons(imported.refused))
    return imported


def read_import(
    content: object, *, device: str | None = None, command: str | None = None
) -> Imported:
    """Return the commands of a text, as `read_codes` does; of our export, complete devices."""
    if (whole := whole_devices(content)) is None:
        imported = read_codes(content, device=device, command=command)
        return replace(imported, contradictions=contradictions_in(imported))
    refused: dict[str, object] = {**whole.refused}
    rejected = Counter[Reason]()
    for where, reason in whole.refused.items():
        rejected[reason.kind] += whole.lost[where]
    good: list[Device] = []
    made = 0
    most = MAX_COMMANDS - sum(len(device.commands) for device in whole.devices)
    for candidate in whole.devices:
        try:
            rule = rule_of(candidate)
        except UserError as err:
            refused[candidate.name] = err
            rejected[Reason("no_rule", {})] += len(candidate.commands)
            continue
        made += 0 if rule is None else len(rule.states) + (rule.off is not None)
        if made > most:
            raise RefusedError("many_commands", limit=MAX_COMMANDS)
        good.append(candidate)
    commands = [command for device in good for command in device.commands.values()]
    states = sum(command.state is not None for command in commands)
    return ImportedDevices(
        format=OUR_FORMAT,
        account=Account(
            codes=len(commands) + rejected.total(),
            states=states,
            commands=len(commands) - states,
            rejected=+rejected,
        ),
        commands={
            device.name: {command.name: command.packets for command in device.commands.values()}
            for device in good
        },
        refused=refused,
        states={},
        devices=good,
        made=made,
    )


async def async_store(devices: Devices, imported: Imported) -> None:
    """Store an import, in one write."""
    if isinstance(imported, ImportedDevices):
        await devices.import_devices(imported.devices)
        return
    of_one, head = len(imported.commands) == 1, imported.head
    known = Known(
        kind=Kind.OTHER if head is None else KINDS_OF_PLATFORMS[head.platform],
        states=imported.states,
        capabilities=None if head is None else head.capabilities,
        steps=None if head is None else head.steps,
        manufacturer=imported.manufacturer if of_one else "",
        model=", ".join(imported.models) if of_one else "",
    )
    await devices.store(imported.commands, known)


def with_taught_rules(imported: Imported) -> list[str]:
    """Return the names of the imported devices with a taught rule."""
    devices = imported.devices if isinstance(imported, ImportedDevices) else ()
    return [device.name for device in devices if isinstance(device.rule, Taught)]


def write_device(format_name: str, device: Device) -> Exported:
    """Return the packets of a device's rule and its commands in a format of FORMATS.

    Raise as `rule_of`. For the executor, since the packets of a rule take about a second.
    """
    commands = {command.name: command.packets for command in device.commands.values()}
    models = device.model.split(", ") if device.model else []
    maker = Maker(name=device.manufacturer, models=models)
    if (rule := rule_of(device)) is not None:
        packets: dict[str, Packets] = {} if rule.off is None else {"off": [rule.off]}
        made = {state.label: state for state in rule.offered}
        packets |= {name: [rule.encode(state)] for name, state in made.items()}
        packets |= {name: commands[name] for name in commands if name not in packets}
        order = rule.capabilities
        if not order.levels.fans:  # SmartIR looks for a fan speed
            levels = replace(order.levels, fans=(WHATEVER,))
            order = replace(order, modes=dict.fromkeys(order, levels))
        return write_codes(
            format_name, device.name, packets, states=made, capabilities=order, maker=maker
        )
    states = {
        command.name: command.state
        for command in device.commands.values()
        if command.state is not None
    }
    if device.kind is Kind.OTHER:  # the names were not parsed when it was stored
        states = states_of_names(commands) | states
    return write_codes(
        format_name,
        device.name,
        commands,
        states=states,
        capabilities=device.capabilities,
        steps=device.steps,
        maker=maker,
    )


def write_devices(
    format_name: str, devices: Iterable[Device]
) -> tuple[dict[str, str], dict[str, object]]:
    """Return device → text, and the reasons why devices or commands cannot be written.

    For the executor, as `write_device`.
    """
    texts: dict[str, str] = {}
    refused: dict[str, object] = {}
    for device in devices:
        try:
            written = write_device(format_name, device)
        except UserError as err:  # its rule is unusable
            refused[device.name] = err
            continue
        texts[device.name] = written.text
        refused |= {f"{device.name} → {name}": reason for name, reason in written.refused.items()}
    return texts, refused


async def async_own_integrations(hass: HomeAssistant, imported: Imported) -> list[str]:
    """Return the names of Home Assistant's infrared integrations for the makers of an import.

    The makers are that of the text, and the names of its devices.
    """
    makers = [imported.manufacturer, *islice(imported.commands, LISTED)]
    return sorted((await async_integrations_of(hass, makers)).values())


async def async_integrations_of(hass: HomeAssistant, makers: Iterable[str]) -> dict[str, str]:
    """Return Home Assistant's infrared integrations for makers: domain → name.

    These are existing integrations `<maker>_infrared`, for the full name or its first word.
    """
    named = {slugify(maker) for name in makers for maker in (name, name.partition(" ")[0])}
    integrations = await async_get_integrations(
        hass, {f"{maker}_infrared" for maker in named if maker}
    )
    return {
        domain: integration.name
        for domain, integration in integrations.items()
        if isinstance(integration, Integration)
    }


def account_data(account: Account) -> dict[str, Any]:
    """Return an account as the data of an action's response."""
    return {
        "codes": account.codes,
        "states": account.states,
        "commands": account.commands,
        "rejected": [
            {"reason": localized(reason), "count": count}
            for reason, count in account.rejected.items()
        ],
        "presets": {**account.presets},
    }


def reasons(refused: Mapping[str, object]) -> dict[str, str]:
    """Return name → reason of refused commands, LISTED at most."""
    return {
        name: localized(reason)
        for name, reason in islice(sorted(refused.items(), key=lambda item: item[0]), LISTED)
    }
