"""Accept a file, a zip or pasted text; identify the content and open the page that handles it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
import re
from typing import Any, Final, override

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.const import CONF_DEVICE
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.selector import (
    FileSelector,
    FileSelectorConfig,
    TextSelector,
    TextSelectorConfig,
)
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.util.json import load_json_object
import voluptuous as vol

from .._common.markdown import bullets
from ..devices.code_file import CodeFile, code_files
from ..errors import UserError, common_texts
from ..ircodes import Content, FileIndex, RefusedError, identify
from ..ircodes.files import FOLDERS, SUFFIXES, ContentKind
from ..ircodes.reasons import reason_of
from ..yaml.device_schema import CONF_FILE
from .draft import SourcePage
from .form import select
from .page import Answers, Fields, Page, Shown
from .press import async_look_up
from .which_file import IndexingPage
from .words import async_words

UPLOAD_EXTENSIONS: Final = ",".join((*SUFFIXES, ".zip"))
"""File name extensions accepted for upload."""
CONF_PATH: Final = "path"
CONF_TEXT: Final = "text"
CONF_ZIP: Final = "zip"
LONG_TEXT: Final = TextSelector(TextSelectorConfig(multiline=True))
MAX_UPLOAD: Final = 64 * 1024 * 1024
"""Bytes; the largest public collection is a zip of 3 MB."""
MAX_FILES: Final = 1000
"""Number of files that a form offers; more would make a browser slow."""
_TUYA: Final = "tuya_local"
_ZIP: Final = b"PK"
_TUYA_STORE: Final = re.compile(r"tuya_local_remote_(.+)_codes")
"""Name of the file in `.storage` with the learned commands of one tuya_local remote."""


class UploadPage(SourcePage):
    """Accepts an uploaded file, a file of the configuration folder, or pasted text."""

    @override
    async def show(self) -> Shown:
        root = Path(self.hass.config.config_dir)
        files = await self.hass.async_add_executor_job(_find_files, root)
        more = ""
        if len(files) > MAX_FILES:
            text = (await common_texts(self.hass))["more_files"]
            more = text.format(count=len(files), shown=MAX_FILES)
        fields = await async_fields(self.hass, files[:MAX_FILES])
        return await self.form("file", fields, more=more)

    @override
    async def submit(self, answers: Answers) -> Page:
        self.answers = without_upload(answers)
        return await async_page_for(self, await async_identify(self.hass, answers))


class WhichFilePage(SourcePage):
    """Asks where to search for a file that fits a press: the configuration folder or a zip."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {
            vol.Optional(CONF_ZIP): FileSelector(FileSelectorConfig(accept=UPLOAD_EXTENSIONS))
        }
        return await self.form("which_file", fields, folders=bullets(FOLDERS))

    @override
    async def submit(self, answers: Answers) -> Page:
        if (upload_id := answers.get(CONF_ZIP)) is None:
            folder = Path(self.hass.config.config_dir)
            return IndexingPage(self, partial(FileIndex.of_folders, folder), may_be_empty=True)
        in_executor = self.hass.async_add_executor_job
        try:
            name, content = await in_executor(_read_upload, self.hass, upload_id)
            if content.startswith(_ZIP):  # even with one file: a press decides whether it fits
                return IndexingPage(self, partial(FileIndex.of_zip, content))
            identified = await in_executor(partial(identify, content, name=name))
        except (OSError, ValueError) as err:
            raise UserError("not_imported", error=reason_of(err, "unreadable")) from err
        return await async_page_for(self, identified)


@dataclass(repr=False)
class ChooseFromFilePage(SourcePage):
    """Asks which of the devices in a file to use."""

    files: Mapping[str, CodeFile]
    """Label → device file."""

    @override
    async def show(self) -> Shown:
        fields = {vol.Required(CONF_DEVICE): select(self.files)}
        return await self.form("which_device", fields, count=str(len(self.files)))

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.take_file(self.files[answers[CONF_DEVICE]])


async def async_fields(hass: HomeAssistant, files: Sequence[str] = ()) -> Fields:
    """Return the fields for an upload, for one of `files` on this server, and for pasted text."""
    stores = await async_stores(hass)
    path_field: Fields = {}
    if paths := [*stores, *files]:
        path_field = {
            vol.Optional(CONF_PATH): select(paths, label_of=lambda path: stores.get(path, path))
        }
    return {
        vol.Optional(CONF_FILE): FileSelector(FileSelectorConfig(accept=UPLOAD_EXTENSIONS)),
        **path_field,
        vol.Optional(CONF_TEXT): LONG_TEXT,
    }


def without_upload(answers: Answers) -> Answers:
    """Return the answers to show again after an error; an upload can be read only once."""
    return {key: value for key, value in answers.items() if key != CONF_FILE}


async def async_identify(hass: HomeAssistant, answers: Mapping[str, Any]) -> Content:
    """Return the content given in a form. Raise UserError with the reason if it is unusable."""
    return await hass.async_add_executor_job(partial(_identify, hass, answers))


async def async_page_for(before: SourcePage, content: Content) -> Page:
    """Return the page that handles the content."""
    match content.kind:
        case ContentKind.COLLECTION:
            return IndexingPage(before, content.index)
        case ContentKind.PACKET:
            packets = content.read(device="-", command="-").commands["-"]["-"]
            return await async_look_up(before, packets[0])
    name = content.name
    if content.kind is ContentKind.LOG and not name:
        name = (await async_words(before.hass)).kind(before.kind)
    read_files = partial(code_files, content.content, file=name)
    try:
        files = await before.hass.async_add_executor_job(read_files)
    except ValueError as err:
        raise UserError("not_imported", error=err) from err
    if len(files) > 1:
        return ChooseFromFilePage(before, {file.device: file for file in files})
    return await before.take_file(files[0])


async def async_stores(hass: HomeAssistant) -> dict[str, str]:
    """Return the files with commands learned by tuya_local's remotes: path → label.

    The label of an unreadable file is its path; choosing it shows the reason.
    """
    stores = await hass.async_add_executor_job(_find_stores, Path(hass.config.config_dir))
    if not stores:
        return {}
    text = (await common_texts(hass))["learned_by_tuya_local"]
    names = {
        entry.data.get(key): entry.title
        for entry in hass.config_entries.async_entries(_TUYA)
        for key in ("device_id", "device_cid")
    }
    return {
        path: path if count is None else text.format(name=names.get(id_, id_), count=count)
        for path, (id_, count) in stores.items()
    }


def _find_stores(root: Path) -> dict[str, tuple[str, int | None]]:
    """Return path → (id of a remote, number of its commands; None if the file is unreadable)."""
    stores: dict[str, tuple[str, int | None]] = {}
    for path in sorted((root / STORAGE_DIR).glob(f"{_TUYA}_remote_*_codes"))[:MAX_FILES]:
        if (match := _TUYA_STORE.fullmatch(path.name)) is not None and (
            count := _count_commands(path)
        ) != 0:
            stores[str(path.relative_to(root))] = (match[1], count)
    return stores


def _count_commands(path: Path) -> int | None:
    try:
        devices = load_json_object(path)["data"]
    except HomeAssistantError, KeyError:
        return None
    if not isinstance(devices, Mapping):
        return None
    return sum(len(commands) for commands in devices.values() if isinstance(commands, Mapping))


def _identify(hass: HomeAssistant, answers: Mapping[str, Any]) -> Content:
    root, name = Path(hass.config.config_dir), answers.get(CONF_PATH)
    try:
        if (upload_id := answers.get(CONF_FILE)) is not None:
            with process_uploaded_file(hass, upload_id) as path:
                return identify(path)
        if name is None:
            return identify(answers.get(CONF_TEXT, ""))
        if not (path := (root / name).resolve()).is_relative_to(root.resolve()):
            raise UserError("file_outside", file=name)
        return identify(path)
    except FileNotFoundError as err:
        raise UserError("no_file", file=name) from err
    except (OSError, ValueError) as err:
        reason = reason_of(err, "unreadable")
        if name is not None:
            raise UserError("bad_file", file=name, error=reason) from err
        raise UserError("not_imported", error=reason) from err


def _read_upload(hass: HomeAssistant, upload_id: str) -> tuple[str, bytes]:
    """Return the name and the content of an uploaded file."""
    with process_uploaded_file(hass, upload_id) as path:
        if path.stat().st_size > MAX_UPLOAD:
            raise RefusedError("large", limit=MAX_UPLOAD)
        return path.name, path.read_bytes()


def _find_files(root: Path) -> list[str]:
    """Return the possible code files in the configuration folder, by their suffixes."""
    files = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*")))
    paths = (path for path in files if path.suffix.lower() in SUFFIXES and path.is_file())
    return [str(path.relative_to(root)) for path in paths]
