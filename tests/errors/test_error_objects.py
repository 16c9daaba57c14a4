"""Status codes as objects: identity, equality, text, and which uses they refuse."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter

APIS = [(PyGPU.cuda.cudaError, "cudaError"), (PyGPU.hip.hipError, "hipError")]
codes = st.integers(-(2**31), 2**31 - 1)


@pytest.mark.parametrize(("kind", "name"), APIS)
@given(code=codes)
def test_every_code_has_an_object_that_is_its_int(kind, name, code):
    error = kind(code)
    assert int(error) == error.code == code
    assert error == code == error
    assert error != code + 1
    assert hash(error) == hash(code)
    assert bool(error) == (code != 0)
    assert repr(error) == f"<{name}: code={code}>"
    assert error.name in str(error)
    assert error.message in str(error)
    assert pickle.loads(pickle.dumps(error)) == error
    assert copy.deepcopy(error) == error


@pytest.mark.parametrize(
    ("code", "name"), [(0, "cudaSuccess"), (1, "cudaErrorInvalidValue"), (999, "cudaErrorUnknown")]
)
def test_known_codes_are_one_object_however_they_are_reached(code, name):
    kind = PyGPU.cuda.cudaError_t
    assert kind(code) is getattr(kind, name) is getattr(PyGPU.cuda, name)
    assert kind(kind(code)) is kind(code)
    assert kind(code).name == name
    assert pickle.loads(pickle.dumps(kind(code))) is kind(code)


def test_codes_beyond_the_dense_table_are_known():
    assert PyGPU.hip.hipErrorRuntimeMemory.code in (1052, 10000)
    assert PyGPU.hip.hipError(PyGPU.hip.hipErrorRuntimeMemory.code).name == "hipErrorRuntimeMemory"


def test_errors_of_two_apis_are_not_equal():
    assert PyGPU.cuda.cudaError(1) != PyGPU.hip.hipError(1)


def test_an_error_is_immutable_and_does_not_unpack():
    error = PyGPU.cuda.cudaError(0)
    with pytest.raises(AttributeError):
        error.code = 1
    with pytest.raises(TypeError):
        (error,) = error
    with pytest.raises(TypeError):
        error < error  # noqa: B015


@pytest.mark.parametrize(
    ("value", "kind"), [("1", TypeError), (1.5, TypeError), (2**31, OverflowError)]
)
def test_what_is_no_code_is_refused(value, kind):
    with pytest.raises(kind, match="cudaError"):
        PyGPU.cuda.cudaError(value)


@own_interpreter(PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so")
def test_names_and_texts_need_no_library():
    assert cuda.cudaGetErrorName(1) == "cudaErrorInvalidValue"
    assert cuda.cudaGetErrorString(cuda.cudaErrorInvalidValue) == "invalid value"
    assert cuda.cudaErrorInvalidValue.message == "invalid value"
    assert cuda.cudaError(12345).name == "cudaError(12345)"
