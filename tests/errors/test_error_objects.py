"""Status codes as objects: identity, equality, text, and which uses they refuse."""

from __future__ import annotations

import copy
import pickle
from enum import EnumMeta, IntEnum

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


@pytest.mark.parametrize("kind", [PyGPU.cuda.cudaError_t, PyGPU.hip.hipError_t, PyGPU.cu.CUresult])
def test_a_class_of_statuses_has_members_as_an_int_enum_has(kind):
    """`list(cudaError_t)` was a TypeError."""
    twin = IntEnum("twin", [(name, int(one)) for name, one in kind.__members__.items()])
    members = list(kind)
    assert [int(one) for one in members] == sorted(int(one) for one in twin)
    assert [one.name for one in members] == [kind(int(one)).name for one in members]
    assert len(kind) == len(twin) == len(members) > 60
    assert list(reversed(kind)) == members[::-1]
    assert set(kind.__members__) == set(twin.__members__)
    for name, one in kind.__members__.items():
        assert kind[name] is one is kind(int(one)) is getattr(kind, name)
        assert one in kind and int(one) in kind and one == twin[name]
    for other in (123456, -5, 2**70, True, "name", None, 1.0, kind(123456), cuda.cudaMemcpyKind(1)):
        expected = isinstance(other, int) and type(other) is not bool and int(other) == 1
        assert (other in kind) is expected, other
    for missing in ("cudaMalloc", "", 1, None):
        with pytest.raises(KeyError):
            kind[missing]
    with pytest.raises(TypeError):
        kind.__members__["new"] = 1
    with pytest.raises(TypeError, match="not iterable"):
        iter(kind(1))


def test_members_of_another_api_are_none():
    assert PyGPU.hip.hipError_t(1) not in PyGPU.cuda.cudaError_t
    assert isinstance(PyGPU.cuda.cudaError_t, type) and not isinstance(
        PyGPU.cuda.cudaError_t, EnumMeta
    )
    assert copy.copy(PyGPU.cuda.cudaError_t) is PyGPU.cuda.cudaError_t
    assert pickle.loads(pickle.dumps(PyGPU.cuda.cudaError_t)) is PyGPU.cuda.cudaError_t


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
