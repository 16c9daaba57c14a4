"""A linear system by conjugate gradients: cuSPARSE multiplies, cuBLAS does the rest.

    python examples/conjugate_gradient.py [SIDE]

The matrix is the five-point Laplacian on SIDE x SIDE points, 64 by default. Needs PyGPU[nvidia],
cuBLAS and cuSPARSE. With PYGPU_BACKEND=hip the same names are hipBLAS's and hipSPARSE's, and
PyGPU[amd] is needed, too.
"""

import sys

import numpy as np

import PyGPU

gpu = PyGPU.checked
SMALL = 1e-5  # of the residual, relative to b's

side = int(sys.argv[1]) if len(sys.argv) > 1 else 64
size = side * side

# A row has up to five elements, in the order of their columns.
point = np.arange(size)
columns = point[:, None] + np.array([-side, -1, 0, 1, side])
inside = np.stack(
    [point >= side, point % side > 0, point >= 0, point % side < side - 1, point < size - side], 1
)
offsets = np.append(0, np.cumsum(inside.sum(1))).astype(np.int32)
indices = columns[inside].astype(np.int32)
values = np.broadcast_to(np.array([-1, -1, 4, -1, -1], np.float32), columns.shape)[inside]
b = np.random.default_rng(0).standard_normal(size).astype(np.float32)

# A descriptor of cuSPARSE has the addresses of arrays, so these must stay.
on_device = [PyGPU.to_gpu(one) for one in (offsets, indices, values)]
x, q = PyGPU.zeros(size, np.float32), PyGPU.zeros(size, np.float32)
r, p = PyGPU.to_gpu(b), PyGPU.to_gpu(b)

INT, FLOAT = PyGPU.CUSPARSE_INDEX_32I, PyGPU.CUDA_R_32F
product, handle = gpu.cublasCreate(), gpu.cusparseCreate()
matrix = gpu.cusparseCreateCsr(
    size, size, len(values), *on_device, INT, INT, PyGPU.CUSPARSE_INDEX_BASE_ZERO, FLOAT
)
p_of_sparse, q_of_sparse = (gpu.cusparseCreateDnVec(size, one, FLOAT) for one in (p, q))
call = (
    *(handle, PyGPU.CUSPARSE_OPERATION_NON_TRANSPOSE, np.float32(1), matrix, p_of_sparse),
    *(np.float32(0), q_of_sparse, FLOAT, PyGPU.CUSPARSE_SPMV_ALG_DEFAULT),
)
room = PyGPU.empty(max(gpu.cusparseSpMV_bufferSize(*call), 1), np.uint8)


def dot(one: PyGPU.GPUArray, other: PyGPU.GPUArray) -> float:
    result = np.empty(1, np.float32)
    gpu.cublasSdot(product, size, one, 1, other, 1, result)
    return float(result[0])


first = rho = dot(r, r)
steps = 0
while rho > SMALL**2 * first and steps < 20 * side:
    gpu.cusparseSpMV(*call, room)  # q = A p
    alpha = rho / dot(p, q)
    gpu.cublasSaxpy(product, size, alpha, p, 1, x, 1)
    gpu.cublasSaxpy(product, size, -alpha, q, 1, r, 1)
    before, rho = rho, dot(r, r)
    gpu.cublasSscal(product, size, rho / before, p, 1)
    gpu.cublasSaxpy(product, size, 1.0, r, 1, p, 1)
    steps += 1

for one in (p_of_sparse, q_of_sparse):
    gpu.cusparseDestroyDnVec(one)
gpu.cusparseDestroySpMat(matrix)
gpu.cusparseDestroy(handle)
gpu.cublasDestroy(product)

# numpy multiplies, too: is it a solution?
rows = np.repeat(point, np.diff(offsets))
left = np.bincount(rows, values * x.get().astype(np.float64)[indices], size)
wrong = np.linalg.norm(left - b) / np.linalg.norm(b)
device = gpu.cudaGetDeviceProperties(0).name
if not wrong < 10 * SMALL:
    sys.exit(f"after {steps} steps the residual is {wrong:.1e}")
print(f"{size:,} unknowns on {device} in {steps} steps: a solution, by numpy")
