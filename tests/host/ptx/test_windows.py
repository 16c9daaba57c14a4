"""The windows of shared and of local memory: addresses of 32 bits, and room in units."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n"


def run(
    body: str, shared: str = ".shared .align 16 .b8 s[256];", dynamic: int = 0, threads: int = 32
):
    """What 32 threads store at [%q] from %r2."""
    text = f"""{HEAD}.extern .shared .align 16 .b8 more[];
    .visible .entry k(.param .u64 p) {{
        .reg .b32 %r<9>, %lower, %t; .reg .b64 %q, %wide, %high, %rd<9>; .reg .pred %p;
        {shared} .local .align 16 .b8 loc[64];
        ld.param.u64 %q, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 4, %q;
        mov.u32 %r1, 7; mov.u32 %r2, 0;
        mov.u64 %high, 0xdeadbeef00000000;
        {body}
        st.global.u32 [%q], %r2; ret; }}"""
    array = PyGPU.to_gpu(np.zeros(32, np.uint32))
    PyGPU.Module(text.encode())["k"](array, grid=1, block=threads, shared=dynamic)
    return array.get()[:threads]


STORE, LOAD = "st.shared.u32 [s+16], 7; ", "ld.shared.u32 %r2, [s+16];"
# %lower + 5000 is s + 16, where each form finds 7. On a card s is not the window's start.
LOWER = "mov.u32 %lower, s; sub.u32 %lower, %lower, 4984; "
FORMS = {
    "ld": STORE + "ld.shared.u32 %r2, [%lower+5000];",
    "ld.v4": STORE + "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%lower+5000];",
    "ld.volatile": STORE + "ld.volatile.shared.u32 %r2, [%lower+5000];",
    "st": "st.shared.u32 [%lower+5000], 7; " + LOAD,
    "st.v2": "st.shared.v2.u32 [%lower+5000], {7, 8}; " + LOAD,
    "atom": STORE + "atom.shared.max.u32 %r2, [%lower+5000], 3;",
    "red": "st.shared.u32 [s+16], 3; red.shared.max.u32 [%lower+5000], 7; " + LOAD,
    "ldmatrix": "st.shared.v4.u32 [s+16], {7, 7, 7, 7}; bar.warp.sync -1; "
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%lower+5000];",
    "stmatrix": "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%lower+5000], {%r1}; bar.warp.sync -1; "
    + LOAD,
    "cp.async": "{ .global .u32 seven[4] = {7, 7, 7, 7}; mov.u64 %rd1, seven; "
    "cp.async.ca.shared.global [%lower+5000], [%rd1], 16; } cp.async.wait_all; " + LOAD,
    "mbarrier": "mbarrier.init.shared.b64 [%lower+5000], 7; "
    "mbarrier.arrive.shared.b64 %rd1, [s+16]; mov.u32 %r2, 7;",
    "ld of 64 bits": STORE + "cvt.u64.u32 %wide, %lower; ld.shared.u32 %r2, [%wide+5000];",
    "ld of the low half": STORE
    + "mov.u64 %wide, s; or.b64 %wide, %wide, %high; ld.shared.u32 %r2, [%wide+16];",
    "st of the low half": "mov.u64 %wide, s; or.b64 %wide, %wide, %high; "
    "st.shared.u32 [%wide+16], 7; " + LOAD,
    "local": "st.local.u32 [loc+16], 7; mov.u64 %wide, loc; add.u64 %wide, %wide, %high; "
    "ld.local.u32 %r2, [%wide+16];",
}


@pytest.mark.parametrize("form", FORMS)
@own_interpreter("on_devices")
def test_addresses_wrap(form):
    """nvcc subtracts in the register and adds in the instruction, below the window's begin."""
    assert run(LOWER + FORMS[form], threads=1 if form == "mbarrier" else 32)[0] == 7


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"ldmatrix", "stmatrix"}))
@own_interpreter("on_host", PYGPU_HOST_CHECK="1")
def test_the_checker_follows_addresses_that_wrap(form):
    """It doesn't take them for others."""
    with host.reports() as reports:
        assert run(LOWER + FORMS[form], threads=1).tolist() == [7]
    assert not reports


READ = "mov.u32 %r3, {at}; ld.shared.v4.u32 {{%r2, %r4, %r5, %r6}}, [%r3];"


@pytest.mark.parametrize(("at", "expected"), [(16, 0), (112, 0), (128, 700), (2**32 - 16, 700)])
@own_interpreter("on_host")
def test_shared_memory_comes_in_units(at, expected):
    """A launch with 28 bytes may access 128, as on an H200."""
    body, status = READ.format(at=at), 0
    try:
        run(body, shared="", dynamic=28)
    except PyGPU.GPUError as error:
        status = int(error.error)
    assert status == expected


@own_interpreter("on_host", PYGPU_HOST_CHECK="1")
def test_the_checker_knows_what_was_asked_for():
    """It reports an access to the rest of the unit."""
    with host.reports() as reports:
        run("st.shared.u32 [%r1+-7], 1;", shared="", dynamic=28, threads=1)
        assert not reports
        run(READ.format(at=112), shared="", dynamic=28, threads=1)
    assert any("shared" in one for one in reports), reports


# The array of the dynamic part, static and dynamic bytes, what ptxas -v tells, and %total_smem_size
SIZES = [
    ("", 0, 0, 0, 0),
    (".align 4", 0, 28, 0, 128),
    ("", 100, 28, 100, 128),
    (".align 1", 97, 0, 112, 128),
    (".align 4", 100, 28, 112, 256),
    (".align 64", 1, 64, 64, 128),
    (".align 64", 100, 0, 128, 128),
]


@pytest.mark.parametrize(("array", "static", "dynamic", "size", "total"), SIZES)
@own_interpreter("on_host")
def test_the_dynamic_part_begins_aligned(array, static, dynamic, size, total):
    """At 16 or the array's own alignment, if there is an array, even one that nobody uses.

    %total_smem_size is "a multiple of the allocation unit" (PTX ISA). Another kernel of the module,
    which needs more, counts for nothing.
    """
    own = f".shared .b8 s[{static}]; st.shared.u8 [s], 1;" if static else ""
    more = f".extern .shared {array} .b8 more[];" if array else ""
    text = f"""{HEAD}{more} .visible .entry k(.param .u64 p) {{
        .reg .u64 %q; .reg .u32 %r; {own} ld.param.u64 %q, [p];
        mov.u32 %r, %total_smem_size; st.global.u32 [%q], %r; ret; }}
        .visible .entry larger() {{ .shared .b8 large[4096]; st.shared.u8 [large], 1; ret; }}"""
    kernel = PyGPU.Module(text.encode())["k"]
    reported = PyGPU.to_gpu(np.zeros(1, np.uint32))
    kernel(reported, grid=1, block=1, shared=dynamic)
    assert (kernel.attribute("SHARED_SIZE_BYTES"), reported.get()[0]) == (size, total)
