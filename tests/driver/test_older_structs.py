"""Fields of a struct that an older driver's shorter struct, with another name, lacks."""

from __future__ import annotations

import re

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

WHERE = r"^cuGraphAddKernelNode\(\): parameter 'nodeParams'"
HAVING = r"it belongs to 12\.0 to 1\d\.\d$"
REFUSED = (
    rf"{WHERE} sets 'kern', which CUDA_KERNEL_NODE_PARAMS_v2 of the loaded release lacks: {HAVING}"
)
LACKING = rf"{WHERE}: CUDA_KERNEL_NODE_PARAMS_v2 of release 11\.8 has no field 'kern': {HAVING}"


def add(params):
    """The status that C returns."""
    return PyGPU.cu.cuGraphAddKernelNode(0x1000, None, 0, params)[1]


@own_interpreter("with_11_8")
def test_a_value_that_c_would_not_read_is_refused():
    cu = PyGPU.cu
    wide = cu.CUDA_KERNEL_NODE_PARAMS_v2(gridDimX=3, kern=0x7000)
    plain = cu.CUDA_KERNEL_NODE_PARAMS_v2(gridDimX=3)
    assert add(plain) == 0  # this loads 11.8's library, whose struct has no 'kern'
    assert cu.cuDriverGetVersion()[0] == 11080
    with pytest.raises(ValueError, match=REFUSED):
        add(wide)
    wide.kern = None
    assert add(wide) == 0
    with pytest.raises(TypeError, match=LACKING):
        add({"gridDimX": 3, "kern": 0x7000})
    with pytest.raises(ValueError, match="needs 10 values"):
        add((0,) * 12)
    assert add({"gridDimX": 3}) == add((0,) * 10) == 0


@own_interpreter("with_11_8")
def test_each_function_that_takes_the_struct_refuses_it():
    cu = PyGPU.cu
    wide = cu.CUDA_KERNEL_NODE_PARAMS_v2(ctx=0x7000)
    assert cu.cuInit(0) == 0
    for call, name in (
        (lambda: cu.cuGraphKernelNodeSetParams(0x1000, wide), "cuGraphKernelNodeSetParams"),
        (
            lambda: cu.cuGraphExecKernelNodeSetParams(0x1000, 0x2000, wide),
            "cuGraphExecKernelNodeSetParams",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(name) + r"\(\).*'nodeParams' sets 'ctx'"):
            call()


@own_interpreter("with_both")
def test_a_driver_that_has_it_gets_it():
    cu = PyGPU.cu
    assert add(cu.CUDA_KERNEL_NODE_PARAMS(kern=0x7000)) == add({"kern": 0x7000}) == 0
