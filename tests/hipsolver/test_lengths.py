"""How much memory each function touches, by LAPACK's definitions.

Matrices have more rows than their numbers need, and no two sizes are alike. Nothing is called: the
library here lacks these functions.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import pytest

from PyGPU import hipsolver
from tests.own_interpreter import own_interpreter

M, N, K, RHS, RANK, COUNT = 5, 3, 2, 4, 2, 3
LD = {"lda": 11, "ldb": 13, "ldc": 17, "ldu": 19, "ldv": 23, "ldx": 29}
STRIDES = {"strideA": 211, "strideS": 7, "strideU": 307, "strideV": 311}
WORK = {"lwork": 37, "lworkOnDevice": 41, "lworkOnHost": 43}
SIZES = {"S": 4, "D": 8, "C": 8, "Z": 16}
LEFT, RIGHT, VECTOR = 141, 142, 202


def matrix(ld: str, rows: int, columns: int) -> int:
    return LD[ld] * (columns - 1) + rows


def expected(what: str, side: int) -> tuple[dict[str, int], dict[str, int]]:
    """For each array how many numbers, and how many real ones."""
    least, order = min(M, N), M if side == LEFT else N
    square, tall = matrix("lda", N, N), matrix("lda", M, N)
    right = {"B": matrix("ldb", N, RHS)}
    values = {"W": N, "D": N}
    table: dict[str, tuple[dict[str, int], dict[str, int]]] = {
        "potrf": ({"A": square}, {}),
        "potri": ({"A": square}, {}),
        "potrs": ({"A": square, **right}, {}),
        "getrf": ({"A": tall}, {}),
        "getrs": ({"A": square, **right}, {}),
        "geqrf": ({"A": tall, "tau": least}, {}),
        "gqr": ({"A": tall, "tau": K}, {}),
        "mqr": ({"A": matrix("lda", order, K), "tau": K, "C": matrix("ldc", M, N)}, {}),
        "gbr": ({"A": tall, "tau": min(order, K)}, {}),
        "gtr": ({"A": square, "tau": N - 1}, {}),
        "mtr": (
            {"A": matrix("lda", order, order), "tau": order - 1, "C": matrix("ldc", M, N)},
            {},
        ),
        "sytrf": ({"A": square}, {}),
        "gebrd": ({"A": tall, "tauq": least, "taup": least}, {"D": least, "E": least - 1}),
        "trd": ({"A": square, "tau": N - 1}, {"D": N, "E": N - 1}),
        "evd": ({"A": square}, values),
        "evdx": ({"A": square}, values),
        "evj": ({"A": square}, values),
        "evjBatched": ({"A": matrix("lda", N, N * COUNT)}, {"W": N * COUNT}),
        "gvd": ({"A": square, "B": matrix("ldb", N, N)}, values),
        "gvdx": ({"A": square, "B": matrix("ldb", N, N)}, values),
        "gvj": ({"A": square, "B": matrix("ldb", N, N)}, values),
        "gesvd": (
            {"A": tall, "U": matrix("ldu", M, M), "V": matrix("ldv", least, N)},
            {"S": least, "rwork": least - 1},
        ),
        "gesvdj": (
            {"A": tall, "U": matrix("ldu", M, least), "V": matrix("ldv", N, least)},
            {"S": least},
        ),
        "gesvdjBatched": (
            {
                "A": matrix("lda", M, N * COUNT),
                "U": matrix("ldu", M, M * COUNT),
                "V": matrix("ldv", N, N * COUNT),
            },
            {"S": least * COUNT},
        ),
        "gesvdaStridedBatched": (
            {
                "A": STRIDES["strideA"] * (COUNT - 1) + tall,
                "U": STRIDES["strideU"] * (COUNT - 1) + matrix("ldu", M, RANK),
                "V": STRIDES["strideV"] * (COUNT - 1) + matrix("ldv", N, RANK),
            },
            {"S": STRIDES["strideS"] * (COUNT - 1) + RANK},
        ),
        "gesv": ({"A": square, **right, "X": matrix("ldx", N, RHS)}, {}),
        "gels": (
            {"A": tall, "B": matrix("ldb", M, RHS), "X": matrix("ldx", N, RHS)},
            {},
        ),
    }
    return table[what]


def functions() -> Iterator[tuple[str, str, int, int]]:
    """(function, what it does, the size of its numbers and of real ones)"""
    stems = (
        *("potrf", "potri", "potrs", "getrf", "getrs", "geqrf", "sytrf", "gebrd", "gesvd"),
        *("gesvdj", "gesvdjBatched", "gesvdaStridedBatched"),
    )
    pairs = ("gqr", "mqr", "gbr", "gtr", "mtr")
    values = ("trd", "evd", "evdx", "evj", "evjBatched", "gvd", "gvdx", "gvj")
    for dn, (letter, size) in itertools.product(("", "Dn"), SIZES.items()):
        real = size // 2 if letter in "CZ" else size
        begin = f"hipsolver{dn}{letter}"
        for what in stems:
            if dn or "gesvda" not in what:
                yield begin + what, what, size, real
        for what in pairs:
            yield f"{begin}{'or' if letter in 'SD' else 'un'}{what}", what, size, real
        for what in values:
            yield f"{begin}{'sy' if letter in 'SD' else 'he'}{what}", what, size, real
        for what in ("gesv", "gels"):
            yield f"{begin}{letter}{what}", what, size, real


def others(known: list[str], what: str, side: int) -> dict[str, object]:
    """The arguments besides arrays of numbers, and the arrays of indices and the work areas."""
    count = COUNT if "Batched" in what else 1
    pivots = N if what in ("getrs", "gesv", "sytrf") else min(M, N)
    numbers = {"m": M, "n": N, "k": K, "nrhs": RHS, "rank": RANK, "batch_count": COUNT, "il": 1}
    values = {"jobz": VECTOR, "jobu": 65, "jobv": 83, "econ": 1, "uplo": 122, "trans": 111}
    more = {"itype": 211, "range": 221, "vl": 0.0, "vu": 0.0, "iu": 1, "side": side}
    arrays = {"devIpiv": pivots * 4, "ipiv": pivots * 4, "devInfo": count * 4, "nev": 4}
    arrays |= {"hRnrmF": COUNT * 8, "work": WORK["lwork"]}
    given: dict[str, object] = {**numbers, **values, **more, **LD, **STRIDES, **WORK}
    given |= {key: bytearray(one) for key, one in arrays.items()}
    return {key: given.get(key) for key in known}


def check(name: str, given: dict[str, object]) -> int:
    """Buffers that are as long as needed are taken, and each that is shorter by a byte is not."""
    function = getattr(hipsolver, name)
    result = function(**given)
    assert (result[-1] if isinstance(result, tuple) else result) == 4094, name  # nothing is there
    buffers = {key: one for key, one in given.items() if isinstance(one, bytearray)}
    for key, one in buffers.items():
        said = rf"'{key}' is too short: {len(one)} needed, {len(one) - 1} given"
        with pytest.raises(ValueError, match=said):
            function(**{**given, key: one[:-1]})
    return len(buffers)


@own_interpreter("on_nothing")
def test_memory_ends_with_the_last_number() -> None:
    every, count = list(functions()), 0
    assert len(every) == 4 * (27 + 26)
    for (name, what, size, real), side in itertools.product(every, (LEFT, RIGHT)):
        known = list(inspect.signature(getattr(hipsolver, name)).parameters)
        given = others(known, what, side)
        if "work" in given and "lwork" not in given:
            given["work"] = None  # the work area of getrf with Dn has no size beside it
        for numbers, bytes_each in zip(expected(what, side), (size, real), strict=True):
            for key, one in numbers.items():
                if key in known:
                    given[key] = bytearray(one * bytes_each)
        count += check(name, given)
    assert count > 2000


@own_interpreter("on_nothing")
def test_without_vectors_none_are_needed() -> None:
    for what in ("Sgesvdj", "DnCgesvdjBatched", "DnDgesvdaStridedBatched"):
        function = getattr(hipsolver, f"hipsolver{what}")
        known = list(inspect.signature(function).parameters)
        given = {**others(known, what, LEFT), "jobz": 201, "U": bytearray(1), "V": bytearray(1)}
        assert function(**given) == 4094


@own_interpreter("on_nothing")
def test_types_by_an_enumerator() -> None:
    """HIP_R_32F, HIP_R_64F, HIP_C_32F and HIP_C_64F; other types are the library's to refuse."""
    square, tall = matrix("lda", N, N), matrix("lda", M, N)
    right = matrix("ldb", N, RHS)
    numbers = {"m": M, "n": N, "nrhs": RHS, "trans": 111, "uplo": 122, **LD, **WORK}
    areas = {"workOnDevice": bytearray(41), "workOnHost": bytearray(43)}
    short = bytearray(4)
    for kind, size in ((0, 4), (1, 8), (4, 8), (5, 16), (2, 0)):
        types = dict.fromkeys(("dataTypeA", "dataTypeB", "dataTypeTau", "computeType"), kind)
        for name, arrays in {
            "Xgeqrf": {"A": tall * size, "tau": N * size, **areas, "devInfo": short},
            "Xgetrf": {"A": tall * size, "devIpiv": bytearray(N * 8), **areas, "devInfo": short},
            "Xgetrs": {"A": square * size, "B": right * size, "devIpiv": bytearray(N * 8)},
            "Xpotrf": {"A": square * size, **areas, "info": short},
            "Xpotrs": {"A": square * size, "B": right * size, "info": short},
        }.items():
            known = inspect.signature(getattr(hipsolver, f"hipsolverDn{name}")).parameters
            given = {key: {**numbers, **types}.get(key) for key in known}
            for key, one in arrays.items():
                given[key] = one if isinstance(one, bytearray) else bytearray(one) or None
            assert check(f"hipsolverDn{name}", given)


@own_interpreter("on_nothing")
def test_batches_have_an_address_for_each() -> None:
    for dn, letter, what in itertools.product(("", "Dn"), SIZES, ("potrf", "potrs")):
        name = f"hipsolver{dn}{letter}{what}Batched"
        known = list(inspect.signature(getattr(hipsolver, name)).parameters)
        given = others(known, f"{what}Batched", LEFT)
        arrays = {key: bytearray(COUNT * 8) for key in ("A", "B") if key in known}
        assert check(name, {**given, **arrays}) == len(arrays) + 1 + ("work" in known)
