"""The vendors' real headers: known counts and forms are found in them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from generator import store
from generator.model import Release
from generator.releases import find_api
from generator.update import parse_headers
from tests.generator.headers import ROOT, missing

SPECS = ROOT / "api_specs"


def hip() -> Release:
    """HIP 6.2, from the headers beside the checkout."""
    include = ROOT.parent / "shared" / "headers" / "hip-6.2.41134" / "include"
    if not include.is_dir():
        pytest.skip("the HIP 6.2 headers don't lie beside this checkout")
    return parse_headers(SPECS, find_api(SPECS, "hip_runtime"), "6.2.41134", include)


def cuda() -> Release:
    """CUDA 13.0, from the installed wheel, which the tests require."""
    try:
        wheel = distribution("nvidia-cuda-runtime")
    except PackageNotFoundError:
        missing("the package nvidia-cuda-runtime")
        raise
    if wheel.version != "13.0.96":
        missing("the package nvidia-cuda-runtime 13.0.96")
    include = Path(str(wheel.locate_file("nvidia/cu13/include")))
    return parse_headers(SPECS, find_api(SPECS, "cuda_runtime"), "13.0.96", include)


def test_hip() -> None:
    release = hip()
    assert len(release.functions) == 446
    headers = [function.source.header for function in release.functions.values()]
    assert headers.count("hip/hip_runtime_api.h") == 408
    assert headers.count("hip/amd_detail/amd_hip_runtime_pt_api.h") == 37
    assert headers.count("hip/amd_detail/amd_channel_descriptor.h") == 1
    properties = release.functions["hipGetDeviceProperties"]
    assert properties.symbol == "hipGetDevicePropertiesR0600"
    assert str(properties.parameters[0].type) == "hipDeviceProp_t *"
    assert release.functions["hipMemcpy"].per_thread == "hipMemcpy_spt"
    assert str(release.functions["hipMalloc"].parameters[1].type) == "size_t"
    errors = {e.name: e.value for e in release.enums["hipError_t"].enumerators}
    assert errors["hipErrorRuntimeMemory"] == 1052
    assert release.structs["hipDeviceArch_t"].size == 4


def test_cuda() -> None:
    release = cuda()
    assert len(release.functions) == 312
    kind = release.functions["cudaMemcpyToSymbol"].parameters[-1]
    assert kind.default == "cudaMemcpyHostToDevice"
    assert release.functions["cudaMemcpy"].per_thread == "cudaMemcpy_ptds"
    assert release.functions["cudaMemcpyAsync"].per_thread == "cudaMemcpyAsync_ptsz"
    assert release.macros["cudaStreamPerThread"].type == "cudaStream_t"
    assert release.macros["cudaDeviceMask"].value == 0xFF
    assert release.structs["cudaLaunchAttributeValue"].size == 64
    assert release.functions["cudaProfilerStart"].source.header == "also_exported.h"


def test_the_checked_in_model_has_the_listed_releases() -> None:
    for name in ("cuda_runtime", "hip_runtime"):
        api = store.load(SPECS / name / "api.json")
        listed = find_api(SPECS, name).releases
        assert api.releases == tuple(".".join(version.split(".")[:2]) for version in listed)
