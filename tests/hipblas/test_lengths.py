"""How much memory each function of BLAS touches, by the definition in cuBLAS's test of the same.

hipBLAS has other names for some parameters, other numbers for operations and sides, and batches of
everything. Nothing is called: the library here lacks these functions.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import pytest

from PyGPU import hipblas
from tests.cublas import test_lengths as blas
from tests.own_interpreter import own_interpreter

STRIDED, BATCHED = "StridedBatched", "Batched"
NUMBERS = {
    **blas.NUMBERS,
    "ldinvA": 8,
    "stride_invA": 127,
    "strideP": 131,
    "strideParam": 7,
    "nrhs": 2,
}
LEFT_OUT = ("spmm", "trttp", "tpttr", "HgemmStridedBatched")


def names() -> Iterator[tuple[str, str, int]]:
    """(function, what it does, the size of its numbers)"""
    for name, what, size in blas.names():
        if name[:2] == "Xt" or "3m" in name or name in LEFT_OUT or what in LEFT_OUT:
            continue
        if STRIDED in name:
            continue
        yield name, what, size
        yield f"{name}{STRIDED}", f"{what}{STRIDED}", size
    for letter, size in blas.SIZES.items():
        yield f"{letter}trtri", "trtri", size


def expected(what: str, flag: int) -> dict[str, int]:
    if what == "trtri":
        return {"AP": 4 * 8 + 5, "invA": 4 * 8 + 5}
    if not what.endswith(STRIDED):
        return blas.expected(what, flag)
    between = NUMBERS["batchCount"] - 1
    one = expected(what.removesuffix(STRIDED), flag)
    return {key: NUMBERS[f"stride{key[:1]}"] * between + at for key, at in one.items()}


def named(needed: dict[str, int], known: list[str]) -> dict[str, int]:
    """The same with hipBLAS's names of matrices."""
    return {key if key in known else f"{key}P": count for key, count in needed.items()}


def arguments(known: list[str], needed: dict[str, int], flag: int, hemm: bool) -> dict[str, object]:
    """Arguments of a call with memory that is as long as needed. The rest is NULL."""
    given: dict[str, object] = {}
    for key in known:
        if key in needed:
            given[key] = bytearray(needed[key])
        elif key == "uplo":
            given[key] = hipblas.HIPBLAS_FILL_MODE_UPPER
        elif key == "diag":
            given[key] = hipblas.HIPBLAS_DIAG_UNIT
        elif key in ("transA", "transB", "trans"):
            given[key] = hipblas.HIPBLAS_OP_C if flag else hipblas.HIPBLAS_OP_N
        elif key == "side":
            given[key] = hipblas.HIPBLAS_SIDE_RIGHT if flag else hipblas.HIPBLAS_SIDE_LEFT
        elif hemm and key in "nk":
            given[key] = NUMBERS[{"n": "m", "k": "n"}[key]]
        else:
            given[key] = NUMBERS.get(key)
    return given


@own_interpreter("on_nothing")
def test_memory_ends_with_the_last_number() -> None:
    every = list(names())
    assert len(every) > 300
    for name, what, size in every:
        for form, flag in itertools.product((name, f"{name}_64"), (0, 1)):
            function = getattr(hipblas, f"hipblas{form}", None)
            if function is None:
                assert what == "trtri", form  # it has no form with 64 bits
                continue
            known = list(inspect.signature(function).parameters)
            needed = named(
                {key: count * size for key, count in expected(what, flag).items()}, known
            )
            assert needed.keys() <= set(known), form
            given = arguments(known, needed, flag, "hemm" in form)
            assert function(**given) == 4094, form  # it isn't there, but its arguments are right
            for key, count in needed.items():
                said = rf"'{key}' is too short: {count} needed, {count - 1} given"
                with pytest.raises(ValueError, match=said):
                    function(**{**given, key: bytearray(count - 1)})


@own_interpreter("on_nothing")
def test_batches_have_an_address_for_each() -> None:
    """And no scalar lies there: only parameters that C has a pointer to pointers for."""
    count = 0
    for name in dir(hipblas):
        if BATCHED not in name or STRIDED in name or "Ex" in name or not name.startswith("hipblas"):
            continue
        function = getattr(hipblas, name)
        known = list(inspect.signature(function).parameters)
        given = {**arguments(known, {}, 0, False), "batchCount": 3}
        for key in {"AP", "BP", "CP", "A", "B", "C", "x", "y", "invA", "a", "b", "c", "s"} & set(
            known
        ):
            if "rot" in name and "rotg" not in name and key in "cs":
                continue
            with pytest.raises(ValueError, match=f"'{key}' is too short: 24 needed, 23 given"):
                function(**{**given, key: bytearray(23)})
            count += 1
    assert count > 800


@own_interpreter("on_nothing")
def test_results_have_room_for_each() -> None:
    for name, size in (
        ("Snrm2", 4),
        ("Dznrm2Batched", 24),
        ("ScasumStridedBatched_64", 12),
        ("Isamax_64", 8),
        ("IzaminBatched", 12),
        ("IdamaxStridedBatched_64", 24),
        ("Zdotc", 16),
        ("HdotBatched", 6),
        ("BfdotStridedBatched", 6),
    ):
        function = getattr(hipblas, f"hipblas{name}")
        known = list(inspect.signature(function).parameters)
        given = {**arguments(known, {}, 0, False), "result": bytearray(size)}
        if "batchCount" in known:
            given["batchCount"] = 3
        assert function(**given) == 4094
        with pytest.raises(ValueError, match=f"'result' is too short: {size} needed"):
            function(**{**given, "result": bytearray(size - 1)})


@own_interpreter("on_nothing")
def test_solvers() -> None:
    """Matrices of 5 columns at 8 numbers, and of 2 at 9; pivots, scalars and codes for each."""
    a, b = 4 * 8, 9
    for name, needed in {
        "Sgetrf": {"A": 4 * (a + 5), "ipiv": 4 * 5, "info": 4},
        "DgetrfBatched": {"ipiv": 4 * 5 * 2, "info": 4 * 2},
        "ZgetrfStridedBatched": {"A": 16 * (101 + a + 5), "ipiv": 4 * (131 + 5), "info": 4 * 2},
        "CgetriBatched": {"ipiv": 4 * 5 * 2, "info": 4 * 2},
        "Dgetrs": {"A": 8 * (a + 5), "ipiv": 4 * 5, "B": 8 * (b + 5)},
        "SgetrsStridedBatched": {"ipiv": 4 * (131 + 5), "B": 4 * (103 + b + 5)},
        "Cgels": {"A": 8 * (a + 3), "B": 8 * (b + 5), "deviceInfo": 4},
        "ZgelsStridedBatched": {"A": 16 * (101 + a + 3), "deviceInfo": 4 * 2},
        "Dgeqrf": {"A": 8 * (a + 3), "ipiv": 8 * 3},
        "SgeqrfStridedBatched": {"A": 4 * (101 + a + 3), "ipiv": 4 * (131 + 3)},
    }.items():
        function = getattr(hipblas, f"hipblas{name}")
        known = list(inspect.signature(function).parameters)
        given = arguments(known, needed, 0, False)
        result = function(**given)
        assert (result[-1] if isinstance(result, tuple) else result) == 4094
        for key, count in needed.items():
            said = rf"'{key}' is too short: {count} needed, {count - 1} given"
            with pytest.raises(ValueError, match=said):
                function(**{**given, key: bytearray(count - 1)})
