"""Commands of raw timings, as other integrations send them."""

from typing import override

from infrared_protocols.commands import Command  # type: ignore[import-untyped]
from rf_protocols import ModulationType, RadioFrequencyCommand  # type: ignore[import-untyped]


class Raw(Command):  # type: ignore[misc]
    """Any timings as an infrared command."""

    def __init__(self, timings: list[int]) -> None:
        super().__init__(modulation=38000)
        self._timings = timings

    @override
    def get_raw_timings(self) -> list[int]:
        return self._timings


class RawRadio(RadioFrequencyCommand):  # type: ignore[misc]
    """Any timings as a radio command."""

    def __init__(self, timings: list[int], frequency: int) -> None:
        super().__init__(frequency=frequency, modulation=ModulationType.OOK, repeat_count=4)
        self._timings = timings

    @override
    def get_raw_timings(self) -> list[int]:
        return self._timings
