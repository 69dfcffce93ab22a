"""A server that gives out tokens by OAuth 2, and what it protects."""

import base64
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from .home import RestHome

SECRET = "canary +/:="


class Server:
    """An authorization server, and what it protects."""

    def __init__(self, home: RestHome, **reply: object) -> None:
        self.count = 0
        self.forms: list[dict[str, str]] = []
        self._reply = reply
        home.endpoint.set("/token", self._token)
        home.endpoint.set("/x", self._data)

    async def _token(self, request: web.BaseRequest) -> web.StreamResponse:
        form = dict(parse_qsl((await request.read()).decode(), strict_parsing=True))
        credentials = request.headers.get("Authorization", "").removeprefix("Basic ")
        client, _, secret = base64.b64decode(credentials).decode().partition(":")
        pair = dict(parse_qsl(f"client_id={client}&client_secret={secret}")) or {
            key: form.get(key, "") for key in ("client_id", "client_secret")
        }
        if pair != {"client_id": "me", "client_secret": SECRET}:
            return web.json_response({"error": "invalid_client"}, status=401)
        self.forms.append(form)
        self.count += 1
        token = {"access_token": f"canary-{self.count}", "token_type": "Bearer"}
        return web.json_response(token | self._reply)

    async def _data(self, request: web.BaseRequest) -> web.StreamResponse:
        is_right = request.headers.get("Authorization") == f"Bearer canary-{self.count}"
        return web.json_response({"on": True}, status=200 if is_right else 401)


def request(home: RestHome, **more: object) -> dict[str, Any]:
    """Return a request that needs a token."""
    login = {"token_url": home.endpoint.url + "/token", "client_id": "me", "client_secret": SECRET}
    return {**home.url("/x"), "login": {**login, **more}}
