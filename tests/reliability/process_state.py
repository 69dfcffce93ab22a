"""What belongs to the whole process, to be compared before and after somebody was a guest in it."""

import asyncio
import atexit
import codecs
from collections.abc import Iterator, Mapping
import decimal
import gc
import locale
import logging
import os
from pathlib import Path
import resource
import signal
import socket
import sys
import threading
import types
from typing import Any, Final
import warnings

ENCODINGS: Final = ("utf-8", "ascii", "latin-1", "cp1252", "utf-16", "idna", "raw", "none")
"""Names under which codecs are looked up, some of them of none."""
ERROR_HANDLERS: Final = ("strict", "ignore", "replace", "surrogateescape", "backslashreplace")
ALL_BYTES: Final = bytes(range(256))

type State = dict[str, object]
"""What it is → its value, or the very object."""


def process_state() -> State:
    """Return everything by name; what is compared by identity is kept alive by it."""
    return dict(_everything())


def differences(before: State, after: State) -> list[str]:
    """Return the names of what is another or gone. What is new, as modules are, is none."""
    return [
        name
        for name, value in before.items()
        if name not in after or not (after[name] is value or _equal(after[name], value))
    ]


def _equal(one: object, other: object) -> bool:
    """Compare values; two functions or classes are never equal, but the same or not."""
    plain = (bool, int, float, str, bytes, tuple, list, dict, type(None), Path)
    return isinstance(one, plain) and type(one) is type(other) and one == other


def _everything() -> Iterator[tuple[str, object]]:
    yield from _collector()
    yield from _interpreter()
    yield from _codecs()
    yield from _logging()
    yield from _operating_system()
    yield from _event_loop()
    yield from _libraries()


def _collector() -> Iterator[tuple[str, object]]:
    yield "gc.isenabled", gc.isenabled()
    yield "gc.get_threshold", gc.get_threshold()
    yield "gc.get_debug", gc.get_debug()
    yield "gc.freeze", gc.get_freeze_count() > 0  # what is frozen can still go
    yield "gc.callbacks", [*map(id, gc.callbacks)]


def _interpreter() -> Iterator[tuple[str, object]]:
    for name in ("excepthook", "unraisablehook", "displayhook", "breakpointhook"):
        yield f"sys.{name}", getattr(sys, name)
    for name in ("stdin", "stdout", "stderr", "dont_write_bytecode", "pycache_prefix"):
        yield f"sys.{name} itself", getattr(sys, name)
    for name in ("getrecursionlimit", "getswitchinterval", "gettrace", "getprofile"):
        yield f"sys.{name}", getattr(sys, name)()
    yield "sys.get_int_max_str_digits", sys.get_int_max_str_digits()
    yield "sys.path", [*sys.path]
    for name in ("path_hooks", "meta_path"):
        yield f"sys.{name}", [*map(id, getattr(sys, name))]
    yield "threading.excepthook", threading.excepthook
    yield "threading.gettrace", threading.gettrace()
    yield "threading.stack_size", threading.stack_size()
    yield "warnings.filters", [*warnings.filters]
    yield "warnings.showwarning", warnings.showwarning
    yield "atexit", atexit._ncallbacks()  # noqa: SLF001  (there is no public count)
    yield "decimal", repr(decimal.getcontext())


def _codecs() -> Iterator[tuple[str, object]]:
    """Say what each codec does: how it was registered cannot be seen."""
    for name in ENCODINGS:
        try:
            yield f"codec {name}", codecs.lookup(name).name
        except LookupError:
            yield f"codec {name}", None
            continue
        for errors in ERROR_HANDLERS:
            try:
                outcome: object = codecs.decode(ALL_BYTES, name, errors)
            except (ValueError, TypeError) as err:
                outcome = repr(err)
            yield f"codec {name}, {errors}", outcome
    for errors in ERROR_HANDLERS:
        yield f"codecs.lookup_error {errors}", codecs.lookup_error(errors)


def _logging() -> Iterator[tuple[str, object]]:
    manager = logging.root.manager
    yield "logging.disable", manager.disable
    yield "logging.getLoggerClass", logging.getLoggerClass()
    yield "logging.getLogRecordFactory", logging.getLogRecordFactory()
    yield "logging.raiseExceptions", logging.raiseExceptions
    yield "logging levels", [*map(logging.getLevelName, range(60))]
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


def _operating_system() -> Iterator[tuple[str, object]]:
    for number in signal.valid_signals():
        yield f"signal {number}", signal.getsignal(number)
    yield "signal mask", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))
    yield "locale", locale.setlocale(locale.LC_ALL)
    yield "environment", dict(os.environ)
    yield "working directory", Path.cwd()
    os.umask(mask := os.umask(0))
    yield "umask", mask
    yield "niceness", os.nice(0)
    yield "open files", resource.getrlimit(resource.RLIMIT_NOFILE)
    yield "socket.getdefaulttimeout", socket.getdefaulttimeout()


def _event_loop() -> Iterator[tuple[str, object]]:
    loop = asyncio.get_running_loop()
    yield "loop", loop
    yield "loop.get_exception_handler", loop.get_exception_handler()
    yield "loop.get_task_factory", loop.get_task_factory()
    yield "loop.get_debug", loop.get_debug()
    yield "loop.slow_callback_duration", loop.slow_callback_duration
    yield "asyncgen hooks", [*map(bool, sys.get_asyncgen_hooks())]


def _libraries() -> Iterator[tuple[str, object]]:
    """List the functions and classes of every module: patched ones are others."""
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
