"""CUDA's names on HIP: places in memory, and what HIP has no word for."""

from __future__ import annotations


def test_places_in_memory(python):
    python(
        """
        import PyGPU
        from PyGPU import cuda
        # No HIP library is here: what an adaptor can express asks for one, the rest is refused.
        device = PyGPU.cudaMemLocation(type=PyGPU.cudaMemLocationTypeDevice, id=0)
        host = (PyGPU.cudaMemLocationTypeHost, 0)
        assert PyGPU.cudaMemLocationTypeHost is cuda.cudaMemLocationTypeHost
        for place in (device, (1, 0), host, {"type": 2}):
            assert PyGPU.cudaMemPrefetchAsync(4096, 16, place, 0, 0).code == 303
            assert PyGPU.cudaMemPrefetchAsync(4096, 16, location=place, flags=0).code == 303
            assert PyGPU.cudaMemAdvise(4096, 16, 1, place).code == 303
        for place in ((0, 0), (3, 0), (4, 0)):
            refused = PyGPU.cudaMemPrefetchAsync(4096, 16, place, 0, 0)
            assert refused.name == "cudaErrorNotSupported", refused
            assert PyGPU.cudaMemAdvise(4096, 16, 3, place) == refused
            assert PyGPU.cudaMemAdvise(4096, 16, 1, place).code == 303  # mostly read: wherever
        assert PyGPU.cudaMemPrefetchAsync(4096, 16, host, 1, 0) == refused
        for wrong, words in (
            (lambda: PyGPU.cudaMemAdvise(4096, 16, 1, 0), "cudaMemAdvise(): parameter 'location'"),
            (lambda: PyGPU.cudaMemAdvise(bytearray(8), 16, 1, host), "'devPtr' is too short"),
            (lambda: PyGPU.cudaMemLocationTypeHostNuma, "HIP has no counterpart"),
        ):
            try:
                wrong()
            except (TypeError, ValueError, AttributeError) as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)
        """,
        PYGPU_BACKEND="hip",
        PYGPU_HIP_LIBRARY="/nonexistent",
    )


def test_edges_of_graphs(python):
    python(
        """
        import PyGPU
        refused = PyGPU.cudaGraphAddDependencies(4096, [1 << 20], [2 << 20], [{}], 1)
        assert refused.name == "cudaErrorNotSupported"
        assert PyGPU.cudaGraphAddDependencies(4096, [1 << 20], [2 << 20], None, 1).code == 303
        assert PyGPU.cudaGraphGetEdges(4096)[:3] == (None, None, None)
        """,
        PYGPU_BACKEND="hip",
        PYGPU_HIP_LIBRARY="/nonexistent",
    )
