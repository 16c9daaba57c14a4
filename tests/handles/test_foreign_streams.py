"""Streams of other packages work wherever PyGPU takes a stream: calls, structs and arrays."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter


class Torch:
    """torch.cuda.Stream before it had __cuda_stream__."""

    def __init__(self, address: int) -> None:
        self.cuda_stream = address


class Stream:
    """cupy.cuda.Stream and ExternalStream; before version 14 they have only ptr."""

    def __init__(self, address: int) -> None:
        self.ptr = address


class NumbaStream:
    """numba.cuda's stream: the handle is a ctypes pointer."""

    def __init__(self, address: int) -> None:
        self.handle = ctypes.c_void_p(address)


class CUstream:
    """Numba's handle when it uses NVIDIA's bindings."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __int__(self) -> int:
        return self.address


class BoundStream:
    def __init__(self, address: int) -> None:
        self.handle = CUstream(address)


class Mine(Stream):
    """A subclass with another name."""


class Protocol:
    """A stream of today: the protocol comes before all attributes."""

    cuda_stream = ptr = handle = 0x6000

    def __init__(self, address: int) -> None:
        self.address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.address


KINDS = [Torch, Stream, NumbaStream, BoundStream, Mine, Protocol]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("address", [0, 1, 0x7000_0000_1000])
def test_structs_take_its_address_and_keep_it(kind: type, address: int) -> None:
    given = kind(address)
    config = cuda.cudaLaunchConfig_t(stream=given)
    assert int(config.stream) == address
    assert int(hip.hipLaunchParams_t(stream=kind(address)).stream) == address


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Protocol])
def test_a_wrong_attribute_is_refused(kind: type) -> None:
    given = kind(0)
    (name,) = vars(given)
    for wrong, error in (
        ("x", TypeError),
        (1.5, TypeError),
        (True, TypeError),
        (-1, OverflowError),
    ):
        setattr(given, name, wrong)
        with pytest.raises((error, ValueError)):
            cuda.cudaStreamQuery(given)


class Memory:
    """Device memory. It has a ptr, too, but is no stream."""

    ptr = handle = 0x7000


@pytest.mark.parametrize("given", [Memory(), object(), ctypes.c_int(1)])
def test_what_is_no_stream_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match=r"cudaStreamQuery\(\): parameter 'stream' must be"):
        cuda.cudaStreamQuery(given)


def test_an_attribute_may_raise() -> None:
    class Raising:
        @property
        def cuda_stream(self) -> int:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cuda.cudaStreamQuery(Raising())


@pytest.mark.parametrize("error", [KeyboardInterrupt, TypeError])
@pytest.mark.parametrize(
    "take",
    [
        cuda.cudaStreamQuery,
        cuda.cudaStream_t,
        lambda it: cuda.cudaLaunchConfig_t(stream=it),
        lambda it: cuda.cudaLaunchKernel(it, 1, 1, None, 0, 0),
        lambda it: cuda.cudaLaunchKernel(0x1000, 1, 1, [it], 0, 0),
    ],
)
def test_a_handle_of_another_module_may_raise(take, error: type) -> None:
    """What its int() raises reaches the caller."""

    class Raising:
        _c_struct_ = "CUstream_st"

        def __int__(self) -> int:
            raise error("mine")

    with pytest.raises(error, match="mine"):
        take(Raising())


@own_interpreter(PYGPU_BACKEND="host")
def test_calls_and_arrays_work_on_it() -> None:
    """The same object works everywhere, on the host runtime."""
    own = cuda.cudaStream_t(flags=1)
    for kind in KINDS:
        stream = kind(int(own))
        assert not cuda.cudaStreamSynchronize(stream) and not cuda.cudaStreamQuery(stream)
        array = PyGPU.zeros(1000, np.float32, stream=stream)
        array.fill(3, stream=stream)
        array.set_async(np.full(1000, 4, np.float32), stream)
        assert (array.get(stream=stream) == 4).all()
        array.record_stream(stream)
        assert int(PyGPU.Stream.of(stream)) == int(own)
        PyGPU.Stream().wait(stream)
        event = PyGPU.Event().record(stream)
        event.synchronize()
        memory = PyGPU.DeviceMemory(64, stream=stream)
        for take in (cuda.cudaStreamQuery, array.record_stream):
            for wrong in (array, memory):
                with pytest.raises(TypeError):
                    take(wrong)


class Given:
    """Its protocol gives what the test sets."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __cuda_stream__(self) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


# cuda.core documents the protocol: a tuple of the version, which is 0, and the address.
PAIR = "__cuda_stream__ (must give|gives) "
NO_STREAMS = [
    (7, TypeError, PAIR),
    (None, TypeError, PAIR),
    ([0, 0], TypeError, PAIR),
    ((0,), TypeError, PAIR),
    ((0, 0, 0), TypeError, PAIR),
    ((1, 0), TypeError, PAIR),
    (("0", 0), TypeError, PAIR),
    ((0, None), TypeError, "not NoneType"),
    ((0, 1.5), TypeError, "not float"),
    ((0, -1), OverflowError, "= -1 is out of range"),
    (KeyError("mine"), KeyError, "mine"),
]


@own_interpreter(PYGPU_BACKEND="host")
def test_an_answer_that_is_no_stream_is_refused() -> None:
    """Calls, structs and arrays refuse it: the address would be taken for a stream's."""
    array = PyGPU.zeros(3)
    for answer, error, said in NO_STREAMS:
        given = Given(answer)
        for take in (
            cuda.cudaStreamQuery,
            lambda one: cuda.cudaLaunchConfig_t(stream=one),
            array.record_stream,
            PyGPU.Stream.of,
            lambda one: array.get(stream=one),
        ):
            with pytest.raises(error, match=said):
                take(given)
    array.record_stream(Given((0, 0)))
