"""Fixtures for all tests: fresh interpreters, the vendors' libraries, and devices."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import types
from collections.abc import Callable

import pytest

import PyGPU
from PyGPU._apis import APIS
from tests.own_interpreter import Interpreter

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROCM = ROOT / "build" / "rocm-5.2.3"

# Most tests start an interpreter. No test needs numpy's threads, which take half of numpy's import
# time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def unavailable(reason: str) -> None:
    """Skip the test visibly. In CI fail it, since nothing may be missing there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def required(module: str) -> types.ModuleType:
    """A module that requirements/test.txt names."""
    try:
        return importlib.import_module(module)
    except ImportError:
        unavailable(f"{module} is not installed")
        raise


def left_out() -> dict[str, str]:
    """The tests of libraries whose modules aren't installed, each with the extra that brings them.

    `make dev` builds none of them. In CI nothing may be missing.
    """
    if os.environ.get("CI") == "true":
        return {}
    manifests = {path.parent.name: path.read_text() for path in ROOT.glob("api_specs/*/api.toml")}
    apis = {
        folder: APIS[re.search(r'^namespace = "(\w+)"', text, re.M)[1]]
        for folder, text in manifests.items()
    }
    return {folder: api.extra for folder, api in apis.items() if not api.is_installed}


LEFT_OUT = left_out()
collect_ignore = sorted(LEFT_OUT)


def pytest_report_header() -> list[str]:
    return [f"without PyGPU[{extra}]: tests/{name}" for name, extra in sorted(LEFT_OUT.items())]


# Tests that build, or parse headers, for a long time.
LONG = (
    *("tests/tools/test_gates", "tests/packaging/", "tests/apis/", "tests/stubs/"),
    *("tests/cplusplus/", "tests/host/test_compiled", "tests/examples/", "tests/generator/"),
)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests start first. Otherwise one worker still runs them when the others have finished.

    Tests with the fixture `device` get the mark of that name.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
    for item in items:
        if "device" in item.fixturenames:
            item.add_marker("device")


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Callable[[str, Callable[[pathlib.Path], None]], pathlib.Path]:
    """`once(name, make)`: a folder that `make(folder)` fills once for all workers of a run."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent

    def folder_of(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
        folder, done = root / f"once-{name}", root / f"once-{name}.done"
        with open(root / f"once-{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                folder.mkdir(exist_ok=True)
                make(folder)
                done.touch()
        return folder

    return folder_of


@pytest.fixture(scope="session")
def host_library() -> pathlib.Path:
    """The path of the host runtime."""
    path = pathlib.Path(PyGPU._core.__file__).parent / "libpygpu_host.so"
    if not path.exists():
        unavailable("this installation has no host runtime")
    return path


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test with the mark `own_interpreter` in the interpreter that its fixture gives."""
    marker = pyfuncitem.get_closest_marker("own_interpreter")
    if marker is None:
        return None
    where, prints = marker.args
    interpreter = pyfuncitem.funcargs[where]
    named = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    done = interpreter.having(**marker.kwargs).call(pyfuncitem.function, (), named)
    assert prints is None or done.stdout == prints
    return True


@pytest.fixture(scope="session")
def python() -> Interpreter:
    """A separate interpreter without any PYGPU_* variable."""
    return Interpreter()


@pytest.fixture
def on_host(python: Interpreter, host_library: pathlib.Path) -> Interpreter:
    """The host runtime. Folders of tests may override this fixture with more settings."""
    return python.having(PYGPU_BACKEND="host")


@pytest.fixture(params=["host", "GPUs"])
def on_devices(request: pytest.FixtureRequest) -> Interpreter:
    """The interpreter of `on_host` and, where there are GPUs, that of `on_gpus`."""
    return request.getfixturevalue("on_host" if request.param == "host" else "on_gpus")


def of_wheels() -> list[pathlib.Path]:
    """The folders of NVIDIA's wheels of CUDA 13."""
    spec = importlib.util.find_spec("nvidia")
    folders = (spec.submodule_search_locations or []) if spec else []
    return [pathlib.Path(one) / "cu13" for one in folders]


@pytest.fixture(scope="session")
def nvcc(once) -> str:
    """The path of CUDA's compiler, from the toolkit or from NVIDIA's wheels."""
    if found := shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"):
        return found
    wheels = next((one for one in of_wheels() if (one / "bin" / "nvcc").exists()), None)
    if not wheels:
        unavailable("no nvcc here: pip install nvidia-cuda-nvcc==13.0.88")
        raise AssertionError

    def lay(folder: pathlib.Path) -> None:
        """Lay out a toolkit's folders: the wheels have neither lib64 nor a library to link to."""
        (folder / "bin").mkdir()
        (folder / "lib64").mkdir()
        for library in (wheels / "lib").iterdir():
            (folder / "lib64" / library.name).symlink_to(library)
        (folder / "lib64" / "libcudart.so").symlink_to("libcudart.so.13")
        (folder / "include").symlink_to(wheels / "include")
        command = folder / "bin" / "nvcc"
        command.write_text(f'#!/bin/sh\nexec "{wheels}/bin/nvcc" -L"{folder}/lib64" "$@"\n')
        command.chmod(0o755)

    return str(once("toolkit", lay) / "bin" / "nvcc")


@pytest.fixture(scope="session")
def on_hip(python: Interpreter, host_library: pathlib.Path) -> Interpreter:
    """The HIP functions of the host runtime."""
    return python.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))


@pytest.fixture(scope="session")
def on_real_cuda(python: Interpreter, cuda_library: str) -> Interpreter:
    """The real libcudart."""
    return python.having(PYGPU_CUDA_LIBRARY=cuda_library)


@pytest.fixture(scope="session")
def cuda_library() -> str:
    """The path of the real libcudart.so.13 that NVIDIA's PyPI wheel brings."""
    for folder in of_wheels():
        library = folder / "lib" / "libcudart.so.13"
        if library.exists():
            return str(library)
    unavailable("no libcudart.so.13 here: pip install nvidia-cuda-runtime==13.0.96")
    raise AssertionError


@pytest.fixture(scope="session")
def hip_library() -> str:
    """The path of Debian's real libamdhip64.so.5; its folder holds the libraries that it needs."""
    library = ROCM / "lib" / "libamdhip64.so.5"
    if not library.exists():
        why = ROCM / "missing"
        unavailable(
            "no libamdhip64.so.5 here: "
            + (why.read_text().strip() if why.exists() else f"tools/fetch_rocm.sh {ROCM}")
        )
    return str(library)


@pytest.fixture(scope="session")
def compile_library(once) -> Callable[..., str]:
    """Compile C++ text into a shared library and give its path: (name, text, *flags).

    Each library is compiled once in a run, for all workers.
    """

    def compile_one(name: str, text: str, *flags: str) -> str:
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
        if not compiler:
            unavailable("no C++ compiler")
        command = [*str(compiler).split(), "-std=c++20", "-O1", "-shared", "-fPIC", "-pthread"]
        command += [f"-Wl,-soname,{name}", *flags, "source.cpp", "-o", name]

        def make(folder: pathlib.Path) -> None:
            (folder / "source.cpp").write_text(text)
            done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

        made_of = hashlib.sha256(repr((text, command)).encode()).hexdigest()[:16]
        return str(once(f"{name.split('.')[0]}-{made_of}", make) / name)

    return compile_one


def devices_of_the_driver() -> None:
    """Prints how many devices the CUDA or HIP driver reports. It doesn't use PyGPU."""
    count = ctypes.c_int()
    for library, init, get in (
        ("libcuda.so.1", "cuInit", "cuDeviceGetCount"),
        ("libamdhip64.so", "hipInit", "hipGetDeviceCount"),
    ):
        try:
            driver = ctypes.CDLL(library)
        except OSError:
            continue
        if not getattr(driver, init)(0) and not getattr(driver, get)(ctypes.byref(count)):
            print(count.value)
            break


@pytest.fixture(scope="session")
def device_count(python: Interpreter) -> int:
    """How many GPUs of this machine the driver can reach."""
    return int(python(devices_of_the_driver).stdout.strip() or 0)


@pytest.fixture(scope="session")
def has_device(device_count: int) -> bool:
    """Whether this machine has a GPU that the driver can reach."""
    return device_count > 0


@pytest.fixture
def device(has_device: bool):
    """PyGPU on a GPU or, with PYGPU_BACKEND=host, on the host runtime; skips on other machines."""
    on_host = os.environ.get("PYGPU_BACKEND") == "host" or "pygpu_host" in os.environ.get(
        "PYGPU_HIP_LIBRARY", ""
    )
    if not has_device and not on_host:
        pytest.skip("no device on this machine; `make test` runs this on the host runtime, too")
    import PyGPU

    assert int(PyGPU.cudaSetDevice(0)) == 0
    PyGPU.cudaGetLastError()  # from an earlier test with calls that fail on purpose
    return PyGPU


@pytest.fixture
def on_card(device, has_device: bool) -> None:
    """A GPU of NVIDIA's, on which PyGPU's arrays lie, too."""
    import PyGPU

    if not has_device or PyGPU.backend != "cuda" or os.environ.get("PYGPU_BACKEND") == "host":
        pytest.skip("no GPU of NVIDIA's on this machine")
