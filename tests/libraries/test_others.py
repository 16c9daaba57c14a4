"""cuFFT, cuRAND, cuSPARSE, NCCL, NVML and nvJitLink on a card, each beside what should come out."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import PyGPU
from PyGPU import nvrtc

RNG = np.random.default_rng(2)


def test_transforms_there_and_back():
    cufft = PyGPU.cufft
    for shape, plan in (
        ((1024,), lambda: cufft.checked.cufftPlan1d(1024, cufft.CUFFT_C2C, 1)),
        ((24, 40), lambda: cufft.checked.cufftPlan2d(24, 40, cufft.CUFFT_C2C)),
        ((8, 12, 20), lambda: cufft.checked.cufftPlan3d(8, 12, 20, cufft.CUFFT_C2C)),
    ):
        values = (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype("c8")
        array, made = PyGPU.to_gpu(values), plan()
        cufft.checked.cufftExecC2C(made, array, array, cufft.CUFFT_FORWARD)
        due = np.fft.fftn(values)
        assert np.allclose(array.get(), due, atol=1e-3 * abs(due).max())
        cufft.checked.cufftExecC2C(made, array, array, cufft.CUFFT_INVERSE)
        assert np.allclose(array.get() / values.size, values, atol=1e-4)
        cufft.checked.cufftDestroy(made)


def test_a_transform_of_real_numbers():
    cufft = PyGPU.cufft
    values = RNG.standard_normal(1000).astype("f4")
    array, out = PyGPU.to_gpu(values), PyGPU.empty(501, "c8")
    plan = cufft.checked.cufftPlan1d(1000, cufft.CUFFT_R2C, 1)
    cufft.checked.cufftExecR2C(plan, array, out)
    assert np.allclose(out.get(), np.fft.rfft(values), atol=1e-2)
    cufft.checked.cufftDestroy(plan)


def test_random_numbers_are_those_of_the_host_generator():
    curand = PyGPU.curand
    kind = curand.CURAND_RNG_PSEUDO_PHILOX4_32_10
    on_device = curand.checked.curandCreateGenerator(kind)
    on_host = curand.checked.curandCreateGeneratorHost(kind)
    array, due = PyGPU.empty(1 << 16, "f4"), np.empty(1 << 16, "f4")
    for generator, numbers in ((on_device, array), (on_host, due)):
        curand.checked.curandSetPseudoRandomGeneratorSeed(generator, 42)
        curand.checked.curandGenerateUniform(generator, numbers, 1 << 16)
        curand.checked.curandDestroyGenerator(generator)
    assert np.array_equal(array.get(), due)


def test_a_sparse_matrix_times_vectors_and_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    cusparse = PyGPU.cusparse
    matrix = sparse.random(200, 300, 0.05, "csr", "f4", random_state=3)
    x, b = RNG.standard_normal(300).astype("f4"), RNG.standard_normal((300, 8)).astype("f4")
    i32, f32, zero = 2, 0, 0
    parts = [PyGPU.to_gpu(one) for one in (matrix.indptr, matrix.indices, matrix.data)]
    call = cusparse.checked
    handle = cusparse.cusparseHandle_t()
    a = call.cusparseCreateCsr(200, 300, matrix.nnz, *parts, i32, i32, zero, f32)
    one, none = np.float32(1), np.float32(0)

    vector, result = PyGPU.to_gpu(x), PyGPU.zeros(200, "f4")
    given, taken = (
        call.cusparseCreateDnVec(size, array, f32) for size, array in ((300, vector), (200, result))
    )
    arguments = handle, 0, one, a, given, none, taken, f32, 0
    room = PyGPU.empty(max(call.cusparseSpMV_bufferSize(*arguments), 1), "u1")
    call.cusparseSpMV(*arguments, room)
    assert np.allclose(result.get(), matrix @ x, atol=1e-4)

    dense, product = PyGPU.to_gpu(b), PyGPU.zeros((200, 8), "f4")
    rows = cusparse.CUSPARSE_ORDER_ROW
    given, taken = (
        call.cusparseCreateDnMat(size, 8, 8, array, f32, rows)
        for size, array in ((300, dense), (200, product))
    )
    arguments = handle, 0, 0, one, a, given, none, taken, f32, 0
    room = PyGPU.empty(max(call.cusparseSpMM_bufferSize(*arguments), 1), "u1")
    call.cusparseSpMM(*arguments, room)
    assert np.allclose(product.get(), matrix @ b, atol=1e-4)


def test_a_sum_over_all_cards():
    nccl = PyGPU.nccl
    count = PyGPU.checked.cudaGetDeviceCount()
    communicators = nccl.checked.ncclCommInitAll(count, list(range(count)))
    arrays, streams = [], []
    for device in range(count):
        with PyGPU.device(device):
            arrays.append(PyGPU.full(1000, device + 1, "f4"))
            streams.append(PyGPU.Stream())
    PyGPU.cudaDeviceSynchronize()
    nccl.checked.ncclGroupStart()
    for array, communicator, stream in zip(arrays, communicators, streams, strict=True):
        nccl.checked.ncclAllReduce(
            array, array, 1000, nccl.ncclFloat32, nccl.ncclSum, communicator, stream
        )
    nccl.checked.ncclGroupEnd()
    for array, stream in zip(arrays, streams, strict=True):
        stream.synchronize()
        assert (array.get() == count * (count + 1) / 2).all()
    for communicator in communicators:
        nccl.checked.ncclCommDestroy(communicator)


def test_what_nvml_tells_is_what_nvidia_smi_shows():
    nvml = PyGPU.nvml
    if not shutil.which("nvidia-smi"):
        pytest.skip("no nvidia-smi")
    asked = "name,uuid,memory.total,driver_version,pci.bus_id"
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={asked}", "--format=csv,noheader,nounits"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name, uuid, total, driver, bus = (one.strip() for one in shown.strip().split(","))
    call = nvml.checked
    call.nvmlInit()
    device = call.nvmlDeviceGetHandleByIndex(0)
    assert call.nvmlDeviceGetName(device) == name
    assert call.nvmlDeviceGetUUID(device) == uuid
    assert call.nvmlSystemGetDriverVersion() == driver
    memory = call.nvmlDeviceGetMemoryInfo(device)
    assert (
        abs((memory.total >> 20) - int(total)) <= 1024
    )  # some releases leave the reserved part out
    assert call.nvmlDeviceGetPciInfo(device).busId.upper().endswith(bus.upper()[-12:])
    used = call.nvmlDeviceGetUtilizationRates(device)
    assert 0 <= used.gpu <= 100
    before = call.nvmlDeviceGetMemoryInfo(device).used
    taken = PyGPU.checked.cudaMalloc(1 << 30)
    assert call.nvmlDeviceGetMemoryInfo(device).used - before > 900 << 20
    PyGPU.checked.cudaFree(taken)
    call.nvmlShutdown()


def test_two_parts_that_are_linked_run():
    nvjitlink = PyGPU.nvjitlink
    major = PyGPU.checked.cudaGetDeviceProperties(0).major
    sources = (
        "__device__ int factor(int number) { return number * 7; }",
        """
        __device__ int factor(int);
        extern "C" __global__ void kernel(int *out) { *out = factor(6); }
        """,
    )
    linker = nvjitlink.checked.nvJitLinkCreate(2, [f"-arch=sm_{major}0", "-lto"])
    for source in sources:
        program = nvrtc.checked.nvrtcCreateProgram(source, None, 0, None, None)
        options = ["-dlto", f"--gpu-architecture=compute_{major}0", "-rdc=true"]
        nvrtc.checked.nvrtcCompileProgram(program, len(options), options)
        code = nvrtc.checked.nvrtcGetLTOIR(program)
        kind = nvjitlink.NVJITLINK_INPUT_LTOIR
        nvjitlink.checked.nvJitLinkAddData(linker, kind, code, len(code), None)
        nvrtc.checked.nvrtcDestroyProgram(program)
    nvjitlink.checked.nvJitLinkComplete(linker)
    kernel = PyGPU.Module(nvjitlink.checked.nvJitLinkGetLinkedCubin(linker))["kernel"]
    out = PyGPU.zeros(1, "i4")
    kernel(out, grid=1, block=1)
    assert out.get()[0] == 42
