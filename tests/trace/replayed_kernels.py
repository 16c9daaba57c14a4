"""Kernels of the programs that are replayed, as PTX: no compiler is needed."""

from __future__ import annotations

import PyGPU

# Every kernel computes one element a thread; %r1 is its index, %d9 eight times that.
HEAD = """
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 factor = 3;
"""
KERNEL = """
.visible .entry {name}({parameters}) {{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .f64 %e<9>;
    .reg .b64 %d<12>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d8, %r1, 4;
    mul.wide.u32 %d9, %r1, 8;
    {body}
    ret;
}}
"""
BODIES = {
    "add_one": (
        ".param .u64 a",
        """ld.param.u64 %d1, [a]; add.u64 %d1, %d1, %d8;
        ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;""",
    ),
    "saxpy": (
        ".param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n",
        """ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x]; ld.param.f32 %f1, [a];
        ld.param.u32 %r5, [n]; setp.ge.u32 %p1, %r1, %r5; @%p1 ret;
        add.u64 %d1, %d1, %d8; add.u64 %d2, %d2, %d8;
        ld.global.f32 %f2, [%d1]; ld.global.f32 %f3, [%d2];
        fma.rn.f32 %f2, %f1, %f3, %f2; st.global.f32 [%d1], %f2;""",
    ),
    "root_of_ratio": (
        ".param .u64 y, .param .u64 x",
        """ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x];
        add.u64 %d1, %d1, %d9; add.u64 %d2, %d2, %d9;
        ld.global.f64 %e1, [%d1]; ld.global.f64 %e2, [%d2];
        div.rn.f64 %e1, %e1, %e2; sqrt.rn.f64 %e1, %e1; st.global.f64 [%d1], %e1;""",
    ),
    "gather": (
        ".param .u64 out, .param .u64 table",
        """ld.param.u64 %d1, [out]; ld.param.u64 %d2, [table];
        add.u64 %d1, %d1, %d8; add.u64 %d2, %d2, %d9;
        ld.global.u64 %d3, [%d2]; ld.global.u32 %r4, [%d3]; st.global.u32 [%d1], %r4;""",
    ),
    "add_of_struct": (
        ".param .align 8 .b8 s[16]",
        """ld.param.u64 %d1, [s]; ld.param.u32 %r5, [s+8];
        add.u64 %d1, %d1, %d8;
        ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, %r5; st.global.u32 [%d1], %r4;""",
    ),
    "times_factor": (
        ".param .u64 a",
        """ld.param.u64 %d1, [a]; add.u64 %d1, %d1, %d8;
        ld.global.u32 %r5, [factor];
        ld.global.u32 %r4, [%d1]; mul.lo.u32 %r4, %r4, %r5; st.global.u32 [%d1], %r4;""",
    ),
}
SOURCE = HEAD + "".join(
    KERNEL.format(name=name, parameters=parameters, body=body)
    for name, (parameters, body) in BODIES.items()
)


def kernel(name: str) -> PyGPU.Kernel:
    """A kernel of code that is loaded now."""
    return PyGPU.Module(SOURCE.encode())[name]
