"""numpy: shares memory with the host runtime. A card's memory is copied, only when asked for."""

from __future__ import annotations

import peer


class Peer(peer.NumpyPeer):
    title = "numpy"
    module = "numpy"
    into = "PyGPU.asarray(x)"
    refused = "np.asarray(a)", TypeError

    def load(self):
        self.out = "np.from_dlpack(a)" if self.on_host else "a.get()"
        self.shared = ("out", "in") if self.on_host else ()
        if self.on_host:  # the DLPack of numpy has no such short floats
            self.lacks = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})
