"""Launches with arrays that other libraries lend by DLPack: what they hold, in whatever dtype."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pytest

import PyGPU
from tests.conftest import required
from tests.exchange import tensors
from tests.exchange.test_exchange_api import TABLE, with_table
from tests.kernels.test_known_types import Foreign
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")

SOURCE = """
__global__ void pair(const double *from, float *to) { to[0] = from[0]; }
__global__ void bits(unsigned char *to) { to[0] = 5; }
__global__ void brain(short *to, short value) { to[0] = value; }
"""


class Torch(tensors.Foreign):
    """An array of a type that has DLPack's C exchange API."""

    __dlpack_c_exchange_api__ = with_table(TABLE).__dlpack_c_exchange_api__
    foreign = property(lambda self: self)


LENDERS = pytest.mark.parametrize("lender", [tensors.Foreign, Torch])


@cache
def loaded() -> PyGPU.Module:
    return PyGPU.Module(PyGPU.compiler.compile(SOURCE, arch="compute_75"))


@LENDERS
def test_lent_arrays_hold_what_the_parameter_leads_to(lender):
    """torch's float64 tensors went to `float *`: only arrays with an interface were checked."""
    pair, doubles = loaded()["pair"], PyGPU.ones(1, "f8")
    with pytest.raises(TypeError, match=r"argument\[1\] holds double, .* a pointer to float"):
        pair(doubles, lender(np.zeros(1)), block=1)
    with pytest.raises(TypeError, match=r"argument\[0\] holds float, .* a pointer to double"):
        pair(lender(np.zeros(1, "f4")), PyGPU.zeros(1, "f4"), block=1)


@LENDERS
def test_the_argument_before_does_not_count(lender):
    """CuPy's float64 array before torch's float32 tensor: the tensor was said to hold double."""
    values = np.zeros(1, "f4")
    loaded()["pair"](Foreign(PyGPU.ones(1, "f8")), lender(values), block=1)
    assert values[0] == 1


@LENDERS
@pytest.mark.parametrize(
    "dtype", [(4, 16, 1), (7, 8, 1), (5, 32, 1), (17, 4, 2)], ids=["bf16", "f8", "c32", "f4x2"]
)
def test_launches_need_no_dtype_of_numpy(lender, dtype):
    """A launch with torch's bfloat16 tensor was refused without the package ml_dtypes."""
    values = np.zeros(4, f"u{dtype[1] * dtype[2] // 8}")
    changes: dict[str, Any] = dict(
        zip([f"tensor__dtype__{one}" for one in ("code", "bits", "lanes")], dtype, strict=True)
    )
    with mock.patch.dict(sys.modules, {"ml_dtypes": None}):  # as if it weren't installed
        loaded()["bits"](lender(values, **changes), block=1)
        assert values.tolist() == [5, 0, 0, 0]
        with pytest.raises(BufferError):
            PyGPU.from_dlpack(lender(values, **changes))


def test_scalars_of_ml_dtypes_are_their_bits():
    """They have a buffer without a letter: numpy's message about that was the answer."""
    brain = required("ml_dtypes").bfloat16
    for value in (brain(2), np.array(2, brain)):
        array = PyGPU.zeros(1, brain)
        loaded()["brain"](array, value, block=1)
        assert array.get().view("u2").tolist() == [0x4000]
    with pytest.raises(TypeError, match=r"argument\[1\] is a numpy.ndarray in host memory"):
        loaded()["brain"](array, np.zeros(1, brain), block=1)
