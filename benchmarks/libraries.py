"""Calls of NVIDIA's libraries: PyGPU beside C++, CuPy and torch, by turns.

    python benchmarks/libraries.py [--only TEXT...] [--rounds N] [--json FILE|-] [--check]

The numbers are microseconds of a call, with many calls in flight and one wait at the end. C++ calls
the same function of the same library with the same arguments. CuPy and torch make the same result
as their users would; where they allocate it, that counts. A peer that isn't installed has no
number.

With --check the exit code is 1 if a product of 1,024 x 1,024 takes more than 1.01 times as long as
from C++, or one of 16 x 16 over 0.4 us more. It needs a card of NVIDIA's, g++, and the modules of
PyGPU[nvidia].
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from measure import Cell, machine, print_table, run, write_json
from twin import build_twin

import PyGPU
from PyGPU import cublas, cufft, curand, cusparse

ROUND = 20e-3  # seconds of a round, about
COLUMNS = ("PyGPU", "C++", "CuPy", "torch")
LARGE, SMALL = "sgemm 1,024", "sgemm 16"

Call = Callable[[], object]


class Row(NamedTuple):
    """One call: PyGPU's, the C function with its words, and what the peers do."""

    name: str
    call: Call
    function: str
    words: tuple[int, ...]
    cupy: Callable[[Any], Call]
    torch: Callable[[Any], Call]


def address(array: Any) -> int:
    return int(array.gpudata)


def products() -> Iterator[Row]:
    handle = cublas.cublasHandle_t()
    scalars = np.array([1, 0], "f4")
    alpha, beta = scalars.ctypes.data, scalars.ctypes.data + 4
    keep.extend((handle, scalars))
    for size in (1024, 16):
        a, b, c = (PyGPU.ones((size, size), "f4") for _ in range(3))
        pointers = [address(one) for one in (a, b, c)]

        def call(size: int = size, a: Any = a, b: Any = b, c: Any = c) -> object:
            return cublas.cublasSgemm(
                handle, 0, 0, size, size, size, 1.0, a, size, b, size, 0.0, c, size
            )

        words = (
            *(int(handle), 0, 0, size, size, size, alpha, pointers[0], size, pointers[1], size),
            *(beta, pointers[2], size),
        )

        def in_cupy(cupy: Any, size: int = size) -> Call:
            x, y, z = (cupy.ones((size, size), "f4") for _ in range(3))
            return lambda: cupy.dot(x, y, out=z)

        def in_torch(torch: Any, size: int = size) -> Call:
            x, y, z = (torch.ones(size, size, device="cuda") for _ in range(3))
            return lambda: torch.mm(x, y, out=z)

        yield Row(f"sgemm {size:,}", call, "cublasSgemm_v2", words, in_cupy, in_torch)

    count, size = 1000, 64
    a, b, c = (PyGPU.ones((count, size, size), "f4") for _ in range(3))
    step = size * size
    words = (
        *(int(handle), 0, 0, size, size, size, alpha, address(a), size, step, address(b), size),
        *(step, beta, address(c), size, step, count),
    )
    yield Row(
        f"sgemm {count:,} of {size}",
        lambda: cublas.cublasSgemmStridedBatched(
            handle, 0, 0, size, size, size, 1.0, a, size, step, b, size, step, 0.0, c, size, step,
            count,
        ),
        "cublasSgemmStridedBatched",
        words,
        lambda cupy: (
            lambda x, y, z: lambda: cupy.matmul(x, y, out=z)
        )(*(cupy.ones((count, size, size), "f4") for _ in range(3))),
        lambda torch: (
            lambda x, y, z: lambda: torch.bmm(x, y, out=z)
        )(*(torch.ones(count, size, size, device="cuda") for _ in range(3))),
    )  # fmt: skip


def transforms() -> Iterator[Row]:
    plans = {
        (1 << 20,): lambda n: cufft.checked.cufftPlan1d(n, cufft.CUFFT_C2C, 1),
        (2048, 2048): lambda *n: cufft.checked.cufftPlan2d(*n, cufft.CUFFT_C2C),
        (128, 128, 128): lambda *n: cufft.checked.cufftPlan3d(*n, cufft.CUFFT_C2C),
    }
    for shape, make in plans.items():
        plan = make(*shape)
        array, out = PyGPU.ones(shape, "c8"), PyGPU.ones(shape, "c8")
        keep.append(plan)

        def call(plan: Any = plan, array: Any = array, out: Any = out) -> object:
            return cufft.cufftExecC2C(plan, array, out, -1)

        words = int(plan), address(array), address(out), (1 << 64) - 1
        text = " x ".join(f"{one:,}" for one in shape)
        yield Row(
            f"fft {text}", call, "cufftExecC2C", words,
            lambda cupy, shape=shape: (
                lambda x: lambda: cupy.fft.fftn(x)
            )(cupy.ones(shape, "c8")),
            lambda torch, shape=shape: (
                lambda x: lambda: torch.fft.fftn(x)
            )(torch.ones(shape, dtype=torch.complex64, device="cuda")),
        )  # fmt: skip
    size = 1 << 22
    plan = cufft.checked.cufftPlan1d(size, cufft.CUFFT_R2C, 1)
    real, half = PyGPU.ones(size, "f4"), PyGPU.ones(size // 2 + 1, "c8")
    yield Row(
        f"rfft {size:,}", lambda: cufft.cufftExecR2C(plan, real, half), "cufftExecR2C",
        (int(plan), address(real), address(half)),
        lambda cupy: (lambda x: lambda: cupy.fft.rfft(x))(cupy.ones(size, "f4")),
        lambda torch: (lambda x: lambda: torch.fft.rfft(x))(torch.ones(size, device="cuda")),
    )  # fmt: skip


def numbers() -> Iterator[Row]:
    size = 1 << 24
    out = PyGPU.empty(size, "f4")
    for name, peer in (("Uniform", "rand"), ("Normal", "randn")):
        generator = curand.checked.curandCreateGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
        keep.append(generator)
        uniform = name == "Uniform"

        def call(generator: Any = generator, uniform: bool = uniform) -> object:
            if uniform:
                return curand.curandGenerateUniform(generator, out, size)
            return curand.curandGenerateNormal(generator, out, size, 0.0, 1.0)

        yield Row(
            f"{name.lower()} {size:,}", call, f"curandGenerate{name}",
            (int(generator), address(out), size),
            lambda cupy, peer=peer: lambda: getattr(cupy.random, peer)(size, dtype="f4"),
            lambda torch, peer=peer: lambda: getattr(torch, peer)(size, device="cuda"),
        )  # fmt: skip


def sparse() -> Iterator[Row]:
    from scipy.sparse import diags_array

    size = 1 << 20
    matrix = diags_array(
        [np.full(size, 2, "f4")] * 5, offsets=(-2, -1, 0, 1, 2), shape=(size, size), dtype="f4"
    ).tocsr()
    parts = [PyGPU.to_gpu(one) for one in (matrix.indptr, matrix.indices, matrix.data)]
    handle = cusparse.cusparseHandle_t()
    a = cusparse.checked.cusparseCreateCsr(size, size, matrix.nnz, *parts, 2, 2, 0, 0)
    x, y = PyGPU.ones(size, "f4"), PyGPU.ones(size, "f4")
    vx, vy = (cusparse.checked.cusparseCreateDnVec(size, one, 0) for one in (x, y))
    scalars = np.array([1, 0], "f4")
    one, zero = scalars[0], scalars[1]
    call = handle, 0, one, a, vx, zero, vy, 0, 0
    room = PyGPU.empty(max(cusparse.checked.cusparseSpMV_bufferSize(*call), 1), "u1")
    keep.extend((*parts, x, y, scalars, room, handle))
    words = (
        *(int(handle), 0, scalars.ctypes.data, int(a), int(vx), scalars.ctypes.data + 4, int(vy)),
        *(0, 0, address(room)),
    )

    def in_cupy(cupy: Any) -> Call:
        from cupyx.scipy.sparse import csr_matrix

        on_card, vector = csr_matrix(matrix), cupy.ones(size, "f4")
        return lambda: on_card @ vector

    def in_torch(torch: Any) -> Call:
        tensors = (torch.from_numpy(one) for one in (matrix.indptr, matrix.indices, matrix.data))
        on_card = torch.sparse_csr_tensor(*tensors, size=matrix.shape, device="cuda")
        vector = torch.ones(size, device="cuda")
        return lambda: on_card @ vector

    yield Row(
        f"SpMV {matrix.nnz:,}", lambda: cusparse.cusparseSpMV(*call, room), "cusparseSpMV", words,
        in_cupy, in_torch,
    )  # fmt: skip


keep: list[Any] = []  # what the words of C++ point to


def loaded(start: str) -> ctypes.CDLL:
    """The library of this process whose file's name begins so."""
    with open("/proc/self/maps") as file:
        files = {line.split()[-1] for line in file if f"/{start}" in line}
    return ctypes.CDLL(min(files, key=len))


def in_cpp(twin: ctypes.CDLL, row: Row) -> Callable[[int], float]:
    stem = {"cub": "libcublas.so", "cuf": "libcufft", "cur": "libcurand", "cus": "libcusparse.so"}
    function = getattr(loaded(stem[row.function[:3]]), row.function)
    wait = loaded("libcudart").cudaDeviceSynchronize
    words = (ctypes.c_ulonglong * 20)(*row.words)
    twin.words.restype = twin.normal.restype = ctypes.c_double

    def times(count: int) -> float:
        if row.function == "curandGenerateNormal":
            given = [ctypes.c_void_p(row.words[0]), ctypes.c_void_p(row.words[1])]
            size = ctypes.c_ulonglong(row.words[2])
            seconds = twin.normal(function, *given, size, ctypes.c_long(count), wait)
        else:
            seconds = twin.words(function, words, ctypes.c_long(count), wait)
        if seconds < 0:
            raise RuntimeError(f"{row.function} failed")
        return float(seconds)

    return times


def in_python(call: Call, wait: Callable[[], object]) -> Callable[[int], float]:
    def times(count: int) -> float:
        wait()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return (time.perf_counter() - begin) / count

    return times


def peers() -> dict[str, Any]:
    found = {}
    for name, module in (("CuPy", "cupy"), ("torch", "torch")):
        try:
            found[name] = __import__(module)
        except ImportError:
            continue
    return found


def measured(only: list[str], rounds: int) -> dict[str, dict[str, Cell]]:
    cells: dict[str, dict[str, Cell]] = {}
    calls: list[tuple[Cell, Callable[[int], float], int]] = []
    modules = peers()
    with tempfile.TemporaryDirectory() as folder:
        twin = build_twin(__file__, folder)
        for row in (row for part in (products, transforms, numbers, sparse) for row in part()):
            if only and not any(text in row.name for text in only):
                continue
            assert not row.call(), row.name
            ways = {
                "PyGPU": lambda row=row: in_python(row.call, PyGPU.checked.cudaDeviceSynchronize),
                "C++": lambda row=row: in_cpp(twin, row),
            }
            if "CuPy" in modules:
                wait = modules["CuPy"].cuda.Device().synchronize
                ways["CuPy"] = lambda row=row, wait=wait: in_python(row.cupy(modules["CuPy"]), wait)
            if "torch" in modules:
                wait = modules["torch"].cuda.synchronize
                ways["torch"] = lambda row=row, wait=wait: in_python(
                    row.torch(modules["torch"]), wait
                )
            for name, way in ways.items():
                cell = cells.setdefault(row.name, {})[name] = Cell()
                try:
                    times = way()
                    times(3)
                    often = int(ROUND / max(times(5), 1e-6))
                    calls.append((cell, times, min(max(often, 3), 5000)))
                except Exception as error:
                    cell.absent = type(error).__name__
        for _ in range(rounds):
            for cell, times, often in calls:
                cell.times.append(times(often) * 1e6)
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if PyGPU.backend != "cuda":
        print("libraries.py: it needs a card of NVIDIA's", file=sys.stderr)
        return 2
    cells = measured(arguments.only, arguments.rounds)
    lines = []
    for name, row in cells.items():
        texts = [
            f"{row[one].median:,.2f}" if one in row and row[one].times else "-" for one in COLUMNS
        ]
        ratio = row["PyGPU"].median / row["C++"].median if row["C++"].times else 0
        lines.append((name, *texts, f"{ratio:.3f}"))
    print_table("us of a call", ("us", *COLUMNS, "PyGPU/C++"), lines)
    if arguments.json:
        rows = {
            name: {one: cell.as_json() for one, cell in row.items()} for name, row in cells.items()
        }
        write_json({**machine(), "unit": "us", "rows": rows}, arguments.json)
    if not arguments.check:
        return 0
    large, small = cells[LARGE], cells[SMALL]
    return int(
        large["PyGPU"].median > 1.01 * large["C++"].median
        or small["PyGPU"].median > small["C++"].median + 0.4
    )


if __name__ == "__main__":
    sys.exit(run(main))
