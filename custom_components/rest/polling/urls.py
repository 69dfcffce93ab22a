"""URLs without normalisation: escapes are kept and paths are not shortened.

The normalisation of yarl turns `%2C` into a comma and `/a/../b` into `/b`, which invalidates
signed URLs and is not understood by some devices.
"""

import re
from urllib.parse import quote, urljoin

from yarl import URL

_PARTS = re.compile(r"[^:/?#]+://[^/?#]*(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_IGNORED = re.compile(r"[\t\r\n]")  # as in browsers
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_LEGAL = "!$%&'()*+,-./:;=?@_~"
"""Characters allowed in a path or query, besides letters and digits (RFC 3986)."""


def http_url(text: str) -> URL:
    """Return the URL; only characters that cannot be sent, such as spaces, are escaped.

    The text of the ValueError raised for an invalid URL contains at most scheme and host.
    """
    cleaned = _IGNORED.sub("", text.strip())
    try:
        url = URL(cleaned)
        host, _ = url.host, url.port
    except ValueError:
        url, host = URL(), None
    parts = _PARTS.match(cleaned)
    if url.scheme not in ("http", "https") or not host or not parts:
        location = f"{url.scheme or '(no scheme)'}://{host or '(no host)'}"
        raise ValueError(f"no http or https URL but {location}")
    return URL.build(
        scheme=url.scheme,
        authority=url.raw_authority,
        path=_escaped(parts["path"]) or "/",
        query_string=_escaped((parts["query"] or "").replace(" ", "+")),  # as forms send it
        encoded=True,
    )


def redirect_url(url: URL, location: str) -> URL:
    """Return the target of a `Location` header. Raise ValueError as `http_url` does."""
    try:
        joined = urljoin(str(url), location.strip())
    except ValueError:
        joined = ""
    return http_url(joined)


def _escaped(part: str) -> str:
    return quote(_STRAY_PERCENT.sub("%25", part), safe=_LEGAL, errors="replace")
