"""A collection of our own behind HTTPS: a trusted authority, files and their index."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
import json
import ssl

from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import trustme

from custom_components.irhub.ircodes import Collection, read_codes
from custom_components.irhub.ircodes.files import CollectedFile
from custom_components.irhub.ircodes.files.fingerprints import fingerprint, key_of
from tests.rest.home import apart
from virtual_home.endpoint import Endpoint


def collected(content: Mapping[str, object], path: str) -> CollectedFile:
    """Return what an index says of a code file."""
    written = json.dumps(content).encode()
    return CollectedFile(
        kind=path.split("/")[1],
        manufacturer=str(content["manufacturer"]),
        models=tuple(content["supportedModels"]),  # type: ignore[arg-type]  # a list of names
        path=path,
        size=len(written),
        sha256=sha256(written).hexdigest(),
    )


def collection_of(files: Mapping[str, Mapping[str, object]]) -> Collection:
    """Return the index of code files."""
    codes = {}
    for path, content in files.items():
        commands = read_codes(json.dumps(content), device=path).commands
        packets = (each[0] for device in commands.values() for each in device.values())
        codes[collected(content, path)] = frozenset(fingerprint(key_of(each)) for each in packets)
    return Collection(commit="c" * 40, licence="As you like", codes=codes)


@asynccontextmanager
async def server(hass: HomeAssistant) -> AsyncGenerator[Endpoint]:
    """Run a server whose authority Home Assistant trusts."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    connector = async_get_clientsession(hass).connector
    connector._ssl = trusting  # type: ignore[union-attr]  # noqa: SLF001  (as one of the system's)
    async with apart(Endpoint(ssl_context=context)) as endpoint:
        yield endpoint
