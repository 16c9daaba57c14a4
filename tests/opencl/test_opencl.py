"""What PyGPU.opencl does with a real platform: answers, errors, memory, programs, callbacks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from PyGPU import GPUError

SAXPY = """
kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
"""


def number(answer: bytes) -> int:
    return int.from_bytes(answer, "little")


def handle(one: object) -> bytes:
    """The value of an argument that is a memory object."""
    return int(one).to_bytes(8, "little")


def memory(cl, context, flags: int, size: int, host_ptr: object = None):
    return cl.cl_mem(context=context, flags=flags, size=size, host_ptr=host_ptr)


def built(cl, context, device, source: str):
    program = cl.cl_program(context=context, count=1, strings=[source])
    cl.checked.clBuildProgram(program, 1, [device], "-cl-std=CL1.2", None)
    return program


def test_an_answer_is_as_long_as_the_first_call_says(cl, device) -> None:
    info = cl.checked.clGetDeviceInfo
    assert info(device, cl.CL_DEVICE_NAME).endswith(b"\0")
    assert info(device, cl.CL_DEVICE_VERSION).startswith(b"OpenCL ")
    assert len(info(device, cl.CL_DEVICE_MAX_COMPUTE_UNITS)) == 4
    dimensions = number(info(device, cl.CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS))
    assert len(info(device, cl.CL_DEVICE_MAX_WORK_ITEM_SIZES)) == 8 * dimensions
    # A size that the caller names isn't asked for.
    short = cl.clGetDeviceInfo(device, cl.CL_DEVICE_NAME, param_value_size=1)
    assert short == (None, cl.CL_INVALID_VALUE)


def test_a_status_that_comes_through_a_pointer_is_the_status(cl, context) -> None:
    buffer, err = cl.clCreateBuffer(context, cl.CL_MEM_READ_WRITE, 0, None)
    assert (buffer, err.name, int(err)) == (None, "CL_INVALID_BUFFER_SIZE", -61)
    with pytest.raises(GPUError, match="CL_INVALID_BUFFER_SIZE"):
        cl.checked.clCreateBuffer(context, cl.CL_MEM_READ_WRITE, 0, None)
    with pytest.raises(GPUError, match="CL_INVALID_BUFFER_SIZE"):
        memory(cl, context, cl.CL_MEM_READ_WRITE, 0)


def test_codes_are_errors_and_nothing_else_is(cl) -> None:
    """Other macros are negative numbers, too: the states of a build, and an event's end."""
    assert isinstance(cl.CL_DEVICE_NOT_FOUND, cl.cl_status)
    assert cl.cl_status(-1) is cl.CL_DEVICE_NOT_FOUND
    assert (cl.CL_BUILD_NONE, cl.CL_COMPLETE) == (-1, 0)
    assert type(cl.CL_BUILD_NONE) is int


def test_a_kernel_runs_on_the_callers_numbers(cl, context, device, queue) -> None:
    x = np.arange(1000, dtype=np.float32)
    y = np.ones_like(x)
    got = np.empty_like(y)
    program = built(cl, context, device, SAXPY)
    kernel = cl.cl_kernel(program=program, kernel_name="saxpy")
    xs = memory(cl, context, cl.CL_MEM_READ_ONLY | cl.CL_MEM_COPY_HOST_PTR, x.nbytes, x)
    ys = memory(cl, context, cl.CL_MEM_READ_WRITE, y.nbytes)
    run = cl.checked
    assert run.clEnqueueWriteBuffer(queue, ys, True, 0, y.nbytes, y, 0, None, None) is None
    run.clSetKernelArg(kernel, 0, 4, np.float32(2))
    run.clSetKernelArg(kernel, 1, 8, handle(xs))
    run.clSetKernelArg(kernel, 2, 8, handle(ys))
    # An event is made only for those who want one, and is theirs to release.
    done = run.clEnqueueNDRangeKernel(
        queue, kernel, 1, None, [len(x)], None, 0, None, cl.cl_event(0)
    )
    run.clEnqueueReadBuffer(queue, ys, True, 0, got.nbytes, got, 1, [done], None)
    run.clWaitForEvents(1, [done])
    state = run.clGetEventInfo(done, cl.CL_EVENT_COMMAND_EXECUTION_STATUS)
    assert number(state) == cl.CL_COMPLETE
    run.clReleaseEvent(done)
    np.testing.assert_array_equal(got, 2 * x + 1)


def test_a_short_buffer_is_refused(cl, context, queue) -> None:
    buffer = memory(cl, context, cl.CL_MEM_READ_WRITE, 64)
    with pytest.raises(ValueError, match="ptr"):
        cl.clEnqueueReadBuffer(queue, buffer, True, 0, 64, bytearray(63), 0, None, None)
    with pytest.raises(ValueError, match="pattern"):
        cl.clEnqueueFillBuffer(queue, buffer, b"abc", 4, 0, 64, 0, None, None)
    with pytest.raises(ValueError, match="src_origin"):
        cl.clEnqueueCopyBufferRect(
            queue, buffer, buffer, [0, 0], [32, 0, 0], [8, 1, 1], 0, 0, 0, 0, 0, None, None
        )
    with pytest.raises(ValueError, match="host_ptr"):
        memory(cl, context, cl.CL_MEM_COPY_HOST_PTR, 8, b"1234567")


def test_rectangles_and_maps(cl, context, queue) -> None:
    source = np.arange(64, dtype=np.uint8)
    buffer = memory(cl, context, cl.CL_MEM_COPY_HOST_PTR, 64, source)
    got = bytearray(6)
    err = cl.clEnqueueReadBufferRect(
        queue, buffer, True, (2, 1, 0), (0, 0, 0), (3, 2, 1), 8, 0, 3, 0, got, 0, None, None
    )
    assert err == (None, cl.CL_SUCCESS)
    assert list(got) == [10, 11, 12, 18, 19, 20]
    address, event, err = cl.clEnqueueMapBuffer(
        queue, buffer, True, cl.CL_MAP_READ, 8, 4, 0, None, None
    )
    assert (event, err) == (None, cl.CL_SUCCESS)
    assert address
    assert not cl.clEnqueueUnmapMemObject(queue, buffer, address, 0, None, None)[-1]
    assert not cl.clFinish(queue)


def test_a_failed_build_leaves_its_log(cl, context, device) -> None:
    wrong = "kernel void broken(global int *x) { *x = nothing; }"
    one = cl.cl_program(context=context, count=1, strings=[wrong])
    assert cl.clBuildProgram(one, 0, None, None, None) == cl.CL_BUILD_PROGRAM_FAILURE
    log = cl.checked.clGetProgramBuildInfo(one, device, cl.CL_PROGRAM_BUILD_LOG)
    assert b"nothing" in log


def test_a_source_may_be_bytes_with_a_length(cl, context, device) -> None:
    text = SAXPY.encode()
    program, err = cl.clCreateProgramWithSource(context, 2, [text, "?"], [len(text), 0])
    # A length of 0 stands for a text up to its NUL: "?" is a part of the program.
    assert not err
    assert cl.clBuildProgram(program, 1, [device], None, None) == cl.CL_BUILD_PROGRAM_FAILURE
    assert not cl.clReleaseProgram(program)


def test_an_owner_releases_once(cl, device) -> None:
    context = cl.cl_context(num_devices=1, devices=[device])
    count = cl.CL_CONTEXT_REFERENCE_COUNT
    assert not cl.clRetainContext(context)
    assert number(cl.checked.clGetContextInfo(context, count)) == 2
    bare = cl.cl_context(int(context))
    del context
    assert number(cl.checked.clGetContextInfo(bare, count)) == 1
    assert not cl.clReleaseContext(bare)


def test_callables_are_called_once(cl, context, device, queue) -> None:
    called = threading.Event()
    got = []

    def notify(*arguments: object) -> None:
        got.append(arguments)
        called.set()

    event = cl.cl_event(context=context)
    data = object()
    assert not cl.clSetEventCallback(event, cl.CL_COMPLETE, notify, data)
    assert not got
    assert not cl.clSetUserEventStatus(event, cl.CL_COMPLETE)
    assert called.wait(30)
    assert len(got) == 1
    assert (int(got[0][0]), got[0][1:]) == (int(event), (cl.CL_COMPLETE, data))
    called.clear()
    program = cl.cl_program(context=context, count=1, strings=[SAXPY])
    assert not cl.clBuildProgram(program, 1, [device], None, notify, "built")
    assert called.wait(60)
    assert got[-1][1:] == ("built",)


def test_lists_of_properties_get_their_end(cl, context, device) -> None:
    wanted = [cl.CL_QUEUE_PROPERTIES, cl.CL_QUEUE_PROFILING_ENABLE]
    queue = cl.cl_command_queue(context=context, device=device, properties=wanted)
    answer = cl.checked.clGetCommandQueueInfo(queue, cl.CL_QUEUE_PROPERTIES)
    assert number(answer) == cl.CL_QUEUE_PROFILING_ENABLE
    marker, err = cl.clEnqueueMarkerWithWaitList(queue, 0, None, cl.cl_event(0))
    assert not err
    assert not cl.clFinish(queue)
    times = [
        number(cl.checked.clGetEventProfilingInfo(marker, which))
        for which in (cl.CL_PROFILING_COMMAND_QUEUED, cl.CL_PROFILING_COMMAND_END)
    ]
    assert 0 < times[0] <= times[1]
    assert not cl.clReleaseEvent(marker)


def test_programs_give_their_binaries(cl, context, device) -> None:
    """C writes where the pointers in the caller's array lead."""
    program = built(cl, context, device, SAXPY)
    size = np.zeros(1, np.uint64)
    info = cl.checked.clGetProgramInfo
    assert info(program, cl.CL_PROGRAM_BINARY_SIZES, 8, size) == 8
    binary = np.zeros(int(size[0]), np.uint8)
    info(program, cl.CL_PROGRAM_BINARIES, 8, np.array([binary.ctypes.data], np.uint64))
    assert binary.any()
    assert info(program, cl.CL_PROGRAM_SOURCE, 0, None) == len(SAXPY) + 1


def test_formats_are_structs(cl, context) -> None:
    formats = cl.checked.clGetSupportedImageFormats(
        context, cl.CL_MEM_READ_ONLY, cl.CL_MEM_OBJECT_IMAGE2D
    )
    orders = {one.image_channel_order for one in formats}
    assert not formats or cl.CL_RGBA in orders


def test_images(cl, context, device, queue) -> None:
    if not number(cl.checked.clGetDeviceInfo(device, cl.CL_DEVICE_IMAGE_SUPPORT)):
        pytest.skip("the device has no images")
    form = {
        "image_channel_order": cl.CL_RGBA,
        "image_channel_data_type": cl.CL_UNSIGNED_INT8,
    }
    shape = {"image_type": cl.CL_MEM_OBJECT_IMAGE2D, "image_width": 4, "image_height": 2}
    pixels = np.arange(32, dtype=np.uint8)
    image, err = cl.clCreateImage(context, cl.CL_MEM_COPY_HOST_PTR, form, shape, pixels)
    assert not err
    got = np.zeros(8, np.uint8)
    err = cl.clEnqueueReadImage(queue, image, True, (1, 1, 0), (2, 1, 1), 0, 0, got, 0, None, None)
    assert err == (None, cl.CL_SUCCESS)
    assert list(got) == list(range(20, 28))
    assert not cl.clReleaseMemObject(image)


def test_shared_memory(cl, context, device, queue) -> None:
    capabilities, err = cl.clGetDeviceInfo(device, cl.CL_DEVICE_SVM_CAPABILITIES)
    if err or not number(capabilities) & cl.CL_DEVICE_SVM_COARSE_GRAIN_BUFFER:
        pytest.skip("the device has no shared virtual memory")
    address = cl.clSVMAlloc(context, cl.CL_MEM_READ_WRITE, 64, 0)
    assert address
    run = cl.checked
    run.clEnqueueSVMMemFill(queue, address, b"\1\2\3\4", 4, 64, 0, None, None)
    got = bytearray(64)
    run.clEnqueueSVMMemcpy(queue, True, got, address, 64, 0, None, None)
    assert bytes(got) == b"\1\2\3\4" * 16
    with pytest.raises(ValueError, match="dst_ptr"):
        cl.clEnqueueSVMMemcpy(queue, True, bytearray(8), address, 64, 0, None, None)
    run.clFinish(queue)
    run.clSVMFree(context, address)


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "opencl_axpy.py"


@pytest.mark.parametrize("fault", [False, True])
def test_the_example(device, fault, tmp_path) -> None:
    """Its comparison with numpy can fail."""
    program = tmp_path / "axpy.py"
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count("y[i] += a") == 1
    program.write_text(text.replace("y[i] += a", "y[i] -= a") if fault else text, encoding="utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == fault, done.stderr
    shown = done.stderr if fault else done.stdout
    assert shown.endswith("the result differs from numpy's\n" if fault else ": as numpy's\n")


def absent() -> None:
    """Run in an interpreter whose PYGPU_OPENCL_LIBRARY names no library."""
    import warnings

    from PyGPU import opencl

    warnings.simplefilter("ignore")
    platforms, err = opencl.clGetPlatformIDs()
    assert (platforms, err.name) == (None, "PYGPU_ERROR_LIBRARY_NOT_FOUND")
    # Nothing can write a status through a pointer, so these functions raise it.
    with pytest.raises(GPUError, match="PYGPU_ERROR_LIBRARY_NOT_FOUND"):
        opencl.clCreateBuffer(opencl.cl_context(0), 0, 4, None)


def test_without_a_loader_the_status_says_so() -> None:
    command = "from tests.opencl.test_opencl import absent; absent()"
    environment = {**os.environ, "PYGPU_OPENCL_LIBRARY": "/nowhere/libOpenCL.so.1"}
    subprocess.run([sys.executable, "-c", command], env=environment, check=True)
