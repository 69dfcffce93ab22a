"""Basic and digest authentication, the server's side (RFC 7617, RFC 7616 with MD5)."""

import base64
import hashlib
import re
import secrets

from aiohttp import web

USERNAME = "user"
PASSWORD = "pass-word"  # noqa: S105  (opens a virtual home only)
REALM = "virtual home"

_FIELD = re.compile(r'(\w+)=(?:"([^"]*)"|([^\s,]*))')


def basic_challenge(request: web.BaseRequest) -> web.Response | None:
    """Return the refusal, or None when the request carries the right user and password."""
    expected = "Basic " + base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
    if request.headers.get("Authorization") == expected:
        return None
    return web.Response(status=401, headers={"WWW-Authenticate": f'Basic realm="{REALM}"'})


class Digest:
    """Verifies digest responses with one nonce, until `rotate` creates another."""

    def __init__(self) -> None:
        self.rotate()

    def rotate(self) -> None:
        """Invalidate all earlier responses."""
        self.nonce = secrets.token_hex(16)

    def challenge(self, request: web.BaseRequest) -> web.Response | None:
        """Return the refusal, or None when the request's answer is right."""
        if self._right(request):
            return None
        header = f'Digest realm="{REALM}", qop="auth", algorithm=MD5, nonce="{self.nonce}"'
        return web.Response(status=401, headers={"WWW-Authenticate": header})

    def _right(self, request: web.BaseRequest) -> bool:
        scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
        credentials = {name: quoted or plain for name, quoted, plain in _FIELD.findall(rest)}
        if scheme != "Digest" or credentials.get("nonce") != self.nonce:
            return False
        secret = _md5(f"{USERNAME}:{REALM}:{PASSWORD}")
        call = _md5(f"{request.method}:{request.raw_path}")
        parts = (
            self.nonce,
            credentials.get("nc"),
            credentials.get("cnonce"),
            credentials.get("qop"),
        )
        expected = _md5(":".join([secret, *map(str, parts), call]))
        return credentials.get("response") == expected and credentials.get("username") == USERNAME


class Login:
    """Issues a token for user and password, and requires it in every other request."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(16)

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Return the token, or the refusal."""
        if await request.json() != {"user": USERNAME, "password": PASSWORD}:
            return web.Response(status=403)
        return web.json_response({"access_token": self._token, "expires_in": 60})

    def challenge(self, request: web.BaseRequest) -> web.Response | None:
        """Return the refusal, or None when the request carries the token."""
        if request.headers.get("Authorization") == f"Bearer {self._token}":
            return None
        return web.Response(status=401)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
