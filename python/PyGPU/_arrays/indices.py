"""Elements by arrays of indices: PyCUDA's take and put."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays import devices
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from PyGPU._codegen import arguments, elementwise
else:
    arguments = Late("PyGPU._codegen.arguments")
    elementwise = Late("PyGPU._codegen.elementwise")

_kernels: dict[tuple[Any, ...], Any] = {}

# A negative index counts from the end. Reading outside of an array gives its first or last element,
# and nothing is written outside.
_FUNCTIONS = """
template <class I> __device__ long pygpu_from_end(I at, unsigned long size) {
    const bool is_signed = I(-1) < I(1);  // NVRTC warns of an unsigned number's "at < 0"
    if (is_signed && long(at) < 0) return long(at) + long(size);
    return (unsigned long)at < size ? long(at) : long(size);
}
template <class I> __device__ long pygpu_inside(I at, unsigned long size) {
    const long place = pygpu_from_end(at, size);
    return place < 0 ? 0 : place < long(size) ? place : long(size) - 1;
}
"""


def take(a: Any, indices: Any, out: Any = None, stream: Any = None) -> Any:
    """The elements of `a`, as if it had one axis, at some indices: an array of the indices' shape.

    A negative index counts from the end; others outside of `a` are the nearest inside. IndexError
    if `a` is empty and indices aren't. TypeError for indices that are no array of integers.
    """
    (taken,) = multi_take([a], indices, None if out is None else [out], stream)
    return taken


def put(
    a: Any, dest_indices: Any, dest_shape: Any = None, out: Any = None, stream: Any = None
) -> Any:
    """An array of `dest_shape`, or `out`, with element i of `a` at index i of `dest_indices`."""
    (target,) = multi_put([a], dest_indices, dest_shape, None if out is None else [out], stream)
    return target


def multi_take(
    arrays: Sequence[Any], indices: Any, out: Any = None, stream: Any = None
) -> list[Any]:
    """`take()` for several arrays of one dtype. ValueError, TypeError."""
    if not len(arrays):
        return []
    _check_indices("take()", indices)
    targets = _outputs("multi_take()", arrays, out, indices.shape)
    kernel = _kernel("take", arrays[0].dtype, indices.dtype)
    for source, target in zip(arrays, targets, strict=False):
        if target.shape != indices.shape:
            raise ValueError(f"take(): 'out' has shape {target.shape}, the indices {indices.shape}")
        if indices.size and not source.size:
            raise IndexError("take(): the array is empty")
        source, places = _apart(target, stream, source, indices)
        kernel(target, places, _run_of(source), source.size, stream=stream)
    return targets


def multi_put(
    arrays: Sequence[Any], dest_indices: Any, dest_shape: Any = None, out: Any = None,
    stream: Any = None,
) -> list[Any]:  # fmt: skip
    """`put()` for several arrays of one dtype. ValueError, TypeError."""
    if not len(arrays):
        return []
    _check_indices("put()", dest_indices)
    targets = _outputs("multi_put()", arrays, out, dest_shape)
    kernel = _kernel("put", arrays[0].dtype, dest_indices.dtype)
    for source, target in zip(arrays, targets, strict=False):
        if source.shape != dest_indices.shape:
            raise ValueError(
                f"put(): the array has shape {source.shape}, the indices {dest_indices.shape}"
            )
        source, places = _apart(target, stream, source, dest_indices)
        kernel(source, places, _target(target), target.size, stream=stream)
    return targets


def multi_take_put(
    arrays: Sequence[Any], dest_indices: Any, src_indices: Any, dest_shape: Any = None,
    out: Any = None, stream: Any = None, src_offsets: Any = None,
) -> list[Any]:  # fmt: skip
    """For each array: its elements at `src_indices` go to `dest_indices` of a new array, or `out`.

    `src_offsets`: a number for each array, which is added to its indices. ValueError, TypeError.
    """
    if not len(arrays):
        return []
    _check_indices("multi_take_put()", src_indices, dest_indices)
    targets = _outputs("multi_take_put()", arrays, out, dest_shape)
    if src_indices.shape != dest_indices.shape or src_indices.dtype != dest_indices.dtype:
        raise ValueError("multi_take_put(): both arrays of indices must have one shape and dtype")
    offsets = [0] * len(arrays) if src_offsets is None else src_offsets
    if len(offsets) != len(arrays):
        raise ValueError("multi_take_put(): 'src_offsets' must have a number for each array")
    kernel = _kernel("take_put", arrays[0].dtype, src_indices.dtype)
    for source, target, offset in zip(arrays, targets, offsets, strict=False):
        if src_indices.size and not source.size:
            raise IndexError("multi_take_put(): an array is empty")
        source, *places = _apart(target, stream, source, src_indices, dest_indices)
        kernel(
            *places, _run_of(source), _target(target), source.size, target.size, int(offset),
            stream=stream,
        )  # fmt: skip
    return targets


def _check_indices(call: str, *indices: Any) -> None:
    for one in indices:
        if not isinstance(one, _core.Array):
            raise TypeError(f"{call}: the indices must be a GPUArray, not {type(one).__name__}")


def _apart(target: Any, stream: Any, *read: Any) -> list[Any]:
    """The arrays that are read, copied if they share memory with the target."""
    return [one.copy(stream=stream) if one._overlaps(target) else one for one in read]


def _outputs(call: str, arrays: Sequence[Any], out: Any, shape: Any) -> list[Any]:
    dtype = arrays[0].dtype
    if any(one.dtype != dtype for one in arrays):
        raise TypeError(f"{call}: the arrays must have one dtype")
    if out is None:
        if shape is None:
            raise ValueError(f"{call}: give 'dest_shape' or 'out'")
        with devices.device(arrays[0].device):
            return [_core.empty(shape, dtype, one.allocator) for one in arrays]
    if len(out) != len(arrays) or any(one.dtype != dtype for one in out):
        raise ValueError(f"{call}: 'out' must have an array of {dtype} for each array")
    return list(out)


def _run_of(array: Any) -> Any:
    """The elements in C order as one axis."""
    return array.reshape(-1)


def _target(array: Any) -> Any:
    if not array.flags.c_contiguous:
        raise ValueError("put(): 'out' must be contiguous in C order")
    return array.reshape(-1)


def _kernel(name: str, dtype: Any, index: Any) -> Any:
    key = name, dtype, index
    if key in _kernels:
        return _kernels[key]
    if index.kind not in "iu":
        raise TypeError(f"{name}(): the indices must be integers, not {index}")
    vector, scalar = arguments.VectorArg, arguments.ScalarArg
    if name == "take":
        declared = [vector(dtype, "to"), vector(index, "at", True), vector(dtype, "source", True),
                    scalar("u8", "size")]  # fmt: skip
        operation = "to[i] = source[pygpu_inside(at[i], size)]"
    elif name == "put":
        declared = [vector(dtype, "source", True), vector(index, "at", True), vector(dtype, "to"),
                    scalar("u8", "size")]  # fmt: skip
        operation = (
            "const long place = pygpu_from_end(at[i], size); "
            "if (place >= 0 && place < long(size)) to[place] = source[i]"
        )
    else:
        declared = [vector(index, "first", True), vector(index, "second", True),
                    vector(dtype, "source", True), vector(dtype, "to"), scalar("u8", "from_size"),
                    scalar("u8", "size"), scalar("i8", "offset")]  # fmt: skip
        operation = (
            "const long place = pygpu_from_end(second[i], size); "
            "if (place >= 0 && place < long(size)) "
            "to[place] = source[pygpu_inside(long(first[i]) + offset, from_size)]"
        )
    kernel = elementwise.ElementwiseKernel(declared, operation, name, preamble=_FUNCTIONS)
    _kernels[key] = kernel
    return kernel
