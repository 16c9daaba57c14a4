"""The library, as a linker and a C program see it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess

import PyGPU
from tests.conftest import of_wheels, unavailable
from tests.own_interpreter import own_interpreter

HERE = pathlib.Path(__file__).resolve().parent


def exported_by(library: pathlib.Path | str) -> set[str]:
    """The names that a library exports, with their versions."""
    command = ["nm", "-D", "--defined-only", library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def test_a_c_program_runs_on_it(host_library, compiler, tmp_path):
    includes = (folder / "include" for folder in of_wheels())
    include = next((one for one in includes if (one / "cuda_runtime_api.h").exists()), None)
    if include is None:
        unavailable("no headers here: pip install nvidia-cuda-runtime==13.0.96")
    # The only header that the wheel leaves to the compiler's package.
    ours = HERE.parent.parent / "generator" / "headers" / "freestanding" / "crt"
    (tmp_path / "crt").mkdir()
    (tmp_path / "crt" / "host_defines.h").write_bytes((ours / "host_defines.h").read_bytes())
    program = tmp_path / "program"
    folder = host_library.parent
    command = [compiler, "-std=c11", "-Wall", HERE / "program.c", "-o", program]
    command += ["-I", include, "-I", tmp_path, "-L", folder, "-lpygpu_host", f"-Wl,-rpath,{folder}"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "PyGPU host device 0\n"), done.stderr


def test_it_shows_nothing_of_its_own(host_library):
    names = exported_by(host_library)
    assert len(names) > 700
    shown = ("cu", "hip", "__cuda", "__hip", "pygpu_host_")
    assert [name for name in names if not name.startswith(shown)] == []


def test_it_has_what_the_output_of_nvcc_calls(host_library, cuda_library):
    """Otherwise a launch would begin in this library and end in another one, without an error."""
    theirs = {name.split("@")[0] for name in exported_by(cuda_library) if name.startswith("__cuda")}
    # Nvcc's output calls neither.
    not_called = {"__cudaGetProcAddress", "__cudaRegisterUnifiedTable"}
    assert theirs - exported_by(host_library) == not_called


def test_it_needs_no_gpu_library_and_no_python(host_library):
    listed = subprocess.run(["readelf", "-d", host_library], capture_output=True, text=True).stdout
    assert "Library soname: [libpygpu_host.so]" in listed
    needed = [line for line in listed.splitlines() if "NEEDED" in line]
    assert not [line for line in needed if any(one in line for one in ("python", "cuda", "hip"))]


@own_interpreter("on_host")
def test_it_is_itself_beside_the_real_library(cuda_library):
    """The real runtime is loaded globally first. Calls inside the library must not reach it."""
    real = ctypes.CDLL(cuda_library, mode=os.RTLD_GLOBAL)
    count, error = PyGPU.cudaGetDeviceCount()
    assert (count, int(error)) == (1, 0)
    gpu = PyGPU.checked
    assert gpu.cudaDriverGetVersion() == gpu.cudaRuntimeGetVersion()
    assert int(PyGPU.cudaStreamCreate()[1]) == 0
    assert int(PyGPU.cudaMallocPitch(10, 10)[2]) == 0
    assert PyGPU.cudaGetErrorString(1) == "invalid argument"
    own = ctypes.CDLL(PyGPU._core.installed("cuda")["path"])
    for name in ("cudaMalloc", "cudaRuntimeGetVersion"):
        pair = [ctypes.cast(getattr(x, name), ctypes.c_void_p).value for x in (own, real)]
        assert pair[0] != pair[1]


@own_interpreter("on_host")
def test_a_form_is_there_for_who_asks_for_the_release_that_it_came_with():
    """cuda-bindings asks for functions by the releases in NVIDIA's cudaTypedefs.h."""
    from PyGPU import cu

    for name, release in (
        ("cuDeviceGetUuid", 11040), ("cuEventElapsedTime", 12080), ("cuMemAdvise", 12020),
        ("cuCtxCreate", 13000),
    ):  # fmt: skip
        function, result = cu.checked.cuGetProcAddress(name, release, 0)
        assert (bool(function), int(result)) == (True, 0), name
        older, result = cu.checked.cuGetProcAddress(name, 11030, 0)
        assert older not in (0, function), name
    function, result = cu.checked.cuGetProcAddress("cuKernelGetName", 12020, 0)
    assert (bool(function), int(result)) == (False, 2)


def test_every_declared_function_is_exported(host_library):
    library = ctypes.CDLL(os.fspath(host_library))
    import json

    for api in ("cuda_runtime", "hip_runtime"):
        path = HERE.parent.parent / "api_specs" / api / "api.json"
        model = json.loads(path.read_text(encoding="utf-8"))
        newest = model["releases"][-1]
        missing = []
        for name, variants in model["functions"].items():
            last = variants[-1]
            if last.get("until", newest) != newest:
                continue
            symbols = [last.get("symbol", name), last.get("per_thread")]
            missing += [one for one in symbols if one and not hasattr(library, one)]
        assert missing == []
