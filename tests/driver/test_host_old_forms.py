"""The forms that the driver's functions had before their present ones, as C programs call them."""

from __future__ import annotations

import ctypes
import re

import pytest

from PyGPU import cu
from tests.conftest import of_wheels, unavailable
from tests.own_interpreter import own_interpreter

INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT, NOT_FOUND = 1, 2, 201, 500
FOUND, UNKNOWN, TOO_OLD = 0, 1, 2


def by_version(name: str, version: int, flags: int = 0) -> tuple[int, int]:
    """The address that cuGetProcAddress() gives, and what it says."""
    address, status, error = cu.cuGetProcAddress(name, version, flags)
    assert not error
    return address, status


def address_of(library: ctypes.CDLL, symbol: str) -> int:
    return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0


@pytest.fixture
def typedefs() -> str:
    """NVIDIA's list of all forms of the driver's functions, with their releases."""
    for folder in of_wheels():
        if (path := folder / "include" / "cudaTypedefs.h").exists():
            return path.read_text()
    unavailable("no headers here: pip install nvidia-cuda-runtime==13.0.96")
    raise AssertionError


@own_interpreter("on_host")
def test_every_form_is_found_by_its_release(typedefs, host_library):
    """Each release finds the form of that time: none is too old for its own form."""
    forms: dict[str, set[int]] = {}
    for name, release in re.findall(r"\bPFN_(cu[A-Z]\w*?)_v(\d+)(?:_pt[sd][sz])?\)", typedefs):
        forms.setdefault(name, set()).add(int(release))
    assert len(forms) > 400
    checked = 0
    for name, releases in forms.items():
        found = [by_version(name, release) for release in sorted(releases)]
        if len(releases) == 1 or found[-1][1] == UNKNOWN:
            continue
        assert [status for _, status in found[:-1]] == [FOUND] * (len(found) - 1), name
        checked += 1
    assert checked > 90


@own_interpreter("on_host")
def test_functions_are_exported_under_their_symbols(host_library):
    library = ctypes.CDLL(str(host_library))
    for name, version, symbol in (
        ("cuMemAlloc", 3010, "cuMemAlloc"), ("cuMemAlloc", 3020, "cuMemAlloc_v2"),
        ("cuMemAlloc", 13000, "cuMemAlloc_v2"), ("cuMemcpyHtoD", 2000, "cuMemcpyHtoD"),
        ("cuMemcpyHtoD", 12000, "cuMemcpyHtoD_v2"), ("cuCtxCreate", 2000, "cuCtxCreate"),
        ("cuCtxCreate", 3020, "cuCtxCreate_v2"), ("cuCtxCreate", 11030, "cuCtxCreate_v2"),
        ("cuCtxCreate", 11040, "cuCtxCreate_v3"), ("cuCtxCreate", 12000, "cuCtxCreate_v3"),
        ("cuCtxCreate", 13000, "cuCtxCreate_v4"), ("cuCtxDestroy", 3020, "cuCtxDestroy"),
        ("cuCtxDestroy", 4000, "cuCtxDestroy_v2"), ("cuGetProcAddress", 11030, "cuGetProcAddress"),
        ("cuGetProcAddress", 12000, "cuGetProcAddress_v2"),
        ("cuStreamGetCaptureInfo", 10010, "cuStreamGetCaptureInfo"),
        ("cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"),
        ("cuGraphAddDependencies", 12000, "cuGraphAddDependencies"),
        ("cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"),
        ("cuGraphInstantiate", 13000, "cuGraphInstantiate_v2"),
        ("cuGraphInstantiateWithFlags", 13000, "cuGraphInstantiateWithFlags"),
        ("cuCtxGetDevice", 12000, "cuCtxGetDevice"), ("cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"),
    ):  # fmt: skip
        assert by_version(name, version) == (address_of(library, symbol), FOUND), (name, version)
    for name in ("cuStreamGetCaptureInfo", "cuMemPrefetchAsync"):
        assert by_version(name, 11000, 2)[0] == address_of(library, f"{name}_ptsz")
    assert by_version("cuCtxCreate", 1000) == (0, TOO_OLD)
    assert by_version("cuMemAlloc_v2", 13000) == (0, UNKNOWN)


@own_interpreter("on_host")
def test_a_program_of_old_names_runs(host_library):
    """Contexts, streams, events, host memory and graphs, by the first forms of the functions."""
    library = ctypes.CDLL(str(host_library))
    context, other = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.cuInit(0) == 0
    assert library.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    assert library.cuCtxPopCurrent(ctypes.byref(other)) == 0
    assert other.value == context.value
    assert library.cuCtxPushCurrent(context) == 0
    assert library.cuCtxDestroy(context) == 0
    assert library.cuCtxCreate_v3(ctypes.byref(context), None, 0, 0, 0) == 0
    stream, graph, status = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(-1)
    assert library.cuStreamCreate(ctypes.byref(stream), 1) == 0
    assert library.cuStreamBeginCapture(stream) == 0
    number = ctypes.c_uint64()
    told = library.cuStreamGetCaptureInfo(stream, ctypes.byref(status), ctypes.byref(number))
    assert (told, status.value) == (0, 1)
    assert library.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
    executable, log = ctypes.c_void_p(), ctypes.create_string_buffer(b"log", 8)
    made = library.cuGraphInstantiate(ctypes.byref(executable), graph, None, log, 8)
    assert (made, log.value) == (0, b"")
    differs, result = ctypes.c_void_p(1), ctypes.c_int(-1)
    updated = library.cuGraphExecUpdate(
        executable, graph, ctypes.byref(differs), ctypes.byref(result)
    )
    assert (updated, differs.value, result.value) == (0, None, 0)
    count = ctypes.c_size_t(7)
    assert library.cuGraphGetEdges(graph, None, None, ctypes.byref(count)) == 0
    assert count.value == 0
    assert library.cuStreamDestroy(stream) == 0
    events = [ctypes.c_void_p() for _ in range(2)]
    for event in events:
        assert library.cuEventCreate(ctypes.byref(event), 0) == 0
        assert library.cuEventRecord(event, None) == 0
        assert library.cuEventSynchronize(event) == 0
    passed = ctypes.c_float(-1)
    assert library.cuEventElapsedTime(ctypes.byref(passed), *events) == 0
    assert passed.value >= 0
    assert [library.cuEventDestroy(event) for event in events] == [0, 0]
    address = ctypes.c_void_p()
    assert library.cuGetProcAddress(b"cuInit", ctypes.byref(address), 12000, ctypes.c_uint64()) == 0
    assert address.value == address_of(library, "cuInit")
    for unknown in (b"cuNothing", b"cuInit_v2"):
        told = library.cuGetProcAddress(unknown, ctypes.byref(address), 12000, ctypes.c_uint64())
        assert (told, address.value) == (NOT_FOUND, address_of(library, "cuInit"))
    assert library.cuLinkCreate(0, None, None, ctypes.byref(address)) == 0
    assert library.cuLinkDestroy(address) == 0


@own_interpreter("on_host")
def test_forms_of_32_bits_say_that_no_context_has_such_addresses(host_library):
    """As an H200 answers: results become 0, and the bytes behind them stay."""
    library = ctypes.CDLL(str(host_library))
    context, size = ctypes.c_void_p(), ctypes.c_uint64(0x1111111122222222)
    assert library.cuInit(0) == 0
    assert library.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    assert library.cuMemAlloc(ctypes.byref(size), 4096) == INVALID_CONTEXT
    assert size.value == 0x1111111100000000
    pair = (ctypes.c_uint32 * 4)(1, 2, 3, 4)
    at = ctypes.addressof(pair)
    got = library.cuMemGetInfo(ctypes.c_void_p(at), ctypes.c_void_p(at + 8))
    assert (got, list(pair)) == (INVALID_CONTEXT, [0, 2, 0, 4])
    for function, arguments in (
        (library.cuMemFree, (0,)), (library.cuMemcpyHtoD, (0, b"text", 4)),
        (library.cuMemsetD8, (0, 1, 1)), (library.cuMemAlloc, (None, 4)),
    ):  # fmt: skip
        assert function(*arguments) == INVALID_CONTEXT
    assert library.cuDeviceTotalMem(ctypes.byref(size), 0) == 0
    whole = ctypes.c_uint64()
    assert library.cuDeviceTotalMem_v2(ctypes.byref(whole), 0) == 0
    assert size.value == 0x1111111100000000 + min(whole.value, 0xFFFFFFFF)
    assert library.cuCtxCreate(ctypes.byref(context), 0, 0) == OUT_OF_MEMORY
    assert library.cuCtxCreate(None, 0, 0) == INVALID_VALUE


@own_interpreter("on_host")
def test_a_later_release_than_the_driver_is_an_invalid_value():
    version = cu.checked.cuDriverGetVersion()
    assert cu.cuGetProcAddress("cuInit", version, 0)[-1] == 0
    assert cu.cuGetProcAddress("cuInit", version + 10, 0)[-1] == INVALID_VALUE
