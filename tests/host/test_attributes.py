"""Functions that get or set an attribute, asked for attributes that don't exist.

The functions that the host runtime doesn't implement say so instead.
"""

from __future__ import annotations

import ctypes

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

INVALID_VALUE = 1
ATTRIBUTE = object()
UNREADABLE = 1  # an address that nobody may read or write
SIZE = 4096

PTX = b".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\0"

# The arguments of each function, after the API's prefix; names stand for what objects() makes.
# The value and what else the function writes are an address that ends the process if it is used.
SHARED = {
    "DeviceGetAttribute": (UNREADABLE, ATTRIBUTE, 0),
    "DeviceGetP2PAttribute": (UNREADABLE, ATTRIBUTE, 0, 1),
    "MemPoolGetAttribute": ("pool", ATTRIBUTE, UNREADABLE),
    "MemPoolSetAttribute": ("pool", ATTRIBUTE, UNREADABLE),
    "MemRangeGetAttribute": (UNREADABLE, 4, ATTRIBUTE, "managed", SIZE),
    "MemRangeGetAttributes": ("one address", "one size", "attributes", 1, "managed", SIZE),
    "StreamGetAttribute": ("stream", ATTRIBUTE, UNREADABLE),
    "StreamSetAttribute": ("stream", ATTRIBUTE, UNREADABLE),
}
DRIVER = {
    "FuncGetAttribute": (UNREADABLE, ATTRIBUTE, "function"),
    "FuncSetAttribute": ("function", ATTRIBUTE, 1),
    "KernelGetAttribute": (UNREADABLE, ATTRIBUTE, "kernel", 0),
    "PointerGetAttribute": (UNREADABLE, ATTRIBUTE, "managed"),
    "PointerGetAttributes": (1, "attributes", "one address", "managed"),
}
ASKED = {
    "cuda": SHARED,
    "cu": SHARED | DRIVER,
    "hip": {name: SHARED[name] for name in SHARED if not name.startswith("Stream")}
    | {name: DRIVER[name] for name in ("FuncGetAttribute", "PointerGetAttribute")},
}
# They take no attribute, or a kernel of compiled code, which comes before the attribute. The last
# "always returns success" (ROCm/clr: hipamd/src/hip_memory.cpp, hipDrvPointerGetAttributes).
OTHERS = {
    "PointerGetAttributes", "FuncGetAttributes", "FuncSetAttribute", "StreamCopyAttributes",
    "MemcpyWithAttributesAsync", "Memcpy3DWithAttributesAsync", "DrvPointerGetAttributes",
}  # fmt: skip


def objects(api: str, attribute: int) -> dict[str, object]:
    """What the functions are called with."""
    gpu = getattr(PyGPU, api).checked
    call = lambda name, *arguments: getattr(gpu, api + name)(*arguments)  # noqa: E731
    found: dict[str, object] = {"attributes": (ctypes.c_uint * 1)(attribute & 0xFFFFFFFF)}
    found["one address"] = (ctypes.c_void_p * 1)(UNREADABLE)
    found["one size"] = (ctypes.c_size_t * 1)(4)
    if api == "cu":
        call("Init", 0)
        call("CtxSetCurrent", call("DevicePrimaryCtxRetain", 0))
        found["managed"] = call("MemAllocManaged", SIZE, 1)
        found["pool"] = call("DeviceGetDefaultMemPool", 0)
        found["stream"] = call("StreamCreate", 0)
        library = call("LibraryLoadData", PTX, [], [], 0, [], [], 0)
        found["kernel"] = call("LibraryGetKernel", library, "k")
        found["function"] = call("ModuleGetFunction", call("ModuleLoadData", PTX), "k")
        return found
    found["managed"] = call("MallocManaged", SIZE, 1)
    found["pool"] = call("DeviceGetDefaultMemPool", 0)
    found["stream"] = call("StreamCreate")
    if api == "hip":
        found["function"] = call("ModuleGetFunction", call("ModuleLoadData", PTX), "k")
    return found


def passed(value: object) -> object:
    """An argument for ctypes."""
    if isinstance(value, (ctypes.Array, ctypes.c_int)):
        return value
    return ctypes.c_void_p(int(value))


@pytest.mark.parametrize("api", ASKED)
@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_an_unknown_attribute_is_an_invalid_value(api):
    """In every function, and before the value's address is used."""
    library = getattr(PyGPU, api)
    for attribute in (-1, 999, 0x7FFFFFFF):  # devices know 99
        known = objects(api, attribute)
        for name, arguments in ASKED[api].items():
            given = [
                ctypes.c_int(attribute) if one is ATTRIBUTE else passed(known.get(one, one))
                for one in arguments
            ]
            got = ctypes.CFUNCTYPE(ctypes.c_int)(library.address(api + name))(*given)
            assert got == INVALID_VALUE, (api + name, attribute)


@pytest.mark.parametrize("api", ASKED)
def test_the_bindings_say_the_same(api):
    """The type of an unknown attribute's value is unknown, so the value is passed as an address."""
    library, known = getattr(PyGPU, api), objects(api, 99)
    for name, at in (("MemPool", known["pool"]), ("Stream", known["stream"])):
        if f"{name}GetAttribute" not in ASKED[api]:
            continue
        for attribute in (99, 1000, 0x7FFFFFFF):
            setter = getattr(library, f"{api}{name}SetAttribute")
            assert setter(at, attribute, UNREADABLE) == INVALID_VALUE
            assert getattr(library, f"{api}{name}GetAttribute")(at, attribute)[-1] == INVALID_VALUE
    for attribute in (999, 0x7FFFFFFF):
        assert getattr(library, f"{api}DeviceGetAttribute")(attribute, 0)[-1] == INVALID_VALUE
        asked = getattr(library, f"{api}MemRangeGetAttribute")
        assert asked(attribute, known["managed"], SIZE)[-1] == INVALID_VALUE


@pytest.mark.parametrize("api", ASKED)
def test_all_functions_with_attributes_are_asked(api):
    """A function that the host runtime implements later is not forgotten."""
    names = {
        name.removeprefix(api)
        for name, implemented in PyGPU.host.functions(api).items()
        if implemented and "Attribute" in name and not name.endswith(("_ptsz", "_ptds", "_spt"))
    }
    assert names - OTHERS <= set(ASKED[api])
    assert names & set(ASKED[api]), "the names are not found"
