"""Handles without a device: what they are made from, what they refuse, how they show themselves."""

from __future__ import annotations

import pickle

import pytest

import PyGPU
from PyGPU import hip
from tests.own_interpreter import own_interpreter

cuda = PyGPU.cuda


def test_an_address_is_wrapped_and_not_owned():
    stream = cuda.cudaStream_t(0x7F0000001000)
    assert int(stream) == 0x7F0000001000
    assert bool(stream)
    assert stream == cuda.cudaStream_t(0x7F0000001000)
    assert stream != cuda.cudaEvent_t(0x7F0000001000)
    assert hash(stream) == hash(cuda.cudaStream_t(0x7F0000001000))
    assert "owner" not in repr(stream)
    assert stream.__cuda_stream__() == (0, 0x7F0000001000)


@pytest.mark.parametrize("address", [0, 1, 2])
def test_cudas_special_streams_are_addresses(address):
    assert int(cuda.cudaStream_t(address)) == address


@pytest.mark.parametrize("make", [lambda: cuda.cudaEvent_t(2), lambda: cuda.cudaStream_t(3)])
def test_a_small_number_is_a_forgotten_keyword(make):
    """The message suggests the keyword that was probably forgotten."""
    with pytest.raises(ValueError, match="flags="):
        make()


@pytest.mark.parametrize(
    ("argument", "kind"), [("x", TypeError), (1.0, TypeError), (-1, OverflowError)]
)
def test_what_is_no_address_is_refused(argument, kind):
    with pytest.raises(kind, match="cudaStream_t"):
        cuda.cudaStream_t(argument)


def test_a_handle_that_c_cannot_create_has_no_constructor():
    with pytest.raises(TypeError, match="cudaGraphNode_t"):
        cuda.cudaGraphNode_t()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cuda.cudaEvent_t(flgs=1), r"^cudaEvent_t\(flags=0\) has no parameter 'flgs'$"),
        (
            lambda: PyGPU.hip.hipStream_t(flags=1, prio=2),
            r"^hipStream_t\(flags=0, priority=0\) has no parameter 'prio'$",
        ),
        (
            lambda: cuda.cudaGraphExec_t(flags=1),
            r"^cudaGraphExec_t\(graph, flags=0\): parameter 'graph' is missing$",
        ),
        (lambda: cuda.cudaMemPool_t(), r"^cudaMemPool_t\(poolProps\): parameter 'poolProps' is"),
        (lambda: cuda.cudaStream_t(1, flags=2), r"^cudaStream_t\(flags=0, priority=0\) takes one"),
        (lambda: cuda.cudaGraphNode_t(flags=2), r"^cudaGraphNode_t\(\) takes an address"),
    ],
)
def test_a_wrong_keyword_is_said_by_the_name_that_was_called(make, said):
    with pytest.raises(TypeError, match=said):
        make()


def test_a_handle_does_not_pickle():
    with pytest.raises(TypeError, match="cudaStream_t"):
        pickle.dumps(cuda.cudaStream_t(1))


def test_the_wrong_handle_names_function_and_parameter():
    with pytest.raises(TypeError, match=r"cudaStreamQuery\(\): parameter 'stream'"):
        cuda.cudaStreamQuery(cuda.cudaEvent_t(0x1000))


def test_a_stream_is_no_memory():
    with pytest.raises(TypeError, match=r"cudaFree\(\): parameter 'devPtr'"):
        cuda.cudaFree(cuda.cudaStream_t(0x1000))


def test_typed_constants_are_handles():
    assert cuda.cudaStreamPerThread == cuda.cudaStream_t(2)
    assert cuda.cudaStreamLegacy == cuda.cudaStream_t(1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: cuda.cudaStream_t(flags="x"),
            r"^cudaStream_t\(\): parameter 'flags' must be an int",
        ),
        (lambda: cuda.cudaStream_t("x"), r"^cudaStream_t\(\): an address must be an integer"),
        (lambda: PyGPU.hip.hipEvent_t(flags=1.5), r"^hipEvent_t\(\): parameter 'flags' must be an"),
        (
            lambda: cuda.cudaMemPool_t(poolProps={"location": 1}),
            r"^cudaMemPool_t\(\): parameter 'poolProps': field 'location' must be a cudaMemL",
        ),
        (lambda: cuda.cudaGraph_t(flags=1 << 40), r"^cudaGraph_t\(\): parameter 'flags' = 1099"),
    ],
)
def test_a_wrong_value_is_said_by_the_class_that_was_called(make, said):
    with pytest.raises((TypeError, OverflowError), match=said):
        make()


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nowhere")
def test_portable_names_speak_as_cuda_on_hip():
    """In messages about keywords, wrong values and statuses. The objects themselves are HIP's."""

    def said(make):
        with pytest.raises(Exception) as raised:
            make()
        return f"{raised.typename}: {raised.value}"

    stream = PyGPU.cudaStream_t
    assert said(lambda: stream(flags="x")).startswith(
        "TypeError: cudaStream_t(): parameter 'flags' must be an integer"
    ), said
    assert said(lambda: stream(3)).startswith("ValueError: cudaStream_t(3): no cudaS")
    assert said(lambda: stream(prio=1)) == (
        "TypeError: cudaStream_t(flags=0, priority=0) has no parameter 'prio'"
    )
    assert said(PyGPU.cudaMemPool_t).startswith("TypeError: cudaMemPool_t(poolProps): ")
    assert said(lambda: PyGPU.cudaMemPool_t(poolProps=1.5)).startswith(
        "TypeError: cudaMemPool_t(): parameter 'poolProps' must be"
    )
    assert "'stream' must be a cudaStream_t" in said(lambda: PyGPU.cudaStreamQuery("x"))
    assert "'stream' must be a hipStream_t" in said(lambda: hip.hipStreamQuery("x"))
    assert said(lambda: hip.hipStream_t(flags="x")).startswith("TypeError: hipStream_t(): ")
    with pytest.raises(PyGPU.GPUError) as raised:
        stream(flags=1)
    assert repr(raised.value.error) == "<cudaError: code=303>"
    assert str(raised.value).startswith("cudaStreamCreateWithPriority: ")
    made = stream(0x7000)
    assert type(made) is hip.hipStream_t and isinstance(made, stream)
    assert made == hip.hipStream_t(0x7000) == stream(made)
    assert "creates one by cudaStreamCreateWithPriority" in stream.__doc__
    assert said(lambda: type("Own", (stream,), {})).startswith("TypeError")


@own_interpreter(PYGPU_BACKEND="")
def test_the_first_call_may_be_a_portable_constructor():
    """The host runtime serves as fallback, as for functions."""
    PyGPU.use("host")
    stream = PyGPU.cudaStream_t(flags=1)
    assert isinstance(stream, PyGPU.cudaStream_t) and not PyGPU.cudaStreamSynchronize(stream)
    assert type(stream) is PyGPU.cuda.cudaStream_t


@own_interpreter(PYGPU_BACKEND="host")
def test_keywords_of_constructors_are_text():
    """A spread dict may have other keys, which Python doesn't check for types written in C."""
    for kind in (PyGPU.cudaStream_t, PyGPU.cudaEvent_t, PyGPU.cudaGraph_t, PyGPU.cudaMemPool_t):
        for key in (b"flags", 1, ("x",), None):
            with pytest.raises(TypeError):
                kind(**{key: 2})
