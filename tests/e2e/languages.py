"""The dialogue that adds an appliance, in any language, and checks that a page is readable."""

from dataclasses import dataclass
from functools import cache
import json
import re
from typing import Any, Final

from playwright.async_api import Page

from custom_components.irhub._common.markdown import PLAIN
from demo.host import ROOT

from .accessibility import look_at_dialogue
from .chromium import DESKTOP, PHONE

_FOLDER: Final = ROOT / "custom_components" / "irhub" / "translations"
_SHORTEST: Final = 16
"""Minimum letters of a fragment of an English text: shorter ones may be words of both languages."""


@dataclass(frozen=True)
class Words:
    """The texts of the dialogue in a language."""

    language: str

    @property
    def begin(self) -> str:
        """Return the button that opens it."""
        return str(_appliance(self.language)["initiate_flow"]["user"])

    def option(self, step: str, option: str) -> str:
        """Return an option of a menu, with placeholders as in the Markdown of the page."""
        text = str(self._step(step)["menu_options"][option])
        return text.replace(f"{{{PLAIN}", "{")

    def field(self, step: str, field: str) -> str:
        """Return the label of a field."""
        return str(self._step(step)["data"][field])

    def asks(self, action: str) -> str:
        """Return the beginning of the text of a progress page."""
        return str(_appliance(self.language)["progress"][action]).partition("{")[0].strip()

    def filled(self, step: str, shown: str) -> dict[str, str] | None:
        """Return the placeholders' values in the texts of a step; None if it is not shown."""
        of = self._step(step)
        return _filled(f"{of['title']} {of['description']}", shown)

    def last_paragraph(self, step: str, shown: str) -> dict[str, str] | None:
        """Return the placeholders' values in the last paragraph of a step; None as above."""
        paragraph = str(self._step(step)["description"]).rpartition("\n\n")[2]
        begin = re.escape(paragraph.partition("{")[0])  # other paragraphs may begin alike
        places = [match.start() for match in re.finditer(begin, shown)]
        tried = (_filled(paragraph, shown[place:]) for place in reversed(places))
        return next((filled for filled in tried if filled is not None), None)

    def choice(self, selector: str, option: str) -> str:
        """Return an option of a list."""
        return str(_texts(self.language)["selector"][selector]["options"][option])

    @property
    def foreign(self) -> frozenset[str]:
        """Return the fragments of English texts that this language has translated differently."""
        own = "\n".join(_strings(_texts(self.language)))
        pieces = (
            piece.strip()
            for text in _strings(_texts("en"))
            for piece in re.split(r"\{\w+\}|[*\n]", text)
        )
        return frozenset(each for each in pieces if len(each) >= _SHORTEST and each not in own)

    def _step(self, step: str) -> dict[str, Any]:
        found: dict[str, Any] = _appliance(self.language)["step"][step]
        return found


async def text_shown(page: Page) -> str:
    """Return the text of the dialogue, line by line."""
    return str(await page.evaluate(_TEXT))


async def expect_readable(page: Page, words: Words) -> None:
    """Check that the dialogue is in the language, complete, and not wider than the screen.

    It is checked at the size of a desktop, then of a phone, which remains; axe finds nothing.
    """
    await look_at_dialogue(page)
    shown = await text_shown(page)
    assert "{" not in shown, shown
    assert not [text for text in words.foreign if text in shown], shown
    for size in DESKTOP, PHONE:
        await page.set_viewport_size(size)
        assert await page.evaluate(_CUT_OFF) == [], (words.language, size)


def _filled(text: str, shown: str) -> dict[str, str] | None:
    pieces = re.split(r"\{(\w+)\}", " ".join(text.replace("**", "").split()))
    pieces[::2] = map(re.escape, pieces[::2])
    pieces[1::2] = (f"(?P<{name}>.+?)" for name in pieces[1::2])
    found = re.search("".join(pieces), " ".join(shown.split()))
    return None if found is None else found.groupdict()


@cache
def _texts(language: str) -> dict[str, Any]:
    texts: dict[str, Any] = json.loads((_FOLDER / f"{language}.json").read_text())
    return texts


def _appliance(language: str) -> dict[str, Any]:
    texts: dict[str, Any] = _texts(language)["config_subentries"]["appliance"]
    return texts


def _strings(texts: object) -> list[str]:
    if isinstance(texts, dict):
        return [text for part in texts.values() for text in _strings(part)]
    return [str(texts)]


_TEXT: Final = """
() => {
  const lines = [];
  const look = (node) => {
    if (node instanceof Text && node.data.trim()) {
      const drawn = document.createRange();
      drawn.selectNode(node);
      if (drawn.getClientRects().length) lines.push(node.data);
    }
    if (node.localName === "style") return;
    const slotted = node.localName === "slot" ? node.assignedNodes({ flatten: true }) : [];
    const inside = node.shadowRoot ?? node;
    for (const child of slotted.length ? slotted : inside.childNodes) look(child);
  };
  const main = document.querySelector("home-assistant").shadowRoot;
  for (const each of main.querySelectorAll("dialog-data-entry-flow")) look(each);
  return lines.join("\\n");
}
"""
"""Returns the visible text of the dialogue, including its shadow roots."""
_CUT_OFF: Final = """
() => {
  const cut = [];
  const look = (node) => {
    if (node instanceof HTMLElement) {
      const style = getComputedStyle(node);
      const isWide = node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1;
      const mustFit = style.textOverflow === "ellipsis" || /auto|scroll/.test(style.overflowX);
      if (isWide && mustFit) cut.push(`${node.localName}.${node.className}: ${node.innerText}`);
    }
    for (const child of node.shadowRoot?.children ?? []) look(child);
    for (const child of node.children) look(child);
  };
  const main = document.querySelector("home-assistant").shadowRoot;
  for (const each of main.querySelectorAll("dialog-data-entry-flow")) look(each);
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) cut.push("the page");
  return cut;
}
"""
"""Returns the parts of the dialogue that are cut off or scroll sideways."""
