"""How much memory each function of BLAS touches, against the definition of its storage.

A matrix lies by columns: element (i, j) is i + j * ld numbers from its begin. Memory that ends with
the last element is taken, and memory that is a byte shorter is refused before the call. Nothing is
called: the library here lacks these functions.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import pytest

from PyGPU import cublas
from tests.own_interpreter import own_interpreter

NUMBERS = {"m": 3, "n": 5, "k": 4, "kl": 1, "ku": 2, "incx": 2, "incy": 3, "batchCount": 2}
NUMBERS |= {"lda": 8, "ldb": 9, "ldc": 10}
NUMBERS |= {"strideA": 101, "strideB": 103, "strideC": 107, "stridex": 109, "stridey": 113}
SIZES = {"S": 4, "D": 8, "C": 8, "Z": 16}
SYMMETRIC = {"S": ["sy"], "D": ["sy"], "C": ["sy", "he"], "Z": ["sy", "he"]}
# By the end of the name: C, and triangles that begin with h, are for complex numbers alone.
MATRICES = ("gemm", "gemmStridedBatched", "geam", "dgmm", "trmm", "trsm")
OF_VECTORS = ("gemv", "gemvStridedBatched", "gbmv", "trmv", "trsv", "tbmv", "tbsv", "tpmv", "tpsv")
VECTORS = ("axpy", "copy", "swap", "scal")


def names() -> Iterator[tuple[str, str, int]]:
    """(function, what it does, the size of its numbers)"""
    for letter, size in SIZES.items():
        real = letter in "SD"
        for what in (*MATRICES, *OF_VECTORS, *VECTORS):
            yield f"{letter}{what}", what, size
        for begin in SYMMETRIC[letter]:
            for end in ("rk", "r2k", "rkx", "mm", "mv", "r", "r2"):
                yield f"{letter}{begin}{end}", f"sy{end}", size
        for end in ("bmv", "pmv", "pr", "pr2"):
            yield f"{letter}{'s' if real else 'h'}{end}", f"s{end}", size
        for end in ("",) if real else ("u", "c"):
            yield f"{letter}ger{end}", "ger", size
            yield f"{letter}dot{end}", "dot", size
        for prefix in ("nrm2", "asum"):
            before = {"C": "Sc", "Z": "Dz"}.get(letter, letter)
            yield f"{before}{prefix}", prefix, size
        yield f"I{letter.lower()}amax", "amax", size
        if real:
            yield f"{letter}rotm", "rotm", size
        yield f"{letter}rot", "rot", size
        yield f"{letter}trttp", "trttp", size
        yield f"{letter}tpttr", "tpttr", size
        for what in ("gemm", "symm", "syrk", "syr2k", "syrkx", "trmm", "trsm", "spmm"):
            yield f"Xt{letter}{what}", what, size
    yield "Csscal", "scal", 8
    yield "Zdrot", "rot", 16
    yield "Cgemm3m", "gemm", 8
    yield "Hgemm", "gemm", 2
    yield "HgemmStridedBatched", "gemmStridedBatched", 2


def expected(what: str, flag: int) -> dict[str, int]:
    """How many numbers each piece of memory holds, up to the last one. `flag`: transposed, right"""
    of = NUMBERS
    m, n, k = of["m"], of["n"], of["k"]
    lda, ldb, ldc = of["lda"], of["ldb"], of["ldc"]

    def last(rows: int, columns: int, ld: int) -> int:
        return 1 + max(i + j * ld for i, j in itertools.product(range(rows), range(columns)))

    def turned(rows: int, columns: int, ld: int) -> int:
        return last(columns, rows, ld) if flag else last(rows, columns, ld)

    def vector(count: int, increment: str) -> int:
        return 1 + (count - 1) * of[increment]

    side = n if flag else m
    packed = n * (n + 1) // 2
    x, y, triangle = vector(n, "incx"), vector(n, "incy"), last(n, n, lda)
    if what.endswith("StridedBatched"):
        one = expected(what.removesuffix("StridedBatched"), flag)
        return {key: of[f"stride{key}"] * (of["batchCount"] - 1) + at for key, at in one.items()}
    match what:
        case "gemm":
            return {"A": turned(m, k, lda), "B": turned(k, n, ldb), "C": last(m, n, ldc)}
        case "syrk" | "syr2k" | "syrkx":
            both = {"A": turned(n, k, lda), "B": turned(n, k, ldb), "C": last(n, n, ldc)}
            return {key: at for key, at in both.items() if what != "syrk" or key != "B"}
        case "symm" | "spmm" | "trmm" | "trsm":
            first = {"A": last(side, side, lda)}
            first = {"AP": side * (side + 1) // 2} if what == "spmm" else first
            rest = {} if what == "trsm" else {"C": last(m, n, ldc)}
            return {**first, "B": last(m, n, ldb), **rest}
        case "geam":
            return {"A": turned(m, n, lda), "B": turned(m, n, ldb), "C": last(m, n, ldc)}
        case "dgmm":
            return {"A": last(m, n, lda), "x": vector(side, "incx"), "C": last(m, n, ldc)}
        case "gemv" | "gbmv":
            rows = m if what == "gemv" else of["kl"] + of["ku"] + 1
            x, y = vector(m if flag else n, "incx"), vector(n if flag else m, "incy")
            return {"A": last(rows, n, lda), "x": x, "y": y}
        case "ger":
            return {"x": vector(m, "incx"), "y": y, "A": last(m, n, lda)}
        case "trmv" | "trsv" | "syr":
            return {"A": triangle, "x": x}
        case "tbmv" | "tbsv":
            return {"A": last(k + 1, n, lda), "x": x}
        case "sbmv":
            return {"A": last(k + 1, n, lda), "x": x, "y": y}
        case "tpmv" | "tpsv" | "spr":
            return {"AP": packed, "x": x}
        case "symv" | "syr2":
            return {"A": triangle, "x": x, "y": y}
        case "spmv" | "spr2":
            return {"AP": packed, "x": x, "y": y}
        case "trttp" | "tpttr":
            return {"A": triangle, "AP": packed}
        case "axpy" | "copy" | "swap" | "dot" | "rot" | "rotm":
            return {"x": x, "y": y}
        case _:
            return {"x": x}


def arguments(function: object, needed: dict[str, int], flag: int) -> dict[str, object]:
    """Arguments of a call with memory that is as long as needed. The rest is NULL."""
    given: dict[str, object] = {}
    for key in inspect.signature(function).parameters:
        if key in needed:
            given[key] = bytearray(needed[key])
        elif key in ("uplo", "diag"):
            given[key] = 0
        elif key in ("transa", "transb", "trans", "side", "mode"):
            given[key] = flag
        else:
            given[key] = NUMBERS.get(key)
    return given


@own_interpreter("on_nothing")
def test_memory_ends_with_the_last_number() -> None:
    every = list(names())
    assert len(every) > 150
    for name, what, size in every:
        forms = [name] if name[:2] == "Xt" or what in ("trttp", "tpttr") else [name, f"{name}_64"]
        for form, flag in itertools.product(forms, (0, 1)):
            function = getattr(cublas, f"cublas{form}")
            needed = {key: count * size for key, count in expected(what, flag).items()}
            given = arguments(function, needed, flag)
            assert function(**given) == 4094, form  # it isn't there, but its arguments are right
            for key, count in needed.items():
                said = rf"'{key}' is too short: {count} needed, {count - 1} given"
                with pytest.raises(ValueError, match=said):
                    function(**{**given, key: bytearray(count - 1)})


@own_interpreter("on_nothing")
def test_no_numbers_need_no_memory() -> None:
    none = bytearray()
    assert cublas.cublasSgemm(None, 0, 0, 0, 5, 4, 1, none, 8, bytearray(1000), 8, 0, none, 8)
    assert cublas.cublasSdot(None, 0, none, 1, none, 1, bytearray(4))
    assert cublas.cublasSdot(None, 4, bytearray(4 * 10), -3, bytearray(16), 1, bytearray(4))


@own_interpreter("on_nothing")
def test_a_number_as_result_has_room() -> None:
    for name, size in (("Snrm2", 4), ("Scnrm2", 4), ("Dzasum", 8), ("Isamax", 4), ("Idamin_64", 8)):
        with pytest.raises(ValueError, match=f"'result' is too short: {size} needed"):
            getattr(cublas, f"cublas{name}")(None, 0, None, 1, bytearray(size - 1))


@own_interpreter("on_nothing")
def test_copies_have_elements_of_any_size() -> None:
    half = bytearray(2 * (4 * 7 + 3))
    assert cublas.cublasSetMatrix(3, 5, 2, half, 7, half, 7)
    with pytest.raises(ValueError, match="'B' is too short: 78 needed, 62 given"):
        cublas.cublasSetMatrix(3, 5, 2, half, 7, half, 9)
    with pytest.raises(ValueError, match="'y' is too short: 26 needed, 24 given"):
        cublas.cublasGetVector(5, 2, bytearray(10), 1, bytearray(24), 3)


def test_docstrings_say_the_length() -> None:
    said = " ".join((cublas.cublasSgemm.__doc__ or "").split())
    assert "((m if transa else k) - 1) * (lda * 4) + (k if transa else m) * 4 bytes" in said
