"""y = a * x + y in OpenCL, on the first device that there is: a CPU serves, with pocl.

    python examples/opencl_axpy.py

Needs PyGPU[open], OpenCL's loader and a platform. The loader finds the platforms by files in
/etc/OpenCL/vendors, or in the folder that OCL_ICD_VENDORS names.
"""

import numpy as np

from PyGPU import opencl

SOURCE = """
__kernel void axpy(float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
"""

# Each function exists twice: here with the error as the last result, in `checked` it is raised.
cl = opencl.checked

platforms, err = opencl.clGetPlatformIDs()
if err:
    raise SystemExit(f"OpenCL finds no platform: {err}")
found = (opencl.clGetDeviceIDs(one, opencl.CL_DEVICE_TYPE_ALL)[0] for one in platforms)
devices = next(filter(None, found), None)
if not devices:
    raise SystemExit("OpenCL's platforms have no device")
name = cl.clGetDeviceInfo(devices[0], opencl.CL_DEVICE_NAME).rstrip(b"\0").decode()
# The classes of handles create them, and release them when the object goes.
context = opencl.cl_context(num_devices=1, devices=devices[:1])
queue = opencl.cl_command_queue(context=context, device=devices[0])
program = opencl.cl_program(context=context, count=1, strings=[SOURCE])
cl.clBuildProgram(program, 1, devices[:1], "", None)
kernel = opencl.cl_kernel(program=program, kernel_name="axpy")

x = np.arange(1 << 20, dtype=np.float32)
y = np.ones_like(x)
expected = 2 * x + y
copy = opencl.CL_MEM_COPY_HOST_PTR
xs = opencl.cl_mem(context=context, flags=copy, size=x.nbytes, host_ptr=x)
ys = opencl.cl_mem(context=context, flags=copy, size=y.nbytes, host_ptr=y)

# An argument's value is memory that C reads. A buffer's value is its handle.
values = np.float32(2).tobytes(), *(int(one).to_bytes(8, "little") for one in (xs, ys))
for index, value in enumerate(values):
    cl.clSetKernelArg(kernel, index, len(value), value)
cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, [x.size], None, 0, None, None)
cl.clEnqueueReadBuffer(queue, ys, True, 0, y.nbytes, y, 0, None, None)

if not np.allclose(y, expected):
    raise SystemExit(f"{name}: the result differs from numpy's")
print(f"{x.size:,} elements on {name}: as numpy's")
