"""The mistakes of newcomers: each is refused with a message that says what to do."""

from __future__ import annotations

import operator
import os
import sys
import warnings

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

checked = PyGPU.checked
SOURCE = 'extern "C" __global__ void scale(float *x, float by, int n) { x[threadIdx.x] *= by; }'
HOST = np.zeros(4, np.float32)


def array():
    return PyGPU.zeros(4, np.float32)


def freed():
    made = array()
    made.free()
    return made


def after_a_reset():
    made = array()
    checked.cudaDeviceReset()
    made.get()


def kernel():
    return PyGPU.SourceModule(SOURCE)["scale"]


def unpacking_a_lone_error():
    _value, _err = PyGPU.cudaSetDevice(0)


def the_wrong_order():
    _err, device = PyGPU.cudaGetDevice()
    PyGPU.cudaSetDevice(device)


def ported_from_cuda_python():
    _err, pointer = PyGPU.cudaMalloc(16)
    PyGPU.cudaFree(pointer)


def without_rich():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rich", None)
        array().get(progress=True)


def raw_name_of_cpp():
    code = PyGPU.compiler.compile("__global__ void plain(float *x) { *x = 1; }")
    library = checked.cudaLibraryLoadData(code, None, None, 0, None, None, 0)
    checked.cudaLibraryGetKernel(library, "plain")


def time_of_queued_work():
    begin, end, stream = PyGPU.cudaEvent_t(), PyGPU.cudaEvent_t(), PyGPU.cudaStream_t()
    import threading

    gate = threading.Event()
    PyGPU.check(PyGPU.cudaEventRecord(begin, stream))
    PyGPU.check(PyGPU.cudaLaunchHostFunc(stream, lambda _: gate.wait(60), None))
    PyGPU.check(PyGPU.cudaEventRecord(end, stream))
    try:
        checked.cudaEventElapsedTime(begin, end)
    finally:
        gate.set()
        PyGPU.check(PyGPU.cudaStreamSynchronize(stream))


def read_only():
    made = np.zeros(4, np.float32)
    made.flags.writeable = False
    return made


D2H = 2  # cudaMemcpyDeviceToHost

# The mistake, and what the message must say.
MISTAKES = {
    "index_too_high": (lambda: checked.cudaSetDevice(99), ["cudaSetDevice", "numbered from 0"]),
    "wrong_dtype": (lambda: array().set(np.zeros(4)), ["float64", "float32", "astype"]),
    "wrong_shape_set": (lambda: array().set(np.zeros(5, "f4")), ["set()", "5 elements", "4"]),
    "wrong_shape_assign": (
        lambda: operator.setitem(array(), slice(2), np.zeros(3, "f4")),
        ["(3,) into shape (2,)"],
    ),
    "host_pointer": (
        lambda: checked.cudaMemset(HOST.ctypes.data, 0, 16),
        ["cudaMemset", "host memory", "device memory is needed"],
    ),
    "freed": (lambda: freed().get(), ["freed by free()", "make a new array"]),
    "freed_in_a_call": (
        lambda: PyGPU.cudaMemset(freed(), 0, 16),
        ["cudaMemset(): parameter 'devPtr'", "freed by free()"],
    ),
    "one_type": (lambda: kernel().prepare(5), ["prepare()", "'arg_types'", "sequence, not int"]),
    "after_a_reset": (after_a_reset, ["was reset", "again"]),
    "second_runtime": (
        lambda: (PyGPU.cudaGetDevice(), PyGPU.use("hip")),
        ["in use already", "before the first", "PYGPU_BACKEND=hip"],
    ),
    "wrong_order": (the_wrong_order, ["(value, err), not (err, value)"]),
    "lone_error": (unpacking_a_lone_error, ["the error alone", "err = call()"]),
    "wrong_order_of_a_pointer": (
        ported_from_cuda_python,
        ["cudaFree", "'devPtr'", "(value, err), not (err, value)"],
    ),
    "wrong_order_of_a_count": (
        lambda: range(PyGPU.cudaGetDeviceCount()[1]),
        ["(value, err), not (err, value)"],
    ),
    "progress": (
        lambda: array().get(progress=5),
        ["get()", "'progress'", "callable (done, total, rate) or a bool", "not int"],
    ),
    "progress_without_rich": (
        without_rich,
        ["get()", "progress=True", "pip install rich"],
    ),
    "host_array_to_launch": (
        lambda: PyGPU.cudaLaunchKernel(kernel(), 1, 4, [HOST, np.float32(2), 4], 0, None),
        ["cudaLaunchKernel", "args[0]", "numpy.ndarray in host memory", "PyGPU.to_gpu(x)"],
    ),
    "tuple_as_value": (
        lambda: PyGPU.cudaMemset(PyGPU.cudaMalloc(4), 0, 4),
        ["devPtr", "value, err = call()"],
    ),
    "no_synchronise": (time_of_queued_work, ["still queued", "cudaEventSynchronize"]),
    "matrices": (
        lambda: array() @ array(),
        ["@", "isn't implemented", "numpy.from_dlpack(a)", "a.get()"],
    ),
    "host_array": (lambda: array() + np.ones(4), ["add()", "PyGPU.to_gpu(x) copies x"]),
    "numpy_function": (lambda: np.sort(array()), ["numpy.sort()", "a.get()"]),
    "numpy_ufunc": (lambda: np.spacing(array()), ["numpy.spacing()", "numpy.from_dlpack(a)"]),
    "numpy_array": (lambda: np.asarray(array()), ["a.get()"]),
    "float": (lambda: float(array()), ["(4,)", "a.item(i)", "a.get()"]),
    "truth": (lambda: bool(array()), ["ambiguous", "a.any()"]),
    "list_index": (lambda: array()[[0, 1]], ["slices", "not list", "numpy.from_dlpack(a)"]),
    "mask": (lambda: array()[HOST == 0], ["slices", "not numpy.ndarray", "a.get()"]),
    "others_method": (lambda: array().cpu(), ["no cpu", "a.get()"]),
    "untyped_argument": (
        lambda: PyGPU.cudaLaunchKernel(0x1000, 1, 1, [2.0], 0, None),
        ["cudaLaunchKernel", "args[0]", "bare float", "numpy.float32"],
    ),
    "too_few_arguments": (
        lambda: kernel()(array(), 2, grid=1, block=4),
        ["scale() takes 3 arguments, got 2"],
    ),
    "size_of_argument": (
        lambda: kernel()(array(), np.float64(2), 4, grid=1, block=4),
        ["argument[1]", "8 bytes", "takes a floating-point number of 4"],
    ),
    "host_array_to_kernel": (
        lambda: kernel()(HOST, 2, 4, grid=1, block=4),
        ["argument[0]", "host memory", "PyGPU.to_gpu(x)", "PyGPU.driver.In(x)"],
    ),
    "list_to_kernel": (
        lambda: kernel()([1.0], 2, 4, grid=1, block=4),
        ["argument[0]", "list in host memory", "PyGPU.to_gpu(x)"],
    ),
    "in_to_kernel": (
        lambda: kernel()(PyGPU.driver.In(HOST), 2, 4, grid=1, block=4),
        ["argument[0]", "a function of get_function() takes PyGPU.driver.In(x)"],
    ),
    "float_grid": (
        lambda: kernel()(array(), 2, 4, grid=8 / 4, block=4),
        ["grid", "integers, not float", "(n + size - 1) // size"],
    ),
    "no_block_of_pycuda": (
        lambda: PyGPU.SourceModule(SOURCE).get_function("scale")(array(), 2, 4),
        ["scale()", "must specify block size", "block=(x, y, z)"],
    ),
    "kernel_as_attribute": (
        lambda: PyGPU.SourceModule(SOURCE).scale,
        ["SourceModule has no attribute 'scale'", "module['scale'] is the kernel"],
    ),
    "file_as_source": (
        lambda: PyGPU.SourceModule("folder/kernel.cu"),
        ["not a file's name", "pathlib.Path('folder/kernel.cu').read_text()"],
    ),
    "capsule": (
        lambda: PyGPU.from_dlpack(HOST.__dlpack__()),
        ["from_dlpack()", "not PyCapsule", "pass the tensor"],
    ),
    "masked": (
        lambda: PyGPU.to_gpu(np.ma.masked_array(HOST, HOST == 0)),
        ["mask", "x.filled(value)", "x.data"],
    ),
    "bytes": (lambda: bytes(array()), ["bytes()", "a.get().tobytes()"]),
    "others_conversion": (
        lambda: array().double(),
        ["no double", "a.astype(dtype)"],
    ),
    "numpys_flatten": (lambda: array().flatten(), ["no flatten", "a.ravel()"]),
    "name_of_cupy": (
        lambda: PyGPU.RawKernel,
        ["PyGPU.SourceModule(source)", "module.get_function(name)"],
    ),
    "class_of_cuda_core": (lambda: PyGPU.LaunchConfig, ["keywords", "grid=", "block="]),
    "member_of_cupy": (lambda: PyGPU.Device(0).use, ["Device has no use", "set_current()"]),
    "code_type_of_cuda_core": (lambda: PyGPU.Program(SOURCE, "c++"), ["always C++", "leave it"]),
    "option_of_cuda_core": (lambda: PyGPU.Program(SOURCE, std="c++17"), ["'std'", "-std=c++17"]),
    "name_of_numpy": (lambda: PyGPU.linspace, ["PyGPU.to_gpu(x)"]),
    "name_in_gpuarray": (lambda: PyGPU.gpuarray.array, ["PyGPU.to_gpu(x)", "PyGPU.asarray(x)"]),
    "name_of_torch": (lambda: PyGPU.synchronize, ["PyGPU.cudaDeviceSynchronize()"]),
    "list_of_numbers_to_memory": (
        lambda: PyGPU.cudaMemcpy(0x1000, [1.0], 8, 1),
        ["'src'", "numpy.asarray(x) makes one"],
    ),
    "no_block": (lambda: kernel()(array(), 2, 4), ["block is missing", "scale[grid, block]"]),
    "launch_as_in_cupy": (
        lambda: kernel()((1,), (4,), (array(), 2, 4)),
        ["CuPy's form", "scale(*arguments, grid=grid, block=block)"],
    ),
    "much_shared_memory": (
        lambda: kernel()(array(), 2, 4, grid=1, block=4, shared=1 << 20),
        ["1048576 bytes", "MAX_DYNAMIC_SHARED_SIZE_BYTES", "49152"],
    ),
    "large_block": (
        lambda: kernel()(array(), 2, 4, grid=1, block=2048),
        ["2048", "takes 1024"],
    ),
    "compile_error": (
        lambda: PyGPU.SourceModule("__global__ void f() { oops; }"),
        ["source.cu(1)", '"oops" is undefined'],
    ),
    "missing_header": (
        lambda: PyGPU.SourceModule('#include "mine.h"\n' + SOURCE),
        ['cannot open source file "mine.h"', "include_dirs=[folder]", "headers={'mine.h': text}"],
    ),
    "header_of_the_host": (
        lambda: PyGPU.SourceModule("#include <vector>\n" + SOURCE),
        ["vector is for host code", "remove the #include"],
    ),
    "no_extern_c": (
        lambda: PyGPU.SourceModule("template <class T> __global__ void scale(T *x) {}"),
        ["no_extern_c=True", "'extern \"C\" __global__ void'"],
    ),
    "template_as_kernel": (
        lambda: PyGPU.SourceModule(
            "template <class T> __global__ void scale(T *x) {}", no_extern_c=True
        )["scale"],
        ["no kernel 'scale'", "name_expressions="],
    ),
    "option_of_nvcc": (
        lambda: PyGPU.SourceModule(SOURCE, options=["--dryrun-all"]),
        ["NVRTC compiles, not nvcc", "no option --dryrun-all", "leave it out"],
    ),
    "output_of_nvcc": (
        lambda: PyGPU.SourceModule(SOURCE, options=["-ptx"]),
        ["NVRTC compiles, not nvcc", "target='ptx'"],
    ),
    "two_words_in_an_option": (
        lambda: PyGPU.SourceModule(SOURCE, options=["-Xcompiler -fPIC"]),
        ["each word is an item of options=", "'-Xcompiler', '-fPIC'"],
    ),
    "path_of_nvcc": (
        lambda: PyGPU.SourceModule(SOURCE, nvcc="/usr/bin/nvcc"),
        ["nvcc='/usr/bin/nvcc'", "nvcc isn't run", "PYGPU_NVRTC_LIBRARY"],
    ),
    "no_such_kernel": (
        lambda: PyGPU.SourceModule(SOURCE)["scales"],
        ["no kernel 'scales'", "there are: scale"],
    ),
    "mangled": (raw_name_of_cpp, ["cudaLibraryGetKernel", 'extern "C"']),
    "typo": (lambda: PyGPU.cudaMemCpy, ["Did you mean 'cudaMemcpy'?"]),
    "name_of_hip": (lambda: PyGPU.hipMalloc, ["Did you mean 'PyGPU.hip.hipMalloc'?"]),
    "name_of_the_driver": (lambda: PyGPU.cuda.cuInit, ["Did you mean 'PyGPU.cu.cuInit'?"]),
    "name_of_pycuda": (lambda: PyGPU.mem_alloc, ["it is PyGPU.driver.mem_alloc"]),
    "true_for_a_device": (lambda: PyGPU.cudaSetDevice(True), ["'device'", "integer, not bool"]),
    "list_for_memory": (
        lambda: PyGPU.cudaMemcpy(0x1000, [1, 2], 8, 1),
        ["'src'", "contiguous buffer", "not list"],
    ),
    "strided": (
        lambda: PyGPU.cudaMemcpy(0x1000, np.zeros(8)[::2], 32, 1),
        ["'src'", "numpy.ascontiguousarray()"],
    ),
    "read_only": (
        lambda: PyGPU.cudaMemcpy(b"0123", 0x1000, 4, D2H),
        ["'dst'", "writable memory", "not bytes"],
    ),
    "read_only_get": (lambda: array().get(read_only()), ["read-only", "copy()"]),
    "large_int": (
        lambda: PyGPU.cudaSetDevice(2**40),
        ["'device' = 1099511627776 is out of range", "2147483647"],
    ),
    "byte_order": (
        lambda: PyGPU.DeviceArray_float32(np.zeros(4, ">f4")),
        ["big-endian", "astype('float32')"],
    ),
    "objects": (
        lambda: PyGPU.to_gpu(np.array([1, None], object)),
        ["Python objects", "devices can't read"],
    ),
}
KINDS = (
    TypeError,
    ValueError,
    OverflowError,
    LookupError,
    AttributeError,
    RuntimeError,
    ImportError,
)


def said(mistake) -> str:
    with pytest.raises(KINDS) as raised:
        mistake()
    return str(raised.value)


@own_interpreter("on_host", PYGPU_HOST_DEVICES="1")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_the_way_out(mistake):
    made, due = MISTAKES[mistake]
    text = said(made)
    assert not [part for part in due if part not in text], text


def test_a_bound_header_tells_of_a_variadic_function(tmp_path, capsys):
    from generator.cli import main as generator

    (header := tmp_path / "shapes.h").write_text("int area(int n);\nint print(char *text, ...);\n")
    assert generator(["bind", str(header), "--folder", str(tmp_path / "shapes")]) == 0
    (line,) = (one for one in capsys.readouterr().out.splitlines() if "Not bound" in one)
    for part in ("shapes.h:2: print", "variable number of arguments", "fixed parameters"):
        assert part in line
    assert '[function.print] exclude = "' in line and "shapes/rules.toml" in line


def test_bind_without_the_generator(monkeypatch, capsys):
    from PyGPU.doctor.cli import main

    monkeypatch.setitem(sys.modules, "pygpu_generator", None)
    assert main(["bind", "shapes.h"], "pygpu") == 2
    said = capsys.readouterr().err
    assert "pygpu bind: the package pygpu-generator is missing: pip install" in said
    assert said.count("\n") == 1


@own_interpreter("on_host")
def test_a_traceback_and_a_repr_name_the_error():
    """The repr of a status has only its code, which says nothing to a reader."""
    error = PyGPU.GPUError(PyGPU.cudaErrorInvalidValue, (), "cudaMalloc()")
    assert repr(PyGPU.cudaErrorInvalidValue) == "<cudaError: code=1>"
    for text in (str(error), repr(error)):
        assert "cudaMalloc(): cudaErrorInvalidValue: " in text and "(code 1)" in text
    memory = repr(PyGPU.GPUMemoryError(PyGPU.cudaErrorMemoryAllocation))
    assert memory.startswith("GPUMemoryError('cudaErrorMemoryAllocation")
    assert str(PyGPU.GPUError("no card is left", call="ours()")) == "ours(): no card is left"


@own_interpreter("on_real_cuda", PYGPU_BACKEND="cuda", CUDA_VISIBLE_DEVICES="-1")
def test_no_driver_or_no_device():
    """The real runtime sees no device here."""
    for mistake in (checked.cudaGetDeviceCount, array):
        assert "python -m PyGPU" in said(mistake)


@own_interpreter(PYGPU_BACKEND="cuda", PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so.13")
def test_a_wrong_path_of_the_library():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert "python -m PyGPU" in said(checked.cudaGetDeviceCount)
        assert "python -m PyGPU" in said(array)
    assert "unset PYGPU_CUDA_LIBRARY" in str(told[0].message)
    assert "/nowhere/libcudart.so.13" in str(told[0].message)


@own_interpreter("on_host", PYGPU_NVRTC_LIBRARY="/nowhere/libnvrtc.so")
def test_no_compiler():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "pip install nvidia-cuda-nvrtc" in said(kernel)


@own_interpreter("on_host")
def test_a_forked_child():
    array()
    child = os.fork()
    if not child:
        text = said(array)
        os._exit(0 if "after a fork" in text and "spawn" in text else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
