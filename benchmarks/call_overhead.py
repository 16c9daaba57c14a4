"""What a call costs: C++, PyGPU, PyGPU.checked, cuda-bindings and CuPy in one run, in nanoseconds.

    python benchmarks/call_overhead.py [--rounds 9] [--calls 20000] [--json FILE|-]

All rows run in one process, in one thread and one context, on one libcudart and one libcuda. The
candidates take turns, a round each, so that a change of the clock affects all of them. Candidates
that aren't installed are shown as absent. With --check the exit code is 1 if a call of PyGPU takes
longer than its target allows, measured over C++.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import timeit
from dataclasses import dataclass
from pathlib import Path

from measure import Cell, machine, print_table, run, write_json

import PyGPU
from PyGPU._apis import APIS

UNROLLED = 20  # calls in one turn of the timed loop, so that the loop itself doesn't count


@dataclass(frozen=True)
class Call:
    """A function: its names in the C++ loop and CuPy, arguments, target over C++ in ns.

    If `given` names a function, that function is called with `arguments`, and the result is the
    argument of the measured function. The time then counts both calls. `api` is the namespace of
    the function's API.
    """

    function: str
    loop: str
    cupy: str
    arguments: str
    target: float
    api: str = "cuda"
    given: str = ""

    @property
    def shown(self) -> str:
        """The call as text."""
        arguments = self.arguments.replace("event", "e")
        inner = f"{self.given}({arguments})" if self.given else arguments
        return f"{self.function}({inner})"


CALLS = (
    Call("cudaSetDevice", "set_device", "setDevice", "0", 80),
    Call("cudaGetDevice", "get_device", "getDevice", "", 55),
    Call("cudaGetLastError", "get_last_error", "getLastError", "", 40),
    Call("cudaStreamQuery", "stream_query", "streamQuery", "0", 80),
    Call("cudaEventRecord", "event_record", "eventRecord", "event, 0", 80),
    Call("cuCtxGetCurrent", "ctx_get_current", "", "", 55, "cu"),
    Call("cuDeviceGetAttribute", "device_get_attribute", "", "10, 0", 80, "cu"),
    Call("cuStreamQuery", "driver_stream_query", "", "0", 80, "cu"),
    Call("cuMemFree", "mem_alloc_free", "", "4096", 160, "cu", given="cuMemAlloc"),
)
# Which part of a package's result is the value of `given`.
VALUE = {"PyGPU": "[0]", "PyGPU.checked": "", "cuda-bindings": "[1]"}
COLUMNS = ("C++", "PyGPU", "PyGPU.checked", "cuda-bindings", "CuPy")


def loaded_library(api: str) -> str:
    """The path of the library that PyGPU has loaded for an API; "" for none."""
    found = APIS[api].extension().installed(api)
    return str(found["path"]) if found else ""


def compile_loop(folder: str) -> ctypes.CDLL | str:
    """Compile the C++ loop, or say why that fails."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    path = loaded_library("cuda")
    if not compiler or not path:
        return "no compiler" if path else "no libcudart"
    source = Path(__file__).with_suffix(".cpp")
    output = os.path.join(folder, "call_overhead.so")
    command = [
        *compiler.split(),
        "-std=c++20",
        "-O2",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        output,
    ]
    subprocess.run([*command, "-ldl"], check=True)
    loop = ctypes.CDLL(output)
    if loop.attach(path.encode(), loaded_library("cu").encode()):
        return "not attached"
    return loop


def cpp_timer(loop: ctypes.CDLL | str, call: Call):
    """A function that makes so many calls and gives the ns of one, or why there is none."""
    if isinstance(loop, str):
        return loop
    function = getattr(loop, call.loop)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_long]
    return function


def python_timer(namespace, event, call: Call, column: str):
    """The same for a Python function; the calls are unrolled and every name is a local variable."""
    name = call.cupy if column == "CuPy" else call.function
    function = getattr(namespace, name, None) if name else None
    if function is None:
        return "absent"
    arguments = call.arguments.replace("event", "e")
    if call.api == "cu" and column == "cuda-bindings":
        arguments = in_its_types(call, namespace)
    inner = f"g({arguments}){VALUE[column]}" if call.given else arguments
    statement = f"f({inner})"
    names = {
        "function": function,
        "event": event,
        "given": getattr(namespace, call.given) if call.given else None,
        "attribute": getattr(namespace, "CUdevice_attribute", None),
    }
    setup = "f, e, g, a = function, event, given, attribute"
    try:
        timeit.Timer(statement, setup, globals=names).timeit(1)
    except Exception as error:
        return f"{type(error).__name__}"
    timer = timeit.Timer(";".join([statement] * UNROLLED), setup, globals=names)

    def time(calls: int) -> float:
        turns = max(calls // UNROLLED, 1)
        return timer.timeit(turns) / (turns * UNROLLED) * 1e9

    return time


def in_its_types(call: Call, driver) -> str:
    """The arguments as cuda-bindings takes them: an attribute is a member of its enum."""
    if call.function == "cuDeviceGetAttribute":
        return f"a.{driver.CUdevice_attribute(int(call.arguments.split(',')[0])).name}, 0"
    return call.arguments


def peer(name: str):
    """({api: namespace}, event) of a package to compare with, or why it is not there."""
    try:
        if name == "cuda-bindings":
            from cuda.bindings import driver, runtime

            _, event = runtime.cudaEventCreate()
            return {"cuda": runtime, "cu": driver}, event
        from cupy.cuda import runtime

        return {"cuda": runtime}, runtime.eventCreate() if runtime.getDeviceCount() else None
    except ImportError:
        return "absent"
    except Exception as error:
        return type(error).__name__


def timers(loop: ctypes.CDLL | str, call: Call, event, peers) -> dict[str, object]:
    """For each column a function that times `call`, or the reason why there is none."""
    found: dict[str, object] = {"C++": cpp_timer(loop, call)}
    found["PyGPU"] = python_timer(PyGPU, event, call, "PyGPU")
    found["PyGPU.checked"] = python_timer(PyGPU.checked, event, call, "PyGPU.checked")
    for name in ("cuda-bindings", "CuPy"):
        if isinstance(peers[name], str):
            found[name] = peers[name]
            continue
        namespaces, its_event = peers[name]
        found[name] = python_timer(namespaces.get(call.api), its_event, call, name)
    return found


def measure(loop: ctypes.CDLL | str, rounds: int, calls: int) -> dict[str, dict[str, Cell]]:
    """Times of all calls and columns; the columns take turns within a round."""
    peers = {name: peer(name) for name in ("cuda-bindings", "CuPy")}
    event = PyGPU.cudaEventCreate()[0] or 0
    results: dict[str, dict[str, Cell]] = {}
    for call in CALLS:
        columns = timers(loop, call, event, peers)
        cells = {
            name: Cell(absent=timer if isinstance(timer, str) else "")
            for name, timer in columns.items()
        }
        running = {name: timer for name, timer in columns.items() if callable(timer)}
        for timer in running.values():
            timer(calls // 10)
        for _ in range(rounds):
            for name, timer in running.items():
                cells[name].times.append(timer(calls))
        results[call.function] = cells
        PyGPU.cudaDeviceSynchronize()
    return results


def over_target(results: dict[str, dict[str, Cell]]) -> list[str]:
    """The calls in which PyGPU's least time exceeds that of C++ by more than the target."""
    lines = []
    for call in CALLS:
        cells = results[call.function]
        for name in ("PyGPU", "PyGPU.checked"):
            if cells["C++"].times and cells[name].times:
                over = cells[name].least - cells["C++"].least
                if over > call.target:
                    lines.append(
                        f"{name} {call.function}: +{over:.0f} ns, target +{call.target:.0f}"
                    )
    return lines


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement")
    parser.add_argument("--calls", type=int, default=20_000, help="calls in a round")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    options = parser.parse_args()

    count, err = PyGPU.cudaGetDeviceCount()
    has_device = not err and count > 0
    if has_device:
        PyGPU.check(PyGPU.cudaSetDevice(0))
        PyGPU.check(PyGPU.cudaFree(0))
    PyGPU.cuInit(0)  # the driver's calls use the runtime's context
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(compile_loop(folder), options.rounds, options.calls)

    rows = []
    for call in CALLS:
        cells = results[call.function]
        over = ""
        if cells["C++"].times and cells["PyGPU"].times:
            over = f"+{cells['PyGPU'].least - cells['C++'].least:.0f} (≤ +{call.target:.0f})"
        rows.append([call.shown, *(str(cells[c]) for c in COLUMNS), over])
    if options.json != "-":
        print_table(
            "ns per call: least / median of the rounds",
            ["call", *COLUMNS, "PyGPU over C++ (target)"],
            rows,
        )
        if not has_device:
            print(f"No device here ({err!r}): these are the times of calls that fail.")
    if options.json:
        data = {
            **machine(),
            "device": has_device,
            "library": loaded_library("cuda"),
            "driver": loaded_library("cu"),
            "pygpu": PyGPU.__version__,
            "unit": "ns per call",
            "calls": {
                call.function: {name: results[call.function][name].as_json() for name in COLUMNS}
                | {"target_over_cpp": call.target}
                for call in CALLS
            },
        }
        write_json(data, options.json)
    missed = over_target(results)
    for line in missed if options.check and has_device else []:
        print(f"over target: {line}", file=sys.stderr)
    return 1 if options.check and has_device and missed else 0


if __name__ == "__main__":
    sys.exit(run(main))
