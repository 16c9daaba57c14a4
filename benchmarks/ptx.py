"""What kernels cost on the host runtime: nanoseconds for an instruction of one thread.

    python benchmarks/ptx.py [--rounds 5] [--cores N] [--json FILE|-]

NVRTC compiles each kernel. The time is that of a launch and a wait for it, the best of the rounds.
The number of instructions follows from the PTX: those outside of the loop count once, those of the
loop as often as it repeats. For the divergent kernel this is the most that a thread may run, so its
result is a lower bound. cub_sort sorts 512 numbers in each block; it needs the headers of CUB. The
last row reads a module of 20,000 lines. A second table compares with Numba's simulator, which runs
Python for each thread. Its sizes are small enough for the simulator.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ["PYGPU_BACKEND"] = "host"

import numpy as np
from measure import Cell, machine, print_table, run, write_json

import PyGPU

Launch = tuple[tuple[Any, ...], Any, Any, int, int]

SOURCE = r"""
extern "C" {
__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; ++j) sum += s[y][j] * t[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
__device__ unsigned next(unsigned &s) {
    s ^= s << 13;
    s ^= s >> 17;
    return s ^= s << 5;
}
__global__ void monte_carlo(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, in = 0;
    unsigned s = i * 747796405u + 2891336453u;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        float x = next(s) * 2.3283064e-10f, y = next(s) * 2.3283064e-10f;
        if (x * x + y * y < 1) ++in;
        else if (x > 0.9f) s = (s * 3 + in) | 1;
    }
    out[i] = in;
}
__global__ void n_body(const float4 *bodies, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        float4 other = bodies[k];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
        float force = other.w * inverse * inverse * inverse;
        ax += dx * force;
        ay += dy * force;
        az += dz * force;
    }
    out[i] = make_float4(ax, ay, az, 0);
}
}
"""

SORT = r"""
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
extern "C" __global__ void __launch_bounds__(128) cub_sort(const unsigned *in, unsigned *out) {
    using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
    using Store = cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Store::TempStorage store;
    } room;
    unsigned own[4];
    Load(room.load).Load(in + blockIdx.x * 512, own);
    __syncthreads();
    Sort(room.sort).Sort(own);
    __syncthreads();
    Store(room.store).Store(out + blockIdx.x * 512, own);
}
"""
NO_CUB = "cub_sort: skipped, for its headers aren't found: pip install nvidia-cuda-cccl"


def instructions(ptx: str, kernel: str, turns: int) -> int:
    """The most instructions that a thread runs."""
    body = ptx[ptx.index(f".entry {kernel}(") :]
    body = body[body.index("{") : body.index("\n}")]
    lines = [line.strip() for line in body.splitlines()]
    code = [line for line in lines if re.match(r"(@!?%p\d+ )?[a-z]|\$L", line)]
    loops = {}
    for at, line in enumerate(code):
        for label in re.findall(r"bra(?:\.uni)?\s+(\$\w+);", line):
            start = code.index(f"{label}:")
            if start < at:
                loops[start] = at
    count = sum(not line.startswith("$") for line in code)
    for start, end in loops.items():
        inside = sum(not line.startswith("$") for line in code[start : end + 1])
        count += inside * (turns - 1)
    return count


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run, and of the wait for it."""
    begin = time.perf_counter()
    run()
    PyGPU.check(PyGPU.cudaDeviceSynchronize())
    return time.perf_counter() - begin


def best(rounds: int, run: Callable[[], object]) -> float:
    """Seconds of the fastest round, after one round that doesn't count."""
    return min([timed(run) for _ in range(rounds + 1)][1:])


def parse() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    options.add_argument("--json", metavar="FILE")
    return options.parse_args()


def launches() -> dict[str, Launch]:
    """For each kernel: arguments, grid, block, number of threads, and repeats of its loop."""
    random = np.random.default_rng(1)
    million, n, bodies = 1_000_000, 256, 2048
    x, y = (PyGPU.to_gpu(random.random(million, np.float32)) for _ in range(2))
    a, b, c = (PyGPU.to_gpu(random.random((n, n), np.float32)) for _ in range(3))
    hits = PyGPU.to_gpu(np.zeros(65536, np.int32))
    stars = PyGPU.to_gpu(random.random((bodies, 4), np.float32))
    forces = PyGPU.to_gpu(np.zeros((bodies, 4), np.float32))
    count = np.int32
    saxpy = (np.float32(2), x, y, count(million))
    return {
        "saxpy": (saxpy, -(-million // 256), 256, million, 1),
        "matmul": ((a, b, c, count(n)), (n // 16, n // 16), (16, 16), n * n, n // 16),
        "monte_carlo": ((hits, count(100)), 256, 256, 65536, 100),
        "n_body": ((stars, forces, count(bodies)), bodies // 128, 128, bodies, bodies),
    }


def sort_launch() -> Launch:
    """The same for CUB's sort: eight digits of four bits each."""
    numbers = np.random.default_rng(3).integers(0, 1 << 32, 1 << 18, np.uint32)
    given, out = PyGPU.to_gpu(numbers), PyGPU.to_gpu(np.zeros_like(numbers))
    return (given, out), numbers.size // 512, 128, numbers.size // 4, 8


def compiled(source: str) -> PyGPU.compiler.Compiled:
    """Compile to PTX, without the cache."""
    return PyGPU.compiler.compile(source, arch="compute_80", cache=False)


def sort_code() -> PyGPU.compiler.Compiled | None:
    """The code of CUB's sort; None without the headers of CUB."""
    try:
        return compiled(SORT)
    except PyGPU.CompileError as error:
        if "cub/block/block_load.cuh" not in str(error):
            raise
        return None


def large_module(ptx: str) -> str:
    """A module of 20,000 lines, which are copies of one kernel."""
    start = ptx.index(".visible .entry matmul")
    body = ptx[start : ptx.index("\n}", start) + 3]
    copies = range(-(-20_000 // body.count("\n")))
    return ptx[: ptx.index(".visible")] + "".join(
        body.replace("matmul", f"matmul{one}").replace("$L_", f"$L{one}_") for one in copies
    )


def simulated() -> dict[str, Callable[..., None]]:
    """The kernels for Numba's simulator, by name; ImportError without Numba."""
    global cuda  # the simulator replaces this global
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    from numba import cuda

    @cuda.jit
    def saxpy(a, x, y, n):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < n:
            y[i] = a * x[i] + y[i]

    @cuda.jit
    def matmul(a, b, c, n):  # type: ignore[no-untyped-def]
        s = cuda.shared.array((16, 16), np.float32)  # one statement for each array
        t = cuda.shared.array((16, 16), np.float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        col, row = cuda.blockIdx.x * 16 + x, cuda.blockIdx.y * 16 + y
        total = np.float32(0)
        for k in range(0, n, 16):
            s[y, x] = a[row, k + x]
            t[y, x] = b[k + y, col]
            cuda.syncthreads()
            for j in range(16):
                total += s[y, j] * t[j, x]
            cuda.syncthreads()
        c[row, col] = total

    def launched(kernel: Any) -> Callable[..., None]:
        return lambda arguments, grid, block: kernel[grid, block](*arguments)

    return {"saxpy": launched(saxpy), "matmul": launched(matmul)}


def beside_numba(module: PyGPU.Module, rounds: int) -> dict[str, dict[str, Cell]]:
    """Milliseconds of the same launches on the host runtime and in Numba's simulator.

    The results must agree.
    """
    random = np.random.default_rng(2)
    x, y = random.random((2, 2048), np.float32)
    a, b, c = random.random((3, 32, 32), np.float32)
    try:
        theirs, missing = simulated(), ""
    except ImportError:
        theirs, missing = {}, "absent: pip install numba"
    rows = {}
    for name, arguments, grid, block in (
        ("saxpy", [np.float32(2), x, y, np.int32(2048)], 8, 256),
        ("matmul", [a, b, c, np.int32(32)], (2, 2), (16, 16)),
    ):
        given = [PyGPU.to_gpu(one) if np.ndim(one) else one for one in arguments]
        ours = functools.partial(module[name], *given, grid=grid, block=block)
        rows[name] = {"PyGPU": Cell([1e3 * timed(ours) for _ in range(rounds)])}
        if missing:
            rows[name]["numba"] = Cell(absent=missing)
            continue
        launch = functools.partial(theirs[name], arguments, grid, block)
        rows[name]["numba"] = Cell([1e3 * timed(launch) for _ in range(rounds)])
        if not np.allclose(given[2].get(), arguments[2], rtol=1e-5):
            raise SystemExit(f"{name}: Numba's simulator has another result")
    return rows


def main() -> int:
    given = parse()
    if hasattr(os, "sched_setaffinity"):  # threads that are started later inherit it
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    code, sort = compiled(SOURCE), sort_code()
    module, ptx = PyGPU.Module(code), bytes(code).decode()
    todo = [(name, module, ptx, launch) for name, launch in launches().items()]
    if sort:
        todo.append(("cub_sort", PyGPU.Module(sort), bytes(sort).decode(), sort_launch()))
    else:
        print(NO_CUB)
    rows: dict[str, dict[str, float]] = {}
    for name, its_module, text, (arguments, grid, block, count, turns) in todo:
        launch = functools.partial(its_module[name], *arguments, grid=grid, block=block)
        seconds, executed = best(given.rounds, launch), instructions(text, name, turns) * count
        rows[name] = {"instructions": executed, "ms": seconds * 1e3, "ns": seconds * 1e9 / executed}
    if sort:
        (numbers, out), *_ = todo[-1][3]
        if not np.array_equal(out.get().reshape(-1, 512), np.sort(numbers.get().reshape(-1, 512))):
            raise SystemExit("cub_sort: the numbers aren't sorted")
    large = large_module(ptx)
    seconds = best(given.rounds, functools.partial(PyGPU.Module, large.encode()))
    rows["reading"] = {"lines": large.count("\n"), "ms": seconds * 1e3}
    shown = [
        (
            name,
            f"{row['instructions']:,}" if "instructions" in row else f"{row['lines']:,} lines",
            f"{row['ms']:.1f}",
            f"{row['ns']:.2f}" if "ns" in row else "",
        )
        for name, row in rows.items()
    ]
    title = f"kernels on the host runtime, {given.cores} cores"
    print_table(title, ("", "instructions", "ms", "ns an instruction"), shown)
    beside = beside_numba(module, given.rounds)
    table = [(name, str(row["PyGPU"]), str(row["numba"])) for name, row in beside.items()]
    header = ("ms, least / median", "PyGPU", "Numba's simulator")
    print_table("saxpy of 2,048 elements, and matmul of 32 x 32", header, table)
    if given.json:
        cells = {
            name: {who: cell.as_json() for who, cell in row.items()} for name, row in beside.items()
        }
        shown_json = {"machine": machine(), "cores": given.cores, "rows": rows, "beside": cells}
        write_json(shown_json, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
