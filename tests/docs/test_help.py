"""What help() says about functions, structs, enums, handles and errors, put together from facts."""

from __future__ import annotations

import inspect
import pathlib
import pydoc
import re

import pytest

import PyGPU
from generator import summaries
from generator.releases import find_api, release_name
from PyGPU import _names

SPECS = pathlib.Path(__file__).resolve().parents[2] / "api_specs"
# Another release may be listed at any time.
LISTED = list(map(release_name, find_api(SPECS, "cuda_runtime").releases))
OLDEST, NEWEST = LISTED[0], LISTED[-1]

MODULES = {"cuda": PyGPU.cuda, "hip": PyGPU.hip}
FUNCTIONS = [
    (api, name)
    for api, module in MODULES.items()
    for name in PyGPU._core.names(api)
    if inspect.isbuiltin(getattr(module, name, None))
]


def help_of(api: str, name: str) -> str:
    """The docstring, with every line break turned into a space."""
    return " ".join(getattr(MODULES[api], name).__doc__.split())


def test_a_copy_is_told_whole():
    assert PyGPU.cuda.cudaMemcpy.__doc__ == (
        "Copies memory between host and device, or within one of them.\n"
        "Returns error.\n"
        "dst: memory that C writes, count bytes: a writable buffer, device array, address or None\n"
        "src: memory that C reads, count bytes: a buffer, device array, address or None\n"
        "count: int (size_t): bytes of dst, src\n"
        "kind: a cudaMemcpyKind or int\n"
        "C: cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,"
        " cudaMemcpyKind kind);\n"
        "Releases: all of CUDA.\n"
        "Errors: InvalidValue, InvalidMemcpyDirection as the header lists. Raises"
        " TypeError,\n"
        "    OverflowError, ValueError for arguments.\n"
    )


def test_every_function_tells_each_value_prototype_releases_and_errors():
    assert len(FUNCTIONS) > 800
    for api, name in FUNCTIONS:
        function = getattr(MODULES[api], name)
        text = function.__doc__
        for parameter in inspect.signature(function).parameters:
            assert re.search(rf"^(\w+, )*{parameter}(, \w+)*: ", text, re.MULTILINE), (name, text)
        returned = re.search(r"\bReturns \((.*?), error\)\.", help_of(api, name))
        for result in returned[1].split(", ") if returned else ():
            assert f"-> {result}: " in text, (name, text)
        assert re.search(rf"^C: .*\b{name}\(", text, re.MULTILINE), name
        assert re.search(r"^Releases: (all of |those of |.*\d+\.\d)", text, re.MULTILINE), name
        assert "Raises TypeError" in help_of(api, name), name
        assert max(map(len, text.splitlines())) <= 96, name


@pytest.mark.parametrize(
    ("api", "name", "said"),
    [
        # Work that is only queued leaves the memory to the caller.
        ("cuda", "cudaMemcpyAsync", "Only queues the work: keep the memory alive"),
        ("cuda", "cudaMemcpy3DAsync", "Only queues the work"),
        ("hip", "hipMemcpyAsync", "Only queues the work"),
        # Lengths, also those given by formulas.
        ("cuda", "cudaMemcpy2D", "(height - 1) * dpitch + width bytes"),
        ("cuda", "cudaGraphAddEmptyNode", "numDependencies: int (size_t): items of pDependencies"),
        # Counts say what they count, results too. Defaults are the signature's.
        ("cuda", "cudaDeviceGetP2PAtomicCapabilities", ": items of operations, capabilities"),
        ("cuda", "cudaDeviceGetPCIBusId", "the most bytes of pciBusId to take; 32 by default"),
        ("hip", "hipExtStreamGetCUMask", "cuMaskSize: int (uint32_t): items of cuMask"),
        ("hip", "hipGLGetDevices", "the most items of pHipDevices to take; 64 by default"),
        ("hip", "hipStreamWaitValue64", f"mask: int (uint64_t); {2**64 - 1} by default"),
        # Outputs: views, lists, borrowed objects, what holds after a failure, what older forms
        # lack.
        ("cuda", "cudaMalloc", "-> devPtr: int, an address"),
        ("cuda", "cudaStreamCreate", "-> pStream: cudaStream_t, not owned"),
        ("cuda", "cudaGraphExecUpdate", "holds after cudaErrorGraphExecUpdateFailure, too"),
        ("cuda", "cudaGraphGetEdges", "a list of cudaGraphEdgeData; None before 12.4"),
        ("cuda", "cudaGraphGetEdges", "left out, as many as there are"),
        # Releases: functions that were added, removed, or had another form that is adapted.
        ("cuda", "cudaGraphGetEdges", "up to 12.2: an older form in C, adapted"),
        ("cuda", "cudaMemcpyBatchAsync", "CUDA 12.8 and later"),
        ("cuda", "cudaBindTexture", "11.8."),
        # What happens to the status, and to the GIL.
        ("cuda", "cudaGetErrorName", "Returns str, from a table of PyGPU's without a library"),
        ("cuda", "cudaGetDevice", "Keeps the GIL."),
        # Exceptions of conversions: a struct has a fixed number of fields, memory has an end.
        ("cuda", "cudaFree", "Raises TypeError, OverflowError, ValueError for arguments"),
        ("cuda", "cudaSetDevice", "Raises TypeError, OverflowError for arguments"),
        ("cuda", "cudaMalloc3D", "Raises TypeError, OverflowError, ValueError for arguments"),
        ("cuda", "cudaGraphGetNodes", "OverflowError, MemoryError for arguments"),
        # The end of ownership, a callback, values that an enumerator types.
        ("cuda", "cudaStreamDestroy", "its owner gives it up"),
        ("cuda", "cudaLaunchHostFunc", "What it raises goes to sys.unraisablehook"),
        ("cuda", "cudaMemPoolGetAttribute", "uint64_t for cudaMemPoolAttrReleaseThreshold"),
    ],
)
def test_what_is_said(api, name, said):
    assert said in help_of(api, name)


@pytest.mark.parametrize(
    ("name", "returned"),
    [
        ("cudaMemcpy", "None, or raises GPUError"),
        ("cudaMalloc", "devPtr, or raises GPUError"),
        ("cudaMemGetInfo", "(free, total), or raises GPUError"),
        ("cudaStreamQuery", "True, False for ErrorNotReady, or raises GPUError"),
        ("cudaGetLastError", "error, which it never raises"),
    ],
)
def test_the_raising_form_says_what_it_returns(name, returned):
    """The raising form has its own docstring for this.

    Everything else is as in the plain form's.
    """
    plain, raising = getattr(PyGPU.cuda, name).__doc__, getattr(PyGPU.cuda.checked, name).__doc__
    does, first, rest = raising.split(".\n", 2)
    assert first == f"Returns {returned}"
    assert [does, rest] == plain.split(".\n", 2)[::2]
    assert PyGPU.checked.cudaMemcpy.__doc__ == PyGPU.cuda.checked.cudaMemcpy.__doc__


def test_no_raising_form_speaks_of_an_error_that_it_returns():
    for api, name in FUNCTIONS:
        first = re.search(
            r"^Returns (.*?)\.$",
            getattr(MODULES[api].checked, name).__doc__,
            re.MULTILINE | re.DOTALL,
        )[1]
        assert ", error)" not in first or "C gives no status" in first, name


def test_every_function_begins_with_what_it_does():
    for api, folder in (("cuda", "cuda_runtime"), ("hip", "hip_runtime")):
        lines = summaries.load(folder, SPECS)
        described = [name for of, name in FUNCTIONS if of == api and lines.of(name)]
        assert len(described) > 360
        for name in described:
            for module in (MODULES[api], MODULES[api].checked):
                assert getattr(module, name).__doc__.startswith(f"{lines.of(name)}\nReturns "), name
    line = "Copies memory between host and device, in the stream's order."
    assert pydoc.render_doc(PyGPU.cuda.cudaMemcpyAsync).index(line) < 300


def test_the_portable_names_say_the_same():
    assert PyGPU.cudaMemcpy.__doc__ == PyGPU.cuda.cudaMemcpy.__doc__


def shown(thing: object) -> str:
    """The text that help() prints."""
    return pydoc.render_doc(thing, renderer=pydoc.plaintext)


def test_help_of_the_package_is_a_page():
    """It says where things are. dir() lists all names for completion."""
    page = shown(PyGPU)
    assert page.count("\n") < 160
    for name in ("cuda, hip", "gpuarray", "SourceModule", "from_dlpack", "returns its outputs"):
        assert name in page
    assert {"cudaMalloc", "GPUArray", "cu", "to_gpu"} <= set(dir(PyGPU))


@pytest.mark.parametrize("name", ["cuda", "hip", "cu", "nvrtc", "hiprtc"])
def test_help_of_an_api_shows_its_functions_alone(name):
    """With all enumerations and structs, help of the driver API had a hundred thousand lines."""
    module = getattr(PyGPU, name)
    page = shown(module)
    assert page.count("\n") < 7000
    assert "dir() lists structs" in page
    functions = [one for one in module.__all__ if inspect.isbuiltin(getattr(module, one, None))]
    assert len(functions) > 10
    for one in functions:
        assert f"\n    {one}(" in page, one


def test_help_of_an_array_begins_with_what_it_does():
    text = shown(PyGPU.GPUArray)
    begin = re.sub(r"[\s|]+", "", text[:400])  # Python 3.13 breaks long signatures
    assert "GPUArray(shape,dtype=None," in begin
    assert text.index("copy(self") < text.index("refusing")


def test_every_class_has_a_signature():
    classes = {
        getattr(PyGPU, name)
        for name in (*_names.ARRAYS, *_names.LATE)
        if inspect.isclass(getattr(PyGPU, name))
    }
    assert len(classes) > 70
    for one in classes:
        if not issubclass(one, Exception):
            assert inspect.signature(one), one
    assert inspect.signature(PyGPU.empty).parameters["dtype"].default == "float64"


@pytest.mark.parametrize("name", ["cuda", "hip", "cu", "nvrtc", "hiprtc"])
def test_every_class_of_an_api_has_a_signature(name):
    """A handle that can be created has the signature of the creation; others take one address."""
    module = getattr(PyGPU, name)
    classes = {one for n in dir(module) if inspect.isclass(one := getattr(module, n, None))}
    assert any(issubclass(one, int) for one in classes) or name == "nvrtc"
    for one in classes:
        assert inspect.signature(one).parameters, one


def test_a_handle_s_signature_is_what_its_class_takes():
    assert str(inspect.signature(PyGPU.cuda.cudaStream_t)) == "(*address, flags=0, priority=0)"
    assert str(inspect.signature(PyGPU.cuda.cudaKernel_t)) == "(address, /)"
    assert str(inspect.signature(PyGPU.cuda.cudaError)) == "(code)"


def test_modules_tell_the_conventions():
    for module in MODULES.values():
        text = " ".join(module.__doc__.split())
        assert "keep the memory alive" in text
        assert "__cuda_array_interface__" in text
        assert "302 where the loaded library lacks the function, 303 without a library" in text


def test_structs_tell_fields_types_and_releases():
    text = PyGPU.cuda.cudaMemcpy3DParms.__doc__
    assert f"struct cudaMemcpy3DParms of C, in releases {OLDEST} to {NEWEST}:" in text
    assert "cudaPitchedPtr srcPtr;  // a view; takes a dict or a tuple, too" in text
    text = PyGPU.cuda.cudaDeviceProp.__doc__
    assert "char name[256];  // str up to the NUL" in text
    assert "int maxThreadsDim[3];" in text
    assert f"int clusterLaunch;  // only in 12.0 to {NEWEST}" in text
    assert f"int clockRate;  // only in {OLDEST} to 12.9" in text
    text = PyGPU.cuda.cudaLaunchConfig_t.__doc__
    assert "a sequence; setting it sets numAttrs; int() is its address" in text
    text = PyGPU.cuda.cudaConditionalNodeParams.__doc__
    assert "a sequence that C lends, as long as size; int() is its address" in text
    assert "unsigned int x;  // 1 by default" in PyGPU.cuda.dim3.__doc__
    text = PyGPU.cuda.cudaDeviceProp.clockRate.__doc__
    assert text == f"C: int clockRate; only in {OLDEST} to 12.9"


def test_struct_signatures_are_those_of_the_constructor():
    signature = inspect.signature(PyGPU.cuda.cudaExtent)
    assert list(signature.parameters) == ["width", "height", "depth"]
    union = inspect.signature(PyGPU.cuda.cudaLaunchAttributeValue).parameters
    kinds = [one.kind for one in union.values()]
    assert kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_enums_tell_what_is_not_in_every_release():
    assert PyGPU.cuda.cudaMemcpyKind.__doc__.startswith("enum cudaMemcpyKind of C.")
    text = PyGPU.cuda.cudaMemAllocationType.__doc__
    assert f"cudaMemAllocationTypeManaged is 2 in 13.0 to {NEWEST}." in text


def test_handles_and_errors_tell_who_owns_and_what_is_raised():
    text = PyGPU.cuda.cudaStream_t.__doc__
    assert "cudaStream_t(flags=0, priority=0) creates one by cudaStreamCreateWithPriority" in text
    assert "owned by someone else" in text
    assert "Raises GPUError" in text
    assert "creates" not in PyGPU.cuda.cudaKernel_t.__doc__
    assert "false when it is success" in PyGPU.cuda.cudaError.__doc__
