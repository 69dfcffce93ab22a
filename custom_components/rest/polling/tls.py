"""TLS: certificates and keys in files, and reasons why a connection fails."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
import re
import ssl

import aiohttp
from cryptography import x509
from homeassistant.util.ssl import (
    SSL_ALPN_HTTP11,
    SSLCipherList,
    client_context_no_verify,
    create_client_context,
)

from ..const import CONF_CA_CERTIFICATE, CONF_CLIENT_CERTIFICATE, CONF_CLIENT_KEY

MAX_FILE = 1024 * 1024  # bytes
SHOWN_NAMES = 3
FETCH_TIMEOUT_S = 5.0
"""Timeout in seconds for fetching a rejected certificate again, to give details."""

# OpenSSL's error codes of certificate verification.
_NOT_YET_VALID = 9
_EXPIRED = 10
_SELF_SIGNED = 18
_UNKNOWN_AUTHORITY = (2, 19, 20, 21)
_ANOTHER_NAME = (62, 64)

_OPENSSL = re.compile(r"\[SSL: (\w+)\]")
_NO_TLS = "the server speaks plain HTTP on this port, or something else that is no TLS"
_TOO_OLD = "the server's TLS version is too old"
_REASONS = {
    "WRONG_VERSION_NUMBER": _NO_TLS,
    "PACKET_LENGTH_TOO_LONG": _NO_TLS,
    "RECORD_LAYER_FAILURE": _NO_TLS,
    "HTTP_REQUEST": _NO_TLS,
    "UNSUPPORTED_PROTOCOL": _TOO_OLD,
    "WRONG_SSL_VERSION": _TOO_OLD,
    "TLSV1_ALERT_PROTOCOL_VERSION": _TOO_OLD,
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "the server takes none of the ciphers, or wants a certificate",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "the server wants a client certificate",
}


@dataclass(frozen=True, kw_only=True)
class TlsFiles:
    """PEM files, relative to the configuration folder: client certificate, key, CA certificate.

    Without `key`, the file of `certificate` contains the private key. `authority` is trusted in
    addition to the well-known ones.
    """

    certificate: str | None
    key: str | None
    authority: str | None

    def load(
        self, in_folder: Callable[[str], str], verify_ssl: bool, ciphers: SSLCipherList
    ) -> ssl.SSLContext:
        """Return a TLS context with these files. Does file I/O.

        Raise ValueError that names the key in the YAML and the problem with its file.
        """
        context = create_client_context(ciphers, SSL_ALPN_HTTP11)
        if not verify_ssl:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.certificate is not None:
            self._load_client_certificate(context, self.certificate, in_folder)
        if self.authority is not None:
            _trust(context, in_folder(self.authority))
        return context

    def _load_client_certificate(
        self, context: ssl.SSLContext, certificate: str, in_folder: Callable[[str], str]
    ) -> None:
        """Load the client certificate into a context."""
        path = in_folder(certificate)
        _read(CONF_CLIENT_CERTIFICATE, path, b"-----BEGIN CERTIFICATE-----", "certificate")
        key = CONF_CLIENT_KEY if self.key else CONF_CLIENT_CERTIFICATE
        key_path = in_folder(self.key) if self.key else path
        if b"ENCRYPTED" in _read(key, key_path, b"PRIVATE KEY-----", "private key"):
            raise ValueError(f"{key}: the private key has a password; remove it with openssl")
        try:
            context.load_cert_chain(path, key_path, password="")  # nosec B106 - else OpenSSL prompts
        except ssl.SSLError as err:
            if err.reason == "KEY_VALUES_MISMATCH":
                problem = "the private key belongs to another certificate"
            else:
                problem = "the certificate or its private key is damaged"
            raise ValueError(f"{key}: {problem}") from None


def _trust(context: ssl.SSLContext, path: str) -> None:
    """Load the CA certificates of a file into a context."""
    key = CONF_CA_CERTIFICATE
    text = _read(key, path, b"-----BEGIN CERTIFICATE-----", "certificate")
    # Strict verification requires fields that self-made authorities often lack.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        context.load_verify_locations(cadata=text.decode("ascii", "replace"))
    except ssl.SSLError:
        raise ValueError(f"{key}: the certificate is damaged") from None


def _read(key: str, path: str, mark: bytes, content_name: str) -> bytes:
    """Return the content of a file. Raise ValueError that names the key if it lacks `mark`."""
    file = Path(path)
    if file.exists() and not file.is_file() and not file.is_dir():
        raise ValueError(f"{key}: it is no file, but a device or a pipe")
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except OSError as err:
        raise ValueError(f"{key}: {err.strerror or 'the file cannot be read'}") from None
    except ValueError:
        raise ValueError(f"{key}: no file can have this name") from None
    if len(data) > MAX_FILE:
        raise ValueError(f"{key}: the file is larger than {MAX_FILE // 1024**2} MiB")
    if mark not in data:
        raise ValueError(f"{key}: no {content_name} in PEM form is in the file")
    return data


def openssl_reason(err: Exception) -> str | None:
    """Return the reason of an OpenSSL error, None for other errors."""
    if (match := _OPENSSL.search(str(err))) is None:
        return None
    reason = match[1]
    return _REASONS.get(reason) or f"TLS connection failed: {reason.lower().replace('_', ' ')}"


async def certificate_reason(err: aiohttp.ClientConnectorCertificateError) -> str:
    """Return why a certificate is rejected; fetches it again for details."""
    error = err.certificate_error
    if not isinstance(error, ssl.SSLCertVerificationError):
        problem = type(error).__name__
    elif error.verify_code == _SELF_SIGNED:
        problem = "it is signed by itself, not by an authority that is known"
    elif error.verify_code in _UNKNOWN_AUTHORITY:
        problem = "it is signed by an authority that is not known"
    else:
        certificate = await _fetch_certificate(err.host, err.port)
        problem = (certificate and _details(certificate, error.verify_code)) or error.verify_message
    return f"TLS certificate not accepted: {problem}"


async def _fetch_certificate(host: str, port: int | None) -> x509.Certificate | None:
    """Return a server's certificate without verifying it; nothing is sent to the server."""
    try:
        async with asyncio.timeout(FETCH_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port, ssl=client_context_no_verify())
        certificate = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.transport.abort()
        return x509.load_der_x509_certificate(certificate)
    except OSError, ValueError:
        return None


def _details(certificate: x509.Certificate, code: int) -> str | None:
    if code == _NOT_YET_VALID:
        return f"it is not valid before {certificate.not_valid_before_utc:%Y-%m-%d}"
    if code == _EXPIRED and certificate.not_valid_after_utc < datetime.now(UTC):
        return f"it expired on {certificate.not_valid_after_utc:%Y-%m-%d}"
    if code in _ANOTHER_NAME and (names := _names(certificate)):
        return f"it is for another name: {', '.join(names)}"
    return None


def _names(certificate: x509.Certificate) -> list[str]:
    """Return the first printable names that a certificate is for."""
    try:
        subjects = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound, ValueError:
        return []
    names = [str(name.value) for name in subjects.value]
    return [name for name in names if name.isprintable()][:SHOWN_NAMES]
