"""What the doctor advises, machine by machine."""

from __future__ import annotations

import os
import pathlib
import re

import pytest

from PyGPU._apis import APIS
from PyGPU.doctor import brief, render
from PyGPU.doctor.advice import VARIABLES

ROOT = pathlib.Path(__file__).resolve().parents[2]

LIBRARY = {
    "path": "/site/libcudart.so.13",
    "soname": "libcudart.so.13",
    "release": "13.0",
    "found": 310,
    "missing": [],
}
NODES = {"/dev/nvidiactl": "", "/dev/nvidia0": ""}
CARD = {
    "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
    "/sys/bus/pci/devices/0000:01:00.0/class": "0x030200\n",
}


def failing(code: int, **more: object) -> dict[str, object]:
    error = {
        "function": "cudaGetDeviceCount",
        "name": f"error{code}",
        "code": code,
        "message": "as told",
    }
    return {"library": LIBRARY, "errors": [error], **more}


def told(report) -> str:
    """All problems and remedies; both of the report's texts must contain them, too."""
    for text in (" ".join(one(report).split()) for one in (render, brief.render)):
        for entry in report["advice"]:
            assert " ".join(entry["problem"].split()) in text
            assert " ".join(entry["todo"].split()) in text
    return "\n".join(f"{e['api']}: {e['problem']} -> {e['todo']}" for e in report["advice"])


def test_a_machine_with_nothing(diagnose):
    report = diagnose()
    said = told(report)
    assert not report["works"]
    assert (
        "no CUDA runtime library (libcudart) was found -> pip install nvidia-cuda-runtime" in said
    )
    assert "no NVIDIA GPU and no NVIDIA driver is on this machine" in said
    assert "hip:" not in said  # nobody asked for HIP, and there is no AMD hardware


def test_the_wheel_suits_the_driver(diagnose):
    report = diagnose(NODES, cuda={"driver_version": 12040})
    assert "pip install nvidia-cuda-runtime-cu12" in told(report)
    assert report["apis"]["cuda"]["driver"]["version"] == "12.4"


def test_a_driver_too_old(diagnose):
    said = told(diagnose(NODES, cuda=failing(35, driver_version=12040)))
    assert "serves CUDA up to 12.4, the library is 13.0" in said
    assert "pip install nvidia-cuda-runtime-cu12, or install a newer driver (580" in said
    assert "no device node" not in said


def test_a_card_without_a_driver(diagnose):
    said = told(diagnose(CARD, cuda=failing(35)))
    assert "1 NVIDIA GPU is on the bus, without a driver -> install the NVIDIA driver" in said


@pytest.mark.parametrize(
    ("mark", "environ", "remedy"),
    [
        ("/.dockerenv", {}, "--gpus all"),
        ("/run/.containerenv", {}, "--device nvidia.com/gpu=all"),
        ("/x", {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "nvidia.com/gpu: 1"),
    ],
)
def test_a_container_without_the_gpu(diagnose, mark, environ, remedy):
    said = told(diagnose({mark: "", **CARD}, environ=environ, cuda=failing(35)))
    assert remedy in said
    assert "install the NVIDIA driver (" not in said


def test_wsl(diagnose):
    said = told(diagnose({"/proc/version": "Linux microsoft-standard-WSL2"}, cuda=failing(35)))
    assert "driver in Windows" in said


def test_the_drivers_library_is_missing(diagnose):
    said = told(diagnose(NODES, cuda=failing(35)))
    assert "libcuda.so.1 is not" in said


def test_permissions(diagnose, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    files = {"/dev/kfd": "", "/dev/dri/renderD128": ""}
    report = diagnose(files, backend="hip")
    said = told(report)
    assert "/dev/kfd, /dev/dri/renderD128 may not be opened by this user" in said
    assert "usermod -aG render,video" in said
    assert "/dev/kfd (no access)" in render(report)


@pytest.mark.parametrize(
    ("code", "word"), [(100, "CUDA_VISIBLE_DEVICES"), (802, "fabricmanager"), (803, "reboot")]
)
def test_codes_that_have_a_cause(diagnose, code, word):
    said = told(diagnose(NODES, cuda=failing(code, driver_version=13000)))
    assert f"cudaGetDeviceCount gives error{code} ({code}): as told" in said
    assert word in said


def test_an_amd_card_that_the_release_does_not_know(diagnose):
    files = {"/dev/kfd": "", "/dev/dri/renderD128": ""}
    error = {"function": "hipGetDeviceCount", "name": "hipErrorNoDevice", "message": "none"}
    found = {"library": LIBRARY, "errors": [{**error, "code": 100}], "driver_version": 60241134}
    report = diagnose(files, backend="hip", hip=found)
    assert told(report) == (
        "hip: hipGetDeviceCount gives hipErrorNoDevice (100): none -> HIP_VISIBLE_DEVICES or "
        "ROCR_VISIBLE_DEVICES may hide every device; else the card may be none that this ROCm "
        "release knows (`rocminfo` lists what it sees)"
    )
    assert report["apis"]["hip"]["driver"]["version"] == "6.2.41134"


def test_an_amd_container(diagnose):
    said = told(diagnose({"/.dockerenv": ""}, backend="hip"))
    assert "--device=/dev/kfd --device=/dev/dri" in said
    assert "no HIP runtime library (libamdhip64) was found" in said


def test_a_named_library(diagnose):
    candidate = {
        "path": "/nowhere/x.so",
        "origin": "PYGPU_CUDA_LIBRARY",
        "soname": "",
        "major": None,
        "chosen": False,
        "verdict": "cannot be read: No such file or directory",
    }
    report = diagnose(
        environ={"PYGPU_CUDA_LIBRARY": "/nowhere/x.so"}, cuda={"candidates": [candidate]}
    )
    assert "PYGPU_CUDA_LIBRARY names a library that cannot be used: cannot be read" in told(report)
    assert "pip install" not in told(report)


def test_a_crash_and_a_hang(diagnose):
    report = diagnose(NODES, failure="ended with signal 11", cuda={"device_count": 1})
    assert "asking the library for its devices ended with signal 11" in told(report)
    assert not report["works"]


def test_the_other_backend_would_work(diagnose):
    works = {"library": LIBRARY, "device_count": 1, "driver_version": 13000}
    report = diagnose(NODES, backend="hip", cuda=works)
    assert report["works"]
    assert "PYGPU_BACKEND=cuda" in told(report)


def test_no_host_runtime(diagnose):
    report = diagnose(backend="host", cuda={"warnings": ["PyGPU: the backend is host, but …"]})
    assert "the backend is host" in told(report)


def test_a_misspelt_variable(diagnose):
    """Otherwise a misspelt variable would be ignored silently."""
    report = diagnose(environ={"PYGPU_BACKENDS": "hip", "PYGPU_OTHER_THING": "1"})
    assert report["notes"][:2] == [
        "PYGPU_BACKENDS is not a variable of PyGPU: did you mean PYGPU_BACKEND?",
        "PYGPU_OTHER_THING is not a variable of PyGPU.",
    ]
    assert "did you mean PYGPU_BACKEND?" in " ".join(brief.render(report).split())


def test_the_variables_are_those_of_the_code_and_of_the_documents():
    """The doctor calls every other name misspelt, so its list may lack none that the code reads."""
    houses = [ROOT / "src/handwritten", ROOT / "hostgpu"]
    sources = [path for house in houses for path in house.rglob("*.[ch]pp")]
    sources += (ROOT / "python").rglob("*.py")
    sources.remove(ROOT / "python/PyGPU/doctor/advice.py")
    read = set(re.findall(r'"(PYGPU_\w+)"', "\n".join(one.read_text() for one in sources)))
    assert read == set(VARIABLES)
    texts = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    rows = re.findall(r"^\| (`PYGPU_.*?) \|", "\n".join(one.read_text() for one in texts), re.M)
    described = set(re.findall(r"PYGPU_\w+", " ".join(rows)))
    further = {api.library.variable for api in APIS.values() if api.module != "_core"}
    assert set(VARIABLES) - further <= described <= set(VARIABLES)


def test_all_is_well(diagnose):
    report = diagnose(NODES, cuda={"library": LIBRARY, "device_count": 1, "driver_version": 13000})
    assert report["works"]
    assert report["advice"] == []
    assert "static CUDA runtime" in report["notes"][0]
    assert "to CUDA 13." in report["notes"][0]
