from .device import Device

class a1(Device):
    async def check_sensors_raw(self) -> dict[str, float]: ...

class a2(Device):
    async def check_sensors_raw(self) -> dict[str, float]: ...
