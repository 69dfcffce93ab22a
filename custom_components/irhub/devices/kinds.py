"""Table of the kinds of devices, with everything in which they differ.

Platforms, dialogues, the card and buttons use it. A new kind needs a row and a text under
`selector.kind`; a new function of a kind is added in `functions`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from .functions import COVER, FAN, KEYS, LIGHT, PLAYER, POWER, Function
from .name_parsing import climate_function, fan_function, player_function


class Kind(StrEnum):
    """The kind of a device, as given by the user, a code file or a protocol; never guessed."""

    AIR_CONDITIONER = "air_conditioner"
    TELEVISION = "television"
    RECEIVER = "receiver"
    PROJECTOR = "projector"
    PLAYER = "player"
    FAN = "fan"
    LIGHT = "light"
    COVER = "cover"
    OTHER = "other"

    @property
    def traits(self) -> Traits:
        """Return the traits of the kind."""
        return _TRAITS[self]

    @property
    def platform(self) -> str | None:
        """Return the domain of the kind's entity; None if it has only buttons."""
        return self.traits.platform


@dataclass(frozen=True, kw_only=True, slots=True)
class Values:
    """Functions with a value in their key, like "source HDMI 2"."""

    attribute: str = ""
    """Attribute of Home Assistant's entity that they set; shown on the page of the device."""
    field: str = ""
    """Field of the page of functions in which they are chosen."""
    is_shown: bool = False
    """Whether dashboards show their buttons."""
    sets: bool = False
    """Whether their effect is independent of the previous state, as `Function.sets`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A group of buttons on the card."""

    shape: str
    """Layout on the card: "row", "pad", "rockers", "digits", "wide", "words"."""
    keys: Sequence[str] = ()
    """The functions of its buttons."""
    prefix: str = ""
    """In place of `keys`: all functions with this prefix."""
    pairs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of rockers: text of the card in the middle → functions at the ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """The properties in which kinds differ."""

    platform: str | None = None
    """Domain of the entity; None if it has only buttons."""
    device_class: str | None = None
    """Default device class of the entity."""
    has_states: bool = False
    """Whether its remote control sends complete states instead of functions of buttons."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """Functions that Home Assistant's entity supports, in the order of the pages."""
    keys: Mapping[str, Function] = field(default_factory=dict)
    """Further functions of its remote control."""
    values: Mapping[str, Values] = field(default_factory=dict)
    """Prefix of functions with a value → their properties."""
    function_with_value: Callable[[str, str], str | None] = lambda _name, _words: None
    """Returns the function with a value for a command's name, given unchanged and as words."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Function → key of its text, if that differs: "next" is the next channel for a television."""
    template: Sequence[str] = ()
    """Functions that most of its remote controls have."""
    suggested: Sequence[str] = ()
    """Functions that some of its remote controls have; learned if they are chosen."""
    layout: Sequence[Block] = ()
    """Layout of its remote control on the card, from top to bottom."""
    settings: Sequence[str] = ()
    """Settings that not all kinds have."""
    suggested_class: str | None = None
    """Device class that is suggested to the user."""
    has_alias: bool = False
    """Whether the only one in a home gets its kind as alias for voice ("the TV")."""
    is_collected: bool = True
    """Whether the collection of code files has devices of this kind."""

    def sets(self, function: str) -> bool:
        """Return whether the effect of a function is independent of the previous state."""
        if (known := self.functions.get(function) or self.keys.get(function)) is not None:
            return known.sets
        prefix, _, value = function.partition(" ")
        return bool(value) and prefix in self.values and self.values[prefix].sets

    def called_by(self, function: str) -> str:
        """Return the translation key of a function's text."""
        return self.called.get(function, function)


_POWER_SENSOR: Final = ("power_sensor", "power_threshold")
_SWITCHING: Final = ("toggle", "on", "off")
_VOLUME: Final = ("volume_up", "volume_down")
_CURSOR: Final = ("up", "down", "left", "right", "ok", "back")
_SPEEDS: Final = tuple(f"speed {number}" for number in range(1, 7))


def _player_layout(next_and_previous: str) -> Sequence[Block]:
    skipping = ("next", "previous")
    return (
        Block(shape="row", keys=(*_SWITCHING, "source")),
        Block(shape="pad", keys=("up", "left", "ok", "right", "down")),
        Block(shape="row", keys=("back", "home", "menu", "info", "guide")),
        Block(
            shape="rockers",
            keys=(*_VOLUME, "mute", *skipping),
            pairs={"volume": _VOLUME, next_and_previous: skipping},
        ),
        Block(shape="row", keys=("rewind", "play", "pause", "stop", "forward", "record")),
        Block(shape="row", keys=("red", "green", "yellow", "blue")),
        Block(shape="digits", keys=tuple(f"digit {digit}" for digit in "1234567890")),
        Block(shape="words", prefix="source "),
        Block(shape="words", prefix="sound_mode "),
    )


_PLAYER: Final = Traits(
    platform="media_player",
    functions=PLAYER,
    keys=KEYS,
    values={
        "source": Values(attribute="source", field="sources", sets=True),
        "sound_mode": Values(attribute="sound_mode", sets=True),
        "digit": Values(),
    },
    function_with_value=player_function,
    template=("toggle", "play", "pause", "stop", "previous", "next", *_CURSOR, "home"),
    layout=_player_layout("track"),
    settings=("device_class", *_POWER_SENSOR),
)
_TRAITS: Final[Mapping[Kind, Traits]] = {
    Kind.AIR_CONDITIONER: Traits(
        platform="climate",
        has_states=True,
        functions=POWER,
        values={"off": Values(sets=True)},
        function_with_value=climate_function,
        settings=("temperature_sensor", "humidity_sensor", *_POWER_SENSOR),
    ),
    Kind.TELEVISION: replace(
        _PLAYER,
        device_class="tv",
        called={"next": "channel_up", "previous": "channel_down"},
        template=(
            *("toggle", *_VOLUME, "mute", "next", "previous"),
            *(*_CURSOR, "home", "source"),
        ),
        layout=_player_layout("channel"),
        settings=_POWER_SENSOR,
        has_alias=True,
    ),
    Kind.RECEIVER: replace(
        _PLAYER,
        device_class="receiver",
        template=("toggle", *_VOLUME, "mute", "source"),
        settings=_POWER_SENSOR,
    ),
    Kind.PROJECTOR: replace(
        _PLAYER,
        device_class="projector",
        template=("on", "off", "source", "menu", *_CURSOR),
        settings=_POWER_SENSOR,
    ),
    Kind.PLAYER: _PLAYER,
    Kind.FAN: Traits(
        platform="fan",
        functions=FAN,
        values={
            "speed": Values(attribute="percentage", field="speeds", is_shown=True, sets=True),
            "forward": Values(is_shown=True, sets=True),
            "reverse": Values(is_shown=True, sets=True),
            "preset": Values(attribute="preset_mode", is_shown=True),
        },
        function_with_value=fan_function,
        template=("toggle", *_SPEEDS[:3], "oscillate"),
        suggested=("off", *_SPEEDS[3:], "reverse"),
        layout=(
            Block(shape="row", keys=(*_SWITCHING, "oscillate", "reverse")),
            Block(shape="words", prefix="speed "),
            Block(shape="words", prefix="forward "),
            Block(shape="words", prefix="reverse "),
            Block(shape="words", prefix="preset "),
        ),
        settings=_POWER_SENSOR,
    ),
    Kind.LIGHT: Traits(
        platform="light",
        functions=LIGHT,
        template=("on", "off", "brighten", "dim", "warmer", "colder"),
        layout=(
            Block(shape="row", keys=_SWITCHING),
            Block(shape="row", keys=("dim", "brighten")),
            Block(shape="row", keys=("warmer", "colder", "night")),
        ),
        settings=_POWER_SENSOR,
    ),
    Kind.COVER: Traits(
        platform="cover",
        functions=COVER,
        template=("open", "stop", "close"),
        layout=(Block(shape="wide", keys=("open", "stop", "close")),),
        settings=("device_class",),
        suggested_class="blind",
        is_collected=False,
    ),
    Kind.OTHER: Traits(),
}

KINDS_OF_PLATFORMS: Final = {
    kind.platform: kind
    for kind in Kind
    if kind.platform is not None and kind.traits.device_class is None
}
"""Platform → its generic kind."""
KINDS_OF_CLASSES: Final = {
    kind.traits.device_class: kind for kind in Kind if kind.traits.device_class is not None
}
"""Device class → kind."""
PLAYERS: Final = frozenset(kind for kind in Kind if kind.platform == _PLAYER.platform)
"""The kinds that are media players."""
FUNCTIONS: Final[Mapping[str, Function]] = {
    key: function
    for kind in Kind
    for key, function in (*kind.traits.functions.items(), *kind.traits.keys.items())
}
"""All functions; functions of different kinds with the same key differ only in `names`."""
