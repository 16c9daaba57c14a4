"""A benchmark's program in C++, which calls the libraries that this process has loaded."""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any


def build_twin(benchmark: str, folder: str) -> ctypes.CDLL:
    """Compile and load the C++ file with the name of a benchmark."""
    source = Path(benchmark).with_suffix(".cpp")
    output = f"{folder}/{source.stem}.so"
    command = ["g++", "-std=c++20", "-O2", "-shared", "-fPIC", str(source), "-o", output, "-ldl"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(output)


def build_extension(source: Path, folder: str) -> Any:
    """Compile and import an extension module of one C++ file."""
    output = f"{folder}/{source.stem}.so"
    include = sysconfig.get_path("include")
    command = ["g++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{include}", str(source)]
    subprocess.run([*command, "-o", output], check=True)
    spec = importlib.util.spec_from_file_location(source.stem, output)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_twin(benchmark: str, folder: str) -> ctypes.CDLL:
    """Like build_twin(), and attached to the driver of this process."""
    twin = build_twin(benchmark, folder)
    with open("/proc/self/maps") as file:
        driver = next(line.split()[-1] for line in file if "libcuda.so" in line)
    if twin.attach(driver.encode()):
        sys.exit(f"not attached to {driver}")
    return twin
