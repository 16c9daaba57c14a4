"""What launches share with the program, with other modules, and with each other."""

from __future__ import annotations

import ctypes
import platform

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TO_NEAREST, UPWARD = 0, 0x800  # <fenv.h> of x86-64

POINTERS = """
.func (.reg .u32 %r) f(.reg .u32 %x) {{ add.u32 %r, %x, {added}; ret; }}
.visible .entry tell(.param .u64 p) {{
    .reg .u64 %p, %f; ld.param.u64 %p, [p]; mov.u64 %f, f; st.u64 [%p], %f; ret; }}
.visible .entry use(.param .u64 p) {{
    .reg .u64 %p, %f; .reg .u32 %r;
    proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    ld.param.u64 %p, [p]; ld.u64 %f, [%p]; mov.u32 %r, 5;
    call (%r), %f, (%r), proto; st.u32 [%p], %r; ret; }}
"""


@own_interpreter("on_host")
def test_a_function_pointer_of_another_module_calls_no_function_of_this_one():
    modules = [PyGPU.Module((HEAD + POINTERS.format(added=i)).encode()) for i in (100, 200)]
    for module, result in zip(modules, (105, 205), strict=True):
        array = PyGPU.to_gpu(np.zeros(1, np.uint64))
        module["tell"](array, grid=1, block=1)
        module["use"](array, grid=1, block=1)
        assert array.get().view(np.uint32)[0] == result
    modules[0]["tell"](array, grid=1, block=1)
    with host.reports() as reports:
        modules[1]["use"](array, grid=1, block=1)
        assert PyGPU.cudaDeviceSynchronize() == 715
    assert "not a function's" in reports[0]


ROUNDS = """.visible .entry k(.param .u64 p) {
    .reg .u64 %p; .reg .f32 %a, %b; ld.param.u64 %p, [p];
    ld.f32 %a, [%p]; ld.f32 %b, [%p+4]; add.rn.f32 %a, %a, %b; st.f32 [%p], %a; ret; }"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its number for UPWARD")
@own_interpreter("on_host")
def test_results_do_not_depend_on_how_the_program_rounds():
    libm = ctypes.CDLL("libm.so.6")
    module = PyGPU.Module((HEAD + ROUNDS).encode())
    array = PyGPU.to_gpu(np.array([1, 2**-32], np.float32))
    libm.fesetround(UPWARD)  # threads that start from now on round upward, too
    for _ in range(3):
        module["k"](array, grid=64, block=1)
        PyGPU.checked.cudaDeviceSynchronize()
    assert libm.fegetround() == UPWARD
    libm.fesetround(TO_NEAREST)
    assert array.get()[0] == 1


QUEUED = """
.visible .entry wrong(.param .u64 p) {
    .reg .u64 %p; .reg .u32 %go; .reg .pred %q; ld.param.u64 %p, [p];
again: ld.volatile.u32 %go, [%p]; setp.eq.u32 %q, %go, 0; @%q bra again; trap; }
.visible .entry writes(.param .u64 p) {
    .reg .u64 %p; ld.param.u64 %p, [p]; st.u32 [%p+4], 7; ret; }"""


@own_interpreter("on_host")
def test_a_kernel_behind_a_fault_does_not_run():
    module = PyGPU.Module((HEAD + QUEUED).encode())
    values = np.zeros(2, np.uint32)
    PyGPU.checked.cudaHostRegister(values.ctypes.data, values.nbytes, 0)
    where = ctypes.c_void_p(values.ctypes.data)
    module["wrong"](where, grid=1, block=1)
    module["writes"](where, grid=1, block=1)
    values[0] = 1
    assert PyGPU.cudaDeviceSynchronize() == 719
    assert values.tolist() == [1, 0]
    assert PyGPU.cudaDeviceReset() == 0
    module = PyGPU.Module((HEAD + QUEUED).encode())
    PyGPU.cudaHostRegister(values.ctypes.data, values.nbytes, 0)
    module["writes"](where, grid=1, block=1)
    PyGPU.checked.cudaDeviceSynchronize()
    assert values.tolist() == [1, 7]
