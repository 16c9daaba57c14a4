"""PyGPU.Module and PyGPU.Kernel: load, find, launch, refuse, unload."""

from __future__ import annotations

import ctypes
import gc
import pathlib
import pickle
import re
import struct

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler, host
from PyGPU._kernels import driver
from tests.kernels.device_code import SOURCE, Pair, interface, kernels
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("on_devices")


if IN_CHILD:
    registered = kernels()  # removed at the end, with this object
    registered.__enter__()


def compiled() -> compiler.Compiled:
    return compiler.compile(SOURCE, cache=False)


def loaded() -> PyGPU.Module:
    return PyGPU.Module(compiled())


def floats(count=1000):
    x = np.arange(count, dtype=np.float32)
    return x, PyGPU.to_gpu(x), PyGPU.to_gpu(np.ones(count, np.float32))


def test_every_form_of_a_launch():
    module = loaded()
    saxpy, (x, on_device, y) = module["saxpy"], floats()
    saxpy(2, on_device, y, 1000, grid=(4, 1), block=(256, 1, 1))  # PyCUDA's form
    saxpy[4, 256](np.float32(2), on_device, y, np.int32(1000))  # Numba's form
    stream = PyGPU.Stream()
    saxpy[(4, 1, 1), (256, 1, 1), stream, 0](ctypes.c_float(2), on_device, y, ctypes.c_int(1000))
    saxpy(2.0, on_device.gpudata, y.ptr, 1000, grid=4, block=[256], stream=stream, shared=16)
    with stream:
        saxpy(2, on_device, y, 1000, grid=4, block=256)
    saxpy.prepare("fPPi").prepared_call((4, 1), (256, 1, 1), 2, on_device, y, 1000)
    saxpy.prepared_async_call((4, 1), (256, 1, 1), stream, 2, on_device, y, 1000)
    assert saxpy.prepared_timed_call((4, 1), (256, 1, 1), 2, on_device, y, 1000)() >= 0
    np.testing.assert_array_equal(y.get(), 1 + 16 * x)


def test_a_launch_comes_after_uploads_and_before_reads_of_any_stream():
    """Arrays order the launch by themselves, whatever streams are named."""
    module = loaded()
    fill = module["fill"]
    streams = [PyGPU.Stream() for _ in range(3)]
    for turn in range(20):
        array = PyGPU.to_gpu(np.zeros(5000))
        fill(array, turn, 5000, grid=1, block=1, stream=streams[turn % 3])
        assert (array.get() == turn).all()
        array.set(np.full(5000, -1.0))
        fill(array, turn, 2500, grid=1, block=1, stream=streams[(turn + 1) % 3])
        values = array.get()
        assert (values[:2500] == turn).all() and (values[2500:] == -1).all()


@own_interpreter("on_devices", PYGPU_HOST_DEVICES="2")
def test_a_launch_on_the_default_stream_comes_after_the_other_streams_of_its_arrays():
    """It overwrote what a queued copy was to read, and a queued upload overwrote what it wrote."""
    fill, ones = loaded()["fill"], PyGPU.pagelocked_zeros(1000) + 1
    named, apart = PyGPU.Stream(non_blocking=True), PyGPU.Stream(non_blocking=True)
    array, other = PyGPU.zeros(1000), PyGPU.zeros(1000, stream=apart)

    def fill_other():  # takes as long as a launch that doesn't wait
        fill(other, 0, 1000, grid=1, block=1, stream=apart)
        apart.synchronize()

    fill_other()  # loads the code, for which CUDA may wait
    for device in range(PyGPU.checked.cudaGetDeviceCount())[:2]:
        with PyGPU.device(device):
            copy, reader = PyGPU.zeros(1000), PyGPU.Stream(non_blocking=True)
        for turn in range(10):
            array.fill(turn)
            PyGPU.wait(array)
            with host.pause(reader):
                PyGPU.copy(copy, array, stream=reader)
                fill(array, -1, 1000, grid=1, block=1)
                fill_other()
            assert (copy.get() == turn).all() and (array.get() == -1).all()
            with host.pause(named):
                array.set_async(ones, named)
                fill(array, -2, 500, grid=1, block=1)
                fill_other()
            values = array.get()
            assert (values[:500] == -2).all() and (values[500:] == 1).all()


def test_memory_is_freed_after_the_launches_that_use_it():
    module = loaded()
    fill, stream = module["fill"], PyGPU.Stream()
    for turn in range(50):
        array = PyGPU.empty(4096, np.float64)
        fill(array, turn, 4096, grid=1, block=1, stream=stream)
        del array
        other = PyGPU.to_gpu(np.full(4096, 7.0))
        assert (other.get() == 7).all()
    stream.synchronize()


def test_ints_and_floats_become_what_the_parameter_is():
    module = loaded()
    out = PyGPU.zeros(5, np.float64)
    pair = Pair(1.5, 2.5)
    module["pack"](out, pair, True, -3, 200, grid=1, block=1)
    assert out.get().tolist() == [1.5, 2.5, 1.0, -3.0, 200.0]
    module["fill"](out, 3, 5, grid=1, block=1)  # an int where the parameter is a double
    assert (out.get() == 3).all()
    numbers = PyGPU.zeros(100, np.int32)
    for value in (-1, 2**31 - 1, -(2**31)):
        module["write"](numbers, value, grid=1, block=1)
        assert (numbers.get() == value).all()


REFUSED = [
    ((2, "x", "y"), {}, TypeError, "saxpy() takes 4 arguments, got 3"),
    ((2, "x", "y", 1, 1), {}, TypeError, "saxpy() takes 4 arguments, got 5"),
    ((2, "x", "y", 1.5), {}, TypeError, "saxpy(): argument[3] is a bare float"),
    ((2, 1.0, "y", 1), {}, TypeError, "argument[1] is a bare float, but the kernel takes a p"),
    ((True, "x", "y", 1), {}, TypeError, "saxpy(): argument[0] is a bare bool"),
    ((2, "x", "y", True), {}, TypeError, "saxpy(): argument[3] is a bare bool"),
    ((np.float64(2), "x", "y", 1), {}, TypeError, "argument[0] is a numpy.float64 of 8 bytes"),
    ((2, "x", "y", np.float32(1)), {}, TypeError, "is a numpy.float32 of 4 bytes, but the kernel"),
    ((2, "x", "y", ctypes.c_float(1)), {}, TypeError, "takes an integer of 4"),
    ((np.int32(2), "x", "y", 1), {}, TypeError, "takes a floating-point number of 4"),
    ((2, np.float64(1), "y", 1), {}, TypeError, "takes a pointer of 8"),
    ((2, np.complex64(1), "y", 1), {}, TypeError, "argument[1] is a numpy.complex64 of 8 bytes"),
    ((None, "x", "y", 1), {}, TypeError, "argument[0] is a NoneType of 8 bytes"),
    (("x", "x", "y", 1), {}, TypeError, "saxpy(): argument[0] is a "),
    ((2, "x", "y", 2**32), {}, OverflowError, "argument[3] = 4294967296 is out of range"),
    ((2, -1, "y", 1), {}, OverflowError, "argument[1] = -1 is out of range"),
    ((1e300, "x", "y", 1), {}, OverflowError, "argument[0] = 1e+300 is out of range"),
    ((2, np.ones(4), "y", 1), {}, TypeError, "kernels take arrays on a device: PyGPU.to_"),
    ((2, "text", "y", 1), {}, TypeError, "saxpy(): argument[1]"),
    ((2, "freed", "y", 1), {}, ValueError, "saxpy(): the memory was freed by free()"),
    ((2, "x", "y", 1), {"block": None}, TypeError, "saxpy(): block must be made of integers"),
    ((2, "x", "y", 1), {"block": ()}, ValueError, "saxpy(): block has 1 to 3 dimensions"),
    ((2, "x", "y", 1), {"grid": 0}, ValueError, "saxpy(): grid = 0 is empty"),
    ((2, "x", "y", 1), {"cooperative": 1}, TypeError, "saxpy(): 'cooperative' must be a bool"),
    (
        (2, "x", "y", 1),
        {"grid": -1},
        ValueError,
        "saxpy(): grid takes integers from 0 to 4294967295",
    ),
    ((2, "x", "y", 1), {"grid": 2**70}, ValueError, "4294967295, not 1180591620717411303424"),
    ((2, "x", "y", 1), {"block": 1.0}, TypeError, "block must be made of integers, not float"),
    ((2, "x", "y", 1), {"grid": 8 / 4}, TypeError, "(n + size - 1) // size divides and rounds up"),
    ((2, "x", "y", 1), {"block": np.ones(2)}, TypeError, "made of integers, not numpy.float64"),
    ((2, "x", "y", 1), {"block": np.ones((1, 1), int)}, TypeError, "integers, not numpy.ndarray"),
    ((2, "x", "y", 1), {"block": np.ones(4, int)}, ValueError, "1 to 3 dimensions, not 4"),
    ((2, "x", "y", 1), {"block": np.zeros(1, int)}, ValueError, "block = array([0]) is empty"),
    ((2, "x", "y", 1), {"grid": PyGPU.dim3(2, 0)}, ValueError, "grid = dim3(x=2, y=0, z=1) is"),
    ((2, "x", "y", 1), {"block": "1"}, TypeError, "must be made of integers, not str"),
    ((2, [1.0], "y", 1), {}, TypeError, "argument[1] is a list in host memory, and kernels take"),
    ((2, "x", "y", 1), {"block": (32, 64)}, ValueError, "has too many threads: the kernel"),
    ((2, "x", "y", 1), {"blok": 1}, TypeError, "saxpy() has no keyword 'blok'"),
    ((2, "x", "y", 1), {"stream": "s"}, TypeError, "saxpy(): parameter 'stream' must be a str"),
    ((2, "x", "y", 1), {"shared": "s"}, TypeError, "saxpy(): shared must be made of integers"),
]


def test_grid_and_block_are_any_integers():
    """numpy's numbers and arrays, and dim3, as they come out of a computation."""
    kernel, (x, on_device, y) = loaded()["saxpy"], floats()
    shapes = (
        np.int64(4), np.uint8(4), np.array(4), np.array([4]), np.array([4, 1], "u1"), [np.int32(4)],
        (np.int64(4), 1), PyGPU.dim3(4), PyGPU.dim3(np.array([4, 1])), range(4, 5),
    )  # fmt: skip
    for shape in shapes:
        kernel(1, on_device, y, 1000, grid=shape, block=np.array([256, 1, 1]))
        kernel[shape, np.int32(256)](1, on_device, y, 1000)
    np.testing.assert_array_equal(y.get(), 1 + 2 * len(shapes) * x)


def test_what_a_launch_refuses():
    """It is refused before anything is launched. The context and the kernel stay usable."""
    kernel, (x, on_device, y) = loaded()["saxpy"], floats()
    freed = PyGPU.to_gpu(x)
    freed.gpudata.free()
    objects = {"x": on_device, "y": y, "freed": freed}
    for arguments, keywords, kind, said in REFUSED:
        given = [objects.get(one, one) if isinstance(one, str) else one for one in arguments]
        with pytest.raises(kind, match=re.escape(said)):
            kernel(*given, **{"grid": 1, "block": 1, **keywords})
    assert (y.get() == 1).all()
    kernel(1, on_device, y, 1000, grid=1000, block=1)
    np.testing.assert_array_equal(y.get(), 1 + x)


def test_a_value_s_type_is_held_against_the_parameter_s():
    """By size alone an address or an int could be read as a double."""
    module, array = loaded(), PyGPU.zeros(5, np.float64)
    fill = module["fill"]
    foreign = Foreign(array)
    for value in (None, array, foreign, array.gpudata, np.int64(1), ctypes.c_void_p(1)):
        with pytest.raises(TypeError, match=r"\[1\] is a .* takes a floating-point number of 8"):
            fill(array, value, 5, grid=1, block=1)
    for count in (None, array, foreign, np.float64(5), ctypes.c_double(5)):
        with pytest.raises(TypeError, match=r"argument\[2\] is a .* takes an integer of 8"):
            fill(array, 1.0, count, grid=1, block=1)
    fill(array, struct.pack("d", 4), 5, grid=1, block=1)  # bytes have no type to check
    assert (array.get() == 4).all()
    for pointer in (array, foreign, np.uintp(array.ptr), ctypes.c_void_p(array.ptr), array.ptr):
        fill(pointer, ctypes.c_double(3), np.int64(5), grid=1, block=1)
    assert (array.get() == 3).all()


def test_a_bare_number_is_refused_where_only_the_size_is_known():
    """The driver reports only sizes for a kernel without a mangled name."""
    module = loaded()
    sizes = [(4, ""), (8, ""), (8, ""), (4, "")]
    saxpy, (x, on_device, y) = module["saxpy"], floats()
    bare = PyGPU.Kernel(saxpy.code, "saxpy", saxpy.handle, driver.driver().launchers, 1024, sizes)
    for number in (2, 2.0):
        with pytest.raises(TypeError, match=r"argument\[0\] is .*numpy.int32.*numpy.float32"):
            bare(number, on_device, y, np.int32(1000), grid=4, block=256)
        with pytest.raises(TypeError, match=r"argument\[1\] is .*numpy.uintp"):
            bare(np.float32(2), number, y, np.int32(1000), grid=4, block=256)
    bare(np.float32(2), on_device, np.uintp(y.ptr), np.int32(1000), grid=4, block=256)
    np.testing.assert_array_equal(y.get(), 1 + 2 * x)
    bare.prepare("fPPi")(2, on_device, y, 1000, grid=4, block=256)
    np.testing.assert_array_equal(y.get(), 1 + 4 * x)


class Foreign:
    """An array of another package: PyGPU's interface, with some entries replaced."""

    def __init__(self, array, **instead):
        self.array, self.instead = array, instead

    @property
    def __cuda_array_interface__(self):
        return interface(self.array) | self.instead


def test_a_launch_comes_after_the_stream_that_a_foreign_array_names():
    module = loaded()
    fill, theirs, ours = module["fill"], PyGPU.Stream(True), PyGPU.Stream(True)
    for turn in range(20):
        array = PyGPU.zeros(5000, np.float64)
        stream = int(theirs) if turn % 2 else 1
        mine = theirs if turn % 2 else PyGPU.cudaStream_t(1)
        address = np.uintp(array.ptr)
        PyGPU.checked.cudaDeviceSynchronize()  # a bare address isn't ordered by anything
        fill(address, -1, 5000, grid=1, block=1, stream=mine)
        fill(Foreign(array, stream=stream), turn, 2500, grid=1, block=1, stream=ours)
        ours.synchronize()
        values = array.get()
        assert (values[:2500] == turn).all() and (values[2500:] == -1).all()


def test_what_a_foreign_array_may_be():
    """A strided or read-only array is passed as its address.

    A mask is refused, as it would be ignored.
    """
    module, array = loaded(), PyGPU.zeros(10, np.float64)
    fill = module["fill"]
    data = (array.ptr, True)
    fill(Foreign(array, data=data, strides=(16,), shape=(5,)), 3, 5, grid=1, block=1)
    assert array.get().tolist() == [3.0] * 5 + [0.0] * 5
    with pytest.raises(ValueError, match=r"\[0\] has a __cuda_array_interface__ that has a mask"):
        fill(Foreign(array, mask=Foreign(array)), 3, 5, grid=1, block=1)
    for stream, kind in (("s", TypeError), (-1, OverflowError), (77, ValueError)):
        with pytest.raises(kind, match="parameter 'stream'"):
            fill(Foreign(array, stream=stream), 3, 5, grid=1, block=1)


def test_block_is_never_guessed():
    module = loaded()
    with pytest.raises(TypeError, match=r"nothing\(\): block is missing"):
        module["nothing"]()
    with pytest.raises(TypeError, match=re.escape("nothing[...] takes [grid, block]")):
        module["nothing"][1]
    with pytest.raises(TypeError, match="takes no keywords"):
        module["nothing"][1, 1](stream=None)


def test_kernels_are_found_by_the_names_that_people_write():
    code = compiled()
    module = PyGPU.Module(code)
    assert set(module) == set(code.parameters) and len(module) == len(code.parameters)
    assert "saxpy" in module and "_Z5saxpyfPKfPfi" in module and "missing" not in module
    assert module["saxpy"] is module["saxpy"]
    with pytest.raises(KeyError, match=r"no kernel 'sxapy'.*there are: .*saxpy"):
        module["sxapy"]
    for none in ("a\0b", "saxpy\0", "\udc80", "", 5, None):
        assert none not in module
    with pytest.raises(TypeError, match="the name must be a str, not int"):
        module[5]
    plain = PyGPU.Module(bytes(code))  # bare code tells nothing else
    assert "saxpy" in plain and plain["saxpy"].max_threads_per_block == 1024


def test_globals_are_device_arrays():
    module = loaded()
    address, size = module.get_global("table")
    table = module.array("table", np.int32)
    assert (table.ptr, table.nbytes, size) == (address, 32, 32)
    table.set(np.arange(8, dtype=np.int32))
    assert module.array("table", np.int64, (2, 2)).get().tolist() == [
        [1 << 32, 3 << 32 | 2],
        [5 << 32 | 4, 7 << 32 | 6],
    ]
    with pytest.raises(ValueError, match="'table' has 32 bytes, the shape needs 36"):
        module.array("table", np.int32, 9)
    for missing in ("chair", "ta\0ble", "\udc80"):
        with pytest.raises(KeyError, match="no global variable"):
            module.get_global(missing)
    for empty in ("S0", "V0", []):
        with pytest.raises(ValueError, match=r"parameter 'dtype': .* has no size"):
            module.array("table", empty)


def test_an_unloaded_module_is_refused_and_kept_ones_live():
    code = compiled()
    with kernels():
        module = PyGPU.Module(code)
        kernel, other = module["nothing"], PyGPU.Module(code)["nothing"]
        gc.collect()
        other(grid=1, block=1)  # the kernel keeps its module loaded
        kernel(grid=1, block=1)
        module.unload()
        module.unload()
        with pytest.raises(ValueError, match=r"nothing\(\): the module was unloaded"):
            kernel(grid=1, block=1)
        with pytest.raises(ValueError, match="the module was unloaded"):
            module["saxpy"]
        with PyGPU.Module(code) as third:
            third["nothing"](grid=1, block=1)
        assert "unloaded" in repr(third)
        other(grid=1, block=1)


def test_what_is_no_code():
    for source, kind, said in (
        (b"", ValueError, "the code is empty"),
        (b"\x7fELF" + bytes(300), ValueError, "has no device code in it"),
        (5, TypeError, "must be a path, or code as bytes"),
        ("/nowhere/code.cubin", FileNotFoundError, "/nowhere/code.cubin"),
    ):
        with pytest.raises(kind, match=re.escape(said)):
            PyGPU.Module(source)


def test_code_from_a_file(tmp_path):
    code = compiled()
    path = pathlib.Path(tmp_path) / "code.bin"
    path.write_bytes(code)
    for one in (str(path), path, bytearray(code), memoryview(code)):
        assert "nothing" in PyGPU.Module(one)


def test_what_prepare_refuses():
    fill = loaded()["fill"]
    for unknown in ("z", None, ctypes.CFUNCTYPE(None), ctypes.c_char_p):
        with pytest.raises(TypeError, match="is not a type: give letters of the struct module"):
            fill.prepare(["P", "d", unknown])
    for other in ("Pd", "Pdi", "Pdqq"):
        with pytest.raises(ValueError, match=r"of fill\(\) have other sizes: 8, 8, 8 bytes"):
            fill.prepare(other)


def test_no_parameters_are_known_parameters():
    """The driver isn't asked for them: some drivers can't tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("PyGPU._kernels.module._described", lambda name, function: None)
        nothing = loaded()["nothing"]
    with pytest.raises(TypeError, match=r"nothing\(\) takes 0 arguments, got 1"):
        nothing(np.int32(1), grid=1, block=1)


def test_kernels_and_modules_stay_in_their_process():
    module = loaded()
    for one in (module["saxpy"], module["saxpy"][1, 1]):
        with pytest.raises(TypeError):
            pickle.dumps(one)


def test_source_modules_take_pycudas_arguments():
    with kernels():
        module = PyGPU.SourceModule(
            "__global__ void write(int *out, int value) { out[threadIdx.x] = value * SCALE; }",
            options=["-DSCALE=1"],
            cache_dir=False,
        )
        out = PyGPU.zeros(100, np.int32)
        # Extern "C": the PTX tells the kinds.
        module["write"](out, 9, grid=(1, 1), block=(100, 1, 1))
        assert (out.get() == 9).all()
    with pytest.raises(PyGPU.CompileError, match="missing"):
        PyGPU.SourceModule("__global__ void f() { missing; }", cache_dir=False)


class Generated:
    """As a source that the package cgen made."""

    def generate(self):
        yield str(self)

    def __str__(self) -> str:
        return "__global__ void seven(int *x) { *x = 7; }"


def test_a_source_may_be_generated():
    """PyCUDA puts any object into the text. cgen's do that in PyCUDA's own examples."""
    x = PyGPU.zeros(1, np.int32)
    PyGPU.SourceModule(Generated(), cache_dir=False)["seven"](x, grid=1, block=1)
    assert x.get() == [7]
    with pytest.raises(TypeError, match="source must be a str or bytes, not object"):
        PyGPU.SourceModule(object())
