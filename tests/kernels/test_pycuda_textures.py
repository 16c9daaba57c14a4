"""Kernels read and write PyCUDA's Array: by objects, and by older compilers' references."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler
from tests.own_interpreter import IN_CHILD, own_interpreter

if IN_CHILD:
    import PyGPU.driver as cuda

pytestmark = own_interpreter("on_devices")

MATRIX = np.arange(5 * 7, dtype=np.float32).reshape(5, 7)

TEXTURES = """
extern "C" __global__ void sample(float *out, cudaTextureObject_t texture, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void turn(cudaSurfaceObject_t surface, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) {
        float one;
        surf2Dread(&one, surface, x * 4, y);
        surf2Dwrite(-one, surface, x * 4, y);
    }
}
"""


def test_kernels_read_arrays_by_texture_and_write_them_by_surface_objects():
    module = PyGPU.Module(compiler.compile(TEXTURES, cache=False))
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.format = 7, 5, cuda.array_format.FLOAT
    descriptor.flags = cuda.array3d_flags.SURFACE_LDST
    array, checked = cuda.Array(descriptor), PyGPU.checked
    copy = cuda.Memcpy2D()
    copy.set_src_host(MATRIX)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = 28
    copy.height = 5
    copy()
    resource, how = PyGPU.cudaResourceDesc(), PyGPU.cudaTextureDesc()
    resource.resType = PyGPU.cudaResourceType.cudaResourceTypeArray
    resource.res.array.array = array.handle
    how.addressMode = [PyGPU.cudaTextureAddressMode.cudaAddressModeClamp] * 3
    texture = checked.cudaCreateTextureObject(resource, how, None)
    surface = checked.cudaCreateSurfaceObject(resource)
    out = PyGPU.zeros(MATRIX.shape, np.float32)
    for sign in (1, -1, 1):
        module["sample"](out, texture, 7, 5, grid=1, block=(8, 8))
        np.testing.assert_array_equal(out.get(), sign * MATRIX)
        module["turn"](surface, 7, 5, grid=1, block=(8, 8))
    checked.cudaDestroySurfaceObject(surface)
    checked.cudaDestroyTextureObject(texture)
    with pytest.raises(KeyError, match="cudaCreateTextureObject"):
        module.get_texref("texture")


REFERENCE = b"""
.version 8.0
.target sm_75
.address_size 64
.global .texref old;
.visible .entry sample(.param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .f32 %f<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, 0f40000000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [old, {%f1, %f2}];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f3;
    ret;
}
"""


def test_code_of_older_compilers_reads_texture_references():
    if PyGPU.backend == "hip":
        pytest.skip("the code is PTX")
    module = cuda.module_from_buffer(REFERENCE)
    texref = module.get_texref("old")
    assert module.get_texref("old") is texref
    cuda.matrix_to_texref(MATRIX, texref, "C")
    assert texref.get_array() is not None
    assert texref.get_filter_mode() == cuda.filter_mode.POINT
    assert texref.get_address_mode(0) == cuda.address_mode.CLAMP
    sample, out = module.get_function("sample"), PyGPU.zeros(7, np.float32)
    sample(out, block=(7, 1, 1), texrefs=[texref])
    np.testing.assert_array_equal(out.get(), MATRIX[2])
    texref.set_address_mode(0, cuda.address_mode.BORDER)
    PyGPU.cu.checked.cuTexRefSetBorderColor(texref.handle, [0.5, 1, 2, 3])
    out = PyGPU.zeros(9, np.float32)
    sample(out, block=(9, 1, 1), texrefs=[texref])
    np.testing.assert_array_equal(out.get(), [*MATRIX[2], 0.5, 0.5])
