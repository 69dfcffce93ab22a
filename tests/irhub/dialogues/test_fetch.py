"""A file of the collection is fetched whole and unchanged, or the error says why not."""

import asyncio
from collections.abc import AsyncGenerator
import json
from pathlib import Path
import ssl
import zipfile

from aiohttp import ClientTimeout, web
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import pytest
import voluptuous as vol

from custom_components.irhub.dialogues import fetch
from custom_components.irhub.dialogues.fetch import NotFetchedError, async_fetch
from custom_components.irhub.errors import sentence
from custom_components.irhub.schema import collection_source
from tests.home import until
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_faults import FAULTS

from ..collected import collected, collection_of, server
from ..ircodes.files.indexes import file_of

PATH = "codes/climate/1.json"
CONTENT = file_of(1)
TEXT = json.dumps(CONTENT)
FILE = collected(CONTENT, PATH)
COLLECTION = collection_of({PATH: CONTENT})


@pytest.fixture(name="mirror")
async def mirror_fixture(hass: HomeAssistant) -> AsyncGenerator[Endpoint]:
    """Return an HTTPS server that has the file."""
    async with server(hass) as mirror:
        mirror.set(f"/SmartIR/{PATH}", Answer(body=TEXT.encode()))
        yield mirror


async def fetch_error(hass: HomeAssistant, source: str) -> str:
    """Return why the file cannot be had."""
    with pytest.raises(NotFetchedError) as raised:
        await async_fetch(hass, COLLECTION, FILE, source)
    return await sentence(hass, raised.value)


@pytest.mark.parametrize("slash", ["", "/"])
async def test_a_file_is_fetched_from_a_mirror(
    hass: HomeAssistant, mirror: Endpoint, slash: str
) -> None:
    source = f"{mirror.url}/SmartIR{slash}"
    assert await async_fetch(hass, COLLECTION, FILE, source) == TEXT
    assert mirror.count() == 1


async def test_a_redirect_is_followed(hass: HomeAssistant, mirror: Endpoint) -> None:
    async def elsewhere(_: web.BaseRequest) -> web.Response:
        return web.Response(status=302, headers={"Location": f"/SmartIR/{PATH}"})

    mirror.set(f"/{PATH}", elsewhere)
    assert await async_fetch(hass, COLLECTION, FILE, mirror.url) == TEXT


async def test_redirects_are_limited(hass: HomeAssistant, mirror: Endpoint) -> None:
    async def here(request: web.BaseRequest) -> web.Response:
        return web.Response(status=302, headers={"Location": request.path})

    mirror.set(f"/{PATH}", here)
    assert "another address more than 3 times" in await fetch_error(hass, mirror.url)
    assert mirror.count() <= fetch.MAX_REDIRECTS + 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (TEXT.replace("Maker 1", "Maker 2").encode(), "its checksum is another one"),
        (TEXT.encode()[:-1], "its checksum is another one"),
        (b"", "its checksum is another one"),
        (TEXT.encode() + b"\n", f"is larger than the {FILE.size} bytes"),
    ],
    ids=["changed", "cut", "empty", "longer"],
)
async def test_a_file_with_another_content_is_rejected(
    hass: HomeAssistant, mirror: Endpoint, body: bytes, reason: str
) -> None:
    mirror.set(f"/{PATH}", Answer(body=body))
    assert reason in await fetch_error(hass, mirror.url)
    assert mirror.count() == 1


async def test_an_endless_reply_is_rejected(hass: HomeAssistant, mirror: Endpoint) -> None:
    assert "is larger than" in await fetch_error(hass, f"{mirror.url}/fault/endless/0")


async def test_errors_of_the_server_are_reported_without_a_retry(
    hass: HomeAssistant, mirror: Endpoint
) -> None:
    assert "answered with status 404" in await fetch_error(hass, mirror.url)
    mirror.set(f"/{PATH}", Answer(status=503))
    assert "answered with status 503" in await fetch_error(hass, mirror.url)
    assert mirror.count() == 2, "nothing is tried twice"
    assert "broke off" in await fetch_error(hass, f"{mirror.url}/fault/garbage/0")
    assert "broke off" in await fetch_error(hass, f"{mirror.url}/fault/reset/0")
    assert "broke off" in await fetch_error(hass, f"{mirror.url}/fault/half/0")


async def test_a_slow_server_times_out(
    hass: HomeAssistant, mirror: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def drip(request: web.BaseRequest) -> web.StreamResponse:
        return await FAULTS["drip"](request, "0.05")

    monkeypatch.setattr(fetch, "TIMEOUT", ClientTimeout(total=0.3))
    mirror.set(f"/{PATH}", drip)
    for source in ("", "/slow/5"):
        error = await fetch_error(hass, f"{mirror.url}{source}")
        assert error == "127.0.0.1 did not send the file in time"


async def test_an_unreachable_server_is_reported(hass: HomeAssistant, unused_tcp_port: int) -> None:
    error = await fetch_error(hass, f"https://127.0.0.1:{unused_tcp_port}")
    assert error.startswith("127.0.0.1 cannot be reached. Is there a connection to the internet?")


async def test_an_untrusted_certificate_is_rejected(hass: HomeAssistant, mirror: Endpoint) -> None:
    connector = async_get_clientsession(hass).connector
    connector._ssl = ssl.create_default_context()  # type: ignore[union-attr]  # noqa: SLF001  (see server)
    assert "is not trusted" in await fetch_error(hass, mirror.url)
    assert not mirror.count()


async def test_files_are_read_from_a_folder_or_a_zip(hass: HomeAssistant, config_dir: Path) -> None:
    path = config_dir / "smartir" / PATH
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    with zipfile.ZipFile(config_dir / "smartir.zip", "w") as archive:
        archive.writestr(f"SmartIR-{'c' * 40}/{PATH}", TEXT)
    for source in ("smartir", "smartir.zip", str(config_dir / "smartir")):
        assert await async_fetch(hass, COLLECTION, FILE, source) == TEXT
    path.write_text(TEXT + " ")
    assert f"is larger than the {FILE.size} bytes" in await fetch_error(hass, "smartir")
    path.write_text("{}")
    assert "checksum" in await fetch_error(hass, "smartir")
    path.unlink()
    for source in ("smartir", "elsewhere", "smartir.zip/nowhere"):
        assert await fetch_error(hass, source) == (
            f"{PATH} is not in {hass.config.path(source)}, or cannot be read there"
        )
    (config_dir / "smartir.zip").write_bytes(b"nonsense")
    assert "cannot be read there" in await fetch_error(hass, "smartir.zip")


async def test_a_fetch_can_be_cancelled(hass: HomeAssistant, mirror: Endpoint) -> None:
    task = hass.async_create_task(async_fetch(hass, COLLECTION, FILE, f"{mirror.url}/slow/60"))
    await until(lambda: mirror.count(f"/slow/60/{PATH}"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_source_of_a_file_is_shown() -> None:
    assert fetch.source_text(COLLECTION, FILE, None) == COLLECTION.url(FILE)
    assert fetch.source_text(COLLECTION, FILE, "codes.zip") == f"codes.zip/{PATH}"


@pytest.mark.parametrize(
    "source",
    ["ftp://a/b", "https://", "https://user:secret@a/b", "http://[", "https://a/b?x=1"],
)
def test_invalid_addresses_are_rejected(source: str) -> None:
    with pytest.raises(vol.Invalid) as raised:
        collection_source(source)
    assert "no address" in str(raised.value)


@pytest.mark.parametrize(
    "source", ["https://a/b", "http://192.168.1.5:8000", "smartir", "/a/b.zip"]
)
def test_valid_sources_are_accepted(source: str) -> None:
    assert collection_source(f" {source} ") == source
