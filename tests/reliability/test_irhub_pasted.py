"""Whatever is pasted as commands to import: codes or one sentence, in bounded time."""

from collections.abc import Iterator, Mapping
import json
from pathlib import Path
from random import Random
import time
from typing import Final

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)
import yaml

from custom_components.irhub.ircodes import read_codes
from custom_components.irhub.ircodes.files import MAX_TEXT, MAX_YAML, Packets
from custom_components.irhub.ircodes.packet import from_bytes
from tests import irhub
from tests.irhub.buttons import buttons
from tests.irhub.dialogue import add
from tests.irhub.home import NEC, POWER, RC5, commands as commands_of
from virtual_home.hub import VirtualHub

from .browser import OPTIONS, Browser, connect, faults

pytestmark = pytest.mark.reliability

MUTATIONS: Final = 10_000
PASTED: Final = 150
LONGEST_SENTENCE: Final = 5_000
"""Characters; it may list ten names."""
LONGEST_S: Final = 60
"""Of processor time, for the worst of these texts; a machine may be slow."""

COMMANDS: Final = {"tv": {"power": RC5, "mute": [RC5, NEC]}, "fan": {"off": NEC}}
SMARTIR: Final = (Path(irhub.__file__).parent / "data" / "smartir_climate.json").read_text()
GOOD: Final = (
    SMARTIR,
    json.dumps(COMMANDS),
    json.dumps({"codes": COMMANDS}, indent=2),
    json.dumps({"version": 1, "key": "broadlink_remote_34ea34000001_codes", "data": COMMANDS}),
    yaml.safe_dump(COMMANDS),
    RC5,
    f"b64:{NEC}",
    "hex: " + POWER.hex(" "),
    "0000 006C 0002 0000 0010 0020 0030 0040",
    "raw:9000 -4500 560 -560 560",
)
TOKENS: Final = (
    *'{}[]:,"\'\n\t\0&*!|>%@`#-?',
    *("&a ", "*a", "!!python/object/apply:os.system ", "---\n", "<<: ", "\\ud83d", "\\u0000", "\\"),
    *("null", "true", "NaN", "1e999", "-" + "9" * 5000, "é", "\u202e", "\N{PILE OF POO}", "\ufeff"),
    *("commands", "commandsEncoding", "Hex", "supportedModels", "data", "codes", "version"),
)  # fmt: skip


def nested(opening: str, inner: str, closing: str, times: int) -> str:
    """Return `inner` in so many brackets."""
    return opening * times + inner + closing * times


def smartir(commands: str) -> str:
    """Return a code file with these commands."""
    return f'{{"manufacturer": "a", "commandsEncoding": "Base64", "commands": {commands}}}'


BOMB: Final = "a0: &a0 {x: ''}\n" + "".join(
    f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 64)
)
NASTY: Final = {
    "empty": "",
    "blank": " \n\t ",
    "null characters": "\0" * 100,
    "long": "A" * (MAX_TEXT + 1),
    "long YAML": "a: b\n" * (MAX_YAML // 4),
    "hex without end": "26" * 1_000_000,
    "numbers without end": "[" + "1," * 200_000 + "1]",
    "many devices": "".join(f"a{n}: {{b: c}}\n" for n in range(25_000)),
    "many commands": json.dumps({"tv": {str(n): RC5 for n in range(25_000)}}),
    "wrong commands": json.dumps({"tv": {str(n): "x" for n in range(19_000)}}),
    **{
        f"{opening} {times} deep": text
        for times in (19, 500, 5_000, 30_000)
        for opening, text in {
            "[": nested("[", RC5, "]", times),
            "{": nested('{"a":', json.dumps(RC5), "}", times),
            "commands": smartir(nested('{"a":', json.dumps(RC5), "}", times)),
            "- ": nested("- ", RC5, "", times),
            "? ": nested("? ", RC5, "", times),
        }.items()
    },
    "lines ever deeper": "".join(f"{' ' * n}a:\n" for n in range(2_000)),
    "aliases of aliases": f"manufacturer: a\ncommandsEncoding: b\n{BOMB}commands: *a63\n",
    "an alias of itself": "manufacturer: a\ncommandsEncoding: b\ncommands: &a {b: *a}\n",
    "Pronto without end": "a " + "0000 " * 50_000 + "!",
    "blank lines": "a" + "\n" * 1_000_000 + "b",
    "blanks in a line": "a" + " " * 1_000_000 + "b",
    "a log without an end": "Received NEC: " + "a" * 1_000_000,
    "a log of nothing": "Received Raw: \n" * 19_000,
    "Tasmota, deep": '{"IrReceived":' + "[" * 100_000,
    "XML, deep": "<a>" * 100_000,
    "a remote, deep": nested("<command>", "", "</command>", 20_000),
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    "a cell of CSV": "functionname,protocol\n" + "a" * 1_000_000,
    "a quote in CSV": 'functionname,protocol\n"' + "a\n" * 100_000,
    "a number of LIRC": "begin remote\nbits 8\nbegin codes\na 0x" + "f" * 1_000_000,
    "a name of Flipper": "Filetype: IR signals file\n" + "name: a\n" * 25_000,
    "half a character": '{"a\\ud83d": {"b": "' + RC5 + '"}}',
    "half a maker": smartir(json.dumps({"a": RC5})).replace('"a"', '"\\ud83d"', 1),
    "half a packet": '{"a": {"b": "\\ud83d"}}',
    "names": json.dumps({"\N{PILE OF POO}": dict.fromkeys(("/", "\0", "a\nb", "..", "{x}"), NEC)}),
    "long names": json.dumps({"a" * 255: {"b" * 255: RC5}}),
    "too long names": json.dumps({"a" * 500_000: {"b" * 500_000: RC5}}),
    "equal names": '{"tv": {"power": "x", "power": "' + RC5 + '"}, "tv": {"power": "' + RC5 + '"}}',
    "nearly equal names": json.dumps({"tv": {"power": RC5, " power ": RC5}}),
    "no numbers": '{"tv": {"power": [NaN, Infinity, 1e999]}}',
    "a large number": '{"tv": {"power": [' + "9" * 4_000 + ", -" + "9" * 5_000 + "]}}",
    "a call": "!!python/object/apply:os.system ['exit 1']",
    "two documents": "a: {b: c}\n---\nd: {e: f}\n",
    "an odd key": "? [a, b]\n: {c: d}\n",
    "placeholders": '{"{error}": {"{0}": "x"}}',
}  # fmt: skip


def mutated(random: Random, text: str) -> str:
    """Return a text with a few things wrong."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + random.choice((0, 1, 5, 50, len(text))))
        before, between, after = text[:at], text[at:end], text[end:]
        between = random.choice(
            (
                "",
                between * 2,
                random.choice(TOKENS),
                random.choice(TOKENS) + between,
                chr(random.randrange(0x250)),
                random.choice(GOOD),
            )
        )
        text = (before + between + random.choice((after, after, after, "")))[:200_000]
    return text


def mutations(seed: int, number: int) -> Iterator[str]:
    """Return so many mutations of what people paste, the same for a seed."""
    random = Random(seed)
    for n in range(number):
        yield mutated(random, GOOD[n % len(GOOD)])


def parsed(text: str) -> bool:
    """Parse a text, with and without names; return whether there were codes."""
    codes: Mapping[str, Mapping[str, Packets]] = {}
    for names in ({}, {"device": "d"}, {"device": "d", "command": "c"}):
        began = time.thread_time()
        try:
            imported = read_codes(text, **names)
        except ValueError as err:
            sentence = str(err)
            assert sentence.encode()
            assert len(sentence) < LONGEST_SENTENCE
        else:
            codes = imported.commands
            for name, reason in imported.refused.items():
                assert name.encode()
                assert len(str(reason)) < LONGEST_SENTENCE
        assert time.thread_time() - began < LONGEST_S
    for device, commands in codes.items():
        for command, packets in commands.items():
            assert f"{device}{command}".encode()
            assert [from_bytes(packet) for packet in packets] == packets
    return bool(codes)


def test_a_mutated_text_is_codes_or_one_sentence() -> None:
    assert all(map(parsed, GOOD))
    codes = sum(map(parsed, mutations(1, MUTATIONS)))
    print(f"{codes} of {MUTATIONS} were codes")  # noqa: T201  (the figure)
    assert MUTATIONS / 10 < codes < MUTATIONS


@pytest.mark.parametrize("nasty", NASTY)
def test_a_nasty_text_is_codes_or_one_sentence(nasty: str) -> None:
    parsed(NASTY[nasty])


async def test_what_is_pasted_is_imported_or_explained(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    client = await connect(hass, hass_client)
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        browser = await Browser(client, OPTIONS).open(entry.entry_id)
        await browser.answer("import_codes")
        imported = 0
        for text in (*(t for t in NASTY.values() if len(t) < MAX_TEXT), *mutations(2, PASTED)):
            await browser.answer({"text": text, "device": "d", "command": "c"})
            if browser.name == "import_codes":
                assert browser.page["errors"] == {"base": "failed"}
                assert browser.texts["error"]
            elif browser.name == "init":
                assert not text.strip()  # nothing was given: back to where one came from
                await browser.answer("import_codes")
            else:
                assert browser.name == "preview"
                if "import_now" in browser.page["menu_options"]:
                    await browser.answer("import_now")
                    assert browser.name == "imported"
                    imported += 1
                else:
                    _, *reasons = browser.texts["account"].splitlines()  # after the totals
                    assert reasons
                await browser.answer("import_codes")
            assert browser.name == "import_codes"
        await browser.answer({"text": GOOD[1]})
        await browser.answer("import_now")
        assert browser.name == "imported"
        await hass.async_block_till_done()
        known = commands_of(entry.runtime_data.devices)
        assert len(buttons(hass)) == sum(map(len, known.values()))
        assert imported > 10
    assert faults(caplog) == []
