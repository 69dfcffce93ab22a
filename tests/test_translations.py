"""The texts: the same in every language."""

import ast
from collections import ChainMap
from pathlib import Path
import re

import homeassistant
import pytest

from .files import ROOT, every, leaves, placeholders, read

CORE = Path(homeassistant.__file__).parent / "components"
LANGUAGES = {"de", "en", "es", "fr", "nl"}
OTHERS = sorted(
    path for path in ROOT.glob("custom_components/*/translations/*.json") if path.stem != "en"
)


ADDRESSES = {
    "de": r"[a-z]en Sie\b|\bIhnen\b|\bIhren\b",
    "es": r"(?i)\b(usted|(?<!yo )elija|pulse|introduzca|escriba|inténtelo|déjelo|ponga)\b",
    "fr": r"(?i)\b(tu|toi|ton|tes)\b",
    "nl": r"\b[Uu]w?\b",
}
"""Language → expression for words of the other way to address somebody."""
PLAIN_PARTS = {"menu_options", "menu_option_descriptions", "error"}


def kept(text: str) -> list[str]:
    """Return what is the same in every language: what is filled in, and `code`."""
    return sorted(re.findall(r"\{\w+\}|`[^`]*`", text))


@every
def test_languages(folder: Path) -> None:
    assert {path.stem for path in (folder / "translations").glob("*.json")} == LANGUAGES


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_same_texts_and_placeholders_as_in_english(path: Path) -> None:
    english, translated = (dict(leaves(read(file))) for file in (path.with_name("en.json"), path))
    assert {*translated} == {*english}
    for key, text in english.items():
        assert kept(translated[key]) == kept(text), key
        assert translated[key].count("\n") == text.count("\n"), key


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_texts_address_the_user_as_home_assistant_does(path: Path) -> None:
    """Informally in German, Dutch and Spanish, and formally in French."""
    foreign = re.compile(ADDRESSES[path.stem])
    assert not [text for _, text in leaves(read(path)) if foreign.search(text)]


@every
def test_what_is_filled_in_is_escaped_where_it_is_markdown(folder: Path) -> None:
    """The frontend renders titles, options of menus and errors as they are, the rest not."""
    for key, text in leaves(read(folder / "translations" / "en.json")):
        top, *path = key.split(".")
        if top not in {"config", "options", "config_subentries", "issues"}:
            continue
        if "step" in path or PLAIN_PARTS & {*path[:-1]}:
            is_plain = path[-1] == "title" or bool(PLAIN_PARTS & {*path[:-1]})
            assert all(name.startswith("plain_") is is_plain for name in placeholders(text)), key
        # `code` puts as many backticks as it takes; an entity id has none.
        assert "`{" not in text.replace("`{entity_id}`", ""), key


@every
def test_every_entity_with_a_translation_key_has_a_name(folder: Path) -> None:
    """Without the text, Home Assistant gives the entity the name of its device."""
    names = read(folder / "translations" / "en.json").get("entity", {})
    for path in folder.rglob("*.py"):
        platform = path.relative_to(folder).parts[0].removesuffix(".py")
        of_platform = names[platform] if platform in names else {**ChainMap(*names.values())}
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id="_attr_translation_key")], value=ast.Constant(key)
                ):
                    assert "name" in of_platform.get(key, ()), (path.name, key)


@every
def test_every_dialogue_escapes_what_it_fills_in(folder: Path) -> None:
    bases = {
        node.name: {base.value if isinstance(base, ast.Subscript) else base for base in node.bases}
        for path in folder.rglob("*.py")
        if "_common" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    named = {name: [getattr(base, "id", "") for base in of] for name, of in bases.items()}
    for of in named.values():  # what the bases have as theirs
        for base in of:
            of.extend(named.get(base, []))
    flows = {"ConfigFlow", "OptionsFlow", "OptionsFlowWithReload", "ConfigSubentryFlow"}
    for name, of in named.items():
        if {*of} & (flows | {"RepairsFlow"}):
            assert "EscapedPages" in of, name
