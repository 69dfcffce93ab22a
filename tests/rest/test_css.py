"""Simple selectors by lxml: the same elements and texts as by the parser that knows them all."""

from collections.abc import Callable
import random
import time

from bs4 import BeautifulSoup
import pytest

from custom_components.rest.reply import html
from custom_components.rest.reply.css import xpath_of
from custom_components.rest.reply.html import Selector, select_elements

PAGE = """<!DOCTYPE html><html lang=en><head><title>A &amp; B</title><style>p {}</style>
<script>var a = "<p>";</script></head><body id=top class="x  y">
<!-- <p>no</p> --><div class="row one" data-id="5"><p>first <b>bold</b> text<!-- c --> end</p>
<p class=big>second</p><template><p>hidden</p></template><P>third</P></div>
<div class="row"><ul><li>1<li class="on">2<li>3</ul><a href="/a/b.png" title='t "x"'>link</a>
<ruby>x<rt>rt</rt><rp>(</rp></ruby><script>s()</script>after</div>
<table><tr><td>1<td>2</tr><tr><td>3<td class=big>4</table><input type=TEXT name="n" value="">
<br><span></span><p>last &euro; &#65; &nope;</p><svg:rect>s</svg:rect></body></html>"""
BROKEN = "<td>a<p>b<div>c</p><li>d</div><b><i>e</b></i>&lt<p class=big>f"
SIMPLE = [
    "p",
    "P",
    "*",
    "div p",
    "div > p",
    "div>p",
    "p + p",
    "p ~ p",
    "p.big",
    ".big",
    ".row.one",
    "#top",
    "body#top.x",
    "#top .row p",
    "[data-id]",
    "[data-id='5']",
    "[href^='/a']",
    "[href$='.png']",
    "[href*=b]",
    "a[title]",
    "li:nth-of-type(2)",
    "li:nth-child(3)",
    "li:first-child",
    "li:last-child",
    "p:first-of-type",
    "p:last-of-type",
    "tr:nth-of-type(2) td:nth-of-type(2)",
    "title, p.big",
    "p.big,title",
    "ul > li.on + li",
    "script",
    "style",
    "template",
    "ruby",
    "rt",
    "span",
    "html",
    "td",
    "b",
    "div",
    "input[value='']",
    "[value]",
    "p:nth-child(99)",
    "body > div > p",
    "ul > li:nth-of-type(1)",
    ":first-child",
]
OTHERS = [
    "p:not(.big)",
    "p:has(b)",
    "li:nth-child(2n)",
    "input[type=text]",
    "p::before",
    "a[",
    "",
    "> p",
    "p >",
    "p, ",
    "[class='row']",
    "a:is(p)",
    "p\\.x",
    "div >> p",
    ":nth-of-type(1)",
    "[a~=b]",
    "p p p:root",
    "p + li:nth-of-type(1)",
]
ATTRIBUTES = [None, "class", "href", "data-id", "title", "gone", "rel"]


def known_picks(page: str, selectors: list[Selector]) -> dict[Selector, str | ValueError]:
    """Return what the parser picks that knows all selectors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "xpath_of", lambda _: None)
        return select_elements(page, selectors)


PAGES = [
    PAGE,
    PAGE.replace("template", "b").replace("<r", "<b"),
    BROKEN,
    "just text",
    "<p>x",
    "<?xml version='1.0'?><p>x",
]


@pytest.mark.parametrize("page", PAGES, ids=range(len(PAGES)))
def test_simple_selectors_pick_the_same(page: str) -> None:
    selectors = [
        Selector(css=css, index=index, attribute=attribute)
        for css in SIMPLE
        for index in range(4)
        for attribute in ATTRIBUTES
    ]
    assert all(xpath_of(css) for css in SIMPLE)
    known = known_picks(page, selectors)
    for selector, text in select_elements(page, selectors).items():
        assert (selector, type(text), str(text)) == (
            selector,
            type(known[selector]),
            str(known[selector]),
        )


@pytest.mark.parametrize("css", OTHERS)
def test_other_selectors_are_left_to_the_parser_that_knows_them(css: str) -> None:
    assert xpath_of(css) is None


def test_random_pages() -> None:
    rng = random.Random(1)
    tags = ["div", "p", "ul", "li", "table", "tr", "td", "b", "a", "span", "script", "rt", "form"]
    for _ in range(300):
        parts = []
        for _ in range(rng.randrange(40)):
            tag = rng.choice(tags)
            attribute = rng.choice(["", " class=on", " id=i", " href='/x'", " class='a on'"])
            parts.append(
                rng.choice([f"<{tag}{attribute}>", f"</{tag}>", "text ", "<!-- c -->", "&amp;"])
            )
        page = "".join(parts)
        selectors = [
            Selector(css=css, index=index, attribute=None)
            for css in (
                "p",
                "div p",
                "li.on",
                "td + td",
                "#i",
                "div > *",
                "p:nth-of-type(2)",
                "a ~ b",
            )
            for index in range(2)
        ]
        fast = select_elements(page, selectors)
        known = known_picks(page, selectors)
        assert {key: str(text) for key, text in fast.items()} == {
            key: str(text) for key, text in known.items()
        }, page


def test_xml_is_read_as_html_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    page = '<?xml version="1.0" encoding="utf-8"?>\n<feed><entry>1</entry><entry>2</entry></feed>'
    simple = Selector(css="entry", index=1, attribute=None)
    other = Selector(css="entry:last-child", index=0, attribute=None)
    assert select_elements(page, [simple, other]) == {simple: "2", other: "2"}
    assert not recwarn.list


def test_a_large_page_is_read_many_times_as_fast() -> None:
    row = "<tr><td class=name>n</td><td><a href=/x>link</a></td></tr>"
    page = f"<html><body><table>{row * 15_000}</table></body></html>"
    selector = Selector(css="tr:nth-of-type(500) td", index=0, attribute=None)

    def by_lxml() -> None:
        assert select_elements(page, [selector])[selector] == "n"

    def by_beautiful_soup() -> None:
        BeautifulSoup(page, "lxml")

    # 4.2 to 7.5 times, depending on the runs of the garbage collector that fall into the latter
    assert shortest_s(by_lxml) * 3 < shortest_s(by_beautiful_soup)


def shortest_s(call: Callable[[], None]) -> float:
    """Return the shortest processor time of three calls, in seconds."""
    times: list[float] = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def test_a_page_that_is_too_large_for_all_selectors() -> None:
    page = "<p>" + "x" * html.MAX_PAGE_OF_ALL_SELECTORS
    simple = Selector(css="p", index=0, attribute=None)
    other = Selector(css="p:not(.a)", index=0, attribute=None)
    picked = select_elements(page, [simple, other])
    assert isinstance(picked[simple], str)
    assert "too large for this selector" in str(picked[other])
