"""NVML on the host runtime: profiles of cards, and what programs show of themselves."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import PyGPU
from tests.conftest import required
from tests.host.test_library import exported_by
from tests.host.test_run import PROGRAMS, program, run  # noqa: F401
from tests.own_interpreter import own_interpreter

ROOT = Path(__file__).resolve().parents[2]
PROFILES = sorted((ROOT / "hostgpu" / "base" / "profiles").glob("*.inc"))
# nvml.h declares these, under NVML_NO_UNVERSIONED_FUNC_DEFS, beside their newer forms.
OLD_FORMS = {
    "nvmlInit",
    "nvmlDeviceGetCount",
    "nvmlDeviceGetHandleByIndex",
    "nvmlDeviceGetHandleByPciBusId",
    "nvmlDeviceGetPciInfo",
    "nvmlDeviceGetPciInfo_v2",
    "nvmlDeviceGetNvLinkRemotePciInfo",
    "nvmlDeviceGetGridLicensableFeatures",
    "nvmlDeviceGetGridLicensableFeatures_v2",
    "nvmlDeviceGetGridLicensableFeatures_v3",
    "nvmlDeviceRemoveGpu",
    "nvmlEventSetWait",
    "nvmlDeviceGetAttributes",
    "nvmlComputeInstanceGetInfo",
    "nvmlDeviceGetComputeRunningProcesses",
    "nvmlDeviceGetComputeRunningProcesses_v2",
    "nvmlDeviceGetGraphicsRunningProcesses",
    "nvmlDeviceGetGraphicsRunningProcesses_v2",
    "nvmlDeviceGetMPSComputeRunningProcesses",
    "nvmlDeviceGetMPSComputeRunningProcesses_v2",
    "nvmlDeviceGetGpuInstancePossiblePlacements",
    "nvmlVgpuInstanceGetLicenseInfo",
}
UNINITIALIZED, INVALID, NOT_SUPPORTED = 1, 2, 3


@pytest.fixture
def nvml(host_library) -> str:
    """The library's path."""
    return str(host_library.parent / "host_libraries" / "libnvidia-ml.so.1")


def test_each_function_of_the_header_is_there(nvml):
    functions = json.loads((ROOT / "api_specs" / "nvml" / "api.json").read_text())["functions"]
    newest = {
        forms[-1].get("symbol", name)
        for name, forms in functions.items()
        if "until" not in forms[-1]
    }
    assert len(newest) > 400
    exported = {one.partition("@")[0] for one in exported_by(nvml)}
    assert newest | OLD_FORMS <= exported
    assert {one for one in exported if one.startswith("nvml")} == newest | OLD_FORMS


def test_nothing_answers_before_it_is_initialised(nvml):
    nvml, count = ctypes.CDLL(nvml), ctypes.c_uint()
    assert nvml.nvmlShutdown() == UNINITIALIZED
    assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED
    assert nvml.nvmlDeviceSetPersistenceMode(None, 1) == UNINITIALIZED
    assert nvml.nvmlSystemGetCudaDriverVersion(ctypes.byref(count)) == 0
    assert (nvml.nvmlInit_v2(), nvml.nvmlInit()) == (0, 0)
    assert nvml.nvmlShutdown() == 0
    assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0, "it was started twice"
    assert nvml.nvmlShutdown() == 0
    assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2", PYGPU_HOST_PROFILE="h200")
def test_what_is_wrong_is_refused(nvml):
    nvml = ctypes.CDLL(nvml)
    assert nvml.nvmlInit_v2() == 0
    device, other, text = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(64)
    value = ctypes.c_ulonglong()
    assert nvml.nvmlDeviceGetHandleByIndex_v2(2, ctypes.byref(device)) == INVALID
    assert nvml.nvmlDeviceGetHandleByIndex_v2(0, None) == INVALID
    assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
    assert nvml.nvmlDeviceGetHandleByPciBusId_v2(b"0000:02:00.0", ctypes.byref(other)) == 0
    assert nvml.nvmlDeviceGetHandleByPciBusId_v2(b"0000:03:00.0", ctypes.byref(other)) == 6
    for wrong in (None, 1, ctypes.c_void_p(device.value + 2), ctypes.c_void_p(device.value - 1)):
        assert nvml.nvmlDeviceGetName(wrong, text, 64) == INVALID
    assert nvml.nvmlDeviceGetName(device, None, 64) == INVALID
    name = b"NVIDIA H200"
    assert nvml.nvmlDeviceGetName(device, text, len(name)) == 7
    assert nvml.nvmlDeviceGetName(device, text, len(name) + 1) == 0 and text.value == name
    assert nvml.nvmlDeviceGetMemoryInfo(device, None) == INVALID
    version_2 = (ctypes.c_ulonglong * 5)(1 << 24 | 40)
    assert nvml.nvmlDeviceGetMemoryInfo_v2(device, version_2) == 25
    assert nvml.nvmlDeviceGetClockInfo(device, 4, ctypes.byref(value)) == INVALID
    assert nvml.nvmlDeviceGetNvLinkState(device, 18, ctypes.byref(value)) == INVALID
    assert nvml.nvmlDeviceGetEccMode(device, ctypes.byref(value), None) == INVALID
    assert nvml.nvmlDeviceSetPersistenceMode(device, 1) == NOT_SUPPORTED
    nvml.nvmlErrorString.restype = ctypes.c_char_p
    assert nvml.nvmlErrorString(NOT_SUPPORTED) == b"Not Supported"
    assert nvml.nvmlErrorString(12345) == b"Unknown Error"


def facts(path: Path) -> dict[str, str]:
    """What a profile's file says."""
    lines = (line.strip() for line in path.read_text().splitlines())
    pairs = (line[1:].rstrip(",").split(" = ") for line in lines if line.startswith("."))
    return dict(pairs)


# What CUDA and NVML say of a card, as JSON.
def describe_card(library):
    nvml, gpu = ctypes.CDLL(library), PyGPU.checked
    card, device = gpu.cudaGetDeviceProperties(0), ctypes.c_void_p()
    nvml.nvmlInit_v2()
    nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))
    # Processes of other tests may hold memory: only the total and the reserved part are compared.
    uuid, memory = ctypes.create_string_buffer(96), (ctypes.c_ulonglong * 5)(2 << 24 | 40)
    name = ctypes.create_string_buffer(96)
    assert nvml.nvmlDeviceGetUUID(device, uuid, 96) == 0
    assert nvml.nvmlDeviceGetName(device, name, 96) == 0
    assert nvml.nvmlDeviceGetMemoryInfo_v2(device, memory) == 0
    attributes = [
        gpu.cudaDeviceGetAttribute(one, 0)
        for one in (
            PyGPU.cudaDevAttrMaxSharedMemoryPerMultiprocessor,
            PyGPU.cudaDevAttrMaxThreadsPerMultiProcessor,
            PyGPU.cudaDevAttrMaxBlocksPerMultiprocessor,
            PyGPU.cudaDevAttrClockRate,
        )
    ]
    said = {
        "name": card.name,
        "capability": [card.major, card.minor],
        "multiprocessors": card.multiProcessorCount,
        "memory": [card.totalGlobalMem, gpu.cudaMemGetInfo()[1], memory[1] - memory[2]],
        "uuid": card.uuid.bytes.hex(),
        "attributes": attributes,
        "properties": [
            card.sharedMemPerMultiprocessor,
            card.maxThreadsPerMultiProcessor,
            card.maxBlocksPerMultiProcessor,
        ],
        "nvml": [name.value.decode(), uuid.value.decode()],
    }
    print(json.dumps(said))


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_devices_are_what_the_profile_says(on_host, nvml, path):
    card = facts(path)
    assert card["key"] == f'"{path.stem}"'
    done = on_host(describe_card, nvml, PYGPU_HOST_PROFILE=path.stem)
    assert not done.stderr
    said = json.loads(done.stdout)
    assert said["name"] == said["nvml"][0] == card["name"].strip('"')
    assert said["capability"] == [int(card["major"]), int(card["minor"])]
    assert said["multiprocessors"] == int(card["multiprocessors"])
    assert said["nvml"][1].removeprefix("GPU-").replace("-", "") == said["uuid"]
    in_bytes = eval(card["memory"], {"mebibyte": 1 << 20})
    assert said["memory"] == [in_bytes] * 3
    in_kib = int(card["shared_all"].partition(" << ")[0])
    expected = [in_kib << 10, int(card["threads"]), int(card["blocks"])]
    assert said["properties"] == expected
    assert said["attributes"] == [*expected, int(card["clock_mhz"]) * 1000]


def test_other_settings_win(on_host, nvml):
    done = on_host(
        describe_card,
        nvml,
        PYGPU_HOST_PROFILE="h200",
        PYGPU_HOST_MEMORY="1GiB",
        PYGPU_HOST_CAPABILITY="8.0",
    )
    said = json.loads(done.stdout)
    assert said["name"] == "NVIDIA H200"
    assert said["capability"] == [8, 0]
    assert said["memory"] == [1 << 30] * 3


@own_interpreter("on_host", PYGPU_HOST_PROFILE="h200")
def test_a_multiprocessor_runs_several_blocks():
    gpu = PyGPU.cu.checked
    PyGPU.checked.cudaSetDevice(0)
    module = gpu.cuModuleLoadData((PROGRAMS / "busy.ptx").read_bytes())
    kernel = gpu.cuModuleGetFunction(module, "busy")
    at_once = gpu.cuOccupancyMaxActiveBlocksPerMultiprocessor
    assert [at_once(kernel, threads, 0) for threads in (32, 256, 1000, 1024)] == [32, 8, 2, 2]
    assert at_once(kernel, 32, 40 << 10) == 5, "228 KiB have room for five times 41"


@contextmanager
def running(name: str, *words: str, **options: str) -> Iterator[subprocess.Popen[str]]:
    """A program on the host runtime that has said its first line; it is killed at the end."""
    command = [sys.executable, "-m", "PyGPU", "host", "run", "--profile", "h200", "--devices", "2"]
    process = subprocess.Popen(
        [*command, "--", *program(name), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout and process.stdout.readline() == "started\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def ask(run):  # noqa: F811
    """What NVML says in a process of its own of each device: pids with memory, and utilisation."""

    def ask() -> list[dict]:
        done = run(*program("devices_in_use.py"), options=("--profile", "h200", "--devices", "2"))
        assert not done.returncode, done.stderr
        return json.loads(done.stdout)

    return ask


def test_another_process_sees_memory_until_a_program_is_gone(ask):
    size = 64 << 20
    with running("holds.py", str(size)) as process:
        first, second = ask()
        assert str(process.pid) not in first["processes"], "it sees the second device alone"
        assert second["processes"][str(process.pid)] == size
        assert second["used"] >= size
    assert str(process.pid) not in ask()[1]["processes"], "it was killed"


def test_utilisation_follows_kernels(ask):
    with running("keeps_busy.py") as process:
        for _ in range(50):
            assert process.poll() is None
            if (busy := ask()[0])["utilisation"] >= 90:
                break
        assert busy["watts"] > 400 and busy["clock"] == 1980
        assert busy["of_processes"][str(process.pid)] >= 90


def test_pynvml(run):  # noqa: F811
    required("pynvml")
    done = run(*program("with_pynvml.py"), options=("--profile", "h200", "--devices", "3"))
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


@pytest.mark.parametrize("package", ["gpustat", "nvitop"])
def test_monitors(run, package):  # noqa: F811
    """`make unmodified` runs them, in a scheduled job."""
    pytest.importorskip(package, reason="not installed: requirements/peers.txt")
    words = {"gpustat": ("--no-color",), "nvitop": ("--once", "--ascii")}[package]
    with running("holds.py", str(100 << 20)):
        options = ("--profile", "h200", "--devices", "2")
        done = run(sys.executable, "-m", package, *words, options=options)
    assert not done.returncode, done.stderr
    assert done.stdout.count("H200") == 2
    assert {"gpustat": "100 / 143771 MB", "nvitop": "100.0MiB / 140.4GiB"}[package] in done.stdout
