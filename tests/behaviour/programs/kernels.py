"""The kernels that the checks launch, in PTX written by hand, and how they are loaded."""

from __future__ import annotations

from typing import Any

import PyGPU

gpu = PyGPU.checked

# sm_75 is the oldest that CUDA 13's drivers compile for. `scale` multiplies floats, `parameters`
# writes each of its parameters as a double, `sample` reads a texture, and `draw` writes a surface.
PTX = """
.version 6.4
.target sm_75
.address_size 64

.visible .global .align 8 .u64 answer = 42;

.visible .entry scale(.param .u64 memory, .param .f32 factor, .param .u32 count)
{
    .reg .pred %p1;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [memory];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd4], %f3;
done:
    ret;
}

.visible .entry parameters(
    .param .u8 small, .param .f64 wide, .param .s16 negative,
    .param .align 4 .b8 three[12], .param .u64 out)
{
    .reg .b16 %h<3>;
    .reg .b32 %r<4>;
    .reg .f64 %d<7>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u8 %h1, [small];
    cvt.rn.f64.u16 %d1, %h1;
    ld.param.f64 %d2, [wide];
    ld.param.s16 %h2, [negative];
    cvt.rn.f64.s16 %d3, %h2;
    ld.param.u32 %r1, [three];
    ld.param.u32 %r2, [three+4];
    ld.param.u32 %r3, [three+8];
    cvt.rn.f64.u32 %d4, %r1;
    cvt.rn.f64.u32 %d5, %r2;
    cvt.rn.f64.u32 %d6, %r3;
    st.global.f64 [%rd2], %d1;
    st.global.f64 [%rd2+8], %d2;
    st.global.f64 [%rd2+16], %d3;
    st.global.f64 [%rd2+24], %d4;
    st.global.f64 [%rd2+32], %d5;
    st.global.f64 [%rd2+40], %d6;
    ret;
}

.visible .entry sample(.param .u64 texture, .param .u64 out, .param .u32 width)
{
    .reg .b32 %r<5>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [texture];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mad.lo.s32 %r4, %r3, %r1, %r2;
    cvt.rn.f32.u32 %f1, %r2;
    cvt.rn.f32.u32 %f2, %r3;
    add.f32 %f1, %f1, 0f3F000000;
    add.f32 %f2, %f2, 0f3F000000;
    tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];
    cvta.to.global.u64 %rd3, %rd2;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd5, %rd3, %rd4;
    st.global.f32 [%rd5], %f4;
    ret;
}

.visible .entry draw(.param .u64 surface, .param .u32 width)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [surface];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mad.lo.s32 %r4, %r3, %r1, %r2;
    shl.b32 %r5, %r2, 2;
    sust.b.2d.b32.trap [%rd1, {%r5, %r3}], {%r4};
    ret;
}
"""

KERNELS = ("scale", "parameters", "sample", "draw")


def load() -> Any:
    """A library with all kernels, compiled by the driver for this device."""
    return gpu.cudaLibraryLoadData(PTX.encode(), None, None, 0, None, None, 0)


def kernel(name: str) -> Any:
    """A kernel from a library that stays loaded."""
    if not _loaded:
        _loaded.append(load())
    return gpu.cudaLibraryGetKernel(_loaded[0], name)


_loaded: list[Any] = []
