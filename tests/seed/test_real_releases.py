"""One build on the real libcudart of three majors: which symbols and adaptors serve.

Without a driver most calls answer that there is none. No call may crash, or lack its function.
"""

from __future__ import annotations

import ctypes
import os
import platform
from dataclasses import replace
from pathlib import Path

import pytest

import PyGPU
from generator import merge, store
from generator.headers.fetch import FetchError, cache_folder, fetch_headers
from generator.releases import find_api, release_name
from PyGPU import cuda
from tests.conftest import unavailable

SPECS = Path(__file__).parents[2] / "api_specs"

# The symbol that serves today's form; "" for an adaptor in PyGPU.
SERVING = {
    "11.8.89": {
        "cudaGetDeviceProperties": "cudaGetDeviceProperties",
        "cudaMemPrefetchAsync": "",
        "cudaMemAdvise": "",
        "cudaStreamGetCaptureInfo": "",
        "cudaGraphGetEdges": "",
        "cudaGraphInstantiate": "cudaGraphInstantiateWithFlags",
        "cudaMalloc": "cudaMalloc",
    },
    "12.9.79": {
        "cudaGetDeviceProperties": "cudaGetDeviceProperties_v2",
        "cudaMemPrefetchAsync": "cudaMemPrefetchAsync_v2",
        "cudaMemAdvise": "cudaMemAdvise_v2",
        "cudaStreamGetCaptureInfo": "cudaStreamGetCaptureInfo_v3",
        "cudaGraphGetEdges": "cudaGraphGetEdges_v2",
        "cudaGraphInstantiate": "cudaGraphInstantiate",
        "cudaMemcpyBatchAsync": "",
    },
    "13.5.37": {
        "cudaGetDeviceProperties": "cudaGetDeviceProperties",
        "cudaMemPrefetchAsync": "cudaMemPrefetchAsync",
        "cudaMemAdvise": "cudaMemAdvise",
        "cudaStreamGetCaptureInfo": "cudaStreamGetCaptureInfo",
        "cudaGraphGetEdges": "cudaGraphGetEdges",
        "cudaMemcpyBatchAsync": "cudaMemcpyBatchAsync",
    },
}


def the_right_forms(path, version):
    int(cuda.cudaPeekAtLastError())
    found = PyGPU._core.installed("cuda")
    library = ctypes.CDLL(path)

    def symbol(name):
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value

    def of_ours(address):
        lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
        spans = [[int(end, 16) for end in one[0].split("-")] + one[-1:] for one in lines]
        (file,) = [file for begin, end, file in spans if begin <= address < end]
        return os.path.samefile(file, PyGPU._core.__file__)

    for name, by in SERVING[version].items():
        address = cuda.address(name)
        assert address == symbol(by) if by else of_ours(address), name
    device, host = (1, 0), (2, 0)
    # Without a device none of these calls looks at its arguments.
    if int(cuda.cudaGetDeviceCount()[-1]):
        for outputs, result in (
            (1, cuda.cudaGetDeviceProperties(0)),
            (0, cuda.cudaMemPrefetchAsync(4096, 16, device, 0, 0)),
            (0, cuda.cudaMemPrefetchAsync(4096, 16, host, 0, 0)),
            (0, cuda.cudaMemAdvise(4096, 16, 1, device)),
            (5, cuda.cudaStreamGetCaptureInfo(0)),
            (3, cuda.cudaGraphGetEdges(0)),
            (1, cuda.cudaGraphInstantiate(0, 0)),
            (1, cuda.cudaGraphExecUpdate(0, 0)),
        ):
            *values, error = result if outputs else (result,)
            assert len(values) == outputs and int(error) not in (0, 302, 303), result
    release = merge.release_of(
        store.load(SPECS / "cuda_runtime" / "api.json"), release_name(version)
    )
    assert found["release"] == release_name(version)
    assert not release.functions.keys() & set(found["missing"])
    assert cuda.cudaDeviceProp().sizeof == release.structs["cudaDeviceProp"].size


@pytest.mark.parametrize("version", SERVING)
def test_the_right_forms_serve(python, version: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the wheels are fetched for x86-64")
    package = find_api(SPECS, "cuda_runtime").package(version)
    libraries = replace(package, include=str(Path(package.include).parent / "lib"))
    try:
        folder = fetch_headers(libraries, version, cache_folder().parent / "libraries")
    except FetchError as error:
        unavailable(f"the library of CUDA {version} ({error})")
    (path,) = folder.glob("libcudart.so.*")
    python(the_right_forms, str(path), version, PYGPU_CUDA_LIBRARY=str(path))
