"""Modules, libraries and launches on the host runtime, with code compiled by NVRTC."""

from __future__ import annotations

import ctypes
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda, hip, host
from tests.driver.codes import code
from tests.driver.test_host_memory import begin, gpu, read
from tests.host.device_code import CUBIN, LZ4, PTX, ZSTD, compiled, fat_binary, wrapper_of
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

SOURCE = """
__device__ float table[3] = {0.5f, 2, 3};
__managed__ int counter = 9;
struct Triple { char c; double d; };
extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n)
{ if (threadIdx.x < n) y[threadIdx.x] += a * x[threadIdx.x] * table[0] * counter; }
extern "C" __global__ void packed(char c, Triple t, short s, double d) {}
"""
COUNT = 1000


def saxpy(grid, block, a, x, y, n):
    x, y = (np.ctypeslib.as_array((ctypes.c_float * n).from_address(one)) for one in (x, y))
    y += a * x


PARAMETERS = [ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


class Vectors:
    """Two vectors on the device, and the result of saxpy."""

    def __init__(self) -> None:
        x, y = (np.random.default_rng(1).random(COUNT, np.float32) for _ in range(2))
        self.x, self.y, self.sum = PyGPU.to_gpu(x), PyGPU.to_gpu(y), y + np.float32(2.5) * x
        values = (2.5, int(self.x.gpudata), int(self.y.gpudata), COUNT)
        self.arguments = (values, tuple(PARAMETERS))
        self.block = struct.pack("<fxxxxQQQ", *values)

    def equal(self) -> bool:
        return np.allclose(self.y.get(), self.sum)


def images() -> dict[str, object]:
    ptx, cubin = compiled(SOURCE), compiled(SOURCE, "sm_90")
    return {
        "ptx": ptx,
        "cubin": cubin,
        "fat binary of ptx": fat_binary((PTX, ptx)),
        "fat binary of a cubin": fat_binary((CUBIN, cubin)),
        "PTX by LZ4": fat_binary((PTX, ptx), flags=LZ4),
        "cubin by LZ4": fat_binary((CUBIN, cubin), flags=LZ4),
        "PTX by Zstandard": fat_binary((PTX, ptx), flags=ZSTD),
        "cubin by Zstandard": fat_binary((CUBIN, cubin), flags=ZSTD),
    }


def test_a_module_of_each_kind_is_launched():
    begin()
    for kind, image in images().items():
        vectors, stream = Vectors(), gpu.cuStreamCreate(1)
        module = gpu.cuModuleLoadData(image)
        function = gpu.cuModuleGetFunction(module, "saxpy")
        assert gpu.cuFuncGetName(function) == "saxpy"
        assert gpu.cuFuncGetModule(function) == module
        assert gpu.cuModuleGetFunctionCount(module) == 2
        assert function in gpu.cuModuleEnumerateFunctions(module)
        with host.kernel("saxpy", saxpy, PARAMETERS):
            gpu.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, vectors.arguments, None)
        gpu.cuStreamSynchronize(stream)
        assert vectors.equal(), kind
        gpu.cuModuleUnload(module)
        assert code(cu.cuFuncGetName(function)) == 400


def test_variables_begin_as_the_code_says():
    begin()
    for kind, image in images().items():
        module = gpu.cuModuleLoadData(image)
        table, size = gpu.cuModuleGetGlobal(module, "table")
        back = np.zeros(3, np.float32)
        assert size == back.nbytes
        gpu.cuMemcpyDtoH(back, table, size)
        assert back.tolist() == [0.5, 2, 3], kind
        assert code(cu.cuModuleGetGlobal(module, "saxpy")) == 500
        assert code(cu.cuMemFree(table)) == 1, "it is the module's"
        gpu.cuModuleUnload(module)
        assert code(cu.cuMemcpyDtoH(back, table, size)) == 1
    library = gpu.cuLibraryLoadData(images()["ptx"], [], [], 0, [], [], 0)
    counter, size = gpu.cuLibraryGetManaged(library, "counter")
    assert ctypes.c_int.from_address(counter).value == 9
    assert code(cu.cuLibraryGetManaged(library, "table")) == 500
    gpu.cuLibraryUnload(library)
    assert not host.leaks()


HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SPELLED = [
    (".f32 x[3] = {0.5, -1.25, 1e3}", "f4", [0.5, -1.25, 1000]),
    (".f64 x[2] = {-0.5, 1.5e3}", "f8", [-0.5, 1500]),
    (".f32 x[2] = {0f3F800000, -0F3F800000}", "f4", [1, -1]),
    (".f64 x[2] = {0d3FF0000000000000, -0D3FF0000000000000}", "f8", [1, -1]),
    (".s32 x[4] = {-5, 017, 0b101, -0x1F}", "i4", [-5, 15, 5, -31]),
    (".u64 x[2] = {0xFFFFFFFFFFFFFFFFU, 10U}", "u8", [2**64 - 1, 10]),
    (".v4 .f32 x = {1.0, 2.0, 3.0, 4.0}", "f4", [1, 2, 3, 4]),
    ("/* a; comment = */ .u8 x[2] /* { */ = {1, // 7,\n 2}", "u1", [1, 2]),
]


@pytest.mark.parametrize(("declared", "kind", "values"), SPELLED, ids=lambda one: str(one)[:20])
def test_a_variable_has_the_values_that_the_code_spells(declared, kind, values):
    """Numbers as in the PTX ISA, "Integer Constants" and "Floating-Point Constants"."""
    begin()
    module = gpu.cuModuleLoadData(f"{HEAD}.visible .global {declared};".encode())
    address, size = gpu.cuModuleGetGlobal(module, "x")
    assert np.frombuffer(read(address, size), kind).tolist() == values


@pytest.mark.parametrize(
    "declared",
    [
        "/* .f32 x", ".f32 x = 1.5.5", ".f32 x = 0f4000000G", ".u32 x = 09", ".u32 x = 0b2",
        ".u32 x = 1_0", ".align 3 .f32 x", ".align 0 .f32 x", ".align 8192 .f32 x", "x",
        ".u8 x[18446744073709551616]", ".u8 x[4611686018427387904]", ".u64 x[4611686018427387905]",
    ],
)  # fmt: skip
def test_a_variable_that_is_spelled_wrong_is_refused(declared):
    begin()
    assert code(cu.cuModuleLoadData(f"{HEAD}.global {declared};".encode())) == 218


def test_parameters_lie_as_the_code_says():
    begin()
    for kind in ("ptx", "cubin"):
        module = gpu.cuModuleLoadData(images()[kind])
        packed = gpu.cuModuleGetFunction(module, "packed")
        found = [gpu.cuFuncGetParamInfo(packed, index) for index in range(4)]
        assert found == [(0, 1), (8, 16), (24, 2), (32, 8)], kind
        assert code(cu.cuFuncGetParamInfo(packed, 4)) == 1


def test_arguments_in_one_block():
    begin()
    function = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(images()["ptx"]), "saxpy")
    vectors = Vectors()
    block = ctypes.create_string_buffer(vectors.block, len(vectors.block))
    launch = (function, 1, 1, 1, 1, 1, 1, 0, None, None)
    with host.kernel("saxpy", saxpy):  # the types come from the PTX
        assert cu.cuLaunchKernel(*launch, block) == 0
        block.raw = bytes(len(block))  # the arguments were copied before
        assert vectors.equal()
        assert cu.cuLaunchKernel(*launch, vectors.block[:-1]) == 1


def test_libraries_of_driver_and_runtime():
    begin()
    image = images()["ptx"]
    for api in (cu, cuda):
        prefix = "cu" if api is cu else "cuda"
        call = lambda name: getattr(api.checked, prefix + name)  # noqa: B023, E731
        library, vectors = call("LibraryLoadData")(image, [], [], 0, [], [], 0), Vectors()
        kernel = call("LibraryGetKernel")(library, "saxpy")
        assert call("LibraryGetKernelCount")(library) == 2
        with host.kernel("saxpy", saxpy):
            if api is cu:
                assert gpu.cuKernelGetName(kernel) == "saxpy"
                assert gpu.cuKernelGetLibrary(kernel) == library
                function = gpu.cuKernelGetFunction(kernel)
                assert gpu.cuFuncGetModule(function) == gpu.cuLibraryGetModule(library)
                assert int(function) != int(kernel)
                config = cu.CUlaunchConfig(
                    gridDimX=1, gridDimY=1, gridDimZ=1, blockDimX=1, blockDimY=1, blockDimZ=1
                )
                gpu.cuLaunchKernelEx(config, function, vectors.arguments, None)
            else:
                cuda.checked.cudaLaunchKernel(kernel, 4, 256, vectors.arguments, 0, None)
        assert vectors.equal()
        call("LibraryUnload")(library)
        assert code(getattr(api, f"{prefix}LibraryGetKernel")(library, "saxpy")) == 400


def test_nodes_of_the_runtime_take_kernels_and_no_functions():
    """Measured on an H100. A library's module can't be unloaded: the manual of cuModuleUnload."""
    begin()
    library = gpu.cuLibraryLoadData(images()["ptx"], [], [], 0, [], [], 0)
    module, vectors = gpu.cuLibraryGetModule(library), Vectors()
    kernel = gpu.cuLibraryGetKernel(library, "saxpy")
    graph = cuda.checked.cudaGraphCreate(0)
    for handle, expected in ((kernel, 0), (gpu.cuModuleGetFunction(module, "saxpy"), 400)):
        launch = {"gridDim": 1, "blockDim": 1, "kernelParams": vectors.arguments}
        parameters = cuda.cudaKernelNodeParams(func=int(handle), **launch)
        assert code(cuda.cudaGraphAddKernelNode(graph, None, 0, parameters)) == expected
        assert cuda.cudaLaunchKernel(int(handle), 1, 1, vectors.arguments, 0, None) == 0
    assert code(cu.cuModuleUnload(module)) == cu.CUDA_ERROR_NOT_PERMITTED


@own_interpreter("on_host", PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=PyGPU._backend.HOST_RUNTIME)
def test_modules_of_hip():
    calls = hip.checked
    module = calls.hipModuleLoadData(compiled(SOURCE))
    function, vectors = calls.hipModuleGetFunction(module, "saxpy"), Vectors()
    stream = calls.hipStreamCreate()
    launch = (function, 1, 1, 1, 256, 1, 1, 0, stream, vectors.arguments, None)
    with host.kernel("saxpy", saxpy):
        calls.hipModuleLaunchKernel(*launch)
        calls.hipStreamSynchronize(stream)
    assert vectors.equal()
    calls.hipModuleLaunchKernel(*launch)  # without the function, the kernel's PTX runs
    more = np.float32(2.5 * 0.5 * 9) * vectors.x.get()[:256]
    vectors.sum[:256] += more
    assert vectors.equal()
    calls.hipModuleUnload(module)
    assert code(hip.hipModuleGetFunction(module, "saxpy")) == 400


def test_amds_code_objects_name_their_kernels():
    begin()
    module = gpu.cuModuleLoadData(code_object("scale"))
    function = gpu.cuModuleGetFunction(module, "scale")
    launch = (function, 1, 1, 1, 1, 1, 1, 0, None, ((5,), (ctypes.c_int,)), None)
    calls = []
    with host.kernel("scale", lambda *given: calls.append(given)), host.reports() as told:
        assert cu.cuLaunchKernel(*launch) == 801
        assert "doesn't tell its parameters" in told[0]
    with host.kernel("scale", lambda *given: calls.append(given), [ctypes.c_int]):
        assert cu.cuLaunchKernel(*launch) == 0
    gpu.cuCtxSynchronize()
    assert calls == [((1, 1, 1), (1, 1, 1), 5)]


def code_object(kernel: str) -> bytes:
    """An ELF file for AMD's GPUs with the descriptor of one kernel."""
    sections, strings = b"\0.strtab\0.symtab\0", b"\0" + kernel.encode() + b".kd\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x11, 3, 0, 0, 64)
    at = 64 + 4 * 64
    header = b"\x7fELF\x02\x01\x01\x40" + bytes(8)
    header += struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 0, 64, 0, 64, 0, 0, 64, 4, 1)

    def section(name: int, kind: int, offset: int, size: int, link: int, entry: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, link, 0, 1, entry)

    table = section(0, 0, 0, 0, 0, 0) + section(1, 3, at, len(sections), 0, 0)
    table += section(9, 2, at + len(sections), len(symbols), 3, 24)
    table += section(1, 3, at + len(sections) + len(symbols), len(strings), 0, 0)
    return header + table + sections + symbols + strings


def test_what_is_no_code_is_refused(tmp_path):
    begin()
    ptx, cubin = compiled(SOURCE), compiled(SOURCE, "sm_90")
    for image, expected in (
        (b"rubbish", 200),
        (b"\x7fELF", 200),
        (cubin[:64], 200),
        (b".version 9.0\n.entry k(.param", 218),
        (b".version 9.0\n.visible .entry k(.param .u32 x .param", 218),
        (fat_binary((7, ptx)), 200),
        *(
            (fat_binary((PTX, ptx), flags=packing, size=size), 200)
            for packing in (LZ4, ZSTD)
            for size in (0, len(ptx) - 1, len(ptx) + 1, 1 << 62)
        ),
    ):
        # Zeros follow the image, since memory beyond it belongs to others.
        assert code(cu.cuModuleLoadData(image + bytes(64))) == expected, image[:40]
    log = ctypes.create_string_buffer(64)
    options = [cu.CU_JIT_ERROR_LOG_BUFFER, cu.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    broken = b".version 9.0\n.entry k(.param"
    assert code(cu.cuModuleLoadDataEx(broken, 2, options, [log, len(log)])) == 218
    assert log.value
    wrapper = wrapper_of(binary := fat_binary((PTX, ptx)))
    assert gpu.cuModuleLoadFatBinary(wrapper) and binary
    path = tmp_path / "saxpy.cubin"
    assert code(cu.cuModuleLoad(path)) == 301
    path.write_bytes(cubin)
    module = gpu.cuModuleLoad(path)
    assert code(cu.cuModuleGetFunction(module, "other")) == 500
    assert code(cu.cuModuleUnload(64)) == 400


def most_memory() -> int:
    """The most memory that this process has had, in bytes."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def test_a_size_that_is_only_claimed_takes_no_memory():
    """An image may say that it unpacks to as much as Zstandard could yield."""
    begin()
    ptx, claimed = b".version 9.0\n// " + os.urandom(1 << 14).hex().encode() + b"\n\0", 1 << 30
    before = most_memory()
    assert code(cu.cuModuleLoadData(fat_binary((PTX, ptx), flags=ZSTD, size=claimed))) == 200
    assert most_memory() - before < claimed // 4


@pytest.mark.parametrize("mode", ["speed", "balance", "size"])
def test_what_nvcc_compresses_is_read(mode, nvcc, tmp_path):
    """PTX by LZ4; PTX by Zstandard beside an uncompressed cubin; both by Zstandard."""
    if "--compress-mode" not in subprocess.check_output([nvcc, "--help"], text=True):
        pytest.skip("no nvcc of 12.8 or later here")
    begin()
    (tmp_path / "code.cu").write_text(SOURCE)
    codes = [f"-gencode=arch=compute_90,code={code}_90" for code in ("compute", "sm")]
    command = [nvcc, "-fatbin", *codes, f"--compress-mode={mode}", "code.cu"]
    subprocess.run(command, cwd=tmp_path, check=True)
    module = gpu.cuModuleLoad(tmp_path / "code.fatbin")
    assert gpu.cuFuncGetParamInfo(gpu.cuModuleGetFunction(module, "saxpy"), 3) == (24, 8)
    assert gpu.cuModuleGetGlobal(module, "table")[1] == 12


@own_interpreter("without_zstd")
def test_without_the_library_another_image_is_taken():
    begin()
    packed = bytearray(fat_binary((PTX, b"nothing reads it")))
    struct.pack_into("<Q", packed, 16 + 40, ZSTD)
    plain = fat_binary((CUBIN, compiled(SOURCE, "sm_90")))
    with host.reports() as told:
        assert code(cu.cuModuleLoadData(bytes(packed))) == 209
    assert "libzstd" in told[0]
    both = packed[16:] + plain[16:]
    header = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(both))
    assert gpu.cuModuleGetFunction(gpu.cuModuleLoadData(header + both), "saxpy")


def test_what_can_not_be_launched():
    begin()
    image = compiled(SOURCE, "sm_90")
    function = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(image), "saxpy")
    arguments = Vectors().arguments
    with host.reports() as told:
        launch = (function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
        assert [cu.cuLaunchKernel(*launch) for _ in range(2)] == [209, 209]
        assert len(told) == 1, "each kernel is told of once"
    with host.kernel("saxpy", print, PARAMETERS):
        for grid, block, shared in (((0, 1, 1), (1, 1, 1), 0), ((1, 1, 1), (2048, 1, 1), 0),
                                    ((1, 1, 1), (1, 1, 1), 1 << 20)):  # fmt: skip
            assert cu.cuLaunchKernel(function, *grid, *block, shared, None, arguments, None) == 1
        assert cu.cuLaunchKernel(64, 1, 1, 1, 1, 1, 1, 0, None, arguments, None) == 400


@pytest.mark.parametrize("form", ["ptx", "cubin", "PTX by LZ4", "cubin by Zstandard"])
def test_damaged_modules_are_refused_or_loaded(form):
    begin()
    image, random, codes = images()[form], np.random.default_rng(7), set()
    for turn in range(400):
        damaged = bytearray(image)
        for at in random.integers(
            0, min((64, 1000, len(image))[turn % 3], len(image)), turn % 5 + 1
        ):
            damaged[at] = random.integers(0, 256)
        module, err = cu.cuModuleLoadData(bytes(damaged))
        codes.add(int(err))
        if module:
            gpu.cuModuleUnload(module)
    assert codes <= {0, 2, 200, 218}
    assert len(codes) > 1
    assert not host.leaks()
