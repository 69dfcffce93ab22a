"""Names of commands → what they do: "Volume+", "lauter", "hdmi 2", "forward low", "cool auto 24".

Names are compared in small letters, without accents, as words: `volumeUp`, `VOLUME_UP` and
"Volume+" are one. What a word means stands here in English, German, Dutch, Spanish and French.
"""

from collections.abc import Iterable, Mapping
from functools import cache
import re
from typing import Final
import unicodedata

from ..ircodes.states import MODES
from .device import PLAYERS, Kind

type Functions = Mapping[str, str]
"""Function → the command that does it. Of some there are several: "source HDMI 2", "digit 5"."""

_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGNS: Final = ((re.compile(r"\+"), " up "), (re.compile(r"(?<=\w)\s?-$"), " down"))
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|-(?=\s|$)")

_POWER: Final = {
    "on": "on|power on|turn on|switch on|ein|an|einschalten|aan|inschakelen|encender|encendido"
    "|allumer|marche",
    "off": "off|power off|turn off|switch off|aus|ausschalten|uit|uitschakelen|apagar|apagado"
    "|eteindre|arret",
    "toggle": "power|toggle|power toggle|on off|standby|ein aus|an aus|aan uit|encender apagar"
    "|marche arret|alimentation",
}
_PLAYER: Final = _POWER | {
    "volume_up": "volume up|vol up|louder|lauter|lautstarke up|volume omhoog|harder"
    "|subir volumen|volumen up|monter volume|volume plus|plus fort",
    "volume_down": "volume down|vol down|quieter|leiser|lautstarke down|volume omlaag|zachter"
    "|bajar volumen|volumen down|baisser volume|volume moins|moins fort",
    "mute": "mute|muting|volume mute|mute toggle|stumm|ton aus|stummschalten|dempen|silencio"
    "|silenciar|muet|sourdine",
    "next": "next|next channel|channel up|ch up|programme up|program up|prog up|skip|next track"
    "|nachster|nachster kanal|kanal up|volgende|volgende kanaal|kanaal up|siguiente"
    "|canal siguiente|canal up|suivant|chaine suivante|chaine up",
    "previous": "previous|prev|previous channel|channel down|ch down|programme down"
    "|program down|prog down|previous track|vorheriger|vorheriger kanal|kanal down|vorige"
    "|vorig kanaal|kanaal down|anterior|canal anterior|canal down|precedent|chaine precedente"
    "|chaine down",
    "play": "play|wiedergabe|abspielen|afspelen|reproducir|lecture",
    "pause": "pause|play pause|pauze|pausa",
    "stop": "stop|stopp|parar|detener|arreter",
}
KEYS: Final = {
    "up": "up|cursor up|arrow up|hoch|omhoog|arriba|haut",
    "down": "down|cursor down|arrow down|runter|omlaag|abajo|bas",
    "left": "left|cursor left|arrow left|links|izquierda|gauche",
    "right": "right|cursor right|arrow right|rechts|derecha|droite",
    "ok": "ok|enter|select|center",
    "back": "back|return|exit|zuruck|terug|volver|retour",
    "home": "home|inicio|accueil",
    "menu": "menu|settings|setup",
    "info": "info|information|display",
    "guide": "guide|epg|programmfuhrer|gids|guia",
    "source": "source|input|quelle|bron|fuente",
    "rewind": "rewind|fast rewind|fast backward|zuruckspulen|terugspoelen|rebobinar|retour rapide",
    "forward": "fast forward|forward|vorspulen|vooruitspoelen|avance rapido|avance rapide",
    "record": "record|rec|aufnahme|opnemen|grabar|enregistrer",
    "red": "red|rot|rood|rojo|rouge",
    "green": "green|grun|groen|verde|vert",
    "yellow": "yellow|gelb|geel|amarillo|jaune",
    "blue": "blue|blau|blauw|azul|bleu",
}
"""What the remote control of a player has, and no player of Home Assistant's: a card shows it."""
FUNCTIONS: Final[Mapping[Kind, Mapping[str, str]]] = {
    Kind.AIR_CONDITIONER: _POWER,
    **dict.fromkeys(PLAYERS, _PLAYER),
    Kind.OTHER: {},
    Kind.FAN: _POWER
    | {
        "oscillate": "oscillate|oscillation|swing|rotate|schwenken|oszillation|zwenken|oscilar"
        "|oscillation on off|osciller|oscillate toggle|rotation",
        "reverse": "reverse|direction|richtung|drehrichtung|richting|direccion|sens|inverser",
    },
    Kind.LIGHT: _POWER
    | {
        "brighten": "brighten|brighter|brightness up|bright up|heller|helderder|feller|mas brillo"
        "|brillo up|plus clair|luminosite up",
        "dim": "dim|darker|brightness down|bright down|dunkler|dimmen|donkerder|menos brillo"
        "|brillo down|plus sombre|luminosite down",
        "colder": "colder|cooler|cold|cool|kalter|kouder|mas frio|plus froid",
        "warmer": "warmer|warm|mas calido|plus chaud",
        "night": "night|night light|night mode|nacht|nachtlicht|nachtlamp|nachtlampje|noche"
        "|luz nocturna|nuit|veilleuse",
    },
    Kind.COVER: {
        "open": "open|up|raise|auf|hoch|offnen|omhoog|openen|abrir|subir|arriba|ouvrir|monter|haut",
        "close": "close|down|lower|zu|ab|runter|schliessen|omlaag|dicht|sluiten|cerrar|bajar|abajo"
        "|fermer|descendre|bas",
        "stop": "stop|stopp|halt|anhalten|parar|detener|arreter",
    },
}

_DIGIT: Final = re.compile(
    r"(?:(?:sources )?(?:channel|ch|kanal|kanaal|canal|chaine)|digit|num|number|key|ziffer|zahl"
    r"|taste|cijfer|numero|digito|chiffre|touche)? ?(\d)"
)
_SOURCE: Final = re.compile(
    r"(?:sources?|inputs?|quelle|eingang|bron|ingang|fuente|entrada|entree) .+"
)
_KNOWN_SOURCE: Final = re.compile(
    r"(?:hdmi|av|usb|vga|dvi|scart|aux|optical|coax|line in|tv|tuner|radio|fm|am|cd|dvd|blu ?ray"
    r"|bluetooth|phono|pc|component|composite|display ?port|dp|netflix|youtube|game|sat)"
    r"(?: ?\d+| arc)?"
)
_SOUND: Final = re.compile(r"sound modes? .+")
_SPEED: Final = re.compile(
    r"(?:(default|forward|reverse|vorwarts|ruckwarts) )?"
    r"(?:(?:fan )?(?:speed|stufe|stand|snelheid|velocidad|vitesse|level|geschwindigkeit) )?(.+?)"
    r"(?: speed)?"
)
_BACKWARD: Final = {"reverse", "ruckwarts"}
_SPEEDS: Final = {
    word: number
    for number, words in enumerate(
        (
            "quiet silent sleep leise silencioso silencieux stil",
            "lowest min minimum",
            "low niedrig schwach laag bajo baja faible lent slow",
            "medium mid middle med mittel middel medio media moyen",
            "high hoch stark hoog alto alta fort rapide fast",
            "highest max maximum turbo boost",
        )
    )
    for word in words.split()
}
_PRESETS: Final = {"natural", "nature", "breeze", "eco", "auto", "natur", "nacht", "night", "nuit"}


@cache
def words_of(name: str) -> str:
    """Return a name in small letters, without accents, its words apart."""
    text = unicodedata.normalize("NFKD", _HUMP.sub(" ", name.strip()))
    text = "".join(letter for letter in text if not unicodedata.combining(letter)).casefold()
    for sign, word in _SIGNS:
        text = sign.sub(word, text)
    return " ".join(_WORD.findall(text))


def functions_of(kind: Kind, names: Iterable[str]) -> dict[str, str]:
    """Return function → command for the names that say what they do; the first of each counts."""
    known = _known(kind)
    functions: dict[str, str] = {}
    for name in names:
        words = words_of(name)
        function = known.get(words)
        if function is None:
            function = _WITH_VALUE[kind](name, words) if kind in _WITH_VALUE else None
        if function is not None:
            functions.setdefault(function, name)
    return functions


def with_toggle(functions: Functions, same: Mapping[str, object]) -> dict[str, str]:
    """Return the functions with `on` and `off` as `toggle` if they are the same command.

    `same` is command → packets.
    """
    on, off = functions.get("on"), functions.get("off")
    if on is None or off is None or same[on] != same[off]:
        return {**functions}
    return {**{key: functions[key] for key in functions if key not in ("on", "off")}, "toggle": on}


def values(functions: Functions, prefix: str) -> dict[str, str]:
    """Return value → command of the functions of that kind: "source" of "source HDMI 2"."""
    return {
        function.removeprefix(f"{prefix} "): command
        for function, command in functions.items()
        if function.startswith(f"{prefix} ")
    }


def slowest_first(speeds: Iterable[str]) -> list[str]:
    """Return names of speeds in order: by their numbers, by what the words mean."""

    def rank(speed: str) -> tuple[float, str]:
        words = words_of(speed).split()
        number = next((float(word) for word in words if word.isdecimal()), None)
        if number is None:
            number = next((_SPEEDS[word] for word in words if word in _SPEEDS), len(_SPEEDS))
        return number, speed

    return sorted(speeds, key=rank)


@cache
def _known(kind: Kind) -> Mapping[str, str]:
    known = {**FUNCTIONS[kind], **(KEYS if kind in PLAYERS else {})}
    return {
        phrase: function for function, phrases in known.items() for phrase in phrases.split("|")
    }


def _of_climate(_name: str, words: str) -> str | None:
    """Return which mode an air conditioner's command switches off: "off_cool"."""
    function, _, mode = words.partition(" ")
    mode = mode.replace(" ", "_")
    return f"off {mode}" if function == "off" and mode in MODES else None


def _of_player(name: str, words: str) -> str | None:
    """Return a player's function that has a value in its name."""
    if digit := _DIGIT.fullmatch(words):
        return f"digit {digit[1]}"
    if _SOUND.fullmatch(words):
        return f"sound_mode {name.rpartition('modes ')[2].rpartition('mode ')[2]}"
    if _SOURCE.fullmatch(words):
        return f"source {name.partition(' ')[2]}"
    return f"source {name}" if _KNOWN_SOURCE.fullmatch(words) else None


def _of_fan(name: str, words: str) -> str | None:
    """Return a fan's function that has a value in its name."""
    match = _SPEED.fullmatch(words)
    if match is not None and (match[1] or match[2].isdecimal() or match[2] in _SPEEDS):
        speed = name.split(maxsplit=1)[1] if match[1] and " " in name else name
        if match[1] in (None, "default"):
            return f"speed {speed}"
        return f"{'reverse' if match[1] in _BACKWARD else 'forward'} {speed}"
    return f"preset {name}" if words in _PRESETS else None


_WITH_VALUE: Final = {
    Kind.AIR_CONDITIONER: _of_climate,
    **dict.fromkeys(PLAYERS, _of_player),
    Kind.FAN: _of_fan,
}
