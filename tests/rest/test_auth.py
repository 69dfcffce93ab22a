"""Credentials reach the right server, in the right form, and nobody else."""

import base64
import ssl
import time

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.util import ssl as ssl_util
import pytest
import trustme

from custom_components.rest.polling.digest import digest_challenge
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_auth import PASSWORD, USERNAME

from .home import RestHome, apart

LOGIN = f"  username: {USERNAME}\n  password: {PASSWORD}\n"
BASIC = "Basic " + base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()


def entry(path: str, more: str = "", name: str = "REST Sensor") -> str:
    return f"- platform: rest\n  resource: URL{path}\n  name: {name}\n{more}"


@pytest.mark.parametrize("more", [LOGIN, LOGIN + "  authentication: basic\n"])
async def test_basic(home: RestHome, more: str) -> None:
    await home.set_up(entry("/basic", more))
    await home.state(lambda state: "counter" in state.state)
    assert home.endpoint.received("/basic")[0].headers["Authorization"] == BASIC


async def test_user_in_the_url(home: RestHome) -> None:
    url = home.endpoint.url.replace("//", f"//{USERNAME}:{PASSWORD}@")
    await home.set_up(f"- platform: rest\n  resource: {url}/basic\n")
    await home.state(lambda state: "counter" in state.state)
    assert PASSWORD not in home.whole_log


async def test_an_authorization_header_of_ones_own_wins(home: RestHome) -> None:
    await home.set_up(entry("/values", LOGIN + "  headers: {authorization: Bearer token}\n"))
    await home.state(lambda state: "counter" in state.state)
    assert home.endpoint.received("/values")[0].headers["Authorization"] == "Bearer token"


async def test_a_wrong_password(home: RestHome) -> None:
    await home.set_up(entry("/basic", f"  username: {USERNAME}\n  password: canary\n"))
    await home.state(STATE_UNAVAILABLE)
    assert "data: status 401;" in home.log()[0]
    assert "canary" not in home.whole_log


DIGEST = LOGIN + "  authentication: digest\n"


async def test_digest_survives_a_new_nonce(home: RestHome) -> None:
    await home.set_up(entry("/digest", DIGEST + "  value_template: '{{ value_json.counter }}'\n"))
    seen = {(await home.state(lambda state: state.state.isdigit())).state}
    for _ in range(3):
        home.endpoint.digest.rotate()
        await home.update()
        seen.add((await home.state(lambda state: state.state.isdigit())).state)
    assert len(seen) == 4
    assert not home.log()


@pytest.mark.parametrize(
    "challenges",
    [
        ['Basic realm="b"', "DIGEST"],
        ['Basic realm="b, Digest x=y", DIGEST'],
        ['DIGEST, Basic realm="b"'],
        ["Negotiate", "NTLM, DIGEST", "Bearer"],
        ['Digest realm="r", nonce="n", algorithm=SHA-512-256, qop="auth"', "DIGEST"],
    ],
)
async def test_digest_among_other_challenges(home: RestHome, challenges: list[str]) -> None:
    """Cameras offer basic and digest, in any order, in one header or in two."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        refusal = home.endpoint.digest.challenge(request)
        if refusal is None:
            return web.Response(text="21.5")
        digest = refusal.headers.popone("WWW-Authenticate")
        for challenge in challenges:
            refusal.headers.add("WWW-Authenticate", challenge.replace("DIGEST", digest))
        return refusal

    home.endpoint.set("/camera", answer)
    await home.set_up(entry("/camera", DIGEST))
    await home.state("21.5")
    home.endpoint.digest.rotate()
    await home.update()
    await home.state("21.5")
    assert not home.log()


@pytest.mark.parametrize("challenge", ['Basic realm="b"', "Digest", "Digest ,,=", "", "Negotiate"])
async def test_no_digest_among_the_challenges(home: RestHome, challenge: str) -> None:
    home.endpoint.set("/x", Answer(status=401, headers={"WWW-Authenticate": challenge}))
    await home.set_up(entry("/x", DIGEST))
    await home.state(STATE_UNAVAILABLE)
    assert "data: status 401; next try in 30 s" in home.log()[0]
    assert home.endpoint.count("/x") == 1


def test_challenges_without_an_end_are_read_quickly() -> None:
    start = time.thread_time()
    assert digest_challenge(['Digest realm="' + '\\"' * 50_000] * 10) is not None
    assert time.thread_time() - start < 0.5


async def test_digest_answers_at_once_while_the_nonce_holds(home: RestHome) -> None:
    await home.set_up(entry("/digest", DIGEST))
    await home.state(lambda state: "counter" in state.state)
    await home.update()
    assert home.endpoint.count("/digest") == 3


async def test_digest_survives_a_401(home: RestHome) -> None:
    refuse = Answer(status=401)
    await home.set_up(entry("/digest", DIGEST))
    await home.state(lambda state: "counter" in state.state)
    home.endpoint.set("/digest", refuse)
    await home.update()
    await home.state(STATE_UNAVAILABLE)
    home.endpoint.unset("/digest")
    await home.update()
    await home.state(lambda state: "counter" in state.state)


async def test_digest_survives_a_change_of_host(home: RestHome) -> None:
    async with Endpoint() as other:
        home.hass.states.async_set("input_text.url", home.endpoint.url)
        await home.set_up(
            "- platform: rest\n  resource_template: \"{{ states('input_text.url') }}/digest\"\n"
            + DIGEST
        )
        await home.state(lambda state: "counter" in state.state)
        home.hass.states.async_set("input_text.url", other.url)
        await home.update()
        await home.state(lambda state: "counter" in state.state)
        assert other.count("/digest") == 2
        assert not home.log()


@pytest.mark.parametrize("kind", [LOGIN, DIGEST, ""])
async def test_nothing_follows_a_redirect_to_another_origin(home: RestHome, kind: str) -> None:
    kind += "  headers: {Accept: a/b, X-Token: canary, Cookie: canary}\n"
    async with Endpoint(host="127.0.0.2") as other:
        for path in ("/values", "/digest", "/basic"):
            target = {"Location": other.url + path}
            home.endpoint.set(f"/to{path}", Answer(status=302, headers=target))
        await home.set_up(
            entry("/to/values", kind)
            + entry("/to/digest", kind, "d")
            + entry("/to/basic", kind, "b")
        )
        await home.state(lambda state: "counter" in state.state)
        await home.state(STATE_UNAVAILABLE, "sensor.d")
        await home.state(STATE_UNAVAILABLE, "sensor.b")
        for request in other.requests:
            assert request.headers["Accept"] == "a/b"
            for name in ("Authorization", "X-Token", "Cookie"):
                assert name not in request.headers


async def test_credentials_follow_on_the_same_origin(home: RestHome) -> None:
    home.endpoint.set("/a", Answer(status=302, headers={"Location": "/basic"}))
    home.endpoint.set("/b", Answer(status=302, headers={"Location": "/digest"}))
    await home.set_up(entry("/a", LOGIN) + entry("/b", DIGEST, "b"))
    await home.state(lambda state: "counter" in state.state)
    await home.state(lambda state: "counter" in state.state, "sensor.b")


def context(ciphers: str) -> ssl.SSLContext:
    """Return the context that Home Assistant's sessions share."""
    return ssl_util.client_context(ssl_util.SSLCipherList(ciphers), ssl_util.SSL_ALPN_HTTP11)


def https(authority: trustme.CA, name: str = "127.0.0.1") -> Endpoint:
    """Return an HTTPS endpoint with a certificate for a name."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(context)
    return Endpoint(ssl_context=context)


@pytest.mark.parametrize("ciphers", ["python_default", "intermediate", "modern"])
async def test_tls_with_a_trusted_certificate(home: RestHome, ciphers: str) -> None:
    authority = trustme.CA()
    authority.configure_trust(context(ciphers))
    async with apart(https(authority)) as endpoint:
        await home.set_up(
            f"- platform: rest\n  resource: {endpoint.url}/values\n  ssl_cipher_list: {ciphers}\n"
        )
        await home.state(lambda state: "counter" in state.state)


async def test_tls_with_a_stranger(home: RestHome) -> None:
    async with apart(https(trustme.CA())) as endpoint:
        await home.set_up(
            f"- platform: rest\n  resource: {endpoint.url}/values\n"
            f"- platform: rest\n  resource: {endpoint.url}/values\n"
            "  name: lax\n  verify_ssl: false\n"
        )
        await home.state(STATE_UNAVAILABLE)
        await home.state(lambda state: "counter" in state.state, "sensor.lax")
        assert "it is signed by an authority that is not known" in home.log()[0]


async def test_tls_with_another_name_on_the_certificate(home: RestHome) -> None:
    authority = trustme.CA()
    authority.configure_trust(context("python_default"))
    async with apart(https(authority, "elsewhere.invalid")) as endpoint:
        await home.set_up(f"- platform: rest\n  resource: {endpoint.url}/values\n")
        await home.state(STATE_UNAVAILABLE)
        assert "not accepted: it is for another name: elsewhere.invalid" in home.log()[0]
