"""CUDA C++ in the form of CuPy's kernels computes what numpy does.

CuPy itself brings the static CUDA runtime, which needs NVIDIA's driver. So these sources are
written as its ElementwiseKernel, ReductionKernel and RawModule write theirs: arrays and indexers
are passed by value, with shape and strides, loops step by the grid's size, and a reduction has its
scratch space as bytes of shared memory.
"""

from __future__ import annotations

import math
import string

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices", PYGPU_HOST_MEMORY="1GiB")
RANDOM = np.random.default_rng(13)
HEAD = r"""
typedef long long ptrdiff;
template <int dimensions> struct Indexer {
    ptrdiff count, extent[dimensions], at[dimensions];
    __device__ ptrdiff size() const { return count; }
    __device__ const ptrdiff *get() const { return at; }
    __device__ void set(ptrdiff i) {
        for (int k = dimensions; --k > 0;) { at[k] = i % extent[k]; i /= extent[k]; }
        at[0] = i;
    }
};
template <typename T, int dimensions> class Array {
    T *data;
    ptrdiff count, extent[dimensions], step[dimensions];
public:
    typedef T type;
    __device__ ptrdiff size() const { return count; }
    __device__ T &operator[](const ptrdiff *index) const {
        char *p = reinterpret_cast<char *>(data);
        for (int k = 0; k < dimensions; ++k) p += step[k] * index[k];
        return *reinterpret_cast<T *>(p);
    }
    __device__ T &operator[](ptrdiff i) const {
        char *p = reinterpret_cast<char *>(data);
        for (int k = dimensions; --k > 0;) { p += step[k] * (i % extent[k]); i /= extent[k]; }
        return *reinterpret_cast<T *>(p + step[0] * i);
    }
};
#define FOR(i, n) \
    for (ptrdiff i = static_cast<ptrdiff>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
         i += static_cast<ptrdiff>(blockDim.x) * gridDim.x)
"""
ELEMENTWISE = (
    HEAD
    + r"""
typedef $x X; typedef $y Y; typedef $z Z;
$preamble
extern "C" __global__ void elementwise(Array<X, $n> raw_x, Array<Y, $n> raw_y,
                                       Array<Z, $n> raw_z, Indexer<$n> ind) {
    FOR(i, ind.size()) {
        ind.set(i);
        const X &x = raw_x[ind.get()];
        const Y y = static_cast<Y>(raw_y[ind.get()]);
        Z &z = raw_z[ind.get()];
        $operation;
    }
}
"""
)
REDUCTION = (
    HEAD
    + r"""
typedef $x X; typedef $z Z; typedef $between Between;
#define REDUCE(a, b) ($reduce)
#define POST_MAP(a) ($post)
extern "C" __global__ void reduction(Array<X, 2> raw_in, Array<Z, 1> raw_out, Indexer<2> in,
                                     Indexer<1> out, int block_stride) {
    __shared__ char bytes[512 * sizeof(Between)];
    Between *room = reinterpret_cast<Between *>(bytes);
    unsigned tid = threadIdx.x;
    ptrdiff stride = gridDim.x * (blockDim.x / block_stride);
    ptrdiff first = blockIdx.x * (blockDim.x / block_stride) + tid / block_stride;
    for (ptrdiff i_out = first; i_out < out.size(); i_out += stride) {
        Between s = Between($identity);
        ptrdiff each = in.size() / out.size();
        for (ptrdiff j = tid % block_stride; j < each; j += block_stride) {
            in.set(i_out * each + j);
            const X &in0 = raw_in[in.get()];
            Between a = static_cast<Between>($pre);
            s = REDUCE(s, a);
        }
        room[tid] = s;
        __syncthreads();
        for (unsigned block = block_stride / 2; block > 0; block /= 2) {
            if (tid % block_stride < block) room[tid] = REDUCE(room[tid], room[tid + block]);
            __syncthreads();
        }
        if (tid % block_stride == 0) {
            out.set(i_out);
            Z &z = raw_out[out.get()];
            z = POST_MAP(room[tid]);
        }
        __syncthreads();
    }
}
"""
)


@pytest.fixture(autouse=True)
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def indexer(shape):
    rank = len(shape)
    kind = np.dtype([("count", "i8"), ("extent", "i8", (rank,)), ("at", "i8", (rank,))])
    return np.array((math.prod(shape), shape, (0,) * rank), kind)[()]


def passed(memory, like):
    """A device array by value, with the shape and strides of `like`."""
    rank = like.ndim
    kind = np.dtype(
        [("data", "u8"), ("count", "i8"), ("extent", "i8", (rank,)), ("step", "i8", (rank,))]
    )
    return np.array((int(memory.gpudata), like.size, like.shape, like.strides), kind)[()]


def kernel_of(source, name, **parts):
    code = PyGPU.compiler.compile(
        string.Template(source).substitute(parts), [], "compute_80", cache=False
    )
    return PyGPU.Module(code)[name]


ELEMENTS = [
    ("float float float", "", "z = (x - y) * (x - y)", lambda x, y: (x - y) ** 2),
    ("double int double", "", "z = y > 5 ? sqrt(x) : x", lambda x, y: np.where(y > 5, x**0.5, x)),
    ("char short long", "", "z = x * y", lambda x, y: x.astype("i8") * y),
    ("int int bool", "", "z = (x & 3) == (y & 3)", lambda x, y: (x & 3) == (y & 3)),
    ("unsigned unsigned float",
     "__device__ float part(X a, Y b) { return b ? float(a % b) / b : 0; }", "z = part(x, y)",
     lambda x, y: np.where(y, x % np.maximum(y, 1) / np.maximum(y, 1), 0)),
]  # fmt: skip
NUMPYS = {
    "float": "f4", "double": "f8", "int": "i4", "char": "i1", "short": "i2", "long": "i8",
    "bool": "?", "unsigned": "u4",
}  # fmt: skip


@pytest.mark.parametrize("number", range(len(ELEMENTS)))
def test_elementwise_kernels(number):
    names, preamble, operation, expected = ELEMENTS[number]
    kinds = names.split()
    x_kind, y_kind, z_kind = (NUMPYS[one] for one in kinds)
    whole = (RANDOM.random((34, 50)) * 20).astype(x_kind)
    own, row = PyGPU.to_gpu(whole), (RANDOM.random(25) * 9).astype(y_kind)
    x, y = whole[::2, ::-2], np.broadcast_to(row, (17, 25))  # a reversed view, and a broadcast one
    z = np.zeros((17, 25), z_kind)
    result, other = PyGPU.to_gpu(z), PyGPU.to_gpu(row)
    kernel = kernel_of(
        ELEMENTWISE,
        "elementwise",
        n=2,
        preamble=preamble,
        operation=operation,
        x=kinds[0],
        y=kinds[1],
        z=kinds[2],
    )
    first = passed(own, x)
    first["data"] += x.ctypes.data - whole.ctypes.data
    kernel(first, passed(other, y), passed(result, z), indexer(z.shape), grid=2, block=128)
    np.testing.assert_allclose(result.get(), expected(x, y).astype(z_kind), rtol=1e-6)


REDUCTIONS = [
    ("float double double", "0", "in0 * in0", "a + b", "sqrt(a)",
     lambda x: (x.astype("f8") ** 2).sum(1) ** 0.5),
    ("int int int", "-2147483648", "in0", "max(a, b)", "a", lambda x: x.max(1)),
    ("int short int", "0", "in0 > 50", "a + b", "a", lambda x: (x > 50).sum(1)),
    ("short float float", "1", "1 + 1.f / (1 + abs(in0))", "a * b", "a",
     lambda x: (1 + 1 / (1 + abs(x.astype("f8")))).prod(1)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REDUCTIONS)))
@pytest.mark.parametrize("stride", [32, 256])
def test_reduction_kernels(number, stride):
    names, identity, pre, reduce, post, expected = REDUCTIONS[number]
    kinds = names.split()
    x = (RANDOM.random((23, 67)) * 99).astype(NUMPYS[kinds[0]])
    z = np.zeros(23, NUMPYS[kinds[2]])
    values, result = PyGPU.to_gpu(x), PyGPU.to_gpu(z)
    kernel = kernel_of(
        REDUCTION, "reduction", x=kinds[0], between=kinds[1], z=kinds[2], identity=identity,
        pre=pre, reduce=reduce, post=post,
    )  # fmt: skip
    arguments = passed(values, x), passed(result, z), indexer(x.shape), indexer(z.shape)
    kernel(*arguments, np.int32(stride), grid=3, block=256)
    np.testing.assert_allclose(result.get(), expected(x), rtol=1e-5)


RAW = r"""
#include <cuda_fp16.h>
template <typename T> struct Complex { T real, imag; };
template <typename T> __global__ void square(const Complex<T> *x, Complex<T> *out, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        out[i] = {x[i].real * x[i].real - x[i].imag * x[i].imag, 2 * x[i].real * x[i].imag};
}
__constant__ float weights[3];
extern "C" __global__ void stencil(const float *x, float *out, int n) {
    extern __shared__ float tile[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t + 1] = i < n ? x[i] : 0;
    if (t == 0) tile[0] = i ? x[i - 1] : 0;
    if (t == blockDim.x - 1) tile[t + 2] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = weights[0] * tile[t] + weights[1] * tile[t + 1] + weights[2] * tile[t + 2];
}
extern "C" __global__ void halves(const __half *x, __half *out) {
    out[threadIdx.x] = __hadd(x[threadIdx.x], __float2half(0.5f));
}
"""


def test_a_raw_module_with_templates_constants_and_halves():
    names = ["square<float>", "square<double>"]
    code = PyGPU.compiler.compile(RAW, [], "compute_80", name_expressions=names, cache=False)
    module = PyGPU.Module(code)
    for name, kind in (("square<float>", "c8"), ("square<double>", "c16")):
        x = (RANDOM.random(100) + 1j * RANDOM.random(100)).astype(kind)
        arguments, out = PyGPU.to_gpu(x), PyGPU.to_gpu(np.zeros_like(x))
        module[name](arguments, out, np.int32(100), grid=2, block=64)
        np.testing.assert_allclose(out.get(), x * x, rtol=1e-5)

    weights = np.array([0.25, 0.5, 0.125], np.float32)
    address, size = module.get_global("weights")
    PyGPU.checked.cudaMemcpy(address, weights, size, PyGPU.cudaMemcpyHostToDevice)
    x = RANDOM.random(1000, np.float32)
    arguments, out = PyGPU.to_gpu(x), PyGPU.to_gpu(np.zeros_like(x))
    module["stencil"](arguments, out, np.int32(1000), grid=8, block=128, shared=4 * 130)
    np.testing.assert_allclose(out.get(), np.convolve(x, weights[::-1], "same"), rtol=1e-5)

    x = RANDOM.random(64).astype(np.float16)
    arguments, out = PyGPU.to_gpu(x), PyGPU.to_gpu(np.zeros_like(x))
    module["halves"](arguments, out, grid=1, block=64)
    assert np.array_equal(out.get(), x + np.float16(0.5))
