"""The published low-level usage, one test for each habit, as a user types it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import PyGPU


def test_set_device_returns_the_error_alone(device):
    err = device.cudaSetDevice(0)
    assert repr(err) == "<cudaError: code=0>"


def test_get_device_returns_value_and_error(device):
    idx, err = device.cudaGetDevice()
    assert idx == 0
    assert err == 0
    assert repr(device.cudaGetDevice()) == "(0, <cudaError: code=0>)"


def test_event_record_takes_the_event_alone(device):
    event = device.cudaEvent_t()
    assert repr(device.cudaEventRecord(event)) == "<cudaError: code=0>"
    assert not device.cudaEventSynchronize(event)


def test_event_and_stream_are_created_by_their_constructors(device):
    stream = device.cudaStream_t()
    event = device.cudaEvent_t()
    assert int(stream) > 2
    assert int(event) != 0
    assert not device.cudaEventRecord(event, stream)
    assert not device.cudaStreamSynchronize(stream)


def test_memory_goes_there_and_back(device):
    sent = np.arange(1000, dtype=np.float32)
    back = np.zeros_like(sent)
    pointer, err = device.cudaMalloc(sent.nbytes)
    assert not err
    assert isinstance(pointer, int)
    assert not device.cudaMemcpy(pointer, sent, sent.nbytes, device.cudaMemcpyHostToDevice)
    assert not device.cudaMemcpy(back, pointer, back.nbytes, device.cudaMemcpyDeviceToHost)
    assert not device.cudaFree(pointer)
    assert (back == sent).all()


def test_a_failure_gives_none_and_the_error(device):
    result = device.cudaDeviceGetAttribute(device.cudaDevAttrWarpSize, 9999)
    assert repr(result) == "(None, <cudaError: code=101>)"
    # The error must not stay for another test.
    assert device.cudaGetLastError() == 101


def test_nvidias_unpacking_of_an_error_fails_loudly():
    with pytest.raises(TypeError):
        (err,) = PyGPU.cudaSetDevice(0)


def test_unpacking_fails_on_success_too():
    with pytest.raises(TypeError):
        (err,) = PyGPU.cudaError(0)


def test_error_name():
    assert PyGPU.cudaGetErrorName(PyGPU.cudaError(0)) == "cudaSuccess"
    assert PyGPU.cudaGetErrorName(1) == "cudaErrorInvalidValue"


def test_error_is_one_object_per_code():
    assert PyGPU.cudaError_t is PyGPU.cudaError
    assert PyGPU.cudaError(1) is PyGPU.cudaErrorInvalidValue
    assert PyGPU.cudaError_t(1) is PyGPU.cudaError_t.cudaErrorInvalidValue


def test_error_reads_like_its_code():
    err = PyGPU.cudaError(2)
    assert (int(err), err.code, err.name) == (2, 2, "cudaErrorMemoryAllocation")
    assert err == 2
    assert hash(err) == hash(2)
    assert err
    assert not PyGPU.cudaError(0)
    assert "cudaErrorMemoryAllocation" in str(err)
    assert err.message
    assert err.message in str(err)


def test_error_that_no_header_knows():
    err = PyGPU.cudaError(987654)
    assert repr(err) == "<cudaError: code=987654>"
    assert err.code == 987654


def test_errors_of_two_vendors_differ():
    assert PyGPU.hip.hipError(1) != PyGPU.cuda.cudaError(1)


def test_star_import_brings_the_names():
    names: dict[str, object] = {}
    exec("from PyGPU import *", names)
    for name in ("cudaSetDevice", "cudaGetDevice", "cudaMemcpy", "cudaMemcpyHostToDevice"):
        assert name in names, name
    for name in ("cudaError_t", "cudaStream_t", "cudaEvent_t", "GPUError", "check"):
        assert name in names, name


@pytest.mark.parametrize("name", ["cuda.cudaMemcpy", "hip.hipMemcpy", "cudaMemcpy"])
def test_functions_pickle(name):
    function = PyGPU
    for part in name.split("."):
        function = getattr(function, part)
    assert pickle.loads(pickle.dumps(function)) is function


def test_functions_have_a_signature():
    import inspect

    parameters = inspect.signature(PyGPU.cuda.cudaMemcpy).parameters
    assert list(parameters) == ["dst", "src", "count", "kind"]
    assert list(inspect.signature(PyGPU.cuda.cudaGetDevice).parameters) == []
    assert inspect.signature(PyGPU.cuda.cudaEventRecord).parameters["stream"].default is not None
    assert "dst, src, count, kind" in PyGPU.cuda.cudaMemcpy.__text_signature__


def test_functions_have_a_docstring():
    assert "cudaMemcpy" in PyGPU.cuda.cudaMemcpy.__doc__


def test_raising_form_raises():
    with pytest.raises(PyGPU.GPUError) as caught:
        PyGPU.checked.cudaSetDevice(9999)
    assert "cudaSetDevice" in str(caught.value)
    assert int(caught.value.error) != 0


def test_raising_form_gives_the_bare_value(device):
    assert device.checked.cudaGetDevice() == 0
    assert device.checked.cudaSetDevice(0) is None
    assert device.checked.cudaStreamQuery(0) is True
    free, total = device.checked.cudaMemGetInfo()
    assert 0 < free <= total


def test_check_takes_a_result_in_hand():
    ok, bad = PyGPU.cudaError(0), PyGPU.cudaError(1)
    assert PyGPU.check(ok) is None
    assert PyGPU.check((5, ok)) == 5
    assert PyGPU.check((5, 6, ok)) == (5, 6)
    with pytest.raises(PyGPU.GPUError):
        PyGPU.check((None, bad))


def test_check_tells_the_other_order_of_results():
    with pytest.raises(TypeError, match=r"order|value, err"):
        PyGPU.check((PyGPU.cudaError(0), 5))


def test_out_of_memory_is_a_memory_error():
    with pytest.raises(MemoryError) as caught:
        PyGPU.check((None, PyGPU.cudaErrorMemoryAllocation))
    assert isinstance(caught.value, PyGPU.GPUError)
