"""Runs scripts/migrate for each line of its input, in a process forked from this one.

This one has imported Home Assistant and the integrations, which takes two seconds. It is none of
multiprocessing's: of its fork servers there is one per process, and the benchmarks have it.
"""

import asyncio
import json
import os
from pathlib import Path
import sys
import traceback
from typing import NoReturn

from migrate import __main__ as program, check, try_out  # noqa: F401  (imported for their effect)


def main() -> None:
    """Answer each line, arguments and the file that takes what is printed, with the exit code."""
    for line in sys.stdin:
        folder, arguments, output = json.loads(line)
        if not (process := os.fork()):
            _run(folder, arguments, output)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  (the answer)


def _run(folder: str, arguments: list[str], output: str) -> NoReturn:
    code = 1
    try:
        os.chdir(folder)
        with Path(os.devnull).open() as nothing, Path(output).open("a") as file:
            os.dup2(nothing.fileno(), sys.stdin.fileno())
            for stream in sys.stdout, sys.stderr:
                os.dup2(file.fileno(), stream.fileno())
        sys.argv = ["migrate", *arguments]
        asyncio.run(program.main())
        code = 0
    except SystemExit as err:
        code = err.code if isinstance(err.code, int) else 0 if err.code is None else 1
        if isinstance(err.code, str):
            sys.stderr.write(f"{err.code}\n")
    except BaseException:  # noqa: BLE001  (this process ends)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
