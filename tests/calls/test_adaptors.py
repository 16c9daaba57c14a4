"""Today's signatures on an older runtime: what its forms receive, and what they can't express."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import pytest

from PyGPU import cuda
from tests.own_interpreter import own_interpreter

# It tells release 12.0 as its version. Each function has that release's form and stores its
# arguments.
RUNTIME = r"""
#include <stddef.h>
int seen_device;
int cudaRuntimeGetVersion(int *v) { *v = 12000; return 0; }
int cudaMemAdvise(const void *p, size_t n, int advice, int d) { seen_device = d; return 0; }
int cudaMemPrefetchAsync(const void *p, size_t n, int d, void *s) { seen_device = d; return 0; }
int cudaGraphAddDependencies(void *g, void **from, void **to, size_t n) { return 0; }
int cudaGraphGetEdges(void *g, void **from, void **to, size_t *n) {
    if (from) { from[0] = (void *)0x1000; to[0] = (void *)0x2000; }
    *n = 1;
    return 0;
}
int cudaStreamGetCaptureInfo_v2(void *s, int *status, unsigned long long *id, void **graph,
                                void ***nodes, size_t *n) {
    static void *lent[2] = {(void *)0x3000, (void *)0x4000};
    *status = 1; *id = 7; *graph = (void *)0x5000; *nodes = lent; *n = 2;
    return 0;
}
int cudaGetDeviceProperties_v2(char *properties, int device) {
    properties[0] = 'G';
    return 0;
}
"""


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("g++")
    folder = tmp_path_factory.mktemp("runtime")
    source, library = folder / "runtime.c", folder / "libcudart.so.12"
    source.write_text(RUNTIME)
    subprocess.run(
        [compiler, "-x", "c", "-w", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", source,
         "-o", library],
        check=True,
    )  # fmt: skip
    return str(library)


@pytest.fixture
def release_12(python, runtime):
    return python.having(PYGPU_CUDA_LIBRARY=runtime)


@own_interpreter("release_12")
def test_forms_of_release_12(runtime):
    seen_device = ctypes.c_int.in_dll(ctypes.CDLL(runtime), "seen_device")
    assert cuda.cudaMemAdvise(4096, 16, 3, (1, 3)) == 0 and seen_device.value == 3
    assert cuda.cudaMemAdvise(4096, 16, 3, (2, 3)) == 0 and seen_device.value == -1
    assert cuda.cudaMemAdvise(4096, 16, 3, (4, 3)).name == "cudaErrorNotSupported"
    assert cuda.cudaMemAdvise(4096, 16, 1, (4, 3)) == 0  # advice 1 (read mostly) ignores the place
    assert cuda.cudaMemPrefetchAsync(4096, 16, (1, 5), 0, 0) == 0 and seen_device.value == 5
    assert cuda.cudaMemPrefetchAsync(4096, 16, (1, 5), 1, 0).name == "cudaErrorNotSupported"
    assert cuda.cudaGraphAddDependencies(1 << 20, [4096], [8192], None, 1) == 0
    edge = cuda.cudaGraphEdgeData()
    refused = cuda.cudaGraphAddDependencies(1 << 20, [4096], [8192], [edge], 1)
    assert refused.name == "cudaErrorNotSupported"
    begin, end, data, error = cuda.cudaGraphGetEdges(1 << 20)
    assert [int(one) for one in begin + end] == [0x1000, 0x2000] and data is None and error == 0
    status, number, graph, nodes, data, error = cuda.cudaStreamGetCaptureInfo(0)
    assert (int(status), number, int(graph), data) == (1, 7, 0x5000, None)
    assert [int(one) for one in nodes] == [0x3000, 0x4000]
    properties, error = cuda.cudaGetDeviceProperties(0)
    assert properties.name == "G" and properties.sizeof == 1032
    assert cuda.cudaMemcpyBatchAsync([], [], [], 0, [], [], 0, 0).code == 302
    assert cuda.cudaGraphExecUpdate(0, 0)[-1].code == 302


@own_interpreter("release_12")
def test_names_that_the_loaded_release_lacks():
    assert cuda.cudaRuntimeGetVersion() == (12000, 0)
    assert cuda.cudaDeviceMask == 0x1F
    with pytest.raises(AttributeError, match=r"12\.2 to "):
        _ = cuda.cudaDevAttrHostNumaId
    names = {}
    exec("from PyGPU import *", names)
    assert "cudaDevAttrHostNumaId" not in names and "cudaMalloc" in names
