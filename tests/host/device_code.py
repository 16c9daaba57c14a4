"""Device code for tests: compiled by NVRTC, packed as nvcc does, registered as its programs do."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PyGPU import _backend, nvrtc
from tests.conftest import unavailable

PTX, CUBIN = 1, 2  # kinds of images in a fat binary
LZ4, ZSTD = 0x2000, 0x8000  # flags of a compressed image


class Dim(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]


def compiled(source: str, architecture: str = "compute_90") -> bytes:
    """PTX for compute_…, a cubin for sm_…; without NVRTC skips the test, or fails it in CI."""
    program, err = nvrtc.nvrtcCreateProgram(source, "test.cu", 0, [], [])
    if err == nvrtc.nvrtcResult(303):
        unavailable("no NVRTC here: pip install nvidia-cuda-nvrtc")
    calls = nvrtc.checked
    try:
        calls.nvrtcCompileProgram(program, 1, [f"--gpu-architecture={architecture}"])
    except Exception as error:
        error.add_note(calls.nvrtcGetProgramLog(program))
        raise
    get = calls.nvrtcGetPTX if architecture.startswith("compute") else calls.nvrtcGetCUBIN
    image = get(program)
    calls.nvrtcDestroyProgram(program)
    return image


def run_compiler(command: list, folder: Path) -> None:
    """Run NVIDIA's compiler, which fails where a sanitizer's library is loaded before its own."""
    subprocess.run(command, cwd=folder, env={**os.environ, "LD_PRELOAD": ""}, check=True)


def _length(number: int) -> bytes:
    return b"" if number < 15 else b"\xff" * ((number - 15) // 255) + bytes([(number - 15) % 255])


def _sequence(literals: bytes, match: int = 0, back: int = 0) -> bytes:
    token = min(len(literals), 15) << 4 | (min(match - 4, 15) if match else 0)
    head = bytes([token]) + _length(len(literals)) + literals
    return head + struct.pack("<H", back) + _length(match - 4) if match else head


def by_lz4(image: bytes) -> bytes:
    """A block of LZ4: literal bytes, and repetitions of four or more earlier bytes."""
    packed, begin, at, seen = b"", 0, 0, {}
    while at < len(image) - 4:
        before = seen.get(image[at : at + 4], at)
        seen[image[at : at + 4]] = at
        back, end = at - before, at
        while 0 < back < 1 << 16 and end < len(image) and image[end] == image[end - back]:
            end += 1
        if end > at:
            packed += _sequence(image[begin:at], end - at, back)
            begin = end
        at = max(end, at + 1)
    return packed + _sequence(image[begin:])


def by_zstd(image: bytes) -> bytes:
    """A frame of Zstandard; without libzstd skips the test, or fails it in CI."""
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        unavailable("no libzstd.so.1 here")
    for name in ("ZSTD_compressBound", "ZSTD_compress"):
        library[name].restype = ctypes.c_size_t
    whole = ctypes.c_size_t(len(image))
    packed = ctypes.create_string_buffer(library["ZSTD_compressBound"](whole))
    bound = ctypes.c_size_t(len(packed))
    return packed[: library["ZSTD_compress"](packed, bound, image, whole, 3)]


PACKING = {0: bytes, LZ4: by_lz4, ZSTD: by_zstd}


def fat_binary(*images: tuple[int, bytes], flags: int = 0, size: int | None = None) -> bytes:
    """What the toolkit's `fatbinary` writes; `size` replaces the true size in the header."""
    body = b""
    for kind, image in images:
        packed = PACKING[flags](image)
        sizes = (len(packed), len(image) if size is None else size) if flags else (0, 0)
        packed += b"\0" * (-len(packed) % 8)
        head = (kind, 0x101, 64, len(packed), sizes[0], 64, 0, 9, 90, 0, 0, flags, 0, sizes[1])
        body += struct.pack("<HHIQIIHHIIIQQQ", *head) + packed
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def wrapper_of(binary: object) -> ctypes.Array:
    """What the start-up code of a program passes on. `binary` must live as long."""
    address = ctypes.cast(binary, ctypes.c_void_p).value
    return ctypes.create_string_buffer(struct.pack("<IIQQ", 0x466243B1, 1, address, 0))


class Program:
    """A program as made by nvcc, with one host function for each kernel."""

    def __init__(self, *names: str) -> None:
        self.library = ctypes.CDLL(_backend.HOST_RUNTIME)
        self.functions = {name: ctypes.create_string_buffer(1) for name in names}

    def call(self, name: str, *arguments: object, result: object = ctypes.c_int) -> object:
        """A function of the host runtime, including names that Python would mangle in a class."""
        function = self.library[name]
        function.restype = result
        return function(*arguments)

    def function(self, name: str) -> ctypes.c_void_p:
        """The host function that stands for a kernel."""
        return ctypes.c_void_p(ctypes.addressof(self.functions[name]))

    def launch(self, name: str, grid, block, *values, shared: int = 0, stream=None) -> object:
        """What `name<<<grid, block, shared, stream>>>(*values)` compiles to; returns the code."""
        dimensions = Dim(*grid), Dim(*block)
        on = ctypes.c_void_p(None if stream is None else int(stream))
        assert (
            self.call("__cudaPushCallConfiguration", *dimensions, ctypes.c_size_t(shared), on) == 0
        )
        arguments = Dim(), Dim(), ctypes.c_size_t(), ctypes.c_void_p()
        assert self.call("__cudaPopCallConfiguration", *map(ctypes.byref, arguments)) == 0
        pointers = (ctypes.c_void_p * (len(values) or 1))(*map(ctypes.addressof, values))
        return self.call(
            "cudaLaunchKernel", self.function(name), *arguments[:2], pointers, *arguments[2:]
        )


@contextmanager
def program(binary: object, *names: str) -> Iterator[Program]:
    """A program with these kernels, while the block runs; `binary` is bytes or ctypes memory."""
    one, wrapper = Program(*names), wrapper_of(binary)
    registered = one.call("__cudaRegisterFatBinary", wrapper, result=ctypes.c_void_p)
    image = ctypes.c_void_p(registered)
    for name in names:
        arguments = (None, name.encode(), -1, *[None] * 5)
        one.call("__cudaRegisterFunction", image, one.function(name), *arguments, result=None)
    yield one
    one.call("__cudaUnregisterFatBinary", image, result=None)
