"""The classes that pybind11 binds: signatures, and no call that ends the process."""

from __future__ import annotations

import inspect
import pickle

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

BOUND = (
    ("DeviceAllocator_int32", "allocate", "(self, n, /)"),
    ("HostAllocator_int8", "ptr", "(self)"),
    ("DeviceArray_float32", "allocate", "(self)"),
    ("DeviceArray_int64", "record_stream", "(self, stream, /)"),
    ("PagelockedAllocator_bool", "size", "(self)"),
)


@pytest.mark.parametrize(("name", "method", "signature"), BOUND)
def test_a_method_has_its_signature_and_docstring(name, method, signature):
    bound = getattr(getattr(PyGPU, name), method)
    assert str(inspect.signature(bound)) == signature
    assert bound.__doc__ and "--" not in bound.__doc__


@own_interpreter("on_host")
def test_no_call_of_a_type_behind_a_class_ends_the_process():
    for name, method, _ in BOUND:
        kind = getattr(PyGPU, name)
        bases = kind.__mro__[1:-1]
        assert len(bases) == 2, "the bound class, and pybind11's own"
        record = getattr(kind, method).__self__
        for base in (*bases, type(record)):
            for refused in (base, lambda base=base: base.__new__(base)):
                with pytest.raises(TypeError, match="cannot create"):
                    refused()
        for base in bases:
            derived = type("Derived", (base,), {})
            with pytest.raises(TypeError, match="cannot create"):
                derived()
            with pytest.raises(TypeError, match="not safe"):
                base.__new__(kind)
        record.__init__()
        for wrong in ((), (3,), (record,)):
            with pytest.raises(TypeError):
                getattr(kind, method)(*wrong)


@own_interpreter("on_host")
def test_a_class_of_a_dtype_is_closed():
    for name, _, _ in BOUND:
        kind = getattr(PyGPU, name)
        assert type(kind) is type and kind.__module__ == "PyGPU"
        with pytest.raises(TypeError, match="not an acceptable base type"):
            type("Derived", (kind,), {})
        for owner in (kind, kind.__base__):
            with pytest.raises(TypeError, match="immutable"):
                owner.size = None
        one = kind(3) if name.startswith("DeviceArray") else kind()
        with pytest.raises(AttributeError):
            one.anything = 1
        with pytest.raises(TypeError, match=f"cannot pickle.*{name}"):
            pickle.dumps(one)
