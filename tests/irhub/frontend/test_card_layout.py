"""The card's logic, without a browser: what it draws of a device, and how presses go out."""

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

import pytest
import quickjs  # type: ignore[import-untyped]

import custom_components.irhub
from custom_components.irhub.devices.kinds import FUNCTIONS, Kind
from custom_components.irhub.frontend.websocket import described_kind
from tests.files import texts

CARD = Path(custom_components.irhub.__file__).parent / "frontend" / "irhub-remote.js"


@pytest.fixture
def card() -> quickjs.Context:
    """Return the card's functions: a script has no exports, a module no globals."""
    context = quickjs.Context()
    context.eval(CARD.read_text("utf-8").replace("export ", ""))
    return context


def device(kind: str, **commands: list[str]) -> dict[str, Any]:
    """Return a device as Home Assistant tells of it: name of a command → its functions."""
    return {
        **described_kind(Kind(kind)),
        "entities": {},
        "commands": [
            {"id": f"id of {name}", "name": name, "functions": functions}
            for name, functions in commands.items()
        ],
    }


def drawn(card: quickjs.Context, of: dict[str, Any], *more: object) -> list[tuple[str, list[str]]]:
    """Return the shape and the buttons of each block; "+" in front of a place without a command."""
    arguments = ", ".join(map(json.dumps, (of, *more)))
    blocks = json.loads(card.eval(f"JSON.stringify(blocksOf({arguments}))"))
    return [(block["shape"], [*map(_shown, block["buttons"])]) for block in blocks]


def _shown(button: dict[str, Any]) -> str:
    return f"+{button['key']}" if button["command"] is None else str(button["command"]["name"])


ON = {"toggle", "on"}
SET = {"temperature": 21, "fan_mode": "low"}
TV = device(
    "television",
    Power=["toggle"],
    Up=["up"],
    OK=["ok"],
    Louder=["volume_up"],
    One=["digit 1"],
    **{"HDMI 2": ["source HDMI 2"], "Netflix": [], "Ambilight": []},
)


def test_a_television_is_laid_out_by_what_its_commands_do(card: quickjs.Context) -> None:
    assert drawn(card, TV) == [
        ("row", ["Power"]),
        ("pad", ["Up", "OK"]),
        ("rockers", ["Louder"]),
        ("digits", ["One"]),
        ("words", ["HDMI 2"]),
        ("words", ["Netflix", "Ambilight"]),
    ]


def test_what_is_hidden_is_left_out_by_function_or_by_name(card: quickjs.Context) -> None:
    shown = dict(drawn(card, TV, ["digit 1", "Netflix", "ok"]))
    assert "digits" not in shown
    assert shown["pad"] == ["Up"]
    assert shown["words"] == ["Ambilight"]


@pytest.mark.parametrize(
    ("kind", "domain", "state", "attributes", "shown"),
    [
        ("television", "media_player", "on", {"source": "HDMI 2"}, {*ON, "source HDMI 2"}),
        ("television", "media_player", "off", {"is_volume_muted": True}, {"mute"}),
        ("television", "media_player", "unknown", {"source": "HDMI 2"}, set()),
        ("fan", "fan", "on", {"percentage": 66, "direction": "reverse"}, {*ON, "speed 2"}),
        ("fan", "fan", "on", {"preset_mode": "eco", "percentage": None}, {*ON, "preset eco"}),
        ("cover", "cover", "closed", {}, {"close"}),
        ("cover", "cover", "unknown", {}, set()),
    ],
)
def test_buttons_of_the_current_state_are_lit(  # noqa: PLR0917  (each is a part of what Home Assistant tells)
    card: quickjs.Context,
    kind: str,
    domain: str,
    state: str,
    attributes: dict[str, object],
    shown: set[str],
) -> None:
    functions = ["toggle", "mute", "source HDMI 1", "source HDMI 2", "preset eco"]
    functions += [f"speed {number}" for number in (1, 2, 3)]
    of = device(kind, **{name: [name] for name in functions})
    of |= {"entities": {domain: "x.y"}, "entity": "x.y", "speeds": ["1", "2", "3"]}
    arguments = json.dumps(of), json.dumps({"x.y": {"state": state, "attributes": attributes}})
    is_so = json.loads(card.eval(f"JSON.stringify(activeFunctions({', '.join(arguments)}))"))
    assert {key for key, value in is_so.items() if value} == shown


def test_minutes_are_counted_to_the_end(card: quickjs.Context) -> None:
    for time, left in (("10:00:01", 1), ("11:30:00", 90), ("10:00:00", None), ("nonsense", None)):
        arguments = f"'2026-11-26T{time}Z', Date.parse('2026-11-26T10:00:00Z')"
        assert card.eval(f"minutesUntil({arguments})") == left


@pytest.mark.parametrize(
    ("state", "attributes", "chosen", "offered"),
    [
        ("cool", SET, {}, SET),
        ("cool", {"temperature": 18}, {}, {"temperature": None, "fan_mode": None}),
        ("heat", SET, {"temperature": 20}, {"temperature": 20}),
        ("cool", SET, {"temperature": None}, {"temperature": None, "fan_mode": "low"}),
        ("off", {"temperature": 21}, {}, {}),
        ("", {"temperature": 21}, {}, {}),
    ],
)
def test_values_of_a_mode_can_be_corrected(
    card: quickjs.Context,
    state: str,
    attributes: dict[str, object],
    chosen: dict[str, object],
    offered: dict[str, object],
) -> None:
    states: dict[str, dict[str, list[object]]] = {
        "off": {},
        "cool": {"temperature": [20, 21], "fan_mode": ["low", "high"]},
        "heat": {"temperature": [20, 21]},
    }
    arguments = ", ".join(map(json.dumps, (states, state, attributes, chosen)))
    fields = json.loads(card.eval(f"JSON.stringify(settableFields({arguments}))"))
    assert {field["field"]: field["value"] for field in fields} == offered
    assert all(field["values"] == states[state][field["field"]] for field in fields)


def test_empty_places_are_there_to_be_learned(card: quickjs.Context) -> None:
    shown = drawn(card, device("cover", Open=["open"]), [], True)  # noqa: FBT003  (the script's)
    assert shown == [("wide", ["Open", "+stop", "+close"])]


def test_only_functions_with_a_command_are_drawn(card: quickjs.Context) -> None:
    assert drawn(card, device("television")) == []


def test_states_of_an_air_conditioner_are_the_thermostats(card: quickjs.Context) -> None:
    of = device("air_conditioner", Cool=[], Off=["off"], Display=[])
    of["commands"][0]["state"] = True
    assert drawn(card, of) == [("words", ["Off", "Display"])]
    assert drawn(card, of | {"entities": {"climate": "climate.ac"}}) == [("words", ["Display"])]


def test_the_card_is_registered_where_home_assistant_looks_for_it() -> None:
    """As the oldest host may load it: before its app has put a registry in the browser's place."""
    context = quickjs.Context()
    context.eval("""
        globalThis.window = globalThis;
        const defined = {};
        const registry = (of) => ({
            get: (name) => defined[name],
            define: (name, card) => { defined[name] = Object.getPrototypeOf(card).name + of; },
            whenDefined: () => new Promise((done) => { globalThis.appBegins = done; }),
        });
        globalThis.HTMLElement = class Browsers {};
        globalThis.customElements = registry(" in the browser's");
    """)
    context.eval(CARD.read_text("utf-8").replace("export ", ""))
    context.eval("""
        globalThis.HTMLElement = class Apps {};
        globalThis.customElements = registry(" in the app's");
        appBegins();
    """)
    run(context)
    assert json.loads(context.eval("JSON.stringify(defined)")) == {
        "irhub-remote": "Apps in the app's"
    }
    assert context.eval("customCards.length") == 1


@pytest.mark.parametrize("language", ["en", "de", "nl", "es", "fr"])
@pytest.mark.parametrize("kind", Kind)
def test_every_function_of_a_kind_has_a_name_and_an_icon(kind: Kind, language: str) -> None:
    """A function without a text would be nameless for screen readers, as all that is a sign."""
    written, traits = texts("irhub", language), kind.traits
    options = {key: of["options"] for key, of in written["selector"].items()}
    assert kind in options["kind"]
    keys = [traits.called_by(key) for key in (*traits.functions, *traits.keys)]
    assert {*keys} - {*options["function"]} == set()
    assert {text for block in traits.layout for text in block.pairs} - {*options["card"]} == set()
    buttons = {
        f"name_{traits.called_by(key).replace(' ', '_')}"
        for key in (*traits.template, *traits.suggested)
    }
    assert buttons - {*written["common"]} == set()
    assert not traits.has_alias or f"alias_{kind}" in written["common"]


@pytest.mark.parametrize("kind", Kind)
def test_what_is_on_the_card_of_a_kind_is_a_function_of_it(kind: Kind) -> None:
    traits = kind.traits
    known = {*traits.functions, *traits.keys}
    for block in traits.layout:
        of_keys = {key for key in block.keys if key not in known}
        assert {key.partition(" ")[0] for key in of_keys} <= {*traits.values}
        assert block.prefix.strip() in {"", *traits.values}
        assert {key for pair in block.pairs.values() for key in pair} <= {*block.keys}
    assert {key.partition(" ")[0] for key in (*traits.template, *traits.suggested)} <= {
        *known,
        *traits.values,
    }


def test_every_function_has_its_icon() -> None:
    icons = json.loads((CARD.parents[1] / "icons.json").read_text("utf-8"))["entity"]["button"]
    assert {key: f"mdi:{function.icon}" for key, function in FUNCTIONS.items()} == {
        key: icon["default"]
        for key, icon in icons.items()
        if key not in {"listen", "command"} and not key.startswith("digit_")
    }


@pytest.fixture
def presses(card: quickjs.Context) -> Iterator[quickjs.Context]:
    """Give a card whose presses are answered one by one, by `answer(true)` or `answer(false)`."""
    card.eval("""
        const sent = [], answers = [];
        const presses = new Presses(
            (command) => new Promise((done) => { sent.push(command); answers.push(done); }),
            () => Promise.resolve());
        const answer = (is_good) => answers.shift()(is_good);
    """)
    yield card
    run(card)


def run(card: quickjs.Context) -> None:
    while card.execute_pending_job():
        pass


def do(card: quickjs.Context, *steps: str) -> list[str]:
    """Take steps, each to its end; return what was sent."""
    for step in steps:
        card.eval(step)
        run(card)
    sent: list[str] = json.loads(card.eval("JSON.stringify(sent)"))
    return sent


def test_at_most_a_single_press_waits(presses: quickjs.Context) -> None:
    pressed = [f"presses.press('{name}');" for name in "abcd"]
    assert do(presses, *pressed) == ["a"]
    assert do(presses, "answer(true);") == ["a", "d"]
    assert do(presses, "answer(true);") == ["a", "d"]


def test_a_held_button_goes_on_until_it_is_let_go(presses: quickjs.Context) -> None:
    assert do(presses, "presses.hold('up');", *["answer(true);"] * 2) == ["up"] * 3
    assert do(presses, "presses.release();", "answer(true);") == ["up"] * 3


def test_a_held_button_stops_where_it_fails(presses: quickjs.Context) -> None:
    assert do(presses, "presses.hold('up');", "answer(false);") == ["up"]
    assert do(presses, "presses.press('down');") == ["up", "down"]
