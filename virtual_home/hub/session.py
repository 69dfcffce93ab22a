"""Sessions: ids and keys handed out by authentication, replies kept for resends."""

from collections import OrderedDict
from random import Random

from .frame import Request

KEY_SIZE = 16
MAX_SESSIONS = 32
MAX_REPLIES = 64

type Peer = tuple[str, int]


class Sessions:
    """Who may speak, and what they were last told.

    A resent frame carries the counter it had before; it is answered with the
    stored reply and acted on once.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._keys: OrderedDict[int, bytes] = OrderedDict()
        self._replies: OrderedDict[tuple[Peer, int, int], bytes] = OrderedDict()

    def open(self) -> tuple[int, bytes]:
        """Return a new session's id and key; the oldest session beyond 32 expires."""
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
        """End every session and forget all replies, as a reboot does."""
        self.expire()
        self._replies.clear()

    def stored(self, peer: Peer, request: Request) -> bytes | None:
        """Return the reply to an earlier frame with the same counter."""
        return self._replies.get((peer, request.session, request.counter))

    def store(self, peer: Peer, request: Request, reply: bytes) -> None:
        """Keep a reply for resends, the newest 64 of them."""
        self._replies[peer, request.session, request.counter] = reply
        if len(self._replies) > MAX_REPLIES:
            self._replies.popitem(last=False)
