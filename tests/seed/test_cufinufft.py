"""PyPI's cufinufft 2.5, the first client of the original package, takes our arrays.

Its own Python code runs, with all its checks. Its own library computes where it is installed and a
GPU answers. Everywhere else a stand-in does, which sums in the host runtime's memory.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import PyGPU
from tests.conftest import unavailable
from tests.own_interpreter import own_interpreter

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "build" / "cufinufft-2.5.0" / "cufinufft"

random = np.random.default_rng(5)


def the_package():
    """The stand-in waits for a stream through cufinufft's library."""
    import cufinufft

    if "STAND_IN" in os.environ:
        synchronize = ctypes.c_void_p(PyGPU.cuda.address("cudaStreamSynchronize"))
        cufinufft._cufinufft.lib.order_by(synchronize)
    return cufinufft


def direct(points, modes, sign):
    grids = np.meshgrid(*(np.arange(n) - n // 2 for n in modes), indexing="ij")
    phases = sum(np.multiply.outer(x, k) for x, k in zip(points, grids, strict=True))
    return np.exp(sign * 1j * phases)


def points_of(dim, count, real):
    return [random.uniform(-np.pi, np.pi, count).astype(real) for _ in range(dim)]


def strengths(shape, kind):
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(kind)


@pytest.fixture(params=["stand-in", "own library"])
def with_cufinufft(request, python, compile_library, host_library, tmp_path):
    """The host runtime, taken for a card, with a stand-in for the library; or a GPU."""
    if request.param == "own library":
        if not request.getfixturevalue("has_device"):
            pytest.skip("no device on this machine")
        if importlib.util.find_spec("cufinufft") is None:
            pytest.skip("cufinufft is not installed: pip install cufinufft==2.5.0")
        return python
    if not PACKAGE.is_dir():
        unavailable("cufinufft's source is not there: make build/cufinufft-2.5.0/stamp")
    folder = tmp_path / "cufinufft"
    shutil.copytree(PACKAGE, folder)
    library = compile_library("libcufinufft.so", (HERE / "nufft.cpp").read_text())
    shutil.copy(library, folder)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    card = {"PYGPU_BACKEND": "cuda", "PYGPU_CUDA_LIBRARY": str(host_library)}
    return python.having(**card, PYGPU_HOST_STRICT="1", PYTHONPATH=path, STAND_IN="1")


@own_interpreter("with_cufinufft")
def test_transforms_of_all_types():
    cufinufft = the_package()
    for kind, real, eps, within in (
        ("complex64", "f4", 1e-6, 1e-4),
        ("complex128", "f8", 1e-12, 1e-9),
    ):
        for modes in ((12,), (4, 6), (3, 4, 5)):
            points = points_of(len(modes), 9, real)
            on_device = [PyGPU.to_gpu(x) for x in points]
            kernel = direct(points, modes, 1)

            data = strengths(9, kind)
            plan = cufinufft.Plan(1, modes, eps=eps, dtype=kind)
            plan.setpts(*on_device)
            result = plan.execute(PyGPU.to_gpu(data))
            assert type(result) is PyGPU.GPUArray and result.dtype == kind
            wanted = np.tensordot(data, kernel, 1)
            assert result.shape == modes and np.allclose(result.get(), wanted, atol=within)
            mine = PyGPU.zeros(modes, kind)
            assert plan.execute(PyGPU.to_gpu(data), out=mine) is mine
            assert np.allclose(mine.get(), wanted, atol=within)

            data = strengths((3, *modes), kind)
            plan = cufinufft.Plan(2, modes, n_trans=3, eps=eps, isign=1, dtype=kind)
            plan.setpts(*on_device)
            wanted = np.tensordot(data.reshape(3, -1), kernel.reshape(9, -1), (1, 1))
            for batch in (PyGPU.to_gpu(data), PyGPU.to_gpu(data).reshape(3, 1, *modes)[:, 0]):
                result = plan.execute(batch)
                assert result.shape == (3, 9) and np.allclose(result.get(), wanted, atol=within)

        targets = points_of(1, 5, real)
        data = strengths(9, kind)
        plan = cufinufft.Plan(3, 1, eps=eps, dtype=kind)
        plan.setpts(on_device[0], s=PyGPU.to_gpu(targets[0]))
        wanted = np.exp(1j * np.outer(targets[0], points[0])) @ data
        assert np.allclose(plan.execute(PyGPU.to_gpu(data)).get(), wanted, atol=within)

    x, y = points_of(2, 9, "f8")
    data = strengths(9, "complex128")
    result = cufinufft.nufft2d1(*map(PyGPU.to_gpu, (x, y, data)), n_modes=(4, 6), eps=1e-9)
    assert np.allclose(result.get(), np.tensordot(data, direct((x, y), (4, 6), 1), 1))


@own_interpreter("with_cufinufft")
def test_its_checks_see_our_arrays_as_they_are():
    cufinufft = the_package()
    x, y = map(PyGPU.to_gpu, points_of(2, 8, "f4"))
    data = PyGPU.to_gpu(strengths(8, "complex64"))
    plan = cufinufft.Plan(1, (4, 6), dtype="complex64")

    def refused(text, call, *arguments, **named):
        with pytest.raises(TypeError, match=re.escape(text)):
            call(*arguments, **named)

    refused("correct dtype", plan.setpts, PyGPU.zeros(8, "f8"), y)
    refused("must be a vector", plan.setpts, x.reshape(2, 4), y)
    refused("`y` must be of shape", plan.setpts, x, y[:5])
    refused("`z` was specified", plan.setpts, x, y, x)
    plan.setpts(x, y)
    refused("correct dtype", plan.execute, PyGPU.zeros(8, "complex128"))
    refused("`data` must be of shape", plan.execute, data[:5])
    refused("`out` must be of shape", plan.execute, data, PyGPU.zeros((6, 4), "complex64"))
    torn = PyGPU.zeros((4, 12), "complex64")[:, ::2]
    refused("following requirement: C", plan.execute, data, torn)

    wanted = plan.execute(data).get()
    wide = PyGPU.zeros((8, 2), "complex64")
    wide[:, 1] = data
    # A strided array is copied, with a warning.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = plan.execute(wide[:, 1])
    assert any("Copying array" in str(one.message) for one in caught)
    assert np.allclose(result.get(), wanted, atol=1e-5)
