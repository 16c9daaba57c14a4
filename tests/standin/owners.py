"""Handles that Python owns, on the stand-in: what creates them, what ends them, and what doesn't.

Run as a program like drive.py. Prints the calls and values for each handle.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import PyGPU
from tests.standin.drive import Driver, start

# The handles that Python can own, and the names of their parameters.
HANDLES = {
    "cuda_runtime": ("cudaStream_t", "cudaEvent_t", "cudaGraph_t", "cudaGraphExec_t"),
    "hip_runtime": ("hipStream_t", "hipEvent_t", "hipGraph_t", "hipGraphExec_t"),
    "cuda_driver": ("CUstream", "CUevent", "CUgraph", "CUgraphExec"),
}
SPELLED = {
    "cuda_runtime": (("cudaMemPool_t", "poolProps"), "graph", "flags", "cudaMemPoolProps"),
    "hip_runtime": (("hipMemPool_t", "pool_props"), "graph", "flags", "hipMemPoolProps"),
    "cuda_driver": (("CUmemoryPool", "poolProps"), "hGraph", "Flags", "CUmemPoolProps"),
}


def calls(driver: Driver) -> list[tuple[int, str]]:
    """The calls of the user's code, with their places among all calls: owners make calls, too."""
    own = ("GetDevice", "ThreadExchangeStreamCaptureMode", "PeekAtLastError", "GetLastError")
    every = enumerate(driver.standin.calls())
    return [(at, name) for at, name in every if not name.endswith(own)]


def names(driver: Driver) -> list[str]:
    return [name for _, name in calls(driver)]


def main(api: str, version: str, path: str) -> int:
    """For each handle that can be owned: make it, drop it, destroy it, and fail to make it."""
    driver = start(api, version, path)
    # The handles' names, and the keywords, with the call's arguments after the handle's place.
    (pool_name, pool), graph, flags, props = SPELLED[api]
    properties = getattr(driver.module, props)(maxSize=77)
    stream_name, event_name, graph_name, exec_name = HANDLES[api]
    table: dict[str, dict[str, Any]] = {
        stream_name: {"flags": 1, "priority": -3},
        event_name: {flags: 2},
        graph_name: {"flags": 0},
        exec_name: {graph: 0x7F00_1000, "flags": 4},
        pool_name: {pool: properties},
    }
    found: dict[str, Any] = {}
    standin = driver.standin
    for name, keywords in table.items():
        kind = getattr(driver.module, name)
        standin.reset()
        if name == pool_name:
            standin.peek(1, properties.sizeof)
        made = kind(**keywords)
        ((at, create),) = calls(driver)
        seen = {"create": create, "owner": "owner" in repr(made), "handle": int(made)}
        if name == pool_name:
            seen["arrived"] = [standin.behind(1, at) == bytes(properties)]
        else:
            places = range(1, 1 + len(keywords))
            arrived = [standin.argument(place, at) for place in places]
            seen["arrived"] = [int.from_bytes(one, "little") for one in arrived]
        same = kind(made)  # wraps the handle, and owns nothing
        del same
        gc.collect()
        seen["after wrapping"] = names(driver)[1:]
        del made
        gc.collect()
        at = calls(driver)[-1][0]
        seen["destroy"] = names(driver)[1:]
        seen["destroyed"] = int.from_bytes(standin.argument(0, at), "little") == seen["handle"]

        made = kind(**keywords)
        standin.reset()
        status = getattr(driver.module, seen["destroy"][0].partition("_v")[0])
        standin.set_status(1)
        seen["failing"] = [int(status(made)), "owner" in repr(made)]
        standin.set_status(0)
        seen["by call"] = [int(status(made)), "owner" in repr(made)]
        standin.reset()
        del made
        gc.collect()
        seen["after the call"] = names(driver)

        standin.set_status(2)
        try:
            kind(**keywords)
        except PyGPU.GPUError as error:
            seen["error"] = [int(error.error), error.call, isinstance(error, MemoryError)]
        seen["after an error"] = names(driver)[1:]
        found[name] = seen
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
