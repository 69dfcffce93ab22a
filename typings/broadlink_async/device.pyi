class Device:
    TYPE: str
    host: tuple[str, int]
    mac: bytes
    devtype: int
    timeout: float
    name: str
    model: str
    manufacturer: str
    is_locked: bool
    aes: object
    def __init__(
        self,
        host: tuple[str, int],
        mac: bytes | str,
        devtype: int,
        timeout: float = ...,
        name: str = ...,
        model: str = ...,
        manufacturer: str = ...,
        is_locked: bool = ...,
    ) -> None: ...
    async def hello(self) -> bool: ...
    async def auth(self) -> bool: ...
    async def ping(self) -> None: ...
    async def get_fwversion(self) -> int: ...
    async def set_lock(self, state: bool) -> None: ...
    async def aclose(self) -> None: ...
