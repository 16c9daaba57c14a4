"""What a pointer parameter takes and refuses: numbers, buffers, arrays of other packages."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter

FREE = r"cudaFree\(\): parameter 'devPtr' must be an address \(int\), None, an array"


class Bad:
    """Its truth value can't be asked."""

    def __bool__(self) -> bool:
        raise RuntimeError("no truth here")


class Array:
    """An array on a device, in the form in which other packages expose it."""

    def __init__(self, interface: Any) -> None:
        self.__cuda_array_interface__ = interface


def interface(**changes: Any) -> dict[str, Any]:
    return {"data": (4096, False), "shape": (2,), "typestr": "<f4", "version": 3} | changes


@pytest.mark.parametrize(
    "value",
    [np.float64(0), np.float32(0), b"abc", "abc", 0.0, 1j, object(), True, False, np.True_],
)
def test_what_is_a_mere_value_is_no_address(value: object) -> None:
    """np.float64(0) and bytes export memory, but nobody means to free that memory."""
    with pytest.raises(TypeError, match=FREE):
        cuda.cudaFree(value)


@pytest.mark.parametrize(
    "value", [None, 0, np.int64(0), np.zeros(2), bytearray(8), Array(interface())]
)
def test_what_has_a_place_is_an_address(value: object) -> None:
    """An object that refers to memory is taken as an address."""
    cuda.cudaFree(value)


def test_where_c_reads_such_values_are_memory() -> None:
    cuda.cudaMemcpy(np.zeros(1), np.float64(1), 8, cuda.cudaMemcpyHostToHost)
    cuda.cudaMemcpy(np.zeros(1), b"12345678", 8, cuda.cudaMemcpyHostToHost)
    with pytest.raises(ValueError, match=r"parameter 'src' is too short: 9 needed, 8 given"):
        cuda.cudaMemcpy(bytearray(9), np.float64(1), 9, cuda.cudaMemcpyHostToHost)
    assert cuda.cudaPitchedPtr(ptr=b"read by a copy").ptr


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no dict": ([], ValueError, "has a __cuda_array_interface__ that is no dict"),
    "empty": ({}, ValueError, "interface__ that has no pair of an address and a flag as data"),
    "no shape": (interface(shape=4), ValueError, "has no tuple as shape"),
    "strides": (interface(strides=4), ValueError, "has no tuple as strides"),
    "far": (interface(data=(-1, False)), ValueError, "has an address that is out of range"),
    "no truth": (interface(data=(4096, Bad())), RuntimeError, "no truth here"),
    "read-only": (interface(data=(4096, True)), TypeError, r"writable memory .*, not Array"),
    "no number": (interface(data=("x", False)), ValueError, "has an address that is no int"),
    "negative": (
        interface(shape=(-1,)),
        OverflowError,
        "field '__cuda_array_interface__.shape' = -1 is out of range",
    ),
    "no size": (interface(typestr="f"), ValueError, "no typestr with a size"),
    "surrogate": (interface(typestr="<\udc80"), ValueError, "no typestr with a size"),
    "short": (interface(), ValueError, "'devPtr' is too short: 100 needed, 8 given"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_broken_array_is_said(what: str) -> None:
    value, error, said = WRONG[what]
    with pytest.raises(error, match=said):
        cuda.cudaMemset(Array(value), 0, 100)


class OneInteger:
    """As a tensor of torch's with one integer: no sequence in C, with an index method."""

    def __index__(self) -> int:
        raise AssertionError("the element is no address")

    def __dlpack__(self, **_: Any) -> Any: ...


class OnCard(OneInteger):
    __cuda_array_interface__ = interface()


def test_an_element_of_a_tensor_is_no_address() -> None:
    """cudaMemcpy(dst, torch.tensor([4096]), ...) read what lies at 4096."""
    said = r"numpy\.from_dlpack\(x\)|must be"
    for call in (
        lambda x: cuda.cudaMemcpy(x, bytearray(8), 8, cuda.cudaMemcpyHostToHost),
        lambda x: cuda.cudaMemcpy(bytearray(8), x, 8, cuda.cudaMemcpyHostToHost),
        lambda x: cuda.cudaFree(x),
        lambda x: cuda.cudaStreamSynchronize(x),
        lambda x: cuda.cudaLaunchKernel(0x1000, 1, 1, [x], 0, None),
        lambda x: cuda.cudaLaunchKernel(0x1000, 1, 1, x, 0, None),
        lambda x: PyGPU.pointer_wrapper_int64(x),
    ):
        with pytest.raises(TypeError, match=said):
            call(OneInteger())
    cuda.cudaMemset(OnCard(), 0, 8)
    with pytest.raises(ValueError, match="'devPtr' is too short: 100 needed, 8 given"):
        cuda.cudaMemset(OnCard(), 0, 100)


class Tensor:
    """A tensor on the CPU, as torch's: without a buffer or an array interface."""

    def __dlpack__(self, **_: Any) -> Any: ...


class Convertible:
    def __array__(self) -> Any: ...


@pytest.mark.parametrize(
    ("value", "way"),
    [
        (Tensor(), "numpy.from_dlpack(x) is one on the memory of a CPU's tensor"),
        (Convertible(), "numpy.asarray(x) makes one"),
        ([1, 2], "numpy.asarray(x) makes one"),
    ],
)
def test_an_array_without_a_buffer_is_told_how_it_is_passed(value: object, way: str) -> None:
    """cudaMemcpy(dst, tensor, ...) is a common first try."""
    said = rf"^cudaMemcpy\(\): parameter 'src' .*{re.escape(way)}.*not {type(value).__name__}$"
    with pytest.raises(TypeError, match=said):
        cuda.cudaMemcpy(bytearray(8), value, 8, cuda.cudaMemcpyHostToHost)
    with pytest.raises(TypeError) as raised:
        cuda.cudaMemcpy(bytearray(8), (None, cuda.cudaSuccess), 8, cuda.cudaMemcpyHostToHost)
    assert "numpy" not in str(raised.value)


class Conjugate(Array):
    """torch's interface of a conjugated tensor doesn't say that its memory is another's values."""

    def is_neg(self) -> bool:
        return False

    def is_conj(self) -> bool:
        return True


def test_memory_that_holds_other_values_is_refused() -> None:
    cuda.cudaMemset(Conjugate(interface()), 0, 8)  # real numbers are their own conjugates
    with pytest.raises(ValueError, match=r"lazy negative or conjugate.*resolve_conj\(\)"):
        cuda.cudaMemset(Conjugate(interface(typestr="<c8")), 0, 8)


def test_extents_beyond_all_memory_do_not_wrap_around() -> None:
    """2**40 by 2**40 by 4 bytes is 0 modulo 2**64, which would look too short."""
    cuda.cudaMemset(Array(interface(shape=(1 << 40, 1 << 40))), 0, 100)


def test_a_size_that_is_left_out_asks_for_no_memory() -> None:
    """For binding a texture the header's default size, UINT_MAX, means all of the memory."""
    cuda.cudaBindTexture(cuda.textureReference(), bytearray(64), cuda.cudaChannelFormatDesc(x=32))
    hip.hipBindTexture(hip.textureReference(), bytearray(64), hip.hipChannelFormatDesc(x=32))


@pytest.mark.parametrize(
    ("call", "short"),
    [
        # (3 - 1) * 2**63 + 8, 2**62 * 4 and 2**63 * 2 would be 8, 0 and 0 modulo 2**64.
        (lambda it: cuda.cudaMemcpy2D(it, 1 << 63, bytes(8), 1 << 63, 8, 3, 0), "dst"),
        (lambda it: cuda.cudaMemset2D(it, 1 << 63, 0, 8, 3), "devPtr"),
        (lambda it: hip.hipMemsetD32(it, 0, 1 << 62), "dest"),
        (lambda it: hip.hipMemsetD16(it, 0, 1 << 63), "dest"),
    ],
)
def test_lengths_do_not_wrap_around(call: Callable[[Any], Any], short: str) -> None:
    with pytest.raises(ValueError, match=f"'{short}' is too short: {2**64 - 1} needed, 8 given"):
        call(bytearray(8))


def test_rows_of_no_width_need_no_memory() -> None:
    """Three empty rows, eight bytes apart."""
    cuda.cudaMemcpy2D(bytearray(8), 8, bytes(8), 8, 0, 3, cuda.cudaMemcpyHostToHost)


@own_interpreter(PYGPU_BACKEND="host")
def test_what_an_allocator_gives_is_no_number_to_be_cut() -> None:
    """int() of a float gives another address. The address of a stream or an error is not memory."""

    class Own:
        def __init__(self, address):
            self.address = address

        def __int__(self):
            return self.address

    class Pointed:
        def __init__(self, ptr):
            self.ptr = ptr

    address, err = cuda.cudaMalloc(64)
    good = [address, np.uint64(address), Own(address), Pointed(address)]
    for given in good:
        PyGPU.GPUArray(16, np.int8, gpudata=given)
        assert PyGPU.GPUArray(16, np.int8, allocator=lambda size, given=given: given).ptr == address
    wrong = [
        float(address),
        np.float32(address),
        np.float64(address),
        Decimal(address),
        Fraction(address),
        True,
        np.True_,
        1j,
        np.complex64(1),
        cuda.cudaSuccess,
        PyGPU.cudaStream_t(),
        PyGPU.Stream(),
        PyGPU.Event(),
        str(address),
        b"x" * 16,
        *map(Pointed, (float(address), np.float32(1), True, cuda.cudaSuccess, "x")),
    ]
    for given in wrong:
        for make in (
            lambda given=given: PyGPU.GPUArray(16, np.int8, gpudata=given),
            lambda given=given: PyGPU.GPUArray(
                16, np.int8, allocator=lambda size, given=given: given
            ),
        ):
            with pytest.raises(TypeError, match="address"):
                make()
    for given in wrong[:12]:
        with pytest.raises(TypeError):
            cuda.cudaFree(given)


@pytest.mark.parametrize("module", [cuda, hip])
@pytest.mark.parametrize("number", [1, 3, 4095])
def test_a_small_number_is_no_address_of_what_c_reads(module, number) -> None:
    """The number was meant for another parameter, and C would crash."""
    prefix = module.__name__.rpartition(".")[2]
    said = f"= {number} is no address"
    refused = {
        "p": lambda: getattr(module, f"{prefix}Memcpy3D")(number),
        "poolProps|pool_props": lambda: getattr(module, f"{prefix}MemPoolCreate")(number),
        "pDependencies": lambda: getattr(module, f"{prefix}GraphAddEmptyNode")(0, number, 1),
        r"from_address\(ptr\)": lambda: module.dim3.from_address(number),
    }
    for name, call in refused.items():
        with pytest.raises(ValueError, match=said) as raised:
            call()
        assert re.search(name, str(raised.value))
    getattr(module, f"{prefix}Memcpy3D")(None)
