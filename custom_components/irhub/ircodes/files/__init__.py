"""Code files of other programs: import, export, and an index to search them."""

from .devices import NAME as OUR_FORMAT
from .imported import (
    MAX_COMMANDS,
    MAX_NAME,
    MAX_TEXT,
    Account,
    ContentKind,
    Imported,
    NamelessError,
    Packets,
    checked_name,
)
from .index import FOLDERS, UNREADABLE
from .language import Function, Language
from .logs import NAME as LOG_FORMAT
from .notation import MAX_YAML, read_notation, text_of
from .reading import SUFFIXES
from .shipped import CollectedFile
from .smartir import Maker
from .writing import Exported

__all__ = [
    "FOLDERS",
    "LOG_FORMAT",
    "MAX_COMMANDS",
    "MAX_NAME",
    "MAX_TEXT",
    "MAX_YAML",
    "OUR_FORMAT",
    "SUFFIXES",
    "UNREADABLE",
    "Account",
    "CollectedFile",
    "ContentKind",
    "Exported",
    "Function",
    "Imported",
    "Language",
    "Maker",
    "NamelessError",
    "Packets",
    "checked_name",
    "read_notation",
    "text_of",
]
