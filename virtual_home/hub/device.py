"""The device without its network: identity, sessions, and handling of datagrams."""

from collections import OrderedDict
from random import Random

from . import frame
from .family import (
    AUTHENTICATION,
    AUTHORIZATION,
    COMMAND_AUTH,
    COMMAND_DATA,
    COMMAND_SP1,
    NOT_SUPPORTED,
    STRUCTURE,
    DeviceError,
    Logs,
    Parts,
    Received,
    State,
    now,
)
from .faults import Faults, Quirks
from .models import MODELS
from .passage import Hearing
from .remote import Receiver, Remote

KEY_SIZE = 16
MAX_SESSIONS = 8
MAX_REPLIES = 64

FIRMWARE_REQUEST = b"\x68"
FIRMWARE = 52079
RENAME_SIZE = 0x50
RENAME_LOCK_OFFSET = 0x43

type Peer = tuple[str, int]


class Sessions:
    """Open sessions, and the last replies in them.

    A resent frame has the same counter as the original; it is answered with the stored reply and
    not executed again.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._keys: OrderedDict[int, bytes] = OrderedDict()
        self._replies: OrderedDict[tuple[Peer, int, int], bytes] = OrderedDict()

    def open(self) -> tuple[int, bytes]:
        """Return a new session's id and key; the oldest session beyond MAX_SESSIONS expires."""
        session = self._random.randrange(1, 1 << 31)
        self._keys[session] = self._random.randbytes(KEY_SIZE)
        if len(self._keys) > MAX_SESSIONS:
            self._keys.popitem(last=False)
        return session, self._keys[session]

    def key(self, session: int) -> bytes | None:
        """Return a session's key; None when it is unknown or expired."""
        return self._keys.get(session)

    def expire(self) -> None:
        """End every session."""
        self._keys.clear()

    def forget(self) -> None:
        """End all sessions and drop all replies, as a reboot does."""
        self.expire()
        self._replies.clear()

    def stored(self, peer: Peer, request: frame.Request) -> bytes | None:
        """Return the reply to an earlier frame with the same counter."""
        return self._replies.get((peer, request.session, request.counter))

    def store(self, peer: Peer, request: frame.Request, reply: bytes) -> None:
        """Store a reply for resends; the newest MAX_REPLIES are kept."""
        self._replies[peer, request.session, request.counter] = reply
        if len(self._replies) > MAX_REPLIES:
            self._replies.popitem(last=False)


class Device:
    """A device of one of `MODELS`, without its network.

    `state` holds its measurements and switches, `quirks` the behaviour of its firmware, `faults`
    the faults of the network, `logs` the received requests and the transmitted packets.
    """

    def __init__(
        self, model: str, *, mac: str, name: str, devtype: int | None, seed: int = 0
    ) -> None:
        self.model = model
        self.mac = mac
        self.name = name
        self.devtype = MODELS[model].devtype if devtype is None else devtype
        self.state = State()
        self.logs = Logs()
        self.faults = Faults()
        self.quirks = Quirks()
        self.drop_resends = False  # some firmware drops a repeated counter instead of answering
        self.opens_when_locked = False  # some models accept a session when locked, to unlock them
        random = Random(f"{mac} {seed}")  # no two devices share a key
        self.near: list[Hearing] = []
        """Receivers of its transmissions: devices in the same room, or behind a `Passage`."""
        self._sessions = Sessions(random)
        self._family = MODELS[model].family(
            Parts(
                state=self.state,
                logs=self.logs,
                quirks=self.quirks,
                random=random,
                identity=lambda: (self.name, self._locked),
                transmits=self._is_heard,
            )
        )
        self._locked = False
        self._down_until = 0.0

    @property
    def transmitted(self) -> list[bytes]:
        """Return all transmitted packets, oldest first, cut to the length in their header."""
        return [entry.packet for entry in self.logs.transmitted]

    def count(self, name: str) -> int:
        """Return the number of executed requests with a name.

        Names: hello, ping, auth, rename, firmware; state, send, learn, read,
        sweep, check_frequency, find_rf, cancel, sensors; status, set, energy.
        """
        return sum(entry.name == name for entry in self.logs.received)

    @property
    def receiver(self) -> Receiver:
        """Return the receiver of a remote-control model. Raise TypeError for other models."""
        if not isinstance(self._family, Remote):
            raise TypeError(f"{self.model} learns nothing")
        return self._family.receiver

    def press(self, packet: bytes) -> bool:
        """Press a remote control's button; return whether the hub was listening."""
        return self.receiver.press(packet)

    def _is_heard(self, packet: bytes) -> None:
        for hearing in self.near:
            hearing.press(packet)

    @property
    def locked(self) -> bool:
        """Return whether the device is locked in its app. Setting it ends all sessions."""
        return self._locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        self._locked = locked
        if locked:
            self._sessions.expire()

    def expire_sessions(self) -> None:
        """End all sessions: requests are answered with -7 until clients authenticate again."""
        self._sessions.expire()

    def reboot(self, downtime: float = 0.0) -> None:
        """Drop sessions, stored replies and learning; do not answer for `downtime` seconds."""
        self._sessions.forget()
        self._family.reboot()
        self.logs.busy_until = 0.0
        self._down_until = now() + downtime

    @property
    def down(self) -> bool:
        """Return whether the device is rebooting."""
        return now() < self._down_until

    def reply(self, data: bytes, peer: Peer) -> bytes | None:
        """Handle a datagram and return the reply, None if there is none."""
        if frame.is_ping(data):
            self._note("ping")
            return None
        if frame.is_hello(data):
            self._note("hello")
            return frame.hello_reply(
                devtype=self.devtype,
                mac=bytes.fromhex(self.mac.replace(":", "")),
                name=self.name,
                locked=self._locked,
            )
        if (request := frame.Request.parse(data)) is None:
            return None
        if (stored := self._sessions.stored(peer, request)) is not None:
            return None if self.drop_resends else stored
        reply = self._perform(request)
        self._sessions.store(peer, request, reply)
        return reply

    def _note(self, name: str) -> None:
        self.logs.received.append(Received(name, now()))

    def _perform(self, request: frame.Request) -> bytes:
        """Execute a request; return a reply with the payload or the error."""
        if request.command == COMMAND_AUTH:
            key = frame.FIRST_KEY
        elif (known := self._sessions.key(request.session)) is not None:
            key = known
        else:
            return request.reply(b"", key=frame.FIRST_KEY, error=AUTHORIZATION)
        try:
            return request.reply(self._act(request, key), key=key)
        except DeviceError as err:
            return request.reply(b"", key=key, error=err.code)

    def _act(self, request: frame.Request, key: bytes) -> bytes:
        if not (payload := request.plain(key)):
            raise DeviceError(STRUCTURE)
        if request.command == COMMAND_AUTH:
            return self._authenticate()
        if request.command not in {COMMAND_DATA, COMMAND_SP1}:
            raise DeviceError(NOT_SUPPORTED)
        if payload.rstrip(b"\0") == FIRMWARE_REQUEST:
            self._note("firmware")
            return bytes(4) + FIRMWARE.to_bytes(2, "little")
        if len(payload) == RENAME_SIZE and not any(payload[:4]):
            return self._rename(payload)
        self._note(self._family.name(request.command, payload))
        if self.faults.errors and (code := self.faults.errors.pop(0)):
            raise DeviceError(code)
        return self._family.answer(request.command, payload)

    def _authenticate(self) -> bytes:
        self._note("auth")
        if self._locked and not self.opens_when_locked:
            raise DeviceError(AUTHENTICATION)
        if self.faults.no_session:
            raise DeviceError(NOT_SUPPORTED)
        session, key = self._sessions.open()
        return session.to_bytes(4, "little") + key

    def _rename(self, payload: bytes) -> bytes:
        self._note("rename")
        self.name = payload[4:RENAME_LOCK_OFFSET].split(b"\0")[0].decode(errors="replace")
        self._locked = bool(payload[RENAME_LOCK_OFFSET])
        return b""
