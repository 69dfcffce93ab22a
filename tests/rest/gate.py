"""A login whose requests are counted."""

from typing import Any

from aiohttp import web

from .home import RestHome


class Gate:
    """A server with a login: issues tokens, or sessions in cookies, and accepts the last one."""

    def __init__(self, home: RestHome, *, by_cookie: bool = False) -> None:
        self.count = 0
        self.is_shut = False
        self._by_cookie = by_cookie
        home.endpoint.set("/login", self._login)
        for path in ("/a", "/b"):
            home.endpoint.set(path, self._data)

    def forget(self) -> None:
        """Invalidate all tokens and sessions."""
        self.count += 100

    async def _login(self, request: web.BaseRequest) -> web.StreamResponse:
        if self.is_shut or (await request.read()) != b"canary-password":
            return web.json_response({"error": "canary"}, status=403)
        self.count += 1
        token = f"canary-{self.count}"
        if self._by_cookie:
            answer = web.HTTPFound("/welcome")
            answer.set_cookie("session", token)
            return answer
        return web.json_response({"token": token, "lasts": 3600, "null": None, "empty": ""})

    async def _data(self, request: web.BaseRequest) -> web.StreamResponse:
        credentials = (request.headers.get("Authorization"), request.cookies.get("session"))
        if f"Bearer canary-{self.count}" in credentials or f"canary-{self.count}" in credentials:
            return web.json_response({"on": True})
        return web.json_response({}, status=401)


def request(home: RestHome, path: str, **more: object) -> dict[str, Any]:
    """Return a request that logs in first."""
    return {
        **home.url(path),
        "login": {
            **home.url("/login"),
            "method": "POST",
            "payload": "canary-password",
            "values": {"token": "{{ value_json.token }}"},
            **more,
        },
        "headers": {"Authorization": "Bearer {{ login.token }}"},
    }
