#!/usr/bin/env python3
"""Builds NVIDIA's CUDA samples, unchanged, and runs them on the host runtime: which are right?

    python tools/nvidia_samples.py [--source FOLDER] [--build FOLDER] [--seconds N] [name ...]

FOLDER is a checkout of the samples; without it git fetches the tag below. It needs nvcc, CMake and
Ninja; samples that draw also need freeglut and GLEW, though no window opens. A sample is right if
its own check passes: it ends with 0 within the time, with the arguments of NVIDIA's test_args.json,
and prints no "FAILURE" or "FAILED", since some end with 0 all the same.
nvidia_samples.toml lists those that can't be, each with the reason. The exit code is 1 if another
one isn't right, or if one of the list is.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import tomlkit

HERE = Path(__file__).resolve().parent
URL, TAG = "https://github.com/NVIDIA/cuda-samples", "v13.0"
REASONS = tomlkit.parse((HERE / "nvidia_samples.toml").read_text()).unwrap()

# The samples name architectures. Only PTX is of use here, and one is enough.
WRAPPER = """#!{python}
import os, sys
named = ("-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code")
given, kept = iter(sys.argv[1:]), []
for word in given:
    if word in named:
        next(given)
    elif not word.startswith(tuple(name + "=" for name in named)):
        kept.append(word)
only = ["-gencode", "arch=compute_80,code=compute_80"] if len(kept) + 1 < len(sys.argv) else []
os.execv({nvcc!r}, [{nvcc!r}, *only, *kept])
"""
HEAD = """cmake_minimum_required(VERSION 3.20)
project(samples LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
"""


def samples(source: Path, names: list[str]) -> list[Path]:
    """The folders of the samples that can be built."""
    every = sorted(file.parent for file in source.glob("Samples/[0-6]_*/*/CMakeLists.txt"))
    unknown = set(names) - {one.name for one in every}
    if unknown:
        raise SystemExit(f"no such sample: {', '.join(sorted(unknown))}")
    return [one for one in every if one.name not in REASONS["not_built"] and one.name in names]


def build(which: list[Path], folder: Path, nvcc: str) -> None:
    """Builds what can be built; a sample that fails has no program then."""
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "nvcc"
    wrapper.write_text(WRAPPER.format(python=sys.executable, nvcc=nvcc))
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    lines = [f'add_subdirectory("{one}" "{one.parent.name}/{one.name}")' for one in which]
    (folder / "CMakeLists.txt").write_text(HEAD + "\n".join(lines) + "\n")
    configure = ["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "made"]
    configure += ["-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared", f"-DCMAKE_CUDA_COMPILER={wrapper}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder / "made", "-k", "0"], check=False)


def run(sample: Path, program: Path, arguments: dict, seconds: int) -> str:
    """Nothing if it is right, else why not. What it prints goes to a file beside the program."""
    for one in sample.iterdir():  # its data are looked for beside it
        if not (program.parent / one.name).exists():
            (program.parent / one.name).symlink_to(one)
    devices = str(arguments.get("min_gpus", 1))
    runs = arguments.get("runs") or [{"args": arguments.get("args", [])}]
    command = [sys.executable, "-m", "PyGPU", "host", "run", "--devices", devices, "--"]
    said = program.parent / "printed.txt"
    with open(said, "w") as printed:
        for one in runs:
            try:
                done = subprocess.run(
                    [*command, program, *one["args"]],
                    cwd=program.parent,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    timeout=seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return f"not done after {seconds} s"
            if done.returncode:
                return f"ended with {done.returncode}"
    text = said.read_text(errors="replace")
    return next((f"said {word}" for word in ("FAILURE", "FAILED") if word in text), "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--source", type=Path, help=f"the samples; else fetched from {URL}")
    parser.add_argument("--build", type=Path, default=HERE.parent / "build" / "nvidia-samples")
    parser.add_argument("--seconds", type=int, default=600, help="for one run of a sample")
    parser.add_argument("names", nargs="*", help="of samples; else all")
    given = parser.parse_args()
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        raise SystemExit("there is no nvcc on the PATH")
    source = (given.source or given.build / "source").resolve()
    if not source.exists():
        subprocess.run(["git", "clone", "-q", "--depth", "1", "-b", TAG, URL, source], check=True)
    every = [file.parent.name for file in source.glob("Samples/[0-6]_*/*/CMakeLists.txt")]
    which = samples(source, given.names or every)
    folder = given.build.resolve()
    build(which, folder, os.path.abspath(nvcc))
    arguments = json.loads((source / "test_args.json").read_text())
    right, wrong = 0, []
    for sample in which:
        program = folder / "made" / sample.parent.name / sample.name / sample.name
        begun = time.monotonic()
        why = "wasn't built"
        if program.is_file():
            why = run(sample, program, arguments.get(sample.name, {}), given.seconds)
        reason = REASONS["not_right"].get(sample.name, "")
        right += not why
        if bool(why) != bool(reason):
            wrong.append(sample.name)
        line = f"{sample.name}: {f'{why} ({reason})' if why else 'right'}"
        print(f"{line}, {time.monotonic() - begun:.1f} s", flush=True)
    left_out = len(REASONS["not_built"]) if not given.names else 0
    print(f"{right} of {len(which)} samples are right; {left_out} can't be built or drawn here")
    if wrong:
        print(f"against nvidia_samples.toml: {', '.join(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
