"""Functions of the buttons of remote controls, with usual names and icons.

A device maps the key of a function ("volume_up") to a command. The texts of a function are under
`selector.function` in the translations, its icon is in `icons.json`; a test reports a missing one.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Function:
    """The function of a button."""

    names: str
    """Usual names of its commands in English, German, Dutch, Spanish and French.

    In the form of `name_parsing.words_of`, separated by "|".
    """
    icon: str
    """Material Design icon, without "mdi:"."""
    on_card: str | None = None
    """Icon on the card, if it differs; "" shows the text instead."""
    colour: str = ""
    """Colour on the card in place of an icon, for keys of a colour."""
    repeats: bool = False
    """Whether it repeats while its button on the card is held down."""
    sets: bool = False
    """Whether its effect is independent of the previous state, so that sending it twice is safe.

    Only set if certain: *Play* may also pause, and *Up* may stop a moving blind.
    """


POWER: Final = {
    "on": Function(
        names="on|power on|turn on|switch on|ein|an|einschalten|aan|inschakelen|encender|encendido"
        "|allumer|marche",
        icon="power-on",
        sets=True,
    ),
    "off": Function(
        names="off|power off|turn off|switch off|aus|ausschalten|uit|uitschakelen|apagar|apagado"
        "|eteindre|arret",
        icon="power-off",
        sets=True,
    ),
    "toggle": Function(
        names="power|toggle|power toggle|on off|standby|ein aus|an aus|aan uit|encender apagar"
        "|marche arret|alimentation",
        icon="power",
    ),
}
PLAYER: Final = POWER | {
    "volume_up": Function(
        names="volume up|vol up|louder|lauter|lautstarke up|volume omhoog|harder|subir volumen"
        "|volumen up|monter volume|volume plus|plus fort",
        icon="volume-plus",
        on_card="plus",
        repeats=True,
    ),
    "volume_down": Function(
        names="volume down|vol down|quieter|leiser|lautstarke down|volume omlaag|zachter"
        "|bajar volumen|volumen down|baisser volume|volume moins|moins fort",
        icon="volume-minus",
        on_card="minus",
        repeats=True,
    ),
    "mute": Function(
        names="mute|muting|volume mute|mute toggle|stumm|ton aus|stummschalten|dempen|silencio"
        "|silenciar|muet|sourdine",
        icon="volume-mute",
        on_card="volume-off",
    ),
    "next": Function(
        names="next|next channel|channel up|ch up|programme up|program up|prog up|skip|next track"
        "|nachster|nachster kanal|kanal up|volgende|volgende kanaal|kanaal up|siguiente"
        "|canal siguiente|canal up|suivant|chaine suivante|chaine up",
        icon="skip-next",
        on_card="chevron-up",
        repeats=True,
    ),
    "previous": Function(
        names="previous|prev|previous channel|channel down|ch down|programme down"
        "|program down|prog down|previous track|vorheriger|vorheriger kanal|kanal down|vorige"
        "|vorig kanaal|kanaal down|anterior|canal anterior|canal down|precedent|chaine precedente"
        "|chaine down",
        icon="skip-previous",
        on_card="chevron-down",
        repeats=True,
    ),
    "play": Function(names="play|wiedergabe|abspielen|afspelen|reproducir|lecture", icon="play"),
    "pause": Function(names="pause|play pause|pauze|pausa", icon="pause"),
    "stop": Function(names="stop|stopp|parar|detener|arreter", icon="stop"),
}
KEYS: Final = {
    "up": Function(
        names="up|cursor up|arrow up|hoch|omhoog|arriba|haut", icon="chevron-up", repeats=True
    ),
    "down": Function(
        names="down|cursor down|arrow down|runter|omlaag|abajo|bas",
        icon="chevron-down",
        repeats=True,
    ),
    "left": Function(
        names="left|cursor left|arrow left|links|izquierda|gauche",
        icon="chevron-left",
        repeats=True,
    ),
    "right": Function(
        names="right|cursor right|arrow right|rechts|derecha|droite",
        icon="chevron-right",
        repeats=True,
    ),
    "ok": Function(
        names="ok|enter|select|center", icon="checkbox-blank-circle-outline", on_card=""
    ),
    "back": Function(
        names="back|return|exit|zuruck|terug|volver|retour",
        icon="arrow-left",
        on_card="arrow-u-left-top",
    ),
    "home": Function(names="home|inicio|accueil", icon="home"),
    "menu": Function(names="menu|settings|setup", icon="menu"),
    "info": Function(names="info|information|display", icon="information-outline"),
    "guide": Function(names="guide|epg|programmfuhrer|gids|guia", icon="television-guide"),
    "source": Function(names="source|input|quelle|bron|fuente", icon="import"),
    "rewind": Function(
        names="rewind|fast rewind|fast backward|zuruckspulen|terugspoelen|rebobinar|retour rapide",
        icon="rewind",
    ),
    "forward": Function(
        names="fast forward|forward|vorspulen|vooruitspoelen|avance rapido|avance rapide",
        icon="fast-forward",
    ),
    "record": Function(names="record|rec|aufnahme|opnemen|grabar|enregistrer", icon="record"),
    "red": Function(names="red|rot|rood|rojo|rouge", icon="alpha-r-box", colour="#d33"),
    "green": Function(names="green|grun|groen|verde|vert", icon="alpha-g-box", colour="#2a2"),
    "yellow": Function(names="yellow|gelb|geel|amarillo|jaune", icon="alpha-y-box", colour="#dc0"),
    "blue": Function(names="blue|blau|blauw|azul|bleu", icon="alpha-b-box", colour="#36d"),
}
"""Functions of a player's remote control that Home Assistant's players lack; for the card."""
FAN: Final = POWER | {
    "oscillate": Function(
        names="oscillate|oscillation|swing|rotate|schwenken|oszillation|zwenken|oscilar"
        "|oscillation on off|osciller|oscillate toggle|rotation",
        icon="arrow-oscillating",
    ),
    "reverse": Function(
        names="reverse|direction|richtung|drehrichtung|richting|direccion|sens|inverser",
        icon="rotate-left",
    ),
}
LIGHT: Final = POWER | {
    "brighten": Function(
        names="brighten|brighter|brightness up|bright up|heller|helderder|feller|mas brillo"
        "|brillo up|plus clair|luminosite up",
        icon="brightness-7",
        repeats=True,
    ),
    "dim": Function(
        names="dim|darker|brightness down|bright down|dunkler|dimmen|donkerder|menos brillo"
        "|brillo down|plus sombre|luminosite down",
        icon="brightness-4",
        repeats=True,
    ),
    "colder": Function(
        names="colder|cooler|cold|cool|kalter|kouder|mas frio|plus froid",
        icon="snowflake",
        repeats=True,
    ),
    "warmer": Function(
        names="warmer|warm|mas calido|plus chaud", icon="weather-sunny", repeats=True
    ),
    "night": Function(
        names="night|night light|night mode|nacht|nachtlicht|nachtlamp|nachtlampje|noche"
        "|luz nocturna|nuit|veilleuse",
        icon="weather-night",
    ),
}
COVER: Final = {
    "open": Function(
        names="open|up|raise|auf|hoch|offnen|omhoog|openen|abrir|subir|arriba|ouvrir|monter|haut",
        icon="arrow-up",
    ),
    "close": Function(
        names="close|down|lower|zu|ab|runter|schliessen|omlaag|dicht|sluiten|cerrar|bajar|abajo"
        "|fermer|descendre|bas",
        icon="arrow-down",
    ),
    "stop": Function(names="stop|stopp|halt|anhalten|parar|detener|arreter", icon="stop"),
}
