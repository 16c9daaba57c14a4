"""Ways to write PTX that compilers and NVIDIA's headers use, and what ptxas makes of them."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import PyGPU
from tests.host.device_code import run_compiler
from tests.own_interpreter import own_interpreter

# What stands in a kernel's body, and what %r2 holds then. %r1 is 5, and %q points to 40, 41, ...
BODIES = {
    # ---- words
    "{.reg.b32 f;\n mov.b32 f, 7; mov.b32 %r2, f;}": 7,  # as in cuda_fp16.hpp
    "{.reg.pred p; setp.ne.u32 p, %r1, 3; @p add.u32 %r2, %r1, 1;}": 6,
    "{.reg.v2.f32 z; mov.f32 z.x, 0f40000000; cvt.rzi.u32.f32 %r2, z.x;}": 2,
    "{.reg.b32 a<4>,b<3>,c;mov.b32 a3,9;mov.b32 b2,a3;mov.b32 c,b2;mov.b32 %r2,c;}": 9,
    "{.shared.align 4 .b8 t[16]; st.shared.u32 [t], 8; ld.shared.u32 %r2, [t];}": 8,
    "{.local.u32 t; st.local.u32 [t], %r1; ld.local.u32 %r2, [t];}": 5,
    "{.param.u32 a; .param.u32 b; st.param.u32 [a], 4; call (b), same, (a); "
    "ld.param.u32 %r2, [b];}": 4,
    "mov /*x*/ .u32 %r2, 3;": 3,
    "mov\n.u32\n%r2\n,\n3\n;": 3,
    "mov.u32%r2,3;": 3,
    "ld /**/ .global /**/ .u32 %r2 , [ %q + 4 ] ;": 41,
    "@%p mov .u32 %r2, 3;": 3,
    "mov.u32 %r2, %ntid .x;": 1,
    "{.reg .v2 .u32 v; mov.u32 v .y, 6; mov.u32 %r2, v .y;}": 6,
    # ---- constant expressions
    "add.u32 %r2, %r1, 1?7:8;": 12,
    "add.u32 %r2, %r1, 0?7:1?8:9;": 13,
    "add.u32 %r2, %r1, (0?7:8)+1;": 14,
    "mov.u32 %r2, 1?2:3+10;": 2,
    "mov.u32 %r2, 1?1?2:3:4;": 2,
    "mov.u32 %r2, (1?-1:2U)<3;": 1,
    "mov.u32 %r2, 10 % 3;": 1,
    "mov.u32 %r2, -5/2;": 2**32 - 2,
    "mov.u32 %r2, WARP_SZ*2 - 1;": 63,
    "mov.u32 %r2, (WARP_SZ+1)*2;": 66,
    "mov.u32 %r2, 2*WARP_SZ;": 64,
    "{.reg .b32 x<WARP_SZ>; mov.b32 x31, 1; mov.b32 %r2, x31;}": 1,
    "{.shared .b8 t[WARP_SZ]; st.shared.u8 [t+WARP_SZ-1], 9; ld.shared.u8 %r2, [t+31];}": 9,
    "ld.global.u32 %r2, [%q+1?4:8];": 41,
    "mov.f32 %f1, 1.5+1.5; cvt.rzi.u32.f32 %r2, %f1;": 3,
    "mov.f32 %f1, 1.5+2.0*3.0; mov.b32 %r2, %f1;": 0x40F00000,
    "mov.f32 %f1, -(1.5+2.0)*3.0; mov.b32 %r2, %f1;": 0xC1280000,
    "mov.f32 %f1, 3.0/2.0-0.5; mov.b32 %r2, %f1;": 0x3F800000,
    "mov.f32 %f1, .5; mov.b32 %r2, %f1;": 0x3F000000,
    "mov.f32 %f1, 5e-1+5.e-1; mov.b32 %r2, %f1;": 0x3F800000,
    "mov.f32 %f1, - 1.5; mov.b32 %r2, %f1;": 0xBFC00000,
    "mov.f64 %d1, 0d3FF0000000000000+1.0; cvt.rzi.u32.f64 %r2, %d1;": 2,
    "mov.u32 %r2, 1.5<2.5;": 1,
    "mov.u32 %r2, 1.5<2.5?3:4;": 3,
    "mov.u32 %r2, (1.0<2.0)+1;": 2,
    "mov.u32 %r2, 1.0==2.0 || 1;": 1,
    # ---- operands
    "{.reg .b32 a<4>; mov.v4.u32 {a0,a1,a2,a3}, %ntid; mad.lo.u32 %r2, a0, 10, a1;}": 11,
    "{.reg .v2 .b32 v; mov.v2.b32 v, {%r1,3}; mov.b32 %r2, v.y;}": 3,
    "{.reg .b32 a,b; mov.b32 a, 1; mov.b32 b, 2; mov.v2.b32 {a,b}, {b,a}; "
    "mad.lo.u32 %r2, a, 10, b;}": 21,
    "{.reg .pred e; mov.pred e, %is_explicit_cluster; selp.u32 %r2, 1, 2, e;}": 2,
    # ---- variables of a scope
    "{.global .u32 g[2] = {3, 4}; ld.global.u32 %r2, [g+4];}": 4,
    "{.const .u32 g = 5; ld.const.u32 %r2, [g]; {.global .u32 g = 6; ld.global.u32 %r1, [g];} "
    "mad.lo.u32 %r2, %r2, 10, %r1;}": 56,
}

# Of a module: what stands before its kernel, and what the kernel's load of [g] gives.
MODULES = {
    ".global.u32 g = 1?2:3;": 2,
    ".visible.global.align 8 .u64 g = 5;": 5,
    ".global .f32 g = 1.5+1.5;": 0x40400000,
    ".global .f32 g[WARP_SZ] = {-(.5)};": 0xBF000000,
    ".global .u32 g = WARP_SZ*3;": 96,
    ".global .u32 g = 1.0<2.0;": 1,
    ".global .u32 g = 7; .func (.reg.u32 o)fx(.reg.u32 i){mov.u32 o,i;ret;}": 7,
    ".global .u32 g = 7; .entry e(.param.u64.ptr.global.align 4 a){ret;}": 7,
    ".global .u32 g = 7; .entry e().reqntid 32{ret;}": 7,
}


def text_of(body: str, before: str = "") -> str:
    return f""".version 8.3\n.target sm_90\n.address_size 64
{before}
.func (.param .u32 o) same(.param .u32 i) {{
    .reg .u32 %r; ld.param.u32 %r, [i]; st.param.u32 [o], %r; ret; }}
.visible .entry k(.param .u64 p) {{
    .reg .b32 %r<9>; .reg .b64 %q; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %p;
    ld.param.u64 %q, [p]; mov.u32 %r1, 5; mov.u32 %r2, 0; setp.eq.u32 %p, %r1, 5;
    {body}
    st.global.u32 [%q], %r2; ret; }}
"""


TEXTS = {
    **{one: (text_of(one), value) for one, value in BODIES.items()},
    **{one: (text_of("ld.global.u32 %r2, [g];", one), value) for one, value in MODULES.items()},
}


@pytest.mark.parametrize("form", TEXTS)
@own_interpreter("on_devices")
def test_a_form_is_read(form):
    """What ptxas takes has the value that ptxas 13.0 gives it."""
    text, value = TEXTS[form]
    array = PyGPU.to_gpu(np.arange(40, 48, dtype=np.uint32))
    PyGPU.Module(text.encode())["k"](array, grid=1, block=1)
    assert array.get()[0] == value


def test_the_forms_are_what_ptxas_takes(nvcc, tmp_path):
    """The table holds no form that NVIDIA's assembler refuses."""
    ptxas = pathlib.Path(nvcc).parent / "ptxas"
    names = []
    for number, (text, _) in enumerate(TEXTS.values()):
        names.append(f"{number}.ptx")
        (tmp_path / names[-1]).write_text(text)
    for name in names:
        run_compiler([ptxas, "-arch=sm_90", name, "-o", "none"], tmp_path)


REFUSED = {
    "mov.f32 %f1, 1.5+1;": "mix integers and floats",
    "mov.u32 %r2, 1.5?3:4;": "mix integers and floats",
    "mov.u32 %r2, !1.5;": "mix integers and floats",
    "mov.f32 %f1, 1.0/0.0;": "divides by zero",
    "mov.u32 %r2, 1?2;": "':' is expected",
    "ld.global.u32 %r2, [%q+1.5];": "mix integers and floats",
    "{.global .u32 g; .global .u32 g;}": "g is defined twice",
    "{.const .b8 a[65530]; .const .align 4 .b8 b[8];}": "more constants than the 65536 bytes",
    "call (%r2), helper, (%r1);": "helper is declared, .*must be linked with the file",
}


@pytest.mark.parametrize("form", REFUSED)
@own_interpreter("on_host")
def test_a_form_is_refused(form):
    """What ptxas refuses ends the load of its module, with the reason."""
    before = ".extern .func (.reg .u32 o) helper(.reg .u32 i);"
    with pytest.raises(PyGPU.GPUError, match=REFUSED[form]) as caught:
        PyGPU.Module(text_of(form, before).encode())
    assert int(caught.value.error) == 218
