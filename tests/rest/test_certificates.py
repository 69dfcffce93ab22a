"""A client certificate is shown to the server that wants one; what is wrong with it is told."""

from collections.abc import AsyncGenerator
from pathlib import Path
import re
import ssl

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
import trustme

from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .home import FORMS, Form, RestHome, apart, put

EXAMPLE = Path(__file__).parents[2] / "docs/examples/rest/certificate.yaml"


@pytest.fixture(name="authority")
def authority_fixture() -> trustme.CA:
    """Return who signs the clients' certificates."""
    return trustme.CA()


def strict(authority: trustme.CA, host: str) -> ssl.SSLContext:
    """Return the TLS of a server that wants a certificate of its clients."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert(host).configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


@pytest.fixture(name="server")
async def server_fixture(authority: trustme.CA) -> AsyncGenerator[Endpoint]:
    """Return a server that takes only clients with a certificate."""
    async with apart(Endpoint(ssl_context=strict(authority, "127.0.0.1"))) as endpoint:
        endpoint.set("/x", {"on": True})
        yield endpoint


def pem(authority: trustme.CA) -> tuple[bytes, bytes]:
    """Return a certificate and its key."""
    issued = authority.issue_cert("home.invalid")
    return issued.cert_chain_pems[0].bytes(), issued.private_key_pem.bytes()


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("files", [1, 2])
async def test_it_is_shown(
    home: RestHome, server: Endpoint, authority: trustme.CA, form: Form, files: int
) -> None:
    certificate, key = pem(authority)
    request = {"resource": server.url + "/x", "verify_ssl": False}
    if files == 1:
        request["client_certificate"] = put(home, "home.pem", certificate + key)
    else:
        request["client_certificate"] = put(home, "home.pem", certificate)
        request["client_key"] = put(home, "home.key", key)
    await home.load(form.config(request))
    await home.state(form.on, form.entity_id)
    assert not home.log()


@pytest.mark.parametrize("more", [{}, {"client_certificate": "stranger.pem"}], ids=str)
async def test_without_the_right_one_the_server_refuses(
    home: RestHome, server: Endpoint, more: dict[str, str]
) -> None:
    put(home, "stranger.pem", b"".join(pem(trustme.CA())))
    request = {"resource": server.url + "/x", "verify_ssl": False, **more}
    await home.load(Form("sensor", is_block=False).config(request))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert "data: the connection was closed before a reply arrived" in home.log()[0]


ENCRYPTED = b"-----BEGIN ENCRYPTED PRIVATE KEY-----\ncanary\n-----END ENCRYPTED PRIVATE KEY-----\n"
DAMAGED = b"-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ((None, b""), "client_certificate: No such file or directory"),
        ((b"canary", b""), "client_certificate: no certificate in PEM form is in the file"),
        ((b"right", None), "client_key: No such file or directory"),
        ((b"right", b"canary"), "client_key: no private key in PEM form is in the file"),
        ((b"right", b"another"), "client_key: the private key belongs to another certificate"),
        ((b"right", ENCRYPTED), "client_key: the private key has a password; remove it"),
        ((DAMAGED, b"right"), "client_key: the certificate or its private key is damaged"),
    ],
)
async def test_what_is_wrong_with_the_files_is_told(
    home: RestHome,
    server: Endpoint,
    authority: trustme.CA,
    files: tuple[bytes | None, bytes | None],
    reason: str,
) -> None:
    right, right_key = pem(authority)
    _, another = pem(authority)
    for name, data, real in zip(("home.pem", "home.key"), files, (right, right_key), strict=True):
        if data is not None:
            put(home, name, {b"right": real, b"another": another}.get(data, data))
    await home.load(
        Form("sensor", is_block=False).config(
            {
                "resource": server.url + "/x",
                "verify_ssl": False,
                "client_certificate": "home.pem",
                "client_key": "home.key",
            }
        )
    )
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]
    assert "canary" not in home.whole_log
    # Mended, it works without a restart.
    put(home, "home.pem", right)
    put(home, "home.key", right_key)
    await home.update("sensor.x")
    await home.state("True", "sensor.x")


async def test_a_folder_is_no_certificate(home: RestHome, server: Endpoint) -> None:
    request = {"resource": server.url + "/x", "client_certificate": "."}
    await home.load(Form("sensor", is_block=False).config(request))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert "data: client_certificate: Is a directory" in home.log()[0]


async def test_http_has_none(home: RestHome) -> None:
    home.endpoint.set("/x", {"on": True})
    request = {**home.url("/x"), "client_certificate": "home.pem"}
    await home.load(Form("sensor", is_block=False).config(request))
    await home.state("True", "sensor.x")
    assert "client_certificate ignored: it is shown to https servers only" in home.log()[0]


async def test_a_key_alone_is_a_mistake(home: RestHome, form: Form) -> None:
    await home.load(form.config({**home.url("/x"), "client_key": "home.key"}))
    (error,) = home.log(40, "homeassistant.config")
    assert "client_key needs client_certificate beside it" in error


async def test_it_does_not_follow_a_redirect_to_another_origin(
    home: RestHome, server: Endpoint, authority: trustme.CA
) -> None:
    """The other server wants one, too, and gets none."""
    put(home, "home.pem", b"".join(pem(authority)))
    context = strict(authority, "127.0.0.2")
    async with apart(Endpoint(host="127.0.0.2", ssl_context=context)) as other:
        server.set("/x", Answer(status=302, headers={"Location": other.url + "/values"}))
        request = {
            "resource": server.url + "/x",
            "verify_ssl": False,
            "client_certificate": "home.pem",
        }
        await home.load(Form("sensor", is_block=False).config(request))
        await home.state(STATE_UNAVAILABLE, "sensor.x")
        assert server.count("/x") == 1
        assert other.count() == 0


async def test_the_example(home: RestHome, server: Endpoint, authority: trustme.CA) -> None:
    certificate, key = pem(authority)
    put(home, "certificates/home.pem", certificate)
    put(home, "certificates/home.key", key)
    server.set("/level", "77")
    text = re.sub(r"https://[^/]+", server.url, EXAMPLE.read_text()) + "    verify_ssl: false\n"
    config = parse_yaml(text)
    assert isinstance(config, dict)
    assert await async_setup_component(home.hass, "sensor", config)
    await home.state("77", "sensor.tank_level")
