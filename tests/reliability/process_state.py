"""Global state of a process, to be compared before and after an integration has run in it."""

import asyncio
import codecs
from collections.abc import Iterator, Mapping
import encodings
import gc
import locale
import logging
import os
from pathlib import Path
import resource
import signal
import socket
import sys
import types
from typing import Any
import warnings

type State = dict[str, object]
"""Name → value, or the object itself."""


def process_state() -> State:
    """Return the state by name; objects compared by identity are kept alive."""
    return dict(_everything())


def differences(before: State, after: State) -> list[str]:
    """Return the changed and removed names. New ones, such as modules, are not included."""
    return [
        name
        for name, value in before.items()
        if name not in after or not (after[name] is value or _equal(after[name], value))
    ]


def _equal(first: object, other: object) -> bool:
    """Compare values; functions and classes are compared by identity."""
    plain = (bool, int, float, str, bytes, tuple, list, dict, type(None), Path)
    return isinstance(first, plain) and type(first) is type(other) and first == other


def _everything() -> Iterator[tuple[str, object]]:
    yield from _collector()
    yield from _logging()
    yield from _codecs()
    yield from _hooks()
    yield from _operating_system()
    yield from _event_loop()
    yield from _libraries()


def _collector() -> Iterator[tuple[str, object]]:
    yield "gc.isenabled", gc.isenabled()
    yield "gc.get_threshold", gc.get_threshold()
    yield "gc.freeze", gc.get_freeze_count() > 0  # frozen objects can still be freed


def _logging() -> Iterator[tuple[str, object]]:
    manager = logging.root.manager
    yield "logging.disable", manager.disable
    loggers = {"root": logging.root, **manager.loggerDict}
    for name, logger in loggers.items():
        if isinstance(logger, logging.Logger):
            yield f"logger {name}", _settings(logger)


def _settings(logger: logging.Logger) -> tuple[object, ...]:
    return (
        logger.level,
        logger.disabled,
        logger.propagate,
        [(id(handler), handler.level, [*map(id, handler.filters)]) for handler in logger.handlers],
        [*map(id, logger.filters)],
    )


def _codecs() -> Iterator[tuple[str, object]]:
    """List the functions that find codecs, and the handlers of encoding errors.

    The interpreter has no function that lists them, but its garbage collector tracks both.
    """
    for held in gc.get_objects():
        if type(held) is list and held and held[0] is encodings.search_function:
            yield "codecs.register", tuple(held)
        elif type(held) is dict and held.get("strict") is codecs.strict_errors:
            yield "codecs.register_error", tuple(held.items())


def _hooks() -> Iterator[tuple[str, object]]:
    """List the hooks of imports and warnings; `sys.excepthook` is included in `_libraries`."""
    yield "warnings.filters", tuple(warnings.filters)
    yield "sys.meta_path", tuple(map(id, sys.meta_path))
    yield "sys.path_hooks", tuple(map(id, sys.path_hooks))


def _operating_system() -> Iterator[tuple[str, object]]:
    for number in signal.valid_signals():
        yield f"signal {number}", signal.getsignal(number)
    yield "locale", locale.setlocale(locale.LC_ALL)
    yield "environment", dict(os.environ)
    yield "working directory", Path.cwd()
    yield "open files", resource.getrlimit(resource.RLIMIT_NOFILE)
    yield "socket.getdefaulttimeout", socket.getdefaulttimeout()


def _event_loop() -> Iterator[tuple[str, object]]:
    loop = asyncio.get_running_loop()
    yield "loop", loop
    yield "loop.get_exception_handler", loop.get_exception_handler()
    yield "loop.get_debug", loop.get_debug()


def _libraries() -> Iterator[tuple[str, object]]:
    """List the functions and classes of every module: patching changes their identity."""
    for name, module in sys.modules.copy().items():
        for attribute, value in dict(getattr(module, "__dict__", {})).items():
            if _is_code(value):
                yield f"module {name}.{attribute}", value
            if isinstance(value, type) and value.__module__ == name:
                for member, code in _members(value).items():
                    yield f"module {name}.{attribute}.{member}", code


def _is_code(value: object) -> bool:
    return isinstance(value, type | types.FunctionType | types.BuiltinFunctionType)


def _members(cls: type) -> Mapping[str, Any]:
    wrapped = (types.FunctionType, property, staticmethod, classmethod)
    return {name: value for name, value in vars(cls).items() if isinstance(value, wrapped)}
