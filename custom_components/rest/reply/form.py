"""Fill in the form of a login page, as a browser would.

Uses the same parser as `html.py`, which is imported only if a login has a `form`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

from .html import parsed_page

_CHOICES = frozenset({"checkbox", "radio"})
_NOT_SENT = frozenset({"button", "reset", "file", "submit", "image"})
_SENDING = frozenset({"submit", "image"})


@dataclass(frozen=True, kw_only=True, repr=False)
class FilledForm:
    """A form to submit. Its `repr` shows nothing, since fields contain passwords and tokens."""

    method: str
    url: str
    fields: str
    """URL-encoded: `name=value&…`."""


def filled_form(page: str, url: str, css: str | None, values: Mapping[str, str]) -> FilledForm:
    """Return the form of a page with these values in its fields. Slow: run it in a thread.

    `css` selects the form; without it, it is the first one with a password field, or the only
    one. Other fields, including hidden ones, keep their values. Raise ValueError if there is no
    such form, or one that names a field that it lacks.
    """
    parsed = parsed_page(page)
    form = _form(parsed, css)
    if form is None:
        raise ValueError("the page has no form with a password, or none that fits `select`")
    controls = form.select("input, select, textarea, button")
    names = [name for control in controls if (name := _attribute(control, "name"))]
    if missing := [name for name in values if name not in names]:
        field_names = ", ".join(name for name in dict.fromkeys(names) if name.isprintable())
        raise ValueError(f"the form has no field '{missing[0]}'; it has {field_names or 'none'}")
    pairs = [(name, value) for name, value in _sent_fields(controls) if name not in values]
    pairs += values.items()
    base = parsed.select_one("base[href]")
    action = _attribute(form, "action").strip() or url
    return FilledForm(
        method="POST" if _attribute(form, "method").strip().lower() == "post" else "GET",
        url=urljoin(urljoin(url, _attribute(base, "href")) if base else url, action),
        fields=urlencode(pairs),
    )


def _form(parsed: BeautifulSoup, css: str | None) -> Tag | None:
    if css is None:
        forms = parsed.select("form")
        with_password = [form for form in forms if form.select_one("input[type=password i]")]
        return next(iter(with_password or (forms if len(forms) == 1 else [])), None)
    try:
        element = parsed.select_one(css)
    except Exception:  # noqa: BLE001  (soupsieve has exceptions of its own)
        raise ValueError("select: it is no CSS selector") from None
    if element is None or element.name == "form":
        return element
    return next((parent for parent in element.parents if parent.name == "form"), None)


def _sent_fields(controls: list[Tag]) -> Iterator[tuple[str, str]]:
    """Yield the names and values that a browser sends when the first button is pressed."""
    is_pressed = False
    for control in controls:
        if control.has_attr("disabled"):
            continue
        kind = _attribute(control, "type").lower() or ("submit" if control.name == "button" else "")
        is_button = kind in _SENDING and control.name in ("input", "button")
        if name := _attribute(control, "name"):
            if is_button and not is_pressed:
                yield name, _attribute(control, "value")
            elif not is_button and kind not in _NOT_SENT:
                yield from ((name, value) for value in _values(control, kind))
        is_pressed |= is_button


def _values(control: Tag, kind: str) -> list[str]:
    """Return the values that a control sends: one, or the chosen options."""
    match control.name:
        case "select":
            options = control.select("option")
            chosen = [option for option in options if option.has_attr("selected")] or options[:1]
            return [
                _attribute(option, "value") if option.has_attr("value") else option.text.strip()
                for option in chosen
            ]
        case "textarea":
            return [control.text]
    if kind not in _CHOICES:
        return [_attribute(control, "value")]
    if not control.has_attr("checked"):
        return []
    return [_attribute(control, "value") if control.has_attr("value") else "on"]


def _attribute(element: Tag, name: str) -> str:
    value = element.get(name)
    return value if isinstance(value, str) else ""
