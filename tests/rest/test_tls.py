"""Why there is no TLS is told in words that help; a private authority can be trusted."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
import os
from pathlib import Path
import re
import ssl
from typing import Any

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
import trustme

from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome, apart, put

EXAMPLE = Path(__file__).parents[2] / "docs/examples/rest/private_authority.yaml"
SENSOR = Form("sensor", is_block=False)
NOW = datetime.now(UTC)
SERVER_HELLO_1_1 = b"\x03\x02" + bytes(32) + b"\x00\xc0\x13\x00"


def context(issued: trustme.LeafCert) -> ssl.SSLContext:
    """Return the TLS of a server."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(made)
    return made


@pytest.fixture(name="authority")
def authority_fixture() -> trustme.CA:
    """Return an authority that nobody knows."""
    return trustme.CA()


@pytest.fixture(name="server")
async def server_fixture(authority: trustme.CA) -> AsyncGenerator[Endpoint]:
    """Return a server with a certificate of that authority."""
    async with apart(Endpoint(ssl_context=context(authority.issue_cert("127.0.0.1")))) as endpoint:
        endpoint.set("/x", {"on": True})
        yield endpoint


@asynccontextmanager
async def says(data: bytes) -> AsyncGenerator[str]:
    """Run a server that says the same to everyone, and return its URL."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(2048)
        writer.write(data)
        await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
    server.close()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server speaks plain HTTP on this port"),
        (b"SSH-2.0-dropbear\r\n", "the server speaks plain HTTP on this port"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "the server's TLS version is too old"),
        (
            b"\x16\x03\x02\x00\x2a\x02\x00\x00\x26" + SERVER_HELLO_1_1,
            "the server's TLS version is too old",
        ),
        (b"\x15\x03\x03\x00\x02\x02\x28", "the server takes none of the ciphers"),
        (b"\x15\x03\x03\x00\x02\x02\x50", "TLS connection failed: tlsv1 alert internal error"),
    ],
)
async def test_why_there_is_no_tls(home: RestHome, data: bytes, reason: str) -> None:
    async with says(data) as url:
        await home.load(SENSOR.config({"resource": url}))
        await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]


@pytest.mark.parametrize(
    ("names", "dates", "reason"),
    [
        (["127.0.0.1"], (-9, -2), f"it expired on {NOW - timedelta(2):%Y-%m-%d}"),
        (["127.0.0.1"], (2, 9), f"it is not valid before {NOW + timedelta(2):%Y-%m-%d}"),
        (["a.example", "b.example"], (-9, 9), "it is for another name: a.example, b.example;"),
        ([*"abcde"], (-9, 9), "it is for another name: a, b, c;"),
    ],
)
async def test_why_a_certificate_is_not_accepted(
    home: RestHome, authority: trustme.CA, names: list[str], dates: tuple[int, int], reason: str
) -> None:
    begins, ends = (NOW + timedelta(days) for days in dates)
    issued = authority.issue_cert(*names, not_before=begins, not_after=ends)
    request = {"ca_certificate": put(home, "ca.pem", authority.cert_pem.bytes())}
    async with apart(Endpoint(ssl_context=context(issued))) as server:
        await home.load(SENSOR.config({"resource": server.url + "/x", **request}))
        await home.state(STATE_UNAVAILABLE, "sensor.x")
        assert server.count() == 0
    assert f"data: TLS certificate not accepted: {reason}" in home.log()[0]


async def test_an_authority_that_is_not_known(home: RestHome, server: Endpoint) -> None:
    await home.load(SENSOR.config({"resource": server.url + "/x"}))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert "accepted: it is signed by an authority that is not known" in home.log()[0]


async def test_a_private_authority_is_trusted_where_it_is_named(
    home: RestHome, server: Endpoint, authority: trustme.CA, form: Form
) -> None:
    request = {"resource": server.url + "/x", "scan_interval": 5}
    trusted = request | {"ca_certificate": put(home, "ca.pem", authority.cert_pem.bytes())}
    config = form.config(trusted)
    for domain, entries in form.config(request, name="y").items():
        config[domain] += entries
    await home.load(config)
    await home.state(form.on, form.entity_id)
    await home.state(STATE_UNAVAILABLE, f"{form.domain}.y")
    assert len(home.log()) == 1


async def test_it_is_not_trusted_along_a_redirect(
    home: RestHome, server: Endpoint, authority: trustme.CA
) -> None:
    put(home, "ca.pem", authority.cert_pem.bytes())
    async with apart(
        Endpoint(host="127.0.0.2", ssl_context=context(authority.issue_cert("127.0.0.2")))
    ) as other:
        server.set("/x", Answer(status=302, headers={"Location": other.url + "/values"}))
        await home.load(SENSOR.config({"resource": server.url + "/x", "ca_certificate": "ca.pem"}))
        await home.state(STATE_UNAVAILABLE, "sensor.x")
        assert other.count() == 0


async def test_an_authority_beside_no_verification_is_told(
    home: RestHome, server: Endpoint
) -> None:
    request = {"resource": server.url + "/x", "verify_ssl": False, "ca_certificate": "ca.pem"}
    await home.load(SENSOR.config(request))
    await home.state("True", "sensor.x")
    assert "ca_certificate ignored: verify_ssl is false" in home.log()[0]


DAMAGED = b"-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize("key", ["ca_certificate", "client_certificate"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.pem", "No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", "no file can have this name"),
        ("/dev/zero", "it is no file, but a device or a pipe"),
        ("pipe", "it is no file, but a device or a pipe"),
        ("long.pem", "the file is larger than 1 MiB"),
        ("empty.pem", "no certificate in PEM form is in the file"),
    ],
)
async def test_mistakes_in_a_file_are_reported(
    home: RestHome, server: Endpoint, key: str, name: str, reason: str
) -> None:
    put(home, "long.pem", DAMAGED + bytes(1024 * 1024))
    put(home, "empty.pem", b"canary")
    os.mkfifo(home.yaml.parent / "pipe")
    await home.load(SENSOR.config({"resource": server.url + "/x", key: name}))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {key}: {reason}" in home.log()[0]
    assert "canary" not in home.whole_log


async def test_a_damaged_authority_is_told(home: RestHome, server: Endpoint) -> None:
    request: dict[str, Any] = {"ca_certificate": put(home, "ca.pem", DAMAGED)}
    await home.load(SENSOR.config({"resource": server.url + "/x", **request}))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert "data: ca_certificate: the certificate is damaged" in home.log()[0]


async def test_the_example(home: RestHome, server: Endpoint, authority: trustme.CA) -> None:
    put(home, "certificates/ca.pem", authority.cert_pem.bytes())
    server.set("/energy", {"today": 12.5})
    config = parse_yaml(re.sub(r"https://[^/]+", server.url, EXAMPLE.read_text()))
    assert isinstance(config, dict)
    assert await async_setup_component(home.hass, "sensor", config)
    await home.state("12.5", "sensor.energy_today")
