"""A PyCUDA program with streams and events, its imports renamed.

    python examples/pycuda/streams_and_events.py

Each stream copies its piece from page-locked memory, runs the kernel on it, and copies it back;
events measure the time.
"""

from __future__ import annotations

import numpy as np
from compared import same

import PyGPU.autoinit
import PyGPU.driver as cuda
from PyGPU.compiler import SourceModule

STREAMS, COUNT, BLOCK = 4, 1 << 16, 256

mod = SourceModule("""
__global__ void add_to_them(float *a, float b)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] += b;
}
""")


add_to_them = mod.get_function("add_to_them")
streams = [cuda.Stream() for _ in range(STREAMS)]
pieces = [cuda.pagelocked_empty(COUNT, np.float32) for _ in streams]
for number, piece in enumerate(pieces):
    piece[:] = np.arange(COUNT) + number
memory = [cuda.mem_alloc(piece.nbytes) for piece in pieces]

start, end = cuda.Event(), cuda.Event()
start.record()
for number, (stream, piece, there) in enumerate(zip(streams, pieces, memory, strict=True)):
    cuda.memcpy_htod_async(there, piece, stream)
    add_to_them(
        there, np.float32(number), grid=(COUNT // BLOCK, 1), block=(BLOCK, 1, 1), stream=stream
    )
    cuda.memcpy_dtoh_async(piece, there, stream)
end.record()
end.synchronize()
for stream in streams:
    stream.synchronize()
    assert stream.is_done()

for number, piece in enumerate(pieces):
    same(f"stream {number}", piece, (np.arange(COUNT) + 2 * number).astype(np.float32))
print(f"all took {start.time_till(end):.3f} ms, {end.time_since(start):.3f} ms the other way round")

seconds = add_to_them(
    memory[0], np.float32(1), grid=(COUNT // BLOCK, 1), block=(BLOCK, 1, 1), time_kernel=True
)
PyGPU.autoinit.context.synchronize()
same("the timed launch", cuda.from_device_like(memory[0], pieces[0]), pieces[0] + 1)
print(f"one launch took {seconds * 1e6:.0f} us")
