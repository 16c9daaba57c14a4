"""Functions that get or set an attribute, asked for attributes that don't exist.

The functions and their parameters come from the model, so a later release's are asked too.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator

import pytest

import PyGPU
from generator import store
from generator.emit import SPECS
from generator.model import Api, Function, Parameter
from tests.own_interpreter import own_interpreter

APIS = {"cuda": "cuda_runtime", "cu": "cuda_driver", "hip": "hip_runtime"}
INVALID_VALUE = 1
UNKNOWN = (-1, 999, 0x7FFFFFFF)  # devices know 99
UNREADABLE = 1  # an address that nobody may read or write
SIZE = 4096

PTX = b".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\0"

# It "always returns success" (ROCm/clr: hipamd/src/hip_memory.cpp).
ALWAYS_A_SUCCESS = {"hipDrvPointerGetAttributes"}

# Values of parameters by their names in lower case without underscores; other integers are zero.
NUMBERS = {"count": SIZE, "datasize": 4, "numattributes": 1, "dstdevice": 1}
MEMORY = ("devptr", "ptr")


def enum_name(api: Api, parameter: Parameter) -> str | None:
    """The enumeration that a parameter is typed by, or whose array it takes."""
    name = parameter.type.base
    while name in api.aliases and name not in api.enums:
        name = api.aliases[name][-1].node.type.base
    return name if name in api.enums else None


def with_attributes(api: Api) -> Iterator[tuple[Function, Parameter]]:
    """The newest release's functions that take an attribute, with the parameter that names it."""
    for forms in api.functions.values():
        function = forms[-1].node
        for one in function.parameters if forms[-1].until == api.newest else ():
            enum = enum_name(api, one) or ""
            if enum and ("Attribute" in function.name or "attr" in enum.lower()):
                yield function, one


def objects(api: str) -> dict[str, object]:
    """What the functions are called with, by the types of parameters without the API's prefix."""
    gpu = getattr(PyGPU, api).checked
    call = lambda name, *arguments: getattr(gpu, api + name)(*arguments)  # noqa: E731
    if api == "cu":
        call("Init", 0)
        call("CtxSetCurrent", call("DevicePrimaryCtxRetain", 0))
    managed = call("MemAllocManaged" if api == "cu" else "MallocManaged", SIZE, 1)
    pool = call("DeviceGetDefaultMemPool", 0)
    known: dict[str, object] = {"deviceptr": managed, "mempool": pool, "memorypool": pool}
    known["stream"] = call("StreamCreate", 0) if api == "cu" else call("StreamCreate")
    graph = call("GraphCreate", 0)
    known["device"] = 0
    if api != "hip":
        library = call("LibraryLoadData", PTX, [], [], 0, [], [], 0)
        known["kernel"] = known["func"] = call("LibraryGetKernel", library, "k")
    if api != "cuda":
        module = call("ModuleLoadData", PTX)
        known["function"] = known["func"] = call("ModuleGetFunction", module, "k")
    sizes = (
        ("gridDim", "blockDim")
        if api != "cu"
        else [f"{a}Dim{b}" for a in ("grid", "block") for b in "XYZ"]
    )
    launch = {"func": known["func"], **dict.fromkeys(sizes, 1)}
    known["graphnode"] = call("GraphAddKernelNode", graph, [], 0, launch)
    return known


def arguments(
    api: str, function: Function, asked: Parameter, known: dict[str, object], buffer: int
) -> list[object]:
    """What to call a function with; `buffer` is the address of whatever it writes or reads."""
    matches: list[object] = []
    for one in function.parameters:
        name, base = one.name.lower().replace("_", ""), one.type.base
        kind = base.lower().removeprefix(api).removesuffix("_t")
        if one == asked:
            matches.append(None)
        elif name in MEMORY:
            matches.append(ctypes.c_void_p(int(known["deviceptr"])))
        elif name in NUMBERS:
            matches.append(ctypes.c_void_p(NUMBERS[name]))
        elif name == "func" or kind in known:
            matches.append(ctypes.c_void_p(int(known[name if name == "func" else kind])))
        elif len(one.type.pointers) == 2:
            matches.append((ctypes.c_void_p * 1)(buffer))
        elif one.type.is_pointer and base == "size_t" and name == "datasizes":
            matches.append((ctypes.c_size_t * 1)(4))
        elif one.type.is_pointer:
            matches.append(ctypes.c_void_p(buffer))
        else:
            assert base in ("int", "unsigned int", "size_t"), f"{function.name}: what is {one}?"
            matches.append(ctypes.c_void_p(0))
    return matches


def answer(api: str, function: Function, asked: Parameter, values: list[object], value: int) -> int:
    """The code for an attribute."""
    attribute = ctypes.c_int(value)
    passed = ctypes.pointer(attribute) if asked.type.is_pointer else attribute
    address = getattr(PyGPU, api).address(function.name)
    filled = [passed if one is None else one for one in values]
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)(*filled)


@pytest.mark.parametrize("api", APIS)
@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_an_unknown_attribute_is_an_invalid_value(api):
    """In every function, implemented or not, and before the value's address is used."""
    model, known = store.load(SPECS / APIS[api] / "api.json"), objects(api)
    space = ctypes.create_string_buffer(SIZE)
    checked = set()
    for function, asked in with_attributes(model):
        if function.name in ALWAYS_A_SUCCESS:
            continue
        checked.add(function.name)
        values = arguments(api, function, asked, known, UNREADABLE)
        for attribute in UNKNOWN:
            got = answer(api, function, asked, values, attribute)
            assert got == INVALID_VALUE, (function.name, attribute)
        # It was the attribute's fault: one isn't refused so, with some value or size.
        values = arguments(api, function, asked, known, ctypes.addressof(space))
        enum = model.enums[enum_name(model, asked)][-1].node
        codes = set()
        for one, byte in itertools.product(enum.enumerators, (0, 1)):
            ctypes.memset(space, byte, SIZE)
            codes.add(answer(api, function, asked, values, one.value))
        assert codes - {INVALID_VALUE}, function.name
    implemented = PyGPU.host.functions(api)
    assert len(checked) > 10
    assert any(implemented[one] for one in checked)


@pytest.mark.parametrize("api", APIS)
@own_interpreter("on_host")
def test_the_bindings_say_the_same(api):
    """The type of an unknown attribute's value is unknown, so the value is passed as an address."""
    library, known = getattr(PyGPU, api), objects(api)
    for name, at in (("MemPool", known["mempool"]), ("Stream", known["stream"])):
        for attribute in (99, 1000, 0x7FFFFFFF):
            setter = getattr(library, f"{api}{name}SetAttribute")
            assert setter(at, attribute, UNREADABLE) == INVALID_VALUE
            assert getattr(library, f"{api}{name}GetAttribute")(at, attribute)[-1] == INVALID_VALUE
    for attribute in (999, 0x7FFFFFFF):
        assert getattr(library, f"{api}DeviceGetAttribute")(attribute, 0)[-1] == INVALID_VALUE
        asked = getattr(library, f"{api}MemRangeGetAttribute")
        assert asked(attribute, known["deviceptr"], SIZE)[-1] == INVALID_VALUE


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_a_kernels_attributes_are_set_for_its_function_too():
    """As the host runtime has one function of a kernel, for all devices."""
    most, wider = PyGPU.cu.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100_000
    known, cu = objects("cu"), PyGPU.cu.checked
    cu.cuKernelSetAttribute(most, wider, known["kernel"], 1)
    assert cu.cuFuncGetAttribute(most, cu.cuKernelGetFunction(known["kernel"])) == wider
    assert cu.cuKernelGetAttribute(most, known["kernel"], 0) == wider
    assert PyGPU.cu.cuKernelSetAttribute(most, 1, known["kernel"], 2).name.endswith("DEVICE")
    known, cuda = objects("cuda"), PyGPU.cuda.checked
    cuda.cudaKernelSetAttributeForDevice(known["kernel"], most, wider, 1)
    assert cuda.cudaFuncGetAttributes(known["kernel"]).maxDynamicSharedSizeBytes == wider
