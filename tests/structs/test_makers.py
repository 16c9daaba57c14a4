"""The headers' inline functions make the same structs as the vendor's own code, bit for bit."""

from __future__ import annotations

import importlib.util
import inspect
import pickle
import subprocess
import weakref
from pathlib import Path
from typing import Any

import pytest

import PyGPU
from generator import rules
from generator.parse.clang import FREESTANDING
from PyGPU import checked, cuda, hip
from tests.conftest import ROOT, unavailable
from tests.own_interpreter import own_interpreter

MODULES = {"cuda": cuda, "hip": hip}
EXAMPLES = [(1, 2, 3), (0, 0, 0), ((1 << 64) - 1, 7, 1 << 40)]


def makers(api: str) -> list[str]:
    return [one.name for one in rules.load(f"{api}_runtime").helpers]


def include(api: str) -> tuple[Path, str]:
    """A folder with the vendor's headers, and the lines that include the functions' headers."""
    if api == "hip":
        folder = ROOT.parent / "shared" / "headers" / "hip-6.2.41134" / "include"
        if not folder.is_dir():
            pytest.skip("the HIP 6.2 headers don't lie beside this checkout")
        return folder, "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime_api.h>\n"
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "cu13" / "include"
        if (folder / "driver_functions.h").exists():
            return folder, "#include <driver_functions.h>\n#include <channel_descriptor.h>\n"
    unavailable("no driver_functions.h here: pip install nvidia-cuda-runtime==13.0.96")
    raise AssertionError


def arguments(name: str, example: tuple[int, ...]) -> tuple[int, ...]:
    if "ChannelDesc" in name:
        return ()
    return (0x7F00, *example) if "Pitched" in name else example


def in_c(name: str, given: tuple[int, ...]) -> list[str]:
    numbers = [f"{one}ull" for one in given]
    return [f"(void *){numbers[0]}", *numbers[1:]] if "Pitched" in name else numbers


@pytest.mark.parametrize("api", MODULES)
def test_the_vendor_s_own_code_makes_the_same_bytes(api: str, tmp_path: Path) -> None:
    folder, lines = include(api)
    calls = [(name, arguments(name, one)) for name in makers(api) for one in EXAMPLES]
    printed = "".join(
        f"    {{ auto made = {name}({', '.join(in_c(name, given))}); show(&made, sizeof made); }}\n"
        for name, given in calls
    )
    source = tmp_path / "made.cpp"
    source.write_text(
        "#include <cstddef>\n#include <cstdio>\n"
        + lines
        # The only function of the library that the inline functions call.
        + f'extern "C" {api}ChannelFormatDesc {api}CreateChannelDesc(int x, int y, int z, int w, '
        f"{api}ChannelFormatKind f) {{ return {{x, y, z, w, f}}; }}\n"
        "static void show(const void *made, size_t size) {\n"
        "    for (size_t at = 0; at < size; ++at)\n"
        '        std::printf("%02x", static_cast<const unsigned char *>(made)[at]);\n'
        '    std::puts("");\n}\n'
        f"int main() {{\n{printed}}}\n"
    )
    command = ["g++", "-std=c++17", "-w", "-I", str(folder), "-idirafter", str(FREESTANDING)]
    program = tmp_path / "made"
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    theirs = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    ours = [bytes(getattr(MODULES[api], name)(*given)).hex() for name, given in calls]
    assert dict(zip(calls, ours, strict=True)) == dict(zip(calls, theirs, strict=True))


@pytest.mark.parametrize("api", MODULES)
def test_they_are_functions_like_all_others(api: str) -> None:
    make = getattr(MODULES[api], f"make_{api}Extent")
    assert str(inspect.signature(make)) == "(w, h, d)"
    assert make(1, d=3, h=2) == getattr(MODULES[api], f"{api}Extent")(1, 2, 3)
    assert pickle.loads(pickle.dumps(make)) is make
    assert f"{api}Extent(width=w, height=h, depth=d)" in make.__doc__
    assert f"make_{api}Extent" in dir(MODULES[api])


WRONG: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "missing": ((1, 2), TypeError, "parameter 'd' is missing"),
    "too many": ((1, 2, 3, 4), TypeError, "takes 3 positional arguments, 4 given"),
    "wrong type": ((1, "x", 3), TypeError, "parameter 'h' must be an integer, not str"),
    "negative": ((1, 2, -1), OverflowError, "parameter 'd' = -1 is out of range"),
    "too large": ((1 << 64, 2, 3), OverflowError, "parameter 'w' = 18446744073709551616"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_argument_is_named(what: str) -> None:
    given, error, said = WRONG[what]
    with pytest.raises(error, match=rf"make_cudaExtent.*{said}"):
        cuda.make_cudaExtent(*given)
    with pytest.raises(error, match=rf"make_hipExtent.*{said}"):
        hip.make_hipExtent(*given)


def test_functions_without_parameters_take_none() -> None:
    with pytest.raises(TypeError, match="cudaCreateChannelDescHalf"):
        cuda.cudaCreateChannelDescHalf(1)


def test_a_pointer_keeps_what_it_points_to() -> None:
    class Memory(bytearray):
        pass

    memory = Memory(16)
    end = weakref.ref(memory)
    made = cuda.make_cudaPitchedPtr(memory, 16, 16, 1)
    del memory
    assert end() is not None
    del made
    assert end() is None
    with pytest.raises(
        TypeError, match=r"make_cudaPitchedPtr\(\): parameter 'd' must be an address"
    ):
        cuda.make_cudaPitchedPtr("text", 1, 1, 1)


def test_the_raising_form_gives_the_same() -> None:
    assert cuda.checked.make_cudaPos(1, 2, 3) == cuda.make_cudaPos(1, 2, 3)
    assert checked.make_cudaPos(1, 2, 3) == cuda.make_cudaPos(1, 2, 3)


@own_interpreter(PYGPU_CUDA_LIBRARY="/nowhere", PYGPU_HIP_LIBRARY="/nowhere")
def test_no_library_is_needed() -> None:
    """Nor is a library looked for: making a struct costs no search."""
    assert PyGPU.cuda.make_cudaPos(1, 2, 3) == PyGPU.cuda.cudaPos(1, 2, 3)
    assert PyGPU.hip.make_hipPos(4, 5, 6) == PyGPU.hip.hipPos(4, 5, 6)
    assert PyGPU._core.installed("cuda") is PyGPU._core.installed("hip") is None


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nowhere")
def test_the_portable_names_make_the_backend_s_structs() -> None:
    assert type(PyGPU.make_cudaExtent(1, 2, 3)) is PyGPU.hip.hipExtent
    assert PyGPU.make_cudaExtent.__name__ == "make_cudaExtent"
    assert PyGPU.cudaCreateChannelDescHalf2().y == 16
    said = r"^make_cudaExtent\(\): parameter 'd' must be an integer, not NoneType$"
    with pytest.raises(TypeError, match=said):
        PyGPU.make_cudaExtent(1, 2, None)
    for form in (PyGPU, PyGPU.checked):
        with pytest.raises(PyGPU.GPUError) as raised:
            form.cudaCreateChannelDescNV12()
        assert raised.value.call == "cudaCreateChannelDescNV12"
        assert repr(raised.value.error) == "<cudaError: code=801>"
