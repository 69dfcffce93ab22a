"""Foreign text in Markdown; tests/e2e/test_markdown.py shows what the frontend makes of it."""

import pytest

from common.markdown import Markdown, bullets, code, escaped, escaped_values


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Television (old) 2.0, 50 %", "Television (old) 2.0, 50 %"),
        ("vol_up 127.0.0.1 A & B", "vol_up 127.0.0.1 A & B"),
        ("[a](https://b)", r"\[a\](https\://b)"),
        ("<img src=x>", r"\<img src=x\>"),
        ("www.a.b c@d.e", r"www\.a.b c\@d.e"),
        ("_a_ *b* __c", r"\_a\_ \*b\* \_\_c"),
        ("&lt; &#91;", r"\&lt; \&#91;"),
        ("# a", r"\# a"),
        ("1. a", r"1\. a"),
        (" a\n\n- b\t\x00c ", "a - b c"),
        ("\\", r"\\"),
    ],
)
def test_escaped(text: str, markdown: str) -> None:
    assert escaped(text) == markdown
    assert escaped(escaped(text)) == markdown


def test_code() -> None:
    assert code("ON") == "` ON `"
    assert code("a ``b`` `c`\n") == "``` a ``b`` `c` ```"


def test_what_is_markdown_stays() -> None:
    assert escaped_values({"list": bullets(["*a*", "b"]), "name": "*c*"}) == {
        "list": "- \\*a\\*\n- b",
        "name": r"\*c\*",
    }
    assert escaped(Markdown("**a**")) == "**a**"
