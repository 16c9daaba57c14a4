"""The target architecture follows from the device, the backend and the compiler's release."""

from __future__ import annotations

import types

import pytest

import PyGPU
from PyGPU import _backend
from PyGPU._kernels import targets
from PyGPU._kernels._vendors import COMPILERS
from tests.own_interpreter import own_interpreter

NVRTC, HIPRTC = COMPILERS["nvrtc"], COMPILERS["hiprtc"]
OLD = [52, 60, 61, 70, 75, 80, 86, 87, 89, 90]  # as in NVRTC 12.0


@pytest.mark.parametrize(
    ("asked", "kind", "arch", "made"),
    [
        ("sm_90", None, "sm_90", "cubin"),
        ("sm_90a", None, "sm_90a", "cubin"),
        ("sm_90a", "ptx", "compute_90a", "ptx"),
        ("compute_52", None, "compute_52", "ptx"),
        ("compute_52", "cubin", "sm_52", "cubin"),
        ("lto_80", None, "sm_80", "ltoir"),
        ("sm_120", None, "compute_90", "ptx"),  # newer than all known ones
        ("sm_120", "cubin", "compute_90", "ptx"),
        ("sm_88", None, "compute_87", "ptx"),  # between two known ones
        (None, None, "compute_75", "ptx"),
        (None, "cubin", "sm_75", "cubin"),
        (None, "ltoir", "sm_75", "ltoir"),
    ],
)
def test_what_nvrtc_makes(asked, kind, arch, made):
    target = targets.target(NVRTC, "NVRTC", asked, kind, OLD)
    assert (target.arch, target.kind) == (arch, made)
    assert bool(target.note) == (asked in ("sm_120", "sm_88", None))


def test_without_a_device_it_is_the_oldest_that_a_later_compiler_knows():
    assert targets.target(NVRTC, "NVRTC", None, None, [80, 90, 130]).arch == "compute_80"


@pytest.mark.parametrize(
    ("asked", "kind"),
    [("sm_50", None), ("sm_120a", None), ("sm_120", "ltoir"), ("compute_35", None)],
)
def test_what_nvrtc_can_t_make(asked, kind):
    """The message lists names as `arch` takes them, and says what to do about an old one."""
    start, old = asked.rpartition("_")[0], asked in ("sm_50", "compute_35")
    known = f"it knows {start}_52, {start}_60.*, {start}_90"
    way = "; an older NVRTC may know it" if old else ""
    with pytest.raises(ValueError, match=f"makes no code for {asked}: {known}{way}$"):
        targets.target(NVRTC, "NVRTC", asked, kind, OLD)


def test_what_hiprtc_makes():
    for kind in (None, "hsaco", "cubin"):  # PyCUDA's default is "cubin"
        assert targets.target(HIPRTC, "hipRTC", "gfx942:sramecc+:xnack-", kind).kind == "hsaco"
    for asked, kind, said in (
        (None, None, r"there is no \w+ device; name an arch"),
        ("sm_90", None, "arch must be like 'gfx942'"),
        ("gfx942", "ptx", "hipRTC makes hsaco, not ptx"),
    ):
        with pytest.raises(ValueError, match=said):
            targets.target(HIPRTC, "hipRTC", asked, kind)


def current() -> str | None:
    return targets.current(NVRTC)


@pytest.fixture
def card(monkeypatch):
    """(major, minor, status) -> the current device answers with these."""

    def answer(major: int, minor: int, status: int = 0) -> None:
        err = PyGPU.cuda.cudaError_t(status)
        values = {"Major": major, "Minor": minor}
        monkeypatch.setattr(_backend, "fell_back", lambda: False)
        monkeypatch.setattr(_backend, "current", lambda: "cuda")
        runtime = types.SimpleNamespace(
            cudaGetDevice=lambda: (None if status else 3, err),
            cudaDeviceGetAttribute=lambda attribute, device: (values[attribute], err),
            cudaDevAttrComputeCapabilityMajor="Major",
            cudaDevAttrComputeCapabilityMinor="Minor",
        )
        monkeypatch.setattr(_backend, "runtime", lambda raising: runtime)

    return answer


def test_the_current_device_decides(card, monkeypatch):
    card(9, 0)
    assert current() == "sm_90"
    card(12, 1)
    assert current() == "sm_121"
    monkeypatch.setattr(_backend, "current", lambda: "host")
    assert current() == "compute_121"


@pytest.mark.parametrize("status", [35, 100, 303])
def test_there_is_no_device(card, status):
    card(0, 0, status)
    assert current() is None


def test_a_device_that_fails_is_told(card):
    card(0, 0, 719)
    with pytest.raises(PyGPU.GPUError, match="cudaErrorLaunchFailure"):
        current()


@own_interpreter(PYGPU_BACKEND="host")
def test_the_host_runtime_takes_ptx():
    assert current() == "compute_80"


@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_CAPABILITY="9.0")
def test_the_host_runtime_is_what_it_is_told_to_be():
    assert current() == "compute_90"


@own_interpreter(PYGPU_BACKEND="auto", PYGPU_CUDA_LIBRARY=None)
def test_a_machine_without_gpu_compiles_unwarned():
    """Nobody asked for the host runtime, and nothing runs on it."""
    import warnings

    if not _backend.fell_back():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert current() is None


@pytest.mark.device
def test_on_a_device(nvrtc, has_device):
    if not has_device or PyGPU.backend != "cuda":
        pytest.skip("no CUDA device on this machine")
    from PyGPU import compiler

    made = compiler.compile("__global__ void kernel() {}", cache=False)
    device = PyGPU.check(PyGPU.cudaGetDevice())
    properties = PyGPU.check(PyGPU.cudaGetDeviceProperties(device))
    number = properties.major * 10 + properties.minor
    if number in nvrtc.checked.nvrtcGetSupportedArchs():
        assert (made.kind, made.arch) == ("cubin", f"sm_{number}")
    else:
        assert made.kind == "ptx"
    library = PyGPU.check(PyGPU.cuda.cudaLibraryLoadData(made, None, None, 0, None, None, 0))
    assert not PyGPU.cuda.cudaLibraryUnload(library)
