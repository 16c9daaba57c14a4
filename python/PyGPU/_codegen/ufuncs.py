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
from PyGPU._codegen.operations import OPERATIONS, Operation
from PyGPU._kernels.base import Kernel

_INPUTS = "xywv"
_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_PREAMBLE = "#include <pygpu/functions.hpp>\n"


def types(
    name: str, kinds: tuple[Any, ...], outputs: int
) -> tuple[loops.Loop, tuple[Any, ...], int]:
    """The loop for an operation on operands of these kinds, the dtypes, and how it is packed.

    TypeError where numpy has no such operation, or where its result doesn't fit into an output.
    """
    operation = OPERATIONS[name]
    chosen = [_native(one, name) if isinstance(one, np.dtype) else one for one in kinds]
    resolved = (
        _common(operation.types, chosen[outputs:])
        if operation.types
        else _resolved(name, chosen[outputs:])
    )
    inputs, results = list(resolved[: operation.inputs]), resolved[operation.inputs :]
    if name in _COMPARISONS and inputs[0].kind in "iu":
        # A number of Python is compared by its value, also where the array's dtype has none.
        inputs = [
            np.dtype("i8") if one is int else due
            for one, due in zip(kinds[outputs:], inputs, strict=False)
        ]
    targets = [one or result for one, result in zip(chosen, results, strict=False)]
    for target, result in zip(targets, results, strict=False):
        if not np.can_cast(result, target, "same_kind"):
            raise TypeError(f"{name}(): the result is {result}, which {target} can't hold")
    return loop_of(name, operation, kinds[outputs:], inputs, results, targets)


def loop_of(
    name: str,
    operation: Operation,
    kinds: Sequence[Any],
    inputs: Sequence[Any],
    results: Sequence[Any],
    targets: Sequence[Any],
) -> tuple[loops.Loop, tuple[Any, ...], int]:
    """A loop over operands of these kinds, which an operation takes as `inputs`."""
    arguments: list[VectorArg | ScalarArg] = [
        VectorArg(target, f"z{at}") for at, target in enumerate(targets)
    ]
    values = {}
    for letter, kind, due in zip(_INPUTS, kinds, inputs, strict=False):
        if isinstance(kind, np.dtype):
            arguments.append(VectorArg(kind, f"{letter}0", is_const=True))
            values[letter] = _converted(f"{letter}0[i]", kind, due)
        else:
            arguments.append(ScalarArg(due, f"{letter}0"))
            values[letter] = _converted(f"{letter}0", due, due)
    statements = []
    expressions = operation.of_kind(inputs[0].kind)
    for at, (expression, result, target) in enumerate(
        zip(expressions, results, targets, strict=False)
    ):
        text = re.sub(r"\b[xywv]\b(?!\()", lambda match: values[match[0]], expression)
        value = _converted(f"({_computed(result)})({text})", result, target)
        statements.append(f"z{at}[i] = {value}")
    loop = loops.Loop(f"pygpu_{name}", tuple(arguments), "; ".join(statements), _PREAMBLE)
    return loop, tuple(one.dtype for one in arguments), loops.pack_of(loop)


def kernel(
    loop: loops.Loop, axes: int, packed: bool, wide: bool, plain: int, ranged: bool
) -> Kernel:
    """The kernel for a loop over arrays that lie so; loaded on the current device. CompileError."""
    return loading.kernel(
        loops.source_of(loop, loops.Layout(axes, packed, wide, plain, ranged)), loop.name
    )


def scalar(name: str, value: Any, dtype: Any) -> bytes:
    """A number as the bytes of a dtype, by numpy's rules. OverflowError, TypeError."""
    try:
        if type(value) in (int, float, complex, bool):
            return np.array(value, dtype).tobytes()
        return np.asarray(value).astype(dtype).tobytes()
    except OverflowError:
        raise OverflowError(f"{name}(): the number {value} is out of range for {dtype}") from None


def _native(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    if not dtype.isnative:
        raise TypeError(f"{name}(): the bytes of {dtype!r} are in another order than the device's")
    return dtype


def _common(letters: str, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of operands and result by the letters of Operation.types."""
    together = [one if isinstance(one, np.dtype) else one(1)
                for one, letter in zip(inputs, letters, strict=False) if letter == "t"]  # fmt: skip
    chosen = {"t": np.result_type(*together), "b": np.dtype("?")}
    own = [one if isinstance(one, np.dtype) else np.asarray(one(1)).dtype for one in inputs]
    return tuple(chosen.get(letter) or own[at] for at, letter in enumerate(letters))


def _resolved(name: str, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
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


def _computed(dtype: np.dtype[Any]) -> str:
    """The type that C++ computes in."""
    return "float" if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype_to_ctype(dtype)


def _converted(text: str, kind: np.dtype[Any], due: np.dtype[Any]) -> str:
    """A value of one dtype as the type that another one is computed in, or stored as."""
    if due.kind == "b" and kind.kind != "b":
        return f"({text} != 0)"
    if due.kind == "c" and kind.kind != "c":
        part = "float" if due.itemsize == 8 else "double"
        return f"({dtype_to_ctype(due)})({part})({text})"
    if kind.kind == "c" and due.kind != "c":
        text = f"({text}).real()"
    return f"({_computed(due)})({text})"
