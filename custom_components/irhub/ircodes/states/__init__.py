"""States of appliances: which ones an appliance has, and how each is encoded."""

from .capabilities import Steps
from .head import MAX_BRIGHTNESS, MAX_KELVIN, Head
from .nested import (
    NO_PRESET,
    WHATEVER,
    Path as LevelPath,
    nearest_mode,
    states_of,
    temperature_of,
)
from .room_temperature import RoomTemperature
from .rule import Changes, Lacks
from .state import ATTRIBUTES, MODES, agreed as agreed_state, value

__all__ = [
    "ATTRIBUTES",
    "MAX_BRIGHTNESS",
    "MAX_KELVIN",
    "MODES",
    "NO_PRESET",
    "WHATEVER",
    "Changes",
    "Head",
    "Lacks",
    "LevelPath",
    "RoomTemperature",
    "Steps",
    "agreed_state",
    "nearest_mode",
    "states_of",
    "temperature_of",
    "value",
]
