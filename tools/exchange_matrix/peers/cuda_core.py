"""cuda.core's view of memory, and its buffers; the functions of cuda.bindings take addresses."""

from __future__ import annotations

import peer
from peer import PyGPU


class Peer(peer.Peer):
    title = "cuda-bindings, cuda.core"
    module = "cuda.core"
    distribution = "cuda-core"
    needs_card = True
    out = "StridedMemoryView.from_any_interface(a, stream_ptr=int(stream))"
    into = "PyGPU.from_dlpack(x).view(dtype).reshape(shape)"
    refused = "PyGPU.from_dlpack(stream)", TypeError

    def load(self):
        from cuda.core import Device
        from cuda.core.utils import StridedMemoryView

        self.device = Device(0)
        self.device.set_current()
        self.stream = PyGPU.Stream(True)
        self.names |= {"StridedMemoryView": StridedMemoryView, "stream": self.stream}

    def make(self, values):
        """A buffer has bytes alone: it is told what they are."""
        buffer = self.device.allocate(values.nbytes)
        self.device.sync()
        PyGPU.checked.cudaMemcpy(
            int(buffer.handle), values, values.nbytes, PyGPU.cudaMemcpyHostToDevice
        )
        self.names |= {"dtype": values.dtype, "shape": values.shape}
        self.like = values
        return buffer

    def give(self, a):
        self.like = peer.np.empty(a.shape, a.dtype)
        return super().give(a)

    def values(self, x):
        """By cuda.bindings, on the stream that the view is for."""
        from cuda.bindings import runtime

        read = PyGPU.pagelocked_empty(self.like.shape, self.like.dtype)
        kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        (error,) = runtime.cudaMemcpyAsync(
            read.ctypes.data, self.address(x), read.nbytes, kind, int(self.stream)
        )
        assert not int(error), error
        self.stream.synchronize()
        return read

    def address(self, x):
        return int(x.ptr) if hasattr(x, "ptr") else int(x.handle)
