"""SAXPY by the driver API, in Python and in C++ by turns: kernels, loop of launches, program.

    python benchmarks/saxpy.py [--elements N] [--launches N] [--rounds N] [--json FILE|-] [--check]

Both run in one process on one driver and context, and load the same cubin from NVRTC. With --check
the exit code is 1 if Python takes more than 1.01 times as long as C++, or if a result differs from
numpy's.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
import tempfile
import time

import numpy as np
from measure import machine, print_table, run, write_json
from twin import compile_twin

from PyGPU.cu import checked as cu
from PyGPU.nvrtc import checked as nvrtc

SOURCE = r"""
extern "C" __global__
void saxpy(float a, const float *x, const float *y, float *out, size_t count) {
    size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at < count) out[at] = a * x[at] + y[at];
}
"""
THREADS = 512
MOST = 1.01  # times as long as C++
WHAT = ("kernels", "loop", "program")


class Times(ctypes.Structure):
    """Seconds; the same struct as in saxpy.cpp."""

    _fields_ = [(name, ctypes.c_double) for name in WHAT]


def compile_kernel(device: int) -> bytes:
    """The cubin for a device."""
    major = cu.cuDeviceGetAttribute(75, device)  # compute capability
    minor = cu.cuDeviceGetAttribute(76, device)
    program = nvrtc.nvrtcCreateProgram(SOURCE, "saxpy.cu", 0, None, None)
    nvrtc.nvrtcCompileProgram(program, 1, [f"--gpu-architecture=sm_{major}{minor}"])
    return nvrtc.nvrtcGetCUBIN(program)


def python_program(
    image: bytes, a: float, x: np.ndarray, y: np.ndarray, out: np.ndarray, launches: int
) -> Times:
    """The same program as saxpy() in saxpy.cpp."""
    started = time.perf_counter()
    module = cu.cuModuleLoadData(image)
    kernel = cu.cuModuleGetFunction(module, "saxpy")
    begin, end = cu.cuEventCreate(0), cu.cuEventCreate(0)
    x_there, y_there, out_there = (cu.cuMemAlloc(x.nbytes) for _ in range(3))
    cu.cuMemcpyHtoD(x_there, x, x.nbytes)
    cu.cuMemcpyHtoD(y_there, y, y.nbytes)
    blocks = -(-x.size // THREADS)
    arguments = [
        np.float32(a),
        *(ctypes.c_void_p(pointer) for pointer in (x_there, y_there, out_there)),
        np.uint64(x.size),
    ]
    looped = time.perf_counter()
    cu.cuEventRecord(begin, None)
    for _ in range(launches):
        cu.cuLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, None, arguments, None)
    cu.cuEventRecord(end, None)
    cu.cuEventSynchronize(end)
    waited = time.perf_counter()
    milliseconds = cu.cuEventElapsedTime(begin, end)
    cu.cuMemcpyDtoH(out, out_there, out.nbytes)
    for pointer in (x_there, y_there, out_there):
        cu.cuMemFree(pointer)
    for event in (begin, end):
        cu.cuEventDestroy(event)
    cu.cuModuleUnload(module)
    return Times(milliseconds / 1e3, waited - looped, time.perf_counter() - started)


def cpp_program(
    twin: ctypes.CDLL,
    image: bytes,
    a: float,
    x: np.ndarray,
    y: np.ndarray,
    out: np.ndarray,
    launches: int,
) -> Times:
    """Run the program of saxpy.cpp."""
    times = Times()
    memory = [one.ctypes.data_as(ctypes.c_void_p) for one in (x, y, out)]
    code = twin.saxpy(
        image, ctypes.c_float(a), *memory, ctypes.c_size_t(x.size), THREADS, launches,
        ctypes.byref(times),
    )  # fmt: skip
    if code:
        sys.exit(f"saxpy.cpp failed with code {code}")
    return times


def main() -> int:
    """Measure by turns, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of each vector")
    parser.add_argument("--launches", type=int, default=200, help="launches in the loop")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each program")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail where a target is missed")
    options = parser.parse_args()

    cu.cuInit(0)
    device = cu.cuDeviceGet(0)
    cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(device))
    image = compile_kernel(device)
    x, y = np.random.default_rng(1).random((2, options.elements), np.float32)
    out, expected, a = np.zeros_like(x), np.float32(2.5) * x + y, 2.5
    found: dict[str, dict[str, list[float]]] = {
        who: {what: [] for what in WHAT} for who in ("C++", "PyGPU")
    }
    same = True
    with tempfile.TemporaryDirectory() as folder:
        twin = compile_twin(__file__, folder)
        for turn in range(options.rounds + 1):
            for who in found:
                out.fill(0)
                if who == "C++":
                    times = cpp_program(twin, image, a, x, y, out, options.launches)
                else:
                    times = python_program(image, a, x, y, out, options.launches)
                same = same and bool(np.allclose(out, expected))
                for what in WHAT if turn else ():  # the first turn warms up
                    found[who][what].append(getattr(times, what))
    cu.cuDevicePrimaryCtxRelease(device)
    ratios = {
        what: statistics.median(found["PyGPU"][what]) / statistics.median(found["C++"][what])
        for what in WHAT
    }
    data = {**machine(), "elements": options.elements, "launches": options.launches}
    data |= {"seconds": found, "ratios": ratios, "as_numpy": same}
    if options.json != "-":
        milliseconds = [
            [what, *(f"{statistics.median(found[who][what]) * 1e3:.3f}" for who in found)]
            for what in WHAT
        ]
        rows = [[*row, f"{ratios[row[0]]:.4f}"] for row in milliseconds]
        title = f"SAXPY, {options.elements:,} elements, {options.launches} launches: median ms"
        print_table(title, ["", *found, "PyGPU / C++"], rows)
        print(f"results {'equal' if same else 'DIFFER FROM'} numpy's")
    if options.json:
        write_json(data, options.json)
    return 1 if not same or (options.check and max(ratios["kernels"], ratios["loop"]) > MOST) else 0


if __name__ == "__main__":
    sys.exit(run(main))
