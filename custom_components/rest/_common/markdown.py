"""Escape untrusted text for Markdown in dialogues, notifications and repair issues.

Home Assistant's frontend renders these as GitHub-flavoured Markdown, with HTML and bare links.
Names and payloads come from devices and files, which must not be able to insert links or images.
"""

from collections.abc import Iterable, Mapping
import re
from typing import Any, Final, override

from homeassistant.core import callback
from homeassistant.data_entry_flow import FlowHandler, FlowResult

PLAIN: Final = "plain_"
"""Prefix of placeholders for texts that are not Markdown: titles, menu options, errors."""

_PLACEHOLDERS: Final = "description_placeholders"

_ACTIVE = re.compile(
    r"[\\`*\[\]<>~|@]"
    # A character reference such as &#91;
    r"|&(?=#?\w+;)"
    # Emphasis; an underscore inside a word is literal.
    r"|(?<![^\W_])_|_(?![^\W_])|(?<=_)_|_(?=_)"
    # Links without brackets.
    r"|(?<=www)\.|:(?=//)"
    # Characters that begin a heading or a list.
    r"|^[#+=-]",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f]+")


class Markdown(str):
    """Markdown in which untrusted text is escaped already."""

    __slots__ = ()


def escaped(text: str) -> Markdown:
    """Return Markdown that shows a text literally, on one line."""
    if isinstance(text, Markdown):
        return text
    line = _ACTIVE.sub(r"\\\g<0>", _on_one_line(text))
    return Markdown(_ITEM.sub(r"\1\\\2", line))


def code(text: str) -> Markdown:
    """Return Markdown that shows a text literally, on one line, as code."""
    line = _on_one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return Markdown(f"{fence} {line} {fence}")


def bullets(lines: Iterable[str]) -> Markdown:
    """Return Markdown that shows the texts literally as a bulleted list."""
    return Markdown("\n".join(f"- {escaped(line)}" for line in lines))


def escaped_values(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return placeholders with escaped values, for a text that is Markdown."""
    return {name: escaped(value) for name, value in placeholders.items()}


class EscapedPages[ContextT: Any, ResultT: FlowResult[Any, Any], HandlerT](
    FlowHandler[ContextT, ResultT, HandlerT]
):
    """A flow that escapes the values of its placeholders, unless they are `Markdown`.

    Each value is available twice: `{name}` escaped for Markdown, `{plain_name}` literal.
    """

    @callback
    @override
    def async_show_form(self, **page: Any) -> ResultT:
        return super().async_show_form(**_escaped(page))

    @callback
    @override
    def async_show_menu(self, **page: Any) -> ResultT:
        return super().async_show_menu(**_escaped(page))

    @callback
    @override
    def async_show_progress(self, **page: Any) -> ResultT:
        return super().async_show_progress(**_escaped(page))

    @callback
    @override
    def async_abort(self, **page: Any) -> ResultT:
        return super().async_abort(**_escaped(page))


def _escaped(page: dict[str, Any]) -> dict[str, Any]:
    placeholders: Mapping[str, str] = page.get(_PLACEHOLDERS) or {}
    plain = {f"{PLAIN}{name}": str(value) for name, value in placeholders.items()}
    return {**page, _PLACEHOLDERS: plain | escaped_values(placeholders)}


def _on_one_line(text: str) -> str:
    return _UNPRINTABLE.sub(" ", text).strip()
