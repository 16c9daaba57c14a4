"""PyTorch, on the CPU beside the host runtime, else on the card."""

from __future__ import annotations

from contextlib import contextmanager

import peer


class Peer(peer.Peer):
    title = "torch"
    module = "torch"
    out = "torch.from_dlpack(a)"
    into = "PyGPU.from_dlpack(x)"
    refused = "PyGPU.from_dlpack(torch.view_as_complex(x[..., :2]).conj())", BufferError

    def load(self):
        import torch

        if not self.on_host and not torch.cuda.is_available():
            raise peer.Absent("installed without CUDA")
        self.torch = self.names["torch"] = torch
        self.place = "cpu" if self.on_host else "cuda"

    def make(self, values):
        return self.torch.from_dlpack(peer.PyGPU.to_gpu(values)).clone()

    def values(self, x):
        if x.dtype.itemsize < 4 and x.dtype.is_floating_point:
            x = x.float()
        return x.cpu().numpy()

    def address(self, x):
        return x.data_ptr()

    def side(self):
        return None if self.on_host else self._side()

    @contextmanager
    def _side(self):
        stream = self.torch.cuda.Stream()
        with self.torch.cuda.stream(stream):
            yield stream.cuda_stream

    def fill(self, x, value):
        x.fill_(value)
