"""Kernels for numpy's elementwise functions: the maker of the compiled type Elementwise.

numpy itself says which types an operation has, and what the result is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU._codegen import loading, loops
from PyGPU._codegen.arguments import ScalarArg, VectorArg
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._codegen.operations import OPERATIONS
from PyGPU._kernels.base import Kernel

_INPUTS = "xywv"
_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
# Without warnings of what this code has on purpose, such as a comparison that is always true.
PREAMBLE = """
#ifndef __HIP__
#pragma nv_diag_suppress 68, 177, 186, 221, 550
#endif
#include <pygpu/functions.hpp>
"""


def types(
    name: str, kinds: tuple[Any, ...], outputs: int
) -> tuple[loops.Loop, tuple[Any, ...], int, int]:
    """The loop for an operation on operands of these kinds; see kernels/elementwise.hpp.

    TypeError where numpy has no such operation, or where its result doesn't fit into an output.
    """
    inputs, results = resolved(name, kinds[outputs:])
    targets = targets_of(name, kinds[:outputs], results)
    arguments: list[VectorArg | ScalarArg] = [
        VectorArg(target, f"z{at}") for at, target in enumerate(targets)
    ]
    operands = []
    for letter, kind, due in zip(_INPUTS, kinds[outputs:], inputs, strict=False):
        is_array = isinstance(kind, np.dtype)
        arguments.append(
            VectorArg(kind, f"{letter}0", is_const=True)
            if is_array
            else ScalarArg(due, f"{letter}0")
        )
        operands.append((f"{letter}0[i]", kind) if is_array else (f"{letter}0", due))
    statements = [
        f"z{at}[i] = {stored(value, result, target)}"
        for at, (value, result, target) in enumerate(
            zip(expressions(name, operands, inputs, results), results, targets, strict=True)
        )
    ]
    loop = loops.Loop(
        f"pygpu_{name}", tuple(arguments), "; ".join(statements), PREAMBLE, is_ours=True
    )
    return loop, tuple(one.dtype for one in arguments), loops.pack_of(loop), 0


def targets_of(name: str, outputs: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The dtypes of outputs: those that are there, else the results'. TypeError for a wrong one."""
    targets = [one or result for one, result in zip(outputs, results, strict=True)]
    for target, result in zip(targets, results, strict=True):
        if not np.can_cast(result, _native(target, name), "same_kind"):
            raise TypeError(f"{name}(): the result is {result}, which {target} can't hold")
    return targets


def resolved(name: str, kinds: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What operands of these kinds are converted to, and the dtypes of the results. TypeError."""
    operation = OPERATIONS[name]
    chosen = [
        _native(one, name) if isinstance(one, np.dtype) else _number(one, name) for one in kinds
    ]
    dtypes = _common(operation.types, chosen) if operation.types else _by_numpy(name, chosen)
    inputs, results = list(dtypes[: operation.inputs]), list(dtypes[operation.inputs :])
    if name in _COMPARISONS and inputs[0].kind in "iu":
        # A number of Python is compared by its value, also where the array's dtype has none.
        inputs = [
            np.dtype("i8") if one is int else due for one, due in zip(kinds, inputs, strict=True)
        ]
    return inputs, results


def expressions(
    name: str, operands: Sequence[tuple[str, Any]], inputs: Sequence[Any], results: Sequence[Any]
) -> list[str]:
    """The results of an operation in C++, of values that are given with their dtypes."""
    values = {
        letter: converted(text, kind, due)
        for letter, (text, kind), due in zip(_INPUTS, operands, inputs, strict=False)
    }
    texts = OPERATIONS[name].of_kind(inputs[0].kind)
    return [
        f"({computed(result)})("
        + re.sub(r"\b[xywv]\b(?!\()", lambda match: values[match[0]], text)
        + ")"
        for text, result in zip(texts, results, strict=True)
    ]


def kernel(
    loop: loops.Loop, axes: int, packed: bool, wide: bool, plain: int, ranged: bool
) -> Kernel:
    """The kernel for a loop over arrays that lie so; loaded on the current device. CompileError."""
    source = loops.source_of(loop, loops.Layout(axes, packed, wide, plain, ranged))
    return loading.kernel(source, loop.name, loop.options)


def scalar(name: str, value: Any, dtype: Any) -> bytes:
    """A number as the bytes of a dtype, if nothing is lost but precision.

    OverflowError for whole numbers out of range, TypeError for numbers of another kind.
    """
    given = np.asarray(value)
    if dtype.kind == "b" and given.dtype.kind in "biufc":
        return np.array(bool(value)).tobytes()
    if given.dtype.kind in "biufc" and dtype.kind in "biufc":
        # A whole number fits if its value does.
        is_whole = given.dtype.kind in "biu" and dtype.kind in "iu"
        if not is_whole and not np.can_cast(given.dtype, dtype, "same_kind"):
            raise TypeError(f"{name}(): the number {value!r} can't be a {dtype}")
        value = given.item() if is_whole else value
    elif given.dtype != dtype and type(value) is not int:
        raise TypeError(f"{name}(): {value!r} can't be a number of {dtype}")
    try:
        if type(value) in (int, float, complex, bool):
            return np.array(value, dtype).tobytes()
        return np.asarray(value).astype(dtype).tobytes()
    except OverflowError:
        raise OverflowError(f"{name}(): the number {value} is out of range for {dtype}") from None


class Maker:
    """The part of a maker that all have; see kernels/elementwise.hpp."""

    def kernel(
        self, loop: loops.Loop, axes: int, packed: bool, wide: bool, plain: int, ranged: bool
    ) -> Kernel:
        """The kernel for a loop over arrays that lie so. CompileError."""
        return kernel(loop, axes, packed, wide, plain, ranged)

    def scalar(self, name: str, value: Any, dtype: Any) -> bytes:
        """A number as the kernel takes it. OverflowError, TypeError."""
        return scalar(name, value, dtype)


def _number(kind: Any, name: str) -> Any:
    if kind in (bool, int, float, complex) or np.dtype(kind).kind in "biufc":
        return kind
    raise TypeError(f"{name}(): an object of {kind.__name__} is no number")


def _native(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    if dtype.kind not in "biufc":
        raise TypeError(f"{name}(): there is no arithmetic for arrays of {dtype}")
    if not dtype.isnative:
        raise TypeError(f"{name}(): the bytes of {dtype!r} are in another order than the device's")
    return dtype


def _common(letters: str, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of operands and result by the letters of Operation.types."""
    together = [one if isinstance(one, np.dtype) else one(1)
                for one, letter in zip(inputs, letters, strict=False) if letter == "t"]  # fmt: skip
    chosen = {"b": np.dtype("?")}
    if together:
        chosen["t"] = np.result_type(*together)
    if "f" in letters:
        chosen["f"] = _by_numpy("cbrt", inputs[:1])[-1]
    own = [one if isinstance(one, np.dtype) else np.asarray(one(1)).dtype for one in inputs]
    return tuple(chosen.get(letter) or own[at] for at, letter in enumerate(letters))


def _by_numpy(name: str, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of numpy's loop: those of its inputs, then of its results."""
    ufunc = getattr(np, name)
    asked = tuple(_kind_of(one) for one in inputs)
    if hasattr(ufunc, "resolve_dtypes"):
        found: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*asked, *[None] * ufunc.nout))
        return found
    # Before numpy 1.25: from a call with as little as possible.
    tried = [np.ones(0, one) if isinstance(one, np.dtype) else one(1) for one in asked]
    done = ufunc(*tried)
    results = [one.dtype for one in (done if isinstance(done, tuple) else (done,))]
    common = np.result_type(*tried)
    same = results[0] if results[0].kind in common.kind + "fc" else common
    return (*[same] * len(asked), *results)


def _kind_of(kind: Any) -> Any:
    """What numpy resolves: a dtype, or the type of a number that adapts to the arrays'."""
    if isinstance(kind, np.dtype) or kind in (int, float, complex):
        return kind
    return np.dtype(kind)


def stored(text: str, kind: np.dtype[Any], due: np.dtype[Any]) -> str:
    """A value of one dtype as another one's in memory, rounded once."""
    if computed(due) != dtype_to_ctype(due) and kind.kind != "c":
        return f"({dtype_to_ctype(due)})({text})"
    return converted(text, kind, due)


def computed(dtype: np.dtype[Any]) -> str:
    """The type that C++ computes in."""
    return "float" if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype_to_ctype(dtype)


def converted(text: str, kind: np.dtype[Any], due: np.dtype[Any]) -> str:
    """A value of one dtype as the type that another one is computed in, or stored as."""
    if due.kind == "b" and kind.kind != "b":
        return f"({text} != 0)"
    if due.kind == "c" and kind.kind != "c":
        part = "float" if due.itemsize == 8 else "double"
        return f"({dtype_to_ctype(due)})({part})({text})"
    if kind.kind == "c" and due.kind != "c":
        text = f"({text}).real()"
    return f"({computed(due)})({text})"
