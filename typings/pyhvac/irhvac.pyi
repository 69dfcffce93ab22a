# The names are those of the C++ library behind it.
# ruff: noqa: N802, N815
from typing import Any

class state_t:
    protocol: int
    model: int
    power: bool
    celsius: bool
    mode: int
    degrees: float
    fanspeed: int
    swingv: int
    swingh: int
    sleep: int
    clock: int
    sensorTemperature: float

class IRac:
    def __init__(self, pin: int) -> None: ...
    @staticmethod
    def initState(state: state_t) -> None: ...
    @staticmethod
    def isProtocolSupported(protocol: int) -> bool: ...
    def resetTiming(self) -> None: ...
    def sendAc(self, desired: state_t, previous: state_t | None) -> bool: ...
    def getTiming(self) -> tuple[int, ...]: ...

def __getattr__(name: str) -> Any: ...  # noqa: ANN401
