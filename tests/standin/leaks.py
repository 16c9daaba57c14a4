"""Calls every function many times, succeeding and failing, and measures what stays allocated.

Run as a program like drive.py. Counts Python's blocks and malloc's bytes around a round of calls;
what grows by something for each call, round after round, leaks. Prints the functions that do as
JSON.
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
PARAMETERS = 16  # that a stand-in's function has at most
ROUNDS = 4  # at most: a leak grows in each


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
    """What a round of calls leaves behind each time; "" for nothing."""
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
    """Arguments that C takes; addresses for callables, which else are kept until C calls them."""
    driver.standin.reset()
    call = driver.prepare(expected, "low")
    for parameter in range(PARAMETERS):  # what the stand-in records of memory, it keeps
        driver.standin.peek(parameter, -1)
    addresses = {one.name: 0x7000 for one in expected.inputs if one.kind in ("()", "#")}
    values = {**call.values, **addresses}
    keywords = {one.python_name: values[one.name] for one in expected.keywords}
    return [values[one.name] for one in expected.inputs], keywords


def main(api: str, version: str, path: str) -> int:
    """All functions of a release, in both forms, with success and with a failure."""
    driver = start(api, version, path)
    checked = getattr(driver.module, "checked")  # noqa: B009
    table = read(api)
    gc.collect()
    gc.freeze()  # the model of the API is large, and no concern of the collections to come
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
