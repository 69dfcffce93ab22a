"""The hubs' datagrams: checksums, AES, request and reply frames, the hello.

Every frame but the hello starts with a header of 0x38 bytes:

    0x00 magic   0x20 checksum   0x22 error (i16)   0x24 device type
    0x26 command 0x28 counter    0x2A MAC reversed  0x30 session id
    0x34 checksum of the plain payload              0x38 ciphertext

All numbers are little-endian. The payload is AES-128-CBC, padded with zeros.
"""

from dataclasses import dataclass
from typing import Self

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

FIRST_KEY = bytes.fromhex("097628343fe99e23765c1513accf8b02")
IV = bytes.fromhex("562e17996d093d28ddb3ba695a2e6f58")
MAGIC = bytes.fromhex("5aa5aa555aa5aa55")
BLOCK = 16
HEADER = 0x38
HELLO_SIZE = 0x30
HELLO_REPLY_SIZE = 0x80
MAX_NAME = HELLO_REPLY_SIZE - 0x40 - 2
COMMAND_PING = 0x01
COMMAND_HELLO = 0x06


def checksum(data: bytes) -> int:
    """Return the protocol's 16-bit sum of bytes."""
    return sum(data, 0xBEAF) & 0xFFFF


def _blank(data: bytes, offset: int) -> bytes:
    """Return `data` with the u16 at `offset` zeroed, as checksums are computed."""
    return data[:offset] + b"\0\0" + data[offset + 2 :]


def _u16(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little")


def encrypt(key: bytes, plain: bytes) -> bytes:
    """Pad `plain` with zeros to whole blocks and encrypt it."""
    encryptor = Cipher(algorithms.AES(key), modes.CBC(IV)).encryptor()
    return encryptor.update(plain + bytes(-len(plain) % BLOCK)) + encryptor.finalize()


def decrypt(key: bytes, cipher: bytes) -> bytes:
    """Decrypt whole blocks; the zero padding stays."""
    decryptor = Cipher(algorithms.AES(key), modes.CBC(IV)).decryptor()
    return decryptor.update(cipher) + decryptor.finalize()


def is_hello(data: bytes) -> bool:
    """Return whether a datagram is a hello (discovery request)."""
    return (
        len(data) == HELLO_SIZE
        and _u16(data, 0x26) == COMMAND_HELLO
        and _u16(data, 0x20) == checksum(_blank(data, 0x20))
    )


def is_ping(data: bytes) -> bool:
    """Return whether a datagram is a keep-alive, which is not answered."""
    return len(data) == HELLO_SIZE and _u16(data, 0x26) == COMMAND_PING


def hello_reply(*, devtype: int, mac: bytes, name: str, locked: bool) -> bytes:
    """Return a hub's reply to a hello: identity and lock flag."""
    reply = bytearray(HELLO_REPLY_SIZE)
    reply[0x26] = COMMAND_HELLO + 1
    reply[0x34:0x36] = devtype.to_bytes(2, "little")
    reply[0x3A:0x40] = mac[::-1]
    encoded = name.encode(errors="surrogateescape")[:MAX_NAME]
    reply[0x40 : 0x40 + len(encoded)] = encoded
    reply[0x7F] = locked
    reply[0x20:0x22] = checksum(bytes(reply)).to_bytes(2, "little")
    return bytes(reply)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request's header fields and its ciphertext."""

    devtype: int
    command: int
    counter: int
    mac: bytes
    session: int
    payload_sum: int
    cipher: bytes

    @classmethod
    def parse(cls, data: bytes) -> Self | None:
        """Return a parsed request; None if a hub ignores it (short, corrupt, foreign)."""
        cipher = data[HEADER:]
        if len(data) < HEADER or not data.startswith(MAGIC) or len(cipher) % BLOCK:
            return None
        if _u16(data, 0x20) != checksum(_blank(data, 0x20)):
            return None
        return cls(
            devtype=_u16(data, 0x24),
            command=_u16(data, 0x26),
            counter=_u16(data, 0x28),
            mac=data[0x2A:0x30][::-1],
            session=int.from_bytes(data[0x30:0x34], "little"),
            payload_sum=_u16(data, 0x34),
            cipher=cipher,
        )

    def plain(self, key: bytes) -> bytes | None:
        """Return the decrypted payload, or None when its checksum is wrong."""
        plain = decrypt(key, self.cipher)
        return plain if checksum(plain) == self.payload_sum else None

    def reply(self, payload: bytes, *, key: bytes, error: int = 0) -> bytes:
        """Return the reply frame: same counter, `error` in the header, encrypted payload."""
        frame = bytearray(HEADER)
        frame[0x00:0x08] = MAGIC
        frame[0x22:0x24] = error.to_bytes(2, "little", signed=True)
        frame[0x24:0x26] = self.devtype.to_bytes(2, "little")
        frame[0x26:0x28] = (self.command + 0x384).to_bytes(2, "little")
        frame[0x28:0x2A] = self.counter.to_bytes(2, "little")
        frame[0x2A:0x30] = self.mac[::-1]
        frame[0x30:0x34] = self.session.to_bytes(4, "little")
        frame[0x34:0x36] = checksum(payload).to_bytes(2, "little")
        frame += encrypt(key, payload)
        frame[0x20:0x22] = checksum(bytes(frame)).to_bytes(2, "little")
        return bytes(frame)
