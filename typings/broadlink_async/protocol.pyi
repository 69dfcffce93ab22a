from datetime import datetime

class Datetime:
    @staticmethod
    def pack(datetime: datetime) -> bytes: ...
    @staticmethod
    def now() -> datetime: ...
