"""A list or dictionary of a large JSON document, of which the end is not reached yet."""

import orjson

BLANK = b" \t\r\n"


class OpenContainer:
    """A container from its bracket at `at` on.

    What stands before `start` is in `value`, which is None as long as nothing is. `comma` is
    where the container's own last comma stands, or its bracket.
    """

    __slots__ = ("at", "comma", "data", "is_map", "start", "value")

    def __init__(self, data: bytes, at: int, *, is_map: bool) -> None:
        self.data = data
        self.at = at
        self.comma = at
        self.start = at + 1
        self.is_map = is_map
        self.value: list[object] | dict[str, object] | None = None

    def take(self, end: int, *, closing: bool = False) -> None:
        """Parse the elements up to a comma of the container's own, or to its end."""
        piece = self.data[self.start : end].strip(BLANK)
        self.start = end
        if self.value is None:
            self.value = {} if self.is_map else []
            if not piece and not closing:
                raise ValueError("a comma without an element")
        elif piece:
            if piece[:1] != b",":
                raise ValueError("a comma is missing")
            piece = piece[1:]
            if not piece.strip(BLANK):
                raise ValueError("a comma without an element")
        if isinstance(self.value, dict):
            self.value |= orjson.loads(b"{%b}" % piece)
        else:
            self.value += orjson.loads(b"[%b]" % piece)

    def put(self, inner: OpenContainer, end: int) -> None:
        """Add an element that has been parsed, with its end."""
        if self.comma >= self.start:
            self.take(self.comma)
        elif self.value is not None:
            raise ValueError("a comma is missing")
        head = self.data[max(self.start, self.comma + 1) : inner.at].strip(BLANK)
        if self.value is None:
            self.value = {} if self.is_map else []
        if isinstance(self.value, dict):
            self.value[_key(head)] = inner.value
        elif head:
            raise ValueError("a comma is missing")
        else:
            self.value.append(inner.value)
        self.start = end


def _key(head: bytes) -> str:
    key = orjson.loads(head[:-1]) if head[-1:] == b":" else None
    if not isinstance(key, str):
        raise ValueError("a member without a key")  # noqa: TRY004  (it is the document's mistake)
    return key
