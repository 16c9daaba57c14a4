"""Files that are written once, in CUDA's names, and read as HIP's."""

from __future__ import annotations

import pytest

from generator import emit
from generator.errors import GeneratorError
from generator.plan import portable


@pytest.fixture(scope="module")
def translated():
    cuda, hip = (emit._plan(name, emit.SPECS) for name in ("cuda_runtime", "hip_runtime"))
    names = portable.names(cuda, hip, portable.load(emit.SPECS))
    return lambda text: portable.translated(text, hip, names)


def test_names_become_their_counterparts_and_nothing_else_changes(translated):
    text = 'entries.cudaFreeHost(p) == cudaSuccess; // cuda, cudart, "mycudaMalloc", cudaMemPool_t'
    wanted = 'entries.hipHostFree(p) == hipSuccess; // cuda, cudart, "mycudaMalloc", hipMemPool_t'
    assert translated(text) == wanted


def test_a_name_without_counterpart_is_told(translated):
    with pytest.raises(GeneratorError, match="cudaGraphConditionalHandleCreate: HIP has no"):
        translated("entries.cudaGraphConditionalHandleCreate(&handle)")
