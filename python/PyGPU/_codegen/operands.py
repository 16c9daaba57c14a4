"""How a generated kernel finds the elements of its arrays: by a pointer, or by strides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from PyGPU._codegen.arguments import ScalarArg, VectorArg
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._core import arrays

# In device code. Extents of a table are triples: an extent, and the multiplier and the shift that
# divide by it (below 2^31).
DEVICE = """
template <class T, int V> struct alignas(sizeof(T) * V) pygpu_pack { T at[V]; };

// An element that is loaded already: x[i] for its i.
template <class T> struct pygpu_loaded {
    const T &element;
    __device__ const T &operator[](size_t) const { return element; }
};

// The elements of a strided array, counted in C order.
template <class T, int N, bool WIDE> struct pygpu_strided {
    T *base;
    const long long *extents, *strides;
    __device__ T &operator[](size_t i) const {
        long long offset = 0;
#pragma unroll
        for (int k = N - 1; k >= 0; --k) {
            if (WIDE) {
                const size_t above = k ? i / size_t(extents[3 * k]) : 0;
                offset += (long long)(i - above * size_t(extents[3 * k])) * strides[k];
                i = above;
            } else {
                const unsigned at = i, extent = extents[3 * k], by = extents[3 * k + 1];
                const unsigned high = (unsigned long long)at * by >> 32;
                const unsigned above = k ? (high + at) >> extents[3 * k + 2] : 0;
                offset += (long long)(int)(at - above * extent) * (int)strides[k];
                i = above;
            }
        }
        return *(T *)((char *)base + offset);
    }
};
"""

SHARED = 48 << 10  # bytes of shared memory of a block, on every device
FAR = 1 << 31  # sizes and strides from here on need 64 bits


def block_size(most: int, nbytes: int, call: str) -> int:
    """A power of two of threads, each with so many bytes of a block's shared memory."""
    threads = most
    while threads * nbytes > SHARED:
        threads //= 2
    if not threads:
        raise ValueError(f"{call}: items of {nbytes} bytes don't fit into shared memory")
    return threads


class Axes(NamedTuple):
    """Axes in a table of a launch: how many, and the positions of their extents and strides."""

    rank: int
    extents: int
    strides: int

    def text(self, kind: str, base: str, wide: bool) -> str:
        """The object of device code that finds elements from `base` on."""
        table = f"pygpu_table.at + {self.extents}, pygpu_table.at + {self.strides}"
        return f"pygpu_strided<{kind}, {self.rank}, {str(wide).lower()}>{{{base}, {table}}}"


class Table:
    """The extents and strides of a launch, a parameter of its kernel."""

    def __init__(self) -> None:
        self.words: list[int] = []
        self.wide = False
        self._positions: dict[tuple[int, ...], int] = {}

    def axes(self, shape: Sequence[int], strides: Sequence[int]) -> Axes:
        """Axes, with their extents and strides in the table."""
        self.wide |= any(abs(one) >= FAR for one in (*shape, *strides))
        self.wide |= int(np.prod(shape, dtype=object)) >= FAR
        divisors = [word for one in shape for word in divisor(one)]
        return Axes(len(shape), self._position(divisors), self._position(strides))

    def _position(self, words: Sequence[int]) -> int:
        # Equal extents have one position: the compiler then divides by them once for all arrays.
        key = tuple(words)
        if key not in self._positions:
            self._positions[key] = len(self.words)
            self.words += key
        return self._positions[key]

    def value(self) -> Any:
        """The kernel's argument."""
        return np.array(self.words, np.int64).view(f"V{8 * len(self.words)}")[0]


def table_type(words: int) -> str:
    """The type of a kernel's table; none without words."""
    return f"struct pygpu_words {{ long long at[{words}]; }};" if words else ""


def c_type(argument: VectorArg) -> str:
    """The type of an array's elements in device code."""
    return f"{'const ' if argument.is_const else ''}{dtype_to_ctype(argument.dtype)}"


def parameters(arguments: Sequence[VectorArg | ScalarArg], words: int) -> str:
    """The parameters of a kernel: scalars by their names, arrays as pygpu_name, then the table."""
    listed = [
        f"{c_type(one)} *pygpu_{one.name}" if isinstance(one, VectorArg) else one.declarator()
        for one in arguments
    ]
    return ", ".join([*listed, "pygpu_words pygpu_table"] if words else listed)


def divisor(extent: int) -> tuple[int, int, int]:
    """What divides a number below 2^31 by an extent: (high(number * multiplier) + number) >> shift.

    By Granlund and Montgomery, https://doi.org/10.1145/178243.178249.
    """
    if not 0 < extent < FAR:
        return extent, 0, 0
    shift = (extent - 1).bit_length()
    return extent, ((1 << 32) * ((1 << shift) - extent)) // extent + 1, shift


def collapsed(
    shape: Sequence[int], strides: Sequence[Sequence[int]], in_any_order: bool
) -> tuple[list[int], list[list[int]], list[int]]:
    """Fewer axes for arrays of one shape: the shape, their strides, and their offsets in bytes.

    In any order, the axes may change places and directions, in all arrays alike.
    """
    kept = [axis for axis, extent in enumerate(shape) if extent != 1]
    extents = [shape[axis] for axis in kept]
    steps = [[one[axis] for axis in kept] for one in strides]
    offsets = [0] * len(strides)
    if in_any_order and kept:
        for axis, extent in enumerate(extents):
            if steps[0][axis] < 0:
                for at, one in enumerate(steps):
                    offsets[at] += (extent - 1) * one[axis]
                    one[axis] = -one[axis]
        order = sorted(range(len(extents)), key=lambda axis: -steps[0][axis])
        extents = [extents[axis] for axis in order]
        steps = [[one[axis] for axis in order] for one in steps]
    for axis in reversed(range(1, len(extents))):
        if all(one[axis - 1] == one[axis] * extents[axis] for one in steps):
            extents[axis - 1 : axis + 1] = [extents[axis - 1] * extents[axis]]
            for one in steps:
                del one[axis - 1]
    return extents, steps, offsets


def moved(array: Any, offset: int) -> Any:
    """The array whose first element lies so many bytes on."""
    return array._view((), (), offset, array.dtype) if offset else array


class Reads(NamedTuple):
    """How expressions read arrays: those that they only have as `name[i]`, and whether i is in
    nothing else.
    """

    in_turn: frozenset[str]
    in_any_order: bool


def parameter_types(arguments: Sequence[VectorArg | ScalarArg], words: int) -> list[Any]:
    """What Kernel.prepare() takes for these parameters."""
    types = [
        "P" if isinstance(one, VectorArg)
        else one.dtype if one.dtype.kind in "iufb" and one.dtype.itemsize != 2
        else f"V{one.dtype.itemsize}"
        for one in arguments
    ]  # fmt: skip
    return [*types, f"V{8 * words}"] if words else types


def reads(names: Iterable[str], expressions: Sequence[str], preamble: str) -> Reads:
    """What expressions read. Where they write, any order may be wrong, and any array is read."""
    text = " ; ".join(expressions)
    one_of = "|".join(names)
    writes = rf"(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--|(?:^|[^\w)\]\s&])\s*&\s*(?:{one_of})\b"
    if re.search(writes, text):
        return Reads(frozenset(), False)
    return indexed(names, text, preamble)


def indexed(names: Iterable[str], text: str, preamble: str) -> Reads:
    """The same for a text that may write. A macro may hide anything."""
    one_of = "|".join(names)
    rest = re.sub(rf"(?<![\w.])(?<!->)(?:{one_of})\s*\[\s*i\s*\]", " ", text)
    used, elsewhere = (set(re.findall(r"\w+", one)) for one in (text, rest))
    if not used.isdisjoint(re.findall(r"#\s*define\s+(\w+)", preamble)):
        return Reads(frozenset(), False)
    return Reads(frozenset(used.intersection(names) - elsewhere), "i" not in elsewhere)


def has(text: str, word: str) -> bool:
    """Whether a text has a word."""
    return re.search(rf"\b{word}\b", text) is not None


def checked_arrays(
    arguments: Sequence[VectorArg | ScalarArg], values: Sequence[Any], call: str
) -> list[Any]:
    """The arrays among a call's values. TypeError where a value doesn't fit its argument."""
    if len(values) != len(arguments):
        names = ", ".join(one.name for one in arguments)
        raise TypeError(f"{call} takes {len(arguments)} arguments ({names}), got {len(values)}")
    chosen = []
    for argument, value in zip(arguments, values, strict=True):
        if isinstance(argument, ScalarArg):
            continue
        if not isinstance(value, arrays.Array):
            raise TypeError(
                f"{call}: parameter {argument.name!r} must be a GPUArray, not "
                f"{type(value).__name__}; PyGPU.asarray(x) makes one of another library's array"
            )
        if value.dtype is not argument.dtype:
            check_dtype(argument, value.dtype, call)
        check_aligned(value, argument.name, call)
        chosen.append(value)
    if len(chosen) > 1 and len({one.device for one in chosen}) > 1:
        raise ValueError(f"{call}: the arrays are on several devices")
    return chosen


def check_dtype(argument: VectorArg, dtype: Any, call: str) -> None:
    """TypeError where elements of a dtype can't be read as an argument's: another size or kind."""
    due = argument.dtype
    kinds = {"b": "i", "u": "i"}
    same_kind = kinds.get(dtype.kind, dtype.kind) == kinds.get(due.kind, due.kind)
    if dtype.itemsize != due.itemsize or not same_kind or not dtype.isnative:
        raise TypeError(
            f"{call}: parameter {argument.name!r} must be an array of {due}, not of {dtype}"
        )


def axes_of(array: Any, table: Table) -> Axes | None:
    """The axes of an array in C order; None where its elements are one run of memory."""
    if array._contiguity[0]:
        return None
    shape, (strides,), _ = collapsed(array.shape, [array.strides], False)
    return table.axes(shape, strides) if shape else None


def row(argument: VectorArg, axes: Axes | None, wide: bool, base: str = "") -> str:
    """The declaration of what an expression knows by the argument's name."""
    kind, base = c_type(argument), base or f"pygpu_{argument.name}"
    if axes:
        kind, base = "const auto ", axes.text(kind, base, wide)
    else:
        kind += " *"
    return f"[[maybe_unused]] {kind}{argument.name} = {base};"


def check_aligned(array: Any, name: str, call: str) -> None:
    """ValueError for elements that a device can't load: those that lie between its words."""
    dtype = array.dtype
    alignment = dtype.itemsize if dtype.kind in "biufc" else dtype.alignment
    if array._address % alignment or (
        not array._contiguity[0] and any(one % alignment for one in array.strides)
    ):
        raise ValueError(
            f"{call}: parameter {name!r}: the elements of the array don't lie at multiples of "
            f"{alignment} bytes: copy() aligns them"
        )


def check_output(array: Any, name: str, call: str, device: int) -> None:
    """ValueError for an array that a kernel of a device can't write."""
    array._check_writable(call)
    check_aligned(array, name, call)
    if array.device != device:
        raise ValueError(
            f"{call}: parameter {name!r} is on device {array.device}, the others on {device}"
        )


def share_memory(one: Any, other: Any) -> bool:
    """Whether two arrays may have bytes in common, but not element by element."""
    is_same = one._address == other._address and one.strides == other.strides
    return not is_same and bool(one._overlaps(other))


def scalar(argument: ScalarArg, value: Any, call: str) -> Any:
    """A value in the type of a scalar argument. TypeError or OverflowError if it doesn't fit."""
    dtype = argument.dtype
    if type(value) is int and dtype.kind in "iu":  # the launch checks its range
        return value
    if type(value) is float and dtype.kind == "f" and dtype.itemsize > 2:
        return value
    try:
        if dtype.kind == "V":
            return np.array(value, dtype)[()]
        is_complex = isinstance(value, complex) or getattr(value, "dtype", dtype).kind == "c"
        if is_complex and dtype.kind != "c":
            raise TypeError
        needed = "__index__" if dtype.kind in "iu" else "__float__"
        if not is_complex and not hasattr(value, needed):
            raise TypeError
        return dtype.type(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{call}: parameter {argument.name!r} must be a number for {dtype_to_ctype(dtype)}, "
            f"not {type(value).__name__}"
        ) from None
