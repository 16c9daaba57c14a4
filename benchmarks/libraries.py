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
from PyGPU import cublas, cublaslt, cufft, curand, cusolver, cusparse

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
    fresh: tuple[Any, Any] | None = None  # an array that the call overwrites, and its values


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


def dense() -> Iterator[Row]:
    """Factorizations. Each call starts with a copy of the matrix, as it overwrites its argument."""
    solver, rng = cusolver.checked, np.random.default_rng(3)
    handle = cusolver.cusolverDnHandle_t()
    info = PyGPU.empty(1, "i4")
    keep.extend((handle, info))

    def row(name: str, function: str, host: np.ndarray, make: Any, cupy: Any, torch: Any) -> Row:
        values = PyGPU.to_gpu(np.asfortranarray(host))
        matrix = PyGPU.empty(host.shape, "f4", order="F")
        given = make(matrix, len(host))
        bound = getattr(cusolver, function)

        def call() -> object:
            PyGPU.cudaMemcpyAsync(matrix, values, matrix.nbytes, 4, None)
            return bound(handle, *given)

        words = tuple(one if isinstance(one, int) else address(one) for one in given)
        return Row(
            f"{name} {len(host):,}", call, function, (int(handle), *words),
            lambda module: (lambda x: lambda: cupy(module, x))(module.asarray(host)),
            lambda module: (lambda x: lambda: torch(module, x))(module.from_numpy(host).cuda()),
            (matrix, values),
        )  # fmt: skip

    def lu(a: Any, n: int) -> tuple[Any, ...]:
        work = PyGPU.empty(solver.cusolverDnSgetrf_bufferSize(handle, n, n, a, n), "f4")
        return n, n, a, n, work, PyGPU.empty(n, "i4"), info

    def qr(a: Any, n: int) -> tuple[Any, ...]:
        size = solver.cusolverDnSgeqrf_bufferSize(handle, n, n, a, n)
        return n, n, a, n, PyGPU.empty(n, "f4"), PyGPU.empty(size, "f4"), size, info

    def svd(a: Any, n: int) -> tuple[Any, ...]:
        size = solver.cusolverDnSgesvd_bufferSize(handle, n, n)
        s, room = PyGPU.empty(n, "f4"), PyGPU.empty(n - 1, "f4")
        u, vt = (PyGPU.empty((n, n), "f4") for _ in range(2))
        return (
            ord("A"),
            ord("A"),
            n,
            n,
            a,
            n,
            s,
            u,
            n,
            vt,
            n,
            PyGPU.empty(size, "f4"),
            size,
            room,
            info,
        )

    def eigen(a: Any, n: int) -> tuple[Any, ...]:
        w, start = PyGPU.empty(n, "f4"), (int(cusolver.CUSOLVER_EIG_MODE_VECTOR), 0, n)
        size = solver.cusolverDnSsyevd_bufferSize(handle, *start, a, n, w)
        return *start, a, n, w, PyGPU.empty(size, "f4"), size, info

    large = rng.standard_normal((2048, 2048)).astype("f4")
    small = large[:512, :512].copy()
    yield row(
        "LU", "cusolverDnSgetrf", large, lu, lambda cupy, x: lu_factor(cupy, x),
        lambda torch, x: torch.linalg.lu_factor(x),
    )  # fmt: skip
    yield row(
        "QR", "cusolverDnSgeqrf", large, qr, lambda cupy, x: cupy.linalg.qr(x, mode="r"),
        lambda torch, x: torch.geqrf(x),
    )  # fmt: skip
    yield row(
        "SVD", "cusolverDnSgesvd", small, svd, lambda cupy, x: cupy.linalg.svd(x),
        lambda torch, x: torch.linalg.svd(x),
    )  # fmt: skip
    yield row(
        "eigenvalues", "cusolverDnSsyevd", small + small.T, eigen,
        lambda cupy, x: cupy.linalg.eigh(x), lambda torch, x: torch.linalg.eigh(x),
    )  # fmt: skip


def lu_factor(cupy: Any, x: Any) -> object:
    from cupyx.scipy.linalg import lu_factor

    return lu_factor(x, check_finite=False)


def epilogue() -> Iterator[Row]:
    """A product of half floats with a bias and ReLU."""
    n, handle = 4096, cublaslt.cublasLtHandle_t()
    desc = cublaslt.cublasLtMatmulDesc_t(computeType=cublas.CUBLAS_COMPUTE_32F, scaleType=0)
    half = 2
    layout = cublaslt.cublasLtMatrixLayout_t(type=half, rows=n, cols=n, ld=n)
    a, b, c = (PyGPU.ones((n, n), "f2") for _ in range(3))
    bias, room = PyGPU.ones(n, "f2"), PyGPU.empty(32 << 20, "u1")
    put = cublaslt.checked.cublasLtMatmulDescSetAttribute
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_EPILOGUE, cublaslt.CUBLASLT_EPILOGUE_RELU_BIAS)
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)
    preference = cublaslt.cublasLtMatmulPreference_t()
    cublaslt.checked.cublasLtMatmulPreferenceSetAttribute(
        preference, cublaslt.CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, room.nbytes
    )
    best = cublaslt.checked.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, *[layout] * 4, preference, 1
    )[0].algo
    scalars = np.array([1, 0], "f4")
    raw = np.array(list(best.data), "u8")
    keep.extend((handle, desc, layout, a, b, c, bias, room, scalars, raw))
    one, zero = scalars[0], scalars[1]

    def call() -> object:
        return cublaslt.cublasLtMatmul(
            handle, desc, one, a, layout, b, layout, zero, c, layout, c, layout, best, room,
            room.nbytes, None,
        )  # fmt: skip

    words = (
        *(int(handle), int(desc), scalars.ctypes.data, address(a), int(layout), address(b)),
        *(int(layout), scalars.ctypes.data + 4, address(c), int(layout), address(c), int(layout)),
        *(raw.ctypes.data, address(room), room.nbytes, 0),
    )

    def in_torch(torch: Any) -> Call:
        x, y = (torch.ones(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
        row = torch.ones(n, device="cuda", dtype=torch.float16)
        return lambda: torch._addmm_activation(row, x, y)

    def in_cupy(cupy: Any) -> Call:
        x, y = (cupy.ones((n, n), "f2") for _ in range(2))
        row = cupy.ones(n, "f2")

        @cupy.fuse()  # it can't fuse a lambda
        def finish(z: Any, row: Any) -> Any:
            return cupy.maximum(z + row, 0)

        return lambda: finish(x @ y, row)

    yield Row(f"matmul, bias, ReLU {n:,}", call, "cublasLtMatmul", words, in_cupy, in_torch)


keep: list[Any] = []  # what the words of C++ point to


def loaded(start: str) -> ctypes.CDLL:
    """The library of this process whose file's name begins so."""
    with open("/proc/self/maps") as file:
        files = {line.split()[-1] for line in file if f"/{start}" in line}
    return ctypes.CDLL(min(files, key=len))


LIBRARIES = {
    "cublasLt": "libcublasLt.so",
    "cublas": "libcublas.so",
    "cufft": "libcufft",
    "curand": "libcurand",
    "cusparse": "libcusparse.so",
    "cusolver": "libcusolver.so",
}


def in_cpp(twin: ctypes.CDLL, row: Row) -> Callable[[int], float]:
    library = next(stem for start, stem in LIBRARIES.items() if row.function.startswith(start))
    function = getattr(loaded(library), row.function)
    wait = loaded("libcudart").cudaDeviceSynchronize
    words = (ctypes.c_ulonglong * 20)(*row.words)
    for one in (twin.words, twin.normal, twin.fresh):
        one.restype = ctypes.c_double

    def times(count: int) -> float:
        if row.function == "curandGenerateNormal":
            given = [ctypes.c_void_p(row.words[0]), ctypes.c_void_p(row.words[1])]
            size = ctypes.c_ulonglong(row.words[2])
            seconds = twin.normal(function, *given, size, ctypes.c_long(count), wait)
        elif row.fresh:
            target, source = (ctypes.c_void_p(address(one)) for one in row.fresh)
            copy, size = (
                loaded("libcudart").cudaMemcpyAsync,
                ctypes.c_ulonglong(row.fresh[0].nbytes),
            )
            rest = (ctypes.c_long(count), wait, copy, target, source, size)
            seconds = twin.fresh(function, words, *rest)
        else:
            seconds = twin.words(function, words, ctypes.c_long(count), wait)
        if seconds < 0:
            raise RuntimeError(f"{row.function} failed")
        return float(seconds)

    return times


PARTS = (products, epilogue, transforms, numbers, sparse, dense)


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
        for row in (row for part in PARTS for row in part()):
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
