"""Translate simple CSS selectors to XPath, which lxml evaluates many times faster than soupsieve.

Other selectors are left to a parser that supports all of CSS (`html.py`).
"""

from dataclasses import dataclass, field
import re

_NAME = r"-?[A-Za-z_][\w-]*"
_TOKEN = re.compile(
    rf"(?P<tag>{_NAME}|\*)"
    rf"|#(?P<id>{_NAME})"
    rf"|\.(?P<class>{_NAME})"
    rf"|\[\s*(?P<attribute>{_NAME})\s*(?:(?P<test>[\^$*~|]?=)\s*(?P<value>\"[^\"']*\"|'[^\"']*'|{_NAME})\s*)?\]"
    r"|:(?P<place>(?:first|last)-(?:child|of-type)|nth-(?:child|of-type)\(\s*(?P<number>[1-9]\d*)\s*\))"
    r"|\s*(?P<combinator>[>+~,])\s*|(?P<space>\s+)",
    re.ASCII,
)
_STEPS = {
    "": "//",
    " ": "//",
    ">": "/",
    "+": "/following-sibling::*[1]/self::",
    "~": "/following-sibling::",
}
# Attributes that are not compared as plain text in selectors, such as `type` (case-insensitive).
_OTHERWISE_COMPARED = frozenset({"type", "class", "id"})


@dataclass(kw_only=True)
class _Element:
    """The part of a selector for one element, with the combinator before it."""

    combinator: str = ""
    tag: str = ""
    place: re.Match[str] | None = None
    conditions: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.tag or self.place or self.conditions)

    def take(self, token: re.Match[str]) -> bool:
        """Add a token; return whether it is supported here."""
        if token["tag"]:
            if not self.is_empty:
                return False
            self.tag = token["tag"].lower()
        elif token["place"]:
            if self.place:
                return False
            self.place = token
        elif condition := _condition(token):
            self.conditions.append(condition)
        else:
            return False
        return True

    def xpath(self) -> str | None:
        """Return the step of an XPath, None if it cannot be translated."""
        tag = self.tag or "*"
        if self.place is None:
            test = tag
        elif self.combinator in ("+", "~"):
            return None  # positions count children of an element, not siblings
        else:
            number = self.place["number"] or ("last()" if "last" in self.place["place"] else "1")
            if "of-type" not in self.place["place"]:
                test = f"*[{number}]" + ("" if tag == "*" else f"[self::{tag}]")
            elif tag == "*":
                return None
            else:
                test = f"{tag}[{number}]"
        conditions = "".join(f"[{condition}]" for condition in self.conditions)
        return f"{_STEPS[self.combinator]}{test}{conditions}"


def xpath_of(css: str) -> str | None:
    """Return the XPath of a selector, None if it is not a simple one."""
    path, element, position, text = "", _Element(), 0, css.strip()
    while position < len(text):
        if (token := _TOKEN.match(text, position)) is None:
            return None
        position = token.end()
        combinator = token["combinator"] or (" " if token["space"] else "")
        if not combinator:
            if not element.take(token):
                return None
        elif element.is_empty or (step := element.xpath()) is None:
            return None
        else:
            path += step
            if combinator == ",":
                path, combinator = f"{path}|", ""
            element = _Element(combinator=combinator)
    if element.is_empty or (step := element.xpath()) is None:
        return None
    return path + step


def _condition(token: re.Match[str]) -> str | None:
    if token["id"]:
        return f"@id='{token['id']}'"
    if token["class"]:
        return f"contains(concat(' ', normalize-space(@class), ' '), ' {token['class']} ')"
    return _attribute(token["attribute"].lower(), token["test"], token["value"])


def _attribute(name: str, test: str | None, value: str | None) -> str | None:
    if test is None or value is None:
        return f"@{name}"
    if name in _OTHERWISE_COMPARED:
        return None
    text = value.strip("\"'")
    if not text and test != "=":
        return None
    length = len(text)
    return {
        "=": f"@{name}='{text}'",
        "^=": f"starts-with(@{name}, '{text}')",
        "$=": f"substring(@{name}, string-length(@{name}) - {length - 1})='{text}'",
        "*=": f"contains(@{name}, '{text}')",
    }.get(test)
