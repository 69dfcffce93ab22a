"""Fetch one file of the collection and verify it against the index.

Since the SHA-256 is checked, any mirror will do: another server, a folder, a zip. There are no
automatic retries.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final
import zipfile

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientError,
    ClientTimeout,
    TooManyRedirects,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from yarl import URL

from .._common.markdown import Markdown, escaped
from ..errors import IrhubError
from ..ircodes import Collection
from ..ircodes.files import UNREADABLE, CollectedFile
from ..settings import is_address

MAX_REDIRECTS: Final = 3
TIMEOUT: Final = ClientTimeout(total=60, sock_connect=10, sock_read=15)
"""Seconds; the largest file has 2 MB."""
_CHUNK: Final = 64 * 1024
_OK: Final = 200
_MISSING_FILE_ERRORS: Final[tuple[type[Exception], ...]] = (*UNREADABLE, KeyError)
"""Errors of a folder or zip that lacks the file; KeyError comes from a zip."""


class NotFetchedError(IrhubError):
    """A file of the collection could not be fetched, or does not match the index."""


async def async_fetch(
    hass: HomeAssistant, collection: Collection, file: CollectedFile, source: str | None = None
) -> str:
    """Return the text of a file. Raise NotFetchedError.

    `source` is a mirror that the user has configured: a URL, or the path of a folder or zip,
    which may be relative to the configuration folder.
    """
    if source is not None and not is_address(source):
        path = Path(hass.config.path(source))
        content = await hass.async_add_executor_job(_read, path, file)
        return await hass.async_add_executor_job(_verify, content, file, source)
    url = URL(collection.url(file) if source is None else f"{source.rstrip('/')}/{file.path}")
    content = await _download(hass, url, file)
    return await hass.async_add_executor_job(_verify, content, file, str(url.host))


def source_text(collection: Collection, file: CollectedFile, source: str | None) -> Markdown:
    """Return the source of a file to show for consent; URLs become links."""
    if source is None:
        return Markdown(collection.url(file))
    location = f"{source.rstrip('/')}/{file.path}"
    # The user has configured the address, so it may be opened from the page.
    return Markdown(location) if is_address(source) else escaped(location)


async def _download(hass: HomeAssistant, url: URL, file: CollectedFile) -> bytes:
    """Return the content at a URL, limited to the size of the file."""
    host = str(url.host)
    content = bytearray()
    try:
        async with async_get_clientsession(hass).get(
            url,
            timeout=TIMEOUT,
            max_redirects=MAX_REDIRECTS,
            headers={"Accept-Encoding": "identity"},  # its size is compared while it arrives
        ) as response:
            if response.status != _OK:
                raise NotFetchedError(
                    "fetch_status", host=host, file=file.path, status=response.status
                )
            async for chunk in response.content.iter_chunked(_CHUNK):
                content += chunk
                if len(content) > file.size:
                    raise NotFetchedError(
                        "fetch_too_large", source=host, file=file.path, limit=file.size
                    )
    except TimeoutError as err:
        raise NotFetchedError("fetch_slow", host=host) from err
    except ClientConnectorCertificateError as err:
        raise NotFetchedError("fetch_certificate", host=host) from err
    except ClientConnectorError as err:
        raise NotFetchedError("fetch_unreachable", host=host) from err
    except TooManyRedirects as err:
        raise NotFetchedError("fetch_redirects", host=host, count=MAX_REDIRECTS) from err
    except ClientError as err:
        raise NotFetchedError("fetch_cut_off", host=host) from err
    return bytes(content)


def _read(source: Path, file: CollectedFile) -> bytes:
    """Return the content of a file in a folder or zip, limited to the size of the file."""
    try:
        if source.is_dir():
            with (source / file.path).open("rb") as opened:
                content = opened.read(file.size + 1)
        else:
            with (
                zipfile.ZipFile(source) as archive,
                archive.open(_name_in_archive(archive, file)) as packed,
            ):
                content = packed.read(file.size + 1)
    except _MISSING_FILE_ERRORS as err:
        raise NotFetchedError("fetch_missing", file=file.path, source=source) from err
    if len(content) > file.size:
        raise NotFetchedError("fetch_too_large", source=source, file=file.path, limit=file.size)
    return content


def _name_in_archive(archive: zipfile.ZipFile, file: CollectedFile) -> str:
    """Return the name of a file in an archive, which may have one folder around all files."""
    names = (name for name in archive.namelist() if f"/{name}".endswith(f"/{file.path}"))
    return min(names, key=len, default=file.path)


def _verify(content: bytes, file: CollectedFile, source: str) -> str:
    """Return the text of the content. Raise NotFetchedError if its checksum is wrong."""
    if sha256(content).hexdigest() != file.sha256:
        raise NotFetchedError("fetch_changed", file=file.path, source=source)
    return content.decode("utf-8-sig", errors="replace")
