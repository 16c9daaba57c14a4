"""The choice of the backend, from device nodes and driver libraries alone."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from PyGPU import _backend

NVIDIA = ("dev/nvidiactl", "dev/nvidia0")
AMD = ("dev/kfd", "dev/dri/renderD128")
LIBCUDA = ("usr/lib/x86_64-linux-gnu/libcuda.so.1",)
LIBHSA = ("opt/rocm/lib/libhsa-runtime64.so.1",)


def choose(tmp_path: pathlib.Path, files=(), host=False, **environ: str) -> tuple[str, str]:
    for file in files:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    runtime = tmp_path / "libpygpu_host.so"
    if host:
        runtime.touch()
    return _backend.choose(environ, str(tmp_path), str(runtime))


@pytest.mark.parametrize(
    ("files", "host", "name"),
    [
        ((), False, "cuda"),
        ((), True, "host"),
        (NVIDIA, True, "cuda"),
        (("dev/dxg",), True, "cuda"),
        (AMD, True, "hip"),
        (("dev/kfd",), True, "host"),
        (("dev/dri/renderD128",), True, "host"),
        (NVIDIA + AMD, True, "cuda"),
        (LIBCUDA, True, "cuda"),
        (LIBHSA, True, "hip"),
        (LIBCUDA + LIBHSA, True, "cuda"),
        (LIBCUDA + AMD, True, "hip"),
        (LIBHSA + NVIDIA, True, "cuda"),
    ],
)
def test_auto(tmp_path, files, host, name):
    chosen, why = choose(tmp_path, files, host)
    assert chosen == name
    assert why


def test_the_driver_in_the_loaders_cache(tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "ld.so.cache").write_bytes(b"x\0libcuda.so.1\0/odd/libcuda.so.1\0")
    assert choose(tmp_path, host=True)[0] == "cuda"


def test_a_named_library_is_a_wish(tmp_path):
    name, why = choose(tmp_path, host=True, PYGPU_HIP_LIBRARY="/x/libamdhip64.so")
    assert name == "hip"
    assert "PYGPU_HIP_LIBRARY" in why


@pytest.mark.parametrize("name", ["cuda", "hip", "host"])
def test_the_variable(tmp_path, name):
    assert choose(tmp_path, NVIDIA, PYGPU_BACKEND=name) == (name, f"PYGPU_BACKEND={name}")


@pytest.mark.parametrize("value", ["", "auto", " AUTO "])
def test_auto_by_name(tmp_path, value):
    assert choose(tmp_path, AMD, PYGPU_BACKEND=value)[0] == "hip"


def test_a_bad_value_names_the_variable_and_the_values(tmp_path):
    with pytest.raises(ValueError, match=r"PYGPU_BACKEND is 'rocm'.*auto, cuda, hip, host"):
        choose(tmp_path, PYGPU_BACKEND="rocm")


@pytest.fixture
def _fresh(monkeypatch):
    for name, value in {"_name": "cuda", "_why": "x", "_used": "", "_asked_for": False}.items():
        monkeypatch.setattr(_backend, name, value)


@pytest.mark.usefixtures("_fresh")
class TestUse:
    def test_another(self):
        assert _backend.use("hip") is True
        assert (_backend.current(), _backend.why()) == ("hip", "PyGPU.use('hip')")

    def test_the_same_is_nothing_even_in_use(self):
        _backend.mark_used("first by cudaMalloc")
        assert _backend.use("cuda") is False

    def test_too_late(self):
        _backend.mark_used("first by cudaMalloc")
        _backend.mark_used("first by cudaFree")
        with pytest.raises(RuntimeError, match=r"'cuda' is in use already \(first by cudaMalloc\)"):
            _backend.use("host")
        assert _backend.current() == "cuda"

    def test_bad_names(self):
        with pytest.raises(ValueError, match="'opencl' is not a backend; use one of auto, cuda"):
            _backend.use("opencl")
        with pytest.raises(TypeError, match="must be a str, not int"):
            _backend.use(1)

    @pytest.mark.parametrize("before", ["cuda", "host"])
    def test_host_by_wish_is_no_fallback(self, monkeypatch, before):
        """Not even where the host runtime stands in already. A later "auto" doesn't change that."""
        monkeypatch.setattr(_backend, "_name", before)
        monkeypatch.setattr(_backend, "choose", lambda environ: ("host", "no GPU is there"))
        assert _backend.use("host") is (before != "host")
        assert _backend.use("auto") is False
        assert (_backend.why(), _backend.fell_back()) == ("PyGPU.use('host')", False)


def test_the_package_imports_nothing_else():
    """`import PyGPU` stays fast: it imports only modules that every interpreter already has."""
    code = "import sys; before = set(sys.modules); import PyGPU; print(*set(sys.modules) - before)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {name for name in result.stdout.split() if name.split(".")[0] != "PyGPU"}
    assert loaded <= {
        "__future__",
        "_interpreters",
        "_xxsubinterpreters",
        "atexit",  # built into the interpreter
    }
