"""Foreign text is shown as it is where Home Assistant's frontend renders Markdown."""

import random

from playwright.async_api import Page
import pytest

from custom_components.mqtt_binary._common.markdown import bullets, code, escaped

from .clicks import choose

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

FOREIGN = (
    "[Update now](https://example.com/update)",
    "![](https://example.com/pixel.png)",
    "![x][y]",
    "<img src=https://example.com/pixel.png>",
    "<ha-alert alert-type='error'>Broken</ha-alert>",
    "<https://example.com>",
    "see https://example.com/a, HTTP://example.com, ftp://example.com",
    "see www.example.com or WWW.example.com",
    "write to someone@example.com or mailto:someone@example.com",
    "`` ` ``",
    "`a` ``b``",
    "`",
    "*a* **b** _c_ __d__ ***e*** a_b_c _a b_ __init__ a__b",
    "~a~ ~~b~~",
    "# Heading",
    "#",
    "- item",
    "-",
    "---",
    "===",
    "+ item",
    "> quote",
    "> [!WARNING]",
    "1. item",
    "123456789) item",
    "| a | b |",
    "-|-",
    "&lt;b&gt; &#91;x&#93;(y) A & B",
    "\\[x\\](y) \\",
    "back\\",
    "first\n\n# second\n\n- third\r\n    fourth\tfifth",
    "{x} ${x} {{ x }}",
    "Wohnzimmer (alt): Gerät 2 - 50 %!",
    '{"state": "ON", "url": "http://example.com/?a=1&b=2#c"}',
    ":smile: :-) ^a^ ==b== $c$",
    "[^1]: note",
    "[a]: https://example.com",
)
ALPHABET = "ab1 \\`*_[]()<>~|@&;#:/.!-+=\"'\n"
SHOW = """async (texts) => {
  await customElements.whenDefined("ha-markdown");
  const shown = [];
  for (const text of texts) {
    const element = document.createElement("ha-markdown");
    element.allowSvg = element.breaks = true;
    element.content = text;
    document.body.append(element);
    shown.push(element);
  }
  const rendered = (element) => element.shadowRoot?.querySelector("ha-markdown-element");
  const filled = (element) => {
    const inside = rendered(element);
    return (inside?.renderRoot ?? inside)?.querySelector(":not(style)");
  };
  const ends = Date.now() + 30000;
  while (!shown.every(filled) && Date.now() < ends) await new Promise((f) => setTimeout(f, 50));
  return shown.map((element) => {
    const inside = rendered(element).renderRoot ?? rendered(element);
    const tags = [...inside.querySelectorAll("*")].map((tag) => tag.localName);
    const result = [inside.textContent, tags.filter((tag) => tag !== "style")];
    element.remove();
    return result;
  });
}"""


def as_shown(text: str) -> str:
    """Return a text as a browser shows it: white space is one space."""
    return " ".join(text.split())


async def test_foreign_text_is_shown_as_it_is(page: Page) -> None:
    fuzz = random.Random(49)
    foreign = [*FOREIGN]
    foreign += ["x" + "".join(fuzz.choices(ALPHABET, k=24)) + "x" for _ in range(300)]
    foreign += ["".join(fuzz.choices(ALPHABET, k=4)) + "x" for _ in range(200)]
    await page.goto("/config/integrations/integration/mqtt_binary")
    await page.get_by_role("button", name="Add sensor").click()
    await choose(page, "Enter its topic")
    forms = {
        "inside": ([f"A {escaped(text)} b." for text in foreign], "A {} b.", ["p"]),
        "lines": ([f"{escaped(text)}\n{escaped(text)}" for text in foreign], "{}{}", ["p", "br"]),
        "list": ([bullets([text, text]) for text in foreign], "{} {}", ["ul", "li", "li"]),
        "code": ([f"A {code(text)} b." for text in foreign], "A {} b.", ["p", "code"]),
    }
    wrong = []
    for form, (texts, pattern, tags) in forms.items():
        for text, (content, elements) in zip(
            foreign, await page.evaluate(SHOW, texts), strict=True
        ):
            wanted = pattern.replace("{}", as_shown(text)).strip()
            if as_shown(content) != as_shown(wanted) or elements != tags:
                wrong.append((form, text, content, elements))
    assert not wrong
