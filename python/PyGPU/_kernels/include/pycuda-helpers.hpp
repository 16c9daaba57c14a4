// PyCUDA's name for the header that reads float64 and complex elements from textures.
//
// They need texture references, which CUDA 12 and HIP lack: with them, only the names of the types are here.
// Read an array instead, or bind a texture object to float, int2, uint2 or int4 elements.
#pragma once
#include <pycuda-complex.hpp>

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12

namespace pygpu {
namespace detail {

// What an element of a texture stands for.
template <class T> __device__ T of_texture(const T &texel) { return texel; }
__device__ inline double of_texture(const fp_tex_double &texel) { return __hiloint2double(texel.y, texel.x); }
__device__ inline complex<float> of_texture(const fp_tex_cfloat &texel) {
    return complex<float>(__int_as_float(texel.x), __int_as_float(texel.y));
}
__device__ inline complex<double> of_texture(const fp_tex_cdouble &texel) {
    return complex<double>(__hiloint2double(texel.y, texel.x), __hiloint2double(texel.w, texel.z));
}

} // namespace detail
} // namespace pygpu

template <class T, cudaTextureReadMode mode>
__device__ auto fp_tex1Dfetch(texture<T, 1, mode> reference, int x) {
    return pygpu::detail::of_texture(tex1Dfetch(reference, x));
}
template <class T, cudaTextureReadMode mode>
__device__ auto fp_tex2D(texture<T, 2, mode> reference, float x, float y) {
    return pygpu::detail::of_texture(tex2D(reference, x, y));
}
template <class T, cudaTextureReadMode mode>
__device__ auto fp_tex2DLayered(texture<T, cudaTextureType2DLayered, mode> reference, float x, float y,
                                int layer) {
    return pygpu::detail::of_texture(tex2DLayered(reference, x, y, layer));
}
template <class T, cudaTextureReadMode mode>
__device__ auto fp_tex3D(texture<T, 3, mode> reference, float x, float y, float z) {
    return pygpu::detail::of_texture(tex3D(reference, x, y, z));
}

#endif
}
