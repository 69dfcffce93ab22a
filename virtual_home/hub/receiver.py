"""The receiver of a remote-control hub: learning, frequency sweeps, captures."""

import time
from typing import Literal

IR = 0x26
LEARN_WINDOW_S = 30.0  # an RM4 pro leaves learning by itself after 25 to 40 s

type Listening = Literal["ir", "rf", "sweep"]


class Receiver:
    """Waits for one kind of signal at a time and holds one capture."""

    def __init__(self) -> None:
        self.window = LEARN_WINDOW_S
        self.capture: bytes | None = None
        self.carrier_khz: int | None = None
        self.asked_khz: int | None = None
        self._listening: Listening | None = None
        self._until = 0.0

    @property
    def listening(self) -> Listening | None:
        """What is waited for now; None when idle, filled, or the window has passed."""
        if self.capture is None and time.monotonic() < self._until:
            return self._listening
        return None

    def listen(self, kind: Listening, *, asked_khz: int | None = None) -> None:
        """Wait for a signal, forgetting what was heard before."""
        self.idle()
        self._listening = kind
        self._until = time.monotonic() + self.window
        self.asked_khz = asked_khz

    def idle(self) -> None:
        """Stop waiting and forget what was heard."""
        self._listening = self.capture = self.carrier_khz = None

    def press(self, packet: bytes) -> bool:
        """Hear a remote control's button; True when its kind was waited for."""
        if self.listening != ("ir" if packet[:1] == bytes((IR,)) else "rf"):
            return False
        self.capture = packet
        return True

    def hold(self, frequency_mhz: float) -> bool:
        """Hear a radio remote's button held down; True when a sweep was running."""
        if self.listening != "sweep":
            return False
        self.carrier_khz = round(frequency_mhz * 1000)
        return True
