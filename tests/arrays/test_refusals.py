"""What arrays, kernels and streams refuse in C++, and with which messages."""

from __future__ import annotations

import re

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("on_host")

if IN_CHILD:
    MATRIX = PyGPU.to_gpu(np.arange(12.0).reshape(3, 4))
    NUMBER = PyGPU.to_gpu(np.array(3.0))
    LOCKED = np.zeros((3, 4))
    LOCKED.flags.writeable = False
    DEEP = PyGPU.zeros((1,) * 40, np.dtype([("f", "f4", (1,) * 30)]))

REFUSED = {
    "PyGPU.GPUArray()": (TypeError, "GPUArray(): parameter 'shape' is missing"),
    "PyGPU.GPUArray((2,), float, *[None] * 20)": (
        TypeError, "GPUArray() takes at most 8 arguments, not 22",
    ),
    "PyGPU.GPUArray((2,), dtyp=float)": (
        TypeError, "GPUArray() has no parameter 'dtyp'. Did you mean 'dtype'?",
    ),
    "PyGPU.GPUArray((2,), shape=(3,), dtype=float)": (
        TypeError, "GPUArray(): parameter 'shape' is given twice",
    ),
    "PyGPU.GPUArray((2, 2), float, strides=(8,))": (
        ValueError, "GPUArray(): parameter 'strides' has 1 axes, the shape 2",
    ),
    "PyGPU.GPUArray((1,) * 65, float)": (
        ValueError, "GPUArray(): parameter 'shape': at most 64 axes, not 65",
    ),
    "MATRIX.reshape((1,) * 70)": (
        ValueError, "GPUArray.reshape(): parameter 'shape': at most 64 axes, not 70",
    ),
    "MATRIX.reshape((2, 6), shape=(2, 6))": (
        TypeError, "GPUArray.reshape(): there is no parameter 'shape'",
    ),
    "MATRIX.get(LOCKED)": (
        ValueError, "the numpy array is read-only; pass one that can be written",
    ),
    "DEEP['f']": (ValueError, "GPUArray: at most 64 axes"),
    "DEEP['g']": (ValueError, "no field of name g"),
    "MATRIX[(None,) * 70]": (IndexError, "at most 64 axes"),
    "MATRIX[..., ...]": (IndexError, "an index can only have a single ellipsis ('...')"),
    "MATRIX['x']": (IndexError, "only arrays of a structured dtype have fields"),
    "NUMBER[0]": (IndexError, "too many indices for array: array is 0-dimensional"),
    "list(NUMBER)": (TypeError, "iteration over a 0-d GPUArray"),
    "MATRIX.T.device_array": (
        ValueError, "GPUArray.device_array: the elements are not one run in C order",
    ),
    "MATRIX.fill(1, pattern=b'abc')": (TypeError, "GPUArray.fill() has no parameter 'pattern'"),
    "PyGPU.Stream().record(3)": (
        TypeError, "Stream.record(): parameter 'event' must be a PyGPU.Event, not int",
    ),
    "PyGPU.cuda.address(3)": (TypeError, "address(): parameter 'function' must be a str, not int"),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED)
def test_a_call_is_refused(call):
    """The message names the call, the parameter and the given value."""
    kind, message = REFUSED[call]
    with pytest.raises(kind, match=f"^{re.escape(message)}"):
        eval(call)


ELSEWHERE = {
    "flatten": "a.ravel()",
    "half": "a.astype(dtype)",
    "cpu": "a.get()",
    "to": "PyGPU.asarray(a, device=n)",
    "data_ptr": "a.ptr",
    "clone": "a.copy()",
    "permute": "a.transpose(axes)",
    "numel": "a.size",
    "tobytes": "a.get().tobytes()",
    "zero_": "a.fill(0)",
    "requires_grad": "records no gradients",
    "argsort": "isn't implemented on the device",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_of_other_packages_arrays_says_what_is_here(name):
    with pytest.raises(
        AttributeError, match=f"^GPUArray has no {name}.*{re.escape(ELSEWHERE[name])}"
    ):
        getattr(MATRIX, name)
    assert not hasattr(MATRIX, name) and not hasattr(PyGPU.GPUArray, name)
    assert name not in dir(MATRIX)


def test_what_such_a_message_names_exists():
    from PyGPU._arrays.needs_kernel import NeedsKernel

    ways = [way._way for way in vars(NeedsKernel).values() if hasattr(way, "_way")]
    named = {
        (owner, name) for way in ways for owner, name in re.findall(r"\b(a|PyGPU)\.(\w+)", way)
    }
    assert len(ways) > 40 and len(named) > 15
    for owner, name in named:
        assert hasattr(MATRIX if owner == "a" else PyGPU, name), name


def test_rows_come_backwards():
    """reversed() uses C's sequence protocol, which indexing in Python doesn't use."""
    backwards = [row.get().tolist() for row in reversed(MATRIX)]
    assert backwards == MATRIX.get()[::-1].tolist()


def test_host_memory_shows_where_it_is():
    memory = PyGPU.HostMemory(16)
    assert re.fullmatch(r"<HostMemory 0x[0-9a-f]+, 16 bytes, page-locked>", repr(memory))


def test_an_item_of_fields_is_found_by_name():
    """A view of structured elements has the field's dtype and strides."""
    pairs = PyGPU.to_gpu(np.array([(1, 2.5), (3, 4.5)], "i4,f4"))
    assert pairs["f1"].get().tolist() == [2.5, 4.5]
