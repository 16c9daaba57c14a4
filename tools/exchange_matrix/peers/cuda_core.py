"""cuda.core's views of memory; on a card the functions of cuda.bindings read them."""

from __future__ import annotations

import peer
from peer import PyGPU, elements_at, np


class Peer(peer.Peer):
    title = "cuda-bindings, cuda.core"
    module = "cuda.core"
    distribution = "cuda-core"
    out = "StridedMemoryView.from_any_interface(a, stream_ptr=stream)"
    into = "PyGPU.from_dlpack(x)"
    refused = "StridedMemoryView.from_any_interface(a[::-1], stream_ptr=stream)", BufferError
    lacks = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})

    def load(self):
        from cuda.core.utils import StridedMemoryView

        self.view = self.names["StridedMemoryView"] = StridedMemoryView
        if self.on_host:  # cuda.core knows no streams of the CPU, so we must wait ourselves
            self.out = f"(PyGPU.wait(a), {self.out})"
            self.names["stream"] = -1
            return
        from cuda.core import Device

        self.device = Device(0)
        self.device.set_current()
        self.stream = PyGPU.Stream(True)
        self.names["stream"] = int(self.stream)

    def make(self, values):
        """A view of a numpy array's memory or, on a card, of a buffer."""
        if self.on_host:
            return self.view.from_dlpack(values, stream_ptr=-1)
        buffer = self.device.allocate(values.nbytes, stream=self.device.default_stream)
        address = int(buffer.handle)
        PyGPU.checked.cudaMemcpy(address, values, values.nbytes, PyGPU.cudaMemcpyHostToDevice)
        return self.view.from_buffer(buffer, values.shape, dtype=values.dtype)

    def give(self, a):
        self.like = np.empty(a.shape, a.dtype)
        made = super().give(a)
        return made[1] if self.on_host else made

    def values(self, x):
        """The elements, read on the stream that the view was made for."""
        return elements_at(x.ptr, self.like) if self.on_host else self._read(x.ptr)

    def _read(self, address):
        from cuda.bindings import runtime

        read = PyGPU.pagelocked_empty(self.like.shape, self.like.dtype)
        kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        (error,) = runtime.cudaMemcpyAsync(
            read.ctypes.data, address, read.nbytes, kind, int(self.stream)
        )
        assert not int(error), error
        self.stream.synchronize()
        return read

    def address(self, x):
        return x.ptr
