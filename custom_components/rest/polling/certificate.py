"""A client certificate: the files with which Home Assistant shows a server who it is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
import ssl

from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, create_client_context

from ..const import CONF_CLIENT_CERTIFICATE, CONF_CLIENT_KEY


@dataclass(frozen=True, kw_only=True)
class ClientCertificate:
    """PEM files, relative to the configuration folder; without `key`, it stands in the first."""

    certificate: str
    key: str | None

    def load(
        self, in_folder: Callable[[str], str], verify_ssl: bool, ciphers: SSLCipherList
    ) -> ssl.SSLContext:
        """Return a TLS context that shows the certificate; reads files.

        Raise ValueError that names the key in the YAML and what is wrong with its file.
        """
        certificate = _readable(CONF_CLIENT_CERTIFICATE, in_folder(self.certificate))
        if b"-----BEGIN CERTIFICATE-----" not in certificate.read_bytes():
            raise ValueError(
                f"{CONF_CLIENT_CERTIFICATE}: no certificate in PEM form is in the file"
            )
        key_name = CONF_CLIENT_KEY if self.key else CONF_CLIENT_CERTIFICATE
        key = _readable(key_name, in_folder(self.key)) if self.key else certificate
        if b"PRIVATE KEY-----" not in (text := key.read_bytes()):
            raise ValueError(f"{key_name}: no private key in PEM form is in the file")
        if b"ENCRYPTED" in text:
            raise ValueError(f"{key_name}: the private key has a password; remove it with openssl")
        context = create_client_context(ciphers, SSL_ALPN_HTTP11)
        if not verify_ssl:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        try:
            context.load_cert_chain(certificate, key, password="")  # nosec B106 - else OpenSSL asks
        except ssl.SSLError as err:
            if err.reason == "KEY_VALUES_MISMATCH":
                what = "the private key belongs to another certificate"
            else:
                what = "the certificate or its private key is damaged"
            raise ValueError(f"{key_name}: {what}") from None
        return context


def _readable(key: str, path: str) -> Path:
    file = Path(path)
    try:
        file.open("rb").close()
    except OSError as err:
        raise ValueError(f"{key}: {err.strerror or 'the file cannot be read'}") from None
    return file
