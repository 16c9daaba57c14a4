"""What a call costs: C++, PyGPU, PyGPU.checked, cuda-bindings and CuPy in one run, in nanoseconds.

    python benchmarks/call_overhead.py [--rounds 9] [--calls 20000] [--json FILE|-]

All rows run in one process on one libcudart, thread and context; the rounds of the candidates take
turns, so that a change of the clock hits all of them. Candidates that aren't installed are shown as
absent. Exit code 1 with --check when PyGPU costs more over C++ than its target.
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

UNROLLED = 20  # calls in one turn of the timed loop, so that the loop itself doesn't count


@dataclass(frozen=True)
class Call:
    """A runtime function: its names in the C++ loop and CuPy, arguments, target over C++ in ns."""

    function: str
    loop: str
    cupy: str
    arguments: str
    target: float


CALLS = (
    Call("cudaSetDevice", "set_device", "setDevice", "0", 80),
    Call("cudaGetDevice", "get_device", "getDevice", "", 55),
    Call("cudaGetLastError", "get_last_error", "getLastError", "", 40),
    Call("cudaStreamQuery", "stream_query", "streamQuery", "0", 80),
    Call("cudaEventRecord", "event_record", "eventRecord", "event, 0", 80),
)
COLUMNS = ("C++", "PyGPU", "PyGPU.checked", "cuda-bindings", "CuPy")


def loaded_library() -> str | None:
    """The path of the libcudart that PyGPU has loaded."""
    with open("/proc/self/maps") as file:
        paths = [line.split()[-1] for line in file if "libcudart.so" in line]
    return paths[0] if paths else None


def compile_loop(folder: str) -> ctypes.CDLL | str:
    """Compile the C++ loop, or say why it can't be."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    path = loaded_library()
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
    if loop.attach(path.encode()):
        return "not attached"
    return loop


def cpp_timer(loop: ctypes.CDLL | str, call: Call):
    """A function of a number of calls that gives ns a call, or why there is none."""
    if isinstance(loop, str):
        return loop
    function = getattr(loop, call.loop)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_long]
    return function


def python_timer(function, event, call: Call):
    """The same for a Python function; the calls are unrolled and every name is a local."""
    statement = f"f({call.arguments.replace('event', 'e')})"
    try:
        exec(statement, {"f": function, "e": event})
    except Exception as error:
        return f"{type(error).__name__}"
    timer = timeit.Timer(
        ";".join([statement] * UNROLLED),
        "f, e = function, event",
        globals={"function": function, "event": event},
    )

    def time(calls: int) -> float:
        turns = max(calls // UNROLLED, 1)
        return timer.timeit(turns) / (turns * UNROLLED) * 1e9

    return time


def peer(name: str):
    """(namespace, event) of a package to compare with, or why it is not there."""
    try:
        if name == "cuda-bindings":
            from cuda.bindings import runtime

            _, event = runtime.cudaEventCreate()
            return runtime, event
        from cupy.cuda import runtime

        return runtime, runtime.eventCreate() if runtime.getDeviceCount() else None
    except ImportError:
        return "absent"
    except Exception as error:
        return type(error).__name__


def timers(loop: ctypes.CDLL | str, call: Call, event, peers) -> dict[str, object]:
    """For each column something that times `call`, or the reason why nothing does."""
    found: dict[str, object] = {"C++": cpp_timer(loop, call)}
    found["PyGPU"] = python_timer(getattr(PyGPU, call.function), event, call)
    checked = getattr(PyGPU.checked, call.function)
    found["PyGPU.checked"] = python_timer(checked, event, call)
    for name in ("cuda-bindings", "CuPy"):
        if isinstance(peers[name], str):
            found[name] = peers[name]
            continue
        namespace, its_event = peers[name]
        function = getattr(namespace, call.cupy if name == "CuPy" else call.function, None)
        found[name] = python_timer(function, its_event, call) if function else "absent"
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
    """The calls where PyGPU's least time is further over C++'s than the target."""
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
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(compile_loop(folder), options.rounds, options.calls)

    rows = []
    for call in CALLS:
        cells = results[call.function]
        over = ""
        if cells["C++"].times and cells["PyGPU"].times:
            over = f"+{cells['PyGPU'].least - cells['C++'].least:.0f} (≤ +{call.target:.0f})"
        arguments = call.arguments.replace("event", "e")
        rows.append([f"{call.function}({arguments})", *(str(cells[c]) for c in COLUMNS), over])
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
            "library": loaded_library(),
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
