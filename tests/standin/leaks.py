"""Calls every function many times, with success and failure, and measures what stays allocated.

Run as a program like drive.py. It counts Python's blocks and malloc's bytes around a round of
calls. A function leaks if every round grows by something for each call. Prints the leaking
functions as JSON.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import PyGPU
from tests.standin.drive import MODULES, Driver, start
from tests.standin.expected import Expected, read

CALLS = 100  # in a round
MALLINFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
PARAMETERS = 16  # the most that a stand-in's function has
ROUNDS = 4  # at most: a leak grows in each round


class Mallinfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in MALLINFO.split()]


LIBC = ctypes.CDLL(None)
LIBC.mallinfo2.restype = Mallinfo


def allocated() -> tuple[int, int]:
    """Python's blocks, and the bytes that malloc has given out."""
    gc.collect()
    info = LIBC.mallinfo2()
    return sys.getallocatedblocks(), info.uordblks + info.hblkhd


def grows(call: Callable[[], object]) -> str:
    """What every round of calls leaves behind; "" for nothing."""
    for _ in range(10):
        call()
    for _ in range(ROUNDS):
        before = allocated()
        for _ in range(CALLS):
            call()
        blocks, size = (now - then for now, then in zip(allocated(), before, strict=True))
        if blocks < CALLS // 2 and size < CALLS * 8:
            return ""
    return f"{blocks} blocks, {size} bytes in {CALLS} calls"


def arguments(driver: Driver, expected: Expected) -> tuple[list[Any], dict[str, Any]]:
    """Valid arguments; addresses for callables, as real ones are kept until C calls them."""
    driver.standin.reset()
    call = driver.prepare(expected, "low")
    for parameter in range(PARAMETERS):  # the stand-in keeps the memory that it records
        driver.standin.peek(parameter, -1)
    addresses = {one.name: 0x7000 for one in expected.inputs if one.kind in ("()", "#")}
    values = {**call.values, **addresses}
    keywords = {one.python_name: values[one.name] for one in expected.keywords}
    return [values[one.name] for one in expected.inputs], keywords


def main(api: str, version: str, path: str) -> int:
    """Measure all functions of a release, in both forms, with success and with a failure."""
    driver = start(api, version, path)
    checked = getattr(driver.module, "checked")  # noqa: B009
    table = read(api)
    gc.collect()
    gc.freeze()  # collections needn't look at the API's model, which is large
    kept: list[bytearray] = []
    if not grows(lambda: kept.append(bytearray(64))):
        print(json.dumps({"blind": True}))
        return 0
    found: dict[str, Any] = {"leaks": {}, "failed": [], "measured": 0}
    for name in driver.forms.read():
        if name not in table.functions:
            continue
        if not hasattr(driver.module, name):
            continue
        inputs, keywords = arguments(driver, table.functions[name])
        for module in (driver.module, checked):
            bound = getattr(module, name)

            def call(bound: Any = bound, inputs: Any = inputs, keywords: Any = keywords) -> None:
                with contextlib.suppress(PyGPU.GPUError):
                    bound(*inputs, **keywords)

            try:
                call()
            except Exception as error:
                found["failed"].append(f"{name}: {error}")
                break
            for status in (0, 1):
                driver.standin.set_status(status)
                found["measured"] += 1
                if leak := grows(call):
                    form = f"{MODULES[api]}{'.checked' if module is checked else ''}"
                    found["leaks"][f"{form}.{name}, status {status}"] = leak
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
