"""All functions of CUDA's headers of small floats can be run, and give what an H200 gives."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import PyGPU
from tests.host.device_code import run_compiler
from tests.host.ptx import small_floats
from tests.own_interpreter import own_interpreter

HERE = pathlib.Path(__file__).parent
# Digests of an H200's results, for the code of nvcc 13.0.88. Those of approximations aren't there,
# nor those that ptxas stores wrongly: it converts an f16 that st.u8 stores. Those of the last
# inputs aren't there either: the doubles were others when these were recorded.
RECORDED = json.loads((HERE / "small-floats-h200.json").read_text())["digests"]
ARCHES = [
    "compute_80",
    "compute_90",
]  # by code of the header's own, and by the instructions of sm_90


@pytest.fixture(scope="module", params=ARCHES)
def arch(request) -> str:
    return request.param


@pytest.fixture(scope="module", params=small_floats.HEADERS)
def compiled(request, arch, nvcc, once) -> tuple[str, pathlib.Path, list[str]]:
    """A header, its PTX, and the kernels."""
    include = pathlib.Path(nvcc).parent.parent / "include"
    source, kernels = small_floats.source(include, request.param)

    def make(folder: pathlib.Path) -> None:
        (folder / "all.cu").write_text(source)
        run_compiler([nvcc, "-ptx", f"-arch={arch}", "all.cu", "-o", "all.ptx"], folder)

    return request.param, once(f"{request.param} {arch}", make) / "all.ptx", kernels


@own_interpreter("on_host")
def test_all_functions_run(compiled, arch):
    """None ends in a fault, and the bits are those of an H200."""
    header, path, kernels = compiled
    actual = small_floats.digests(path.read_bytes(), kernels)
    recorded = RECORDED[header]
    assert len(recorded) > 0.6 * len(actual)
    known = {name: actual[name][: len(due)] for name, due in recorded.items()}
    assert known == recorded


# Nearly all results are the nearest ones.
EXACT = {
    "hsin": np.sin, "hcos": np.cos, "hexp": np.exp, "hexp2": np.exp2, "hexp10": lambda x: 10.0**x,
    "hlog": np.log, "hlog2": np.log2, "hlog10": np.log10, "hrcp": lambda x: 1 / x,
    "hsqrt": np.sqrt, "hrsqrt": lambda x: 1 / np.sqrt(x), "htanh": np.tanh,
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
@own_interpreter("on_host")
def test_functions_of_one_number(name, nvrtc, nvcc):
    """Of each of the 65536 halves, with the code that NVRTC makes."""
    include = pathlib.Path(nvcc).parent.parent / "include"
    source = f"""#include <cuda_fp16.h>
    extern "C" __global__ void k(const __half *in, __half *out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = {name}(in[i]);
    }}"""
    code = PyGPU.compiler.compile(source, [f"-I{include}"], "compute_80", cache=False)
    arguments = np.arange(65536, dtype=np.uint16).view(np.float16)
    out = PyGPU.to_gpu(np.zeros(65536, np.float16))
    PyGPU.Module(code)["k"](PyGPU.to_gpu(arguments), out, grid=512, block=128)
    with np.errstate(all="ignore"):
        wanted = EXACT[name](arguments.astype(np.float64)).astype(np.float16)
    result = out.get()
    assert np.array_equal(np.isnan(result), np.isnan(wanted))
    numbers = ~np.isnan(wanted)
    steps = result.view(np.int16)[numbers].astype(int) - wanted.view(np.int16)[numbers]
    assert np.abs(steps).max() <= 1
    assert np.count_nonzero(steps) <= 10
