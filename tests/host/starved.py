"""Calls the host runtime while memory and threads that it asks for are refused.

    python tests/host/starved.py rows cuda|hip     every row of the behaviour table
    python tests/host/starved.py first             the first calls of a process

Run with starve.cpp preloaded, which refuses the requests. Prints one line for each mistake, then
how many requests were refused, and the functions that made them.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "behaviour"))
import ask
import table

from PyGPU import _backend

REFUSALS = (2, 304)  # out of memory, no thread

starve = ctypes.CDLL(None).starve
starve.restype, starve.argtypes = ctypes.c_long, (ctypes.c_long, ctypes.c_long)


def free_bytes(stage: ask.Stage) -> list[int]:
    """The free bytes of each device once it is idle.

    Those of graphs that were launched count as free: rows may leave them to their program.
    """
    free = []
    for device in range(stage.call("GetDeviceCount")):
        stage.call("SetDevice", device)
        stage.gpu_call("DeviceSynchronize")
        in_use = stage.call("DeviceGetGraphMemAttribute", device, 0)
        free.append(stage.call("MemGetInfo") + in_use)
    stage.call("SetDevice", 0)
    return free


def ask_starved(stage: ask.Stage, row: table.Row, first: int, last: int) -> tuple[int, str]:
    """One row with some requests refused: how many were refused, and what went wrong."""
    names = ask.Names(stage, 2)
    try:
        for statement in row.before:
            exec(statement, names)
        starve(first, last)
        try:
            result = eval(row.call, names)
        except RuntimeError as error:  # one of the stage's own calls failed
            names_of_them = ("MemoryAllocation", "OutOfMemory", "OperatingSystem")
            result = str(error) if any(name in str(error) for name in names_of_them) else -2
        refused = starve(0, 0)
        return refused, what_is_wrong(row, result, bool(refused), names)
    finally:
        starve(0, 0)
        stage.clear(row.forget)


def what_is_wrong(row: table.Row, result: Any, refused: bool, names: ask.Names) -> str:
    """Either the call did all its work, or its code says what it lacked."""
    if isinstance(result, str):
        return ""
    *values, error = result if isinstance(result, tuple) else (result,)
    if error == row.code:
        names["v"] = values
        checks = [check for check in (row.holds, row.after) if check]
        return "; ".join(f"not so: {check}" for check in checks if not eval(check, names))
    said = error in REFUSALS or (error == -1 and row.call.startswith("status("))
    return "" if refused and said else f"returned {error}"


def can_be_starved(api: str, row: table.Row) -> bool:
    """Whether what is refused to the call itself shows in its code.

    A call among the arguments may be refused instead. A kernel needs memory when it runs: where it
    has none, the device fails later.
    """
    calls = re.findall(rf"\b{api}[A-Z]\w*\(", row.call)
    runs_kernel = "Launch" in row.function and "Synchronize" in f"{row.holds} {row.after}"
    return len(calls) < 2 and not runs_kernel


def ask_rows(api: str) -> None:
    """Each row with its first request refused, with its second and so on, then with all refused."""
    stage = ask.Stage(api)
    every = table.load(api)
    rows = [row for row in every if can_be_starved(api, row)]
    refused_in = set()
    stage.call("GetDeviceCount")
    for row in rows:
        before = free_bytes(stage)
        number, refused = 0, 1
        while refused:
            number += 1
            refused, wrong = ask_starved(stage, row, number, number)
            if refused:
                refused_in.add(row.function)
            if wrong:
                print(f"WRONG {row.key} {row.call}: without request {number}: {wrong}")
        _, wrong = ask_starved(stage, row, 1, 0)
        if wrong:
            print(f"WRONG {row.key} {row.call}: without any: {wrong}")
        after = free_bytes(stage)
        less = any(now < then for now, then in zip(after, before, strict=True))
        if less and not row.forget:
            print(f"WRONG {row.key} {row.call}: {before} bytes were free, now {after}")
    print("REFUSED", *sorted(refused_in))
    print("ASKED", *sorted({row.function for row in every}))


# The first calls of a process, which initialise the library: CUDA's functions with arguments.
NOTHING_TO_FREE = ctypes.cast(ctypes.CDLL(None).free, ctypes.c_void_p).value, None
FIRST = (
    ("GetDeviceCount",),
    ("Malloc", 4096),
    ("MallocAsync", 4096, None),
    ("StreamCreateWithFlags", 1),
    ("EventCreateWithFlags", 0),
    ("MemPoolCreate", {"allocType": 1, "location": (1, 0)}),
    ("MallocArray", (8, 0, 0, 0, 0), 64, 8, 0),
    ("GetDeviceProperties", 0),
    ("LaunchHostFunc", 2, *NOTHING_TO_FREE),
    ("StreamSynchronize", 2),
    ("DeviceReset",),
    ("DeviceSynchronize",),
)


def call_first(number: int) -> int:
    """The first calls with that request refused, and then all again: how many were refused."""
    stage = ask.Stage("cuda")

    def codes() -> list[int]:
        results = [stage.gpu_call(name, *arguments) for name, *arguments in FIRST]
        return [int(one[-1] if isinstance(one, tuple) else one) for one in results]

    starve(number, number)
    first = codes()
    refused = starve(0, 0)
    again = codes()
    if any(code not in (0, *REFUSALS) for code in first) or any(again):
        print(f"WRONG first calls without request {number}: {first}, then {again}", flush=True)
    return int(refused)


def ask_first() -> None:
    """Each request is refused in a new process, until there is none left."""
    loaded = ctypes.CDLL(_backend.HOST_RUNTIME)  # loaded, but not in use yet
    number, refused = 0, 1
    while loaded and refused:
        number += 1
        child = os.fork()
        if not child:
            os._exit(call_first(number))
        status = os.waitpid(child, 0)[1]
        if not os.WIFEXITED(status):
            print(f"WRONG first calls without request {number}: ended by {status}", flush=True)
        refused = status
    print("REFUSED", number - 1)


if __name__ == "__main__":
    ask_rows(sys.argv[2]) if sys.argv[1] == "rows" else ask_first()
