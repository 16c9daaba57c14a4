"""Kernels that work and that fail, as PTX: no compiler is needed."""

from __future__ import annotations

import PyGPU

SOURCE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry add_one(.param .u64 memory) {
    .reg .b32 %r<5>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [memory];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.u32 %r4, [%d1];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%d1], %r4;
    ret;
}
.visible .entry null_write(.param .u64 memory) {
    .reg .b64 %d<2>;
    mov.u64 %d1, 8;
    st.global.u64 [%d1], %d1;
    ret;
}
.visible .entry misaligned(.param .u64 memory) {
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [memory];
    add.u64 %d1, %d1, 1;
    st.global.u64 [%d1], %d1;
    ret;
}
.visible .entry trapped(.param .u64 memory) {
    trap;
}
.visible .entry beyond(.param .u64 memory) {
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [memory];
    add.u64 %d1, %d1, 1099511627776;
    ld.global.u64 %d1, [%d1];
    st.global.u64 [%d1], %d1;
    ret;
}
"""
FAULTY = ("null_write", "misaligned", "trapped", "beyond")


def module() -> PyGPU.Module:
    """The loaded code."""
    return PyGPU.Module(SOURCE.encode())
