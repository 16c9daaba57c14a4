"""The loaded release decides the places of fields; structs that were made before are converted."""

from __future__ import annotations

import ctypes
import os
import pickle
import random

import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import Interpreter, own_interpreter
from tests.structs import twins

pytestmark = own_interpreter("on_release")

# A runtime that reports a given release, and records what it receives.
LIBRARY = r"""
#include <cstddef>
#include <cstring>
extern "C" {
unsigned char seen[4096];
const char *pygpu_host_release(const char *) { return RELEASE; }
int cudaGetDevice(int *device) { *device = 0; return 0; }
int hipGetDevice(int *device) { *device = 0; return 0; }
int cudaCreateTextureObject(unsigned long long *out, const void *resource, const void *texture,
                            const void *) {
    *out = 7;
    std::memcpy(seen, resource, 256);
    std::memcpy(seen + 256, texture, 256);
    return 0;
}
int cudaPointerGetAttributes(void *out, const void *) {
    std::memset(out, 1, SIZE);
    return 0;
}
}
"""


def load(module, release):
    """The first call loads the library of this release."""
    api = getattr(PyGPU, module)
    assert getattr(api, f"{module}GetDevice")()[1].code == 0
    assert PyGPU._core.installed(module)["release"] == release


def raises(kind, call, *words):
    with pytest.raises(kind) as raised:
        call()
    assert all(word in str(raised.value) for word in words), raised.value


def sizes(tag: str) -> dict[str, int]:
    """The sizes of a CUDA struct, by release."""
    return {
        release: twins.types_of("cuda", release).structs[tag].size
        for release in twins.api_of("cuda").releases
    }


def of_cuda(releases):
    return pytest.mark.parametrize(("module", "release"), [("cuda", one) for one in releases])


EVERY_RELEASE = [
    (module, one) for module in ("cuda", "hip") for one in twins.api_of(module).releases
]


@pytest.fixture(scope="session")
def library(compile_library):
    """(module, release, size) -> a library of that release that writes `size` bytes of a struct."""
    made: dict[tuple[str, str, int], str] = {}

    def make(module: str, release: str, size: int = 0) -> str:
        key = (module, release, size)
        if key not in made:
            name = "libcudart.so." if module == "cuda" else "libamdhip64.so."
            text = f'#define RELEASE "{release}"\n#define SIZE {size}\n{LIBRARY}'
            made[key] = compile_library(name + release.split(".")[0], text)
        return made[key]

    return make


@pytest.fixture
def on_release(python, library, module: str, release: str) -> Interpreter:
    size = sizes("cudaPointerAttributes").get(release, 0) if module == "cuda" else 0
    path = library(module, release, size)
    return python.having(**{f"PYGPU_{module.upper()}_LIBRARY": path, "PYGPU_BACKEND": module})


@pytest.mark.parametrize(("module", "release"), EVERY_RELEASE)
def test_layouts_are_those_of_the_release(module: str, release: str) -> None:
    load(module, release)
    for known in twins.structs_of(module, release):
        assert known.type.sizeof == known.struct.size == ctypes.sizeof(known.twin), known
        raw = random.Random(known.tag).randbytes(known.struct.size)
        ours, theirs = known.type.from_bytes(raw), known.twin.from_buffer_copy(raw)
        for field in twins.members(module, known.struct, release):
            mine, twin = twins.plain(getattr(ours, field.name), getattr(theirs, field.name))
            if isinstance(mine, list) and mine[:1] == ["text"]:
                mine, twin = bytes(mine[1:]), bytes(twin).split(b"\0")[0]
            assert mine == twin, (known, field.name)
        assert repr(ours) and ours == ours
        zero = known.type.from_bytes(bytes(known.struct.size))
        assert pickle.loads(pickle.dumps(zero)) == zero


@pytest.mark.parametrize(("module", "release"), EVERY_RELEASE)
def test_dir_has_what_the_release_has(module: str, release: str) -> None:
    """Inspectors read each name that dir() gives: fields of other releases are not among them."""
    before = {known.tag: known.type() for known in twins.structs_of(module)}
    load(module, release)
    for known in twins.structs_of(module, release):
        made = known.type()
        names = dir(made)
        for name in names:
            getattr(made, name)
        fields = {field.name for field in twins.members(module, known.struct, release)}
        assert fields <= set(names) and len(names) == len(set(names)), known
    for one in before.values():  # a struct keeps the fields that it was made with
        assert all(hasattr(one, name) for name in dir(one))


@pytest.mark.parametrize(("module", "release"), EVERY_RELEASE)
def test_what_was_made_before_is_converted(module: str, release: str) -> None:
    before = {known.tag: known.type() for known in twins.structs_of(module)}
    first = {tag: one.address for tag, one in before.items()}
    load(module, release)
    for known in twins.structs_of(module, release):
        if known.tag in before:
            now = known.type()
            assert now == before[known.tag] and before[known.tag] == now, known
    assert {tag: one.address for tag, one in before.items()} == first


@of_cuda(twins.api_of("cuda").releases)
def test_c_gets_the_layout_of_its_release(module, release: str) -> None:
    resource, texture = sizes("cudaResourceDesc")[release], sizes("cudaTextureDesc")[release]
    pointer = sizes("cudaPointerAttributes")[release]
    rows = {"devPtr": 0x7000, "width": 5, "height": 6, "pitchInBytes": 7}
    forms = {"res": {"pitch2D": rows}, "resType": 3}
    early = cuda.cudaResourceDesc(**forms), cuda.cudaTextureDesc(maxAnisotropy=9, sRGB=1)
    load("cuda", release)
    late = cuda.cudaResourceDesc(**forms), cuda.cudaTextureDesc(maxAnisotropy=9, sRGB=1)
    got = (ctypes.c_ubyte * 512).in_dll(ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"]), "seen")
    for made in (early, late, (forms, {"maxAnisotropy": 9, "sRGB": 1})):
        assert cuda.cudaCreateTextureObject(*made, None)[1].code == 0
        seen = bytes(got)
        assert seen[:resource] == bytes(late[0]), "the layout of this release"
        assert seen[resource:256] == bytes(256 - resource), "then zeros"
        assert seen[256 : 256 + texture] == bytes(late[1])
        assert seen[256 + texture :] == bytes(256 - texture)
    out, error = cuda.cudaPointerGetAttributes(0x7000)
    assert error.code == 0 and bytes(out) == b"\1" * pointer, out


SEVERAL = pytest.mark.skipif(
    len(set(sizes("cudaFuncAttributes").values())) < 2, reason="one layout in all listed releases"
)


@SEVERAL
@of_cuda(["11.8"])
def test_fields_of_other_releases(module, release) -> None:
    early = cuda.cudaFuncAttributes(numRegs=5)
    wide = cuda.cudaFuncAttributes(clusterDimMustBeSet=1)
    load(module, release)
    made = cuda.cudaFuncAttributes(numRegs=5)
    assert made == early and made != wide and wide != made
    raises(
        AttributeError,
        lambda: made.clusterDimMustBeSet,
        "cudaFuncAttributes of release ",
        "11.8 has no field 'clusterDimMustBeSet'",
    )
    raises(
        AttributeError,
        lambda: made.clusterDimMustBeSet,
        f"it belongs to 12.0 to {twins.api_of('cuda').newest}",
    )
    raises(AttributeError, lambda: setattr(made, "clusterDimMustBeSet", 1), "11.8 has no field")
    raises(TypeError, lambda: cuda.cudaFuncAttributes(clusterDimMustBeSet=1), "11.8 has no field")
    assert wide.clusterDimMustBeSet == 1
    assert pickle.loads(pickle.dumps(wide)) == wide
    assert "clusterDimMustBeSet" in dir(cuda.cudaFuncAttributes)
    texture = cuda.cudaTextureDesc()
    assert not hasattr(texture, "seamlessCubemap")


@SEVERAL
@of_cuda(["11.8"])
def test_a_value_without_a_place(module, release) -> None:
    texture = cuda.cudaTextureDesc(seamlessCubemap=1)
    load(module, release)
    raises(
        ValueError,
        lambda: cuda.cudaCreateTextureObject({}, texture, None),
        "cudaCreateTextureObject(): parameter 'pTexDesc' sets 'seamlessCubemap'",
        "lacks",
    )
    texture.seamlessCubemap = 0
    assert cuda.cudaCreateTextureObject({}, texture, None)[1].code == 0
