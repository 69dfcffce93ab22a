"""Import commands from a file or from pasted text."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import override

from .._common.markdown import Markdown, bullets, escaped
from ..devices.importing import (
    async_own_integrations,
    async_store,
    read_import,
    with_taught_rules,
)
from ..entities.registries import async_show_devices
from ..errors import LISTED, UserError, common_texts, list_names, localized
from ..ircodes import Content
from ..ircodes.files import Account, ContentKind, Imported
from ..yaml.device_schema import CONF_FILE
from .closing import CAN_HAND_OVER, AddAppliancePage
from .page import Answers, HubPage, MenuPage, Page, Shown, names_in, option
from .upload import CONF_PATH, CONF_TEXT, async_fields, async_identify, without_upload


class ImportPage(HubPage):
    """Accepts a file or text: our export, a single packet, or any supported file format."""

    @override
    async def show(self) -> Shown:
        fields = {**await async_fields(self.hass), **self.name_fields()}
        return await self.form("import_codes", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        self.answers = without_upload(answers)
        if (
            not {CONF_FILE, CONF_PATH} & answers.keys()
            and not str(answers.get(CONF_TEXT, "")).strip()
        ):
            return await self.choose("init")
        content = await async_identify(self.hass, answers)
        if content.kind is ContentKind.COLLECTION:
            return MenuPage(
                self,
                "collection",
                [*_add_appliance(), "import_codes", "init"],
                texts={"count": str(len(content.paths))},
                handlers={"add_appliance": partial(self._add_appliance, content)},
            )
        return PreviewPage(self, await self._read(content, answers))

    async def _add_appliance(self, content: Content) -> Page:
        """Continue in the dialogue that adds an appliance, where a press selects the file."""
        return AddAppliancePage(self, content)

    async def _read(self, content: Content, answers: Answers) -> Imported:
        """Return the commands to import. Raise UserError if there are none or a name is missing."""
        device, command = (name or None for name in names_in(answers))
        if not (device and command) and content.kind is ContentKind.PACKET:
            raise UserError("nameless_packet")
        read_commands = partial(read_import, content.content, device=device, command=command)
        try:
            return await self.hass.async_add_executor_job(read_commands)
        except ValueError as err:
            raise UserError("not_imported", error=err) from err


@dataclass(repr=False)
class PreviewPage(HubPage):
    """Shows which commands would be added, replaced or refused."""

    imported: Imported

    @override
    async def show(self) -> Shown:
        imported, devices = self.imported, self.devices
        replaced = [
            f"{name} \N{RIGHTWARDS ARROW} {command}"
            for name, commands in imported.commands.items()
            for command in commands
            if (existing := devices.known(name)) is not None and existing.named(command) is not None
        ]
        usable = ["import_now"] if imported.commands else []
        return self.menu(
            "preview",
            [*usable, "import_codes", "init"],
            format=imported.format,
            devices=list_names(imported.commands),
            count=str(imported.count),
            total=str(imported.count + len(imported.refused)),
            new=str(imported.count - len(replaced)),
            replaced=f"{len(replaced)} ({list_names(replaced)})" if replaced else "0",
            account=list_account(
                imported.account,
                imported.refused,
                imported.descriptions,
                imported.contradictions,
            ),
        )

    @option
    async def import_now(self) -> Page:
        """Store the valid commands; report their number, and core's integrations for the maker."""
        await async_store(self.devices, self.imported)
        async_show_devices(self.hass, self.devices)
        of_common = await common_texts(self.hass)
        besides: list[str] = []
        if self.hub.reception.can_learn and (unconfirmed := with_taught_rules(self.imported)):
            text = of_common["unconfirmed_import"]
            besides.append(text.format(devices=escaped(list_names(unconfirmed))))
        if names := await async_own_integrations(self.hass, self.imported):
            text = of_common["own_integration"]
            besides.append(text.format(integrations=escaped(list_names(names))))
        texts = {"count": str(self.imported.count), "own": Markdown("\n\n".join(besides))}
        options = [*_add_appliance(), "import_codes", "init", "finish"]
        return MenuPage(self, "imported", options, texts)


def _add_appliance() -> list[str]:
    """Return the option that continues in the dialogue that adds an appliance, if that works."""
    return ["add_appliance"] if CAN_HAND_OVER else []


def list_account(
    account: Account, refused: Mapping[str, object], *notes: Mapping[str, object]
) -> str:
    """Return a list of what became of the codes of a file, with notes on single commands.

    The reasons of refused commands are counted only if there are too many to name all.
    """
    named = refused if len(refused) <= LISTED else {}
    described = [
        f"{name}: {localized(note)}"
        for by_name in (refused, *notes)
        for name, note in islice(by_name.items(), LISTED)
    ]
    return bullets([*map(localized, account.sentences_beside(named)), *described])


def list_refused(refused: Mapping[str, object]) -> str:
    """Return the number of refused commands, and a list of the reasons."""
    lines = [
        f"{name}: {localized(reason)}"
        for name, reason in islice(sorted(refused.items(), key=itemgetter(0)), LISTED)
    ]
    if len(refused) > LISTED:
        lines.append("\N{HORIZONTAL ELLIPSIS}")
    return Markdown("\n".join([str(len(refused)), *([bullets(lines)] if lines else [])]))
