"""A machine without any vendor library: the import works, and every call gives 303."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter

NOWHERE = "/nowhere/library.so"


# The functions without a status in C, except those for names and texts of errors.
WITHOUT_STATUS = {
    "cuda": {"cudaCreateChannelDesc"},
    "hip": {
        "hipApiName",
        "hipCreateChannelDesc",
        "hipGetStreamDeviceId",
        "hipKernelNameRef",
        "hipKernelNameRefByPtr",
    },
}


def every_call(api, prefix, soname, functions):
    api = getattr(PyGPU, api)
    codes, refused, raised = {}, [], set()
    for name in dir(api):
        function = getattr(api, name)
        if not name.startswith(prefix) or inspect.isclass(function) or not callable(function):
            continue
        needed = [
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        try:
            result = function(*[0] * len(needed))
        except (TypeError, ValueError):  # a struct or a callback can't be 0
            refused.append(name)
            continue
        except PyGPU.GPUError as error:  # C gives no status to return
            raised.add(name)
            if (error.error, error.call) != (303, name) or soname not in str(error):
                raise
            continue
        if isinstance(result, (str, api.dim3, getattr(api, prefix + "ChannelFormatDesc"))):
            continue  # from a table in PyGPU, or made without C
        *values, status = result if isinstance(result, tuple) else (result,)
        assert values == [None] * len(values), name
        codes.setdefault(status.code, []).append(name)
    assert codes.keys() == {303}, {code: names[:5] for code, names in codes.items()}
    assert raised == WITHOUT_STATUS[prefix]
    assert len(codes[303]) + len(refused) + len(raised) >= functions
    # Zero is only refused for structs, texts and the like. The other functions must have been
    # called.
    assert len(codes[303]) > 0.6 * functions


def test_every_call_says_303(python):
    python(every_call, "cuda", "cuda", "libcudart", 312, PYGPU_CUDA_LIBRARY=NOWHERE)
    python(every_call, "hip", "hip", "libamdhip64", 446, PYGPU_HIP_LIBRARY=NOWHERE)


@own_interpreter(PYGPU_CUDA_LIBRARY=NOWHERE)
def test_the_portable_names_say_so_too():
    assert str(PyGPU.cudaGetDevice()) == "(None, <cudaError: code=303>)"
    assert repr(PyGPU.cudaSetDevice(0)) == "<cudaError: code=303>"
    assert PyGPU.cudaError(303).name == "cudaErrorSharedObjectInitFailed"
    with pytest.raises(PyGPU.GPUError, match="cudaGetDevice") as raised:
        PyGPU.checked.cudaGetDevice()
    assert raised.value.error.code == 303


@own_interpreter(PYGPU_CUDA_LIBRARY=NOWHERE)
def test_names_and_texts_need_no_library():
    assert PyGPU.cudaGetErrorName(2) == "cudaErrorMemoryAllocation"
    assert PyGPU.cudaGetErrorString(2)
    assert PyGPU.cudaMemcpyHostToDevice == PyGPU.cuda.cudaMemcpyHostToDevice == 1


@pytest.mark.parametrize("backend", ["cuda", "hip"])
@own_interpreter(PYGPU_CUDA_LIBRARY=NOWHERE, PYGPU_HIP_LIBRARY=NOWHERE)
def test_portable_names_and_texts_are_cudas(backend):
    PyGPU.use(backend)
    for code in (0, 2, 100, 700):
        error = PyGPU.cudaError_t(code)
        assert PyGPU.cudaGetErrorName(code) == PyGPU.cudaGetErrorName(error) == error.name
        assert error.name.startswith("cuda"), error.name
        assert PyGPU.cudaGetErrorString(code) == error.message
        assert PyGPU.hip.hipGetErrorName(code).startswith("hip")
        assert PyGPU.hip.hipGetErrorString(code)
    assert PyGPU.hip.hipGetErrorName(100) == "hipErrorNoDevice"
    assert PyGPU.hip.hipGetErrorString(100) == "no device"


@pytest.fixture
def versions_alone(python, compile_library):
    versions = """
        extern "C" int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
        extern "C" int hipRuntimeGetVersion(int *version) { *version = 60241134; return 0; }
    """
    library = compile_library("libcudart.so.13", versions)
    return python.having(PYGPU_CUDA_LIBRARY=library, PYGPU_HIP_LIBRARY=library)


@own_interpreter("versions_alone", PYGPU_BACKEND="cuda")
def test_a_function_that_the_library_lacks_raises_where_it_has_no_status():
    """In both forms, and by a portable name: not None, not 0.0, not an empty struct."""
    calls = [
        lambda it: it.hip.hipApiName(1),
        lambda it: it.hip.hipGetStreamDeviceId(0),
        lambda it: it.hip.hipKernelNameRef(0x1000),
        lambda it: it.hip.hipKernelNameRefByPtr(0x1000, 0),
        lambda it: it.hip.hipCreateChannelDesc(8, 0, 0, 0, 0),
        lambda it: it.cuda.cudaCreateChannelDesc(8, 0, 0, 0, 0),
        lambda it: it.cudaCreateChannelDesc(8, 0, 0, 0, 0),
    ]

    checked = SimpleNamespace(
        cuda=cuda.checked,
        hip=hip.checked,
        cudaCreateChannelDesc=PyGPU.checked.cudaCreateChannelDesc,
    )
    for form in (PyGPU, checked):
        for call in calls:
            with pytest.raises(PyGPU.GPUError) as raised:
                call(form)
            assert raised.value.error == 302 and raised.value.values == ()
            assert "has no such function" in str(raised.value) and "libcudart" in str(raised.value)
            assert raised.value.call and raised.value.call in str(raised.value)
    assert hip.hipGetErrorName(1) == "hipErrorInvalidValue"
    assert hip.hipGetErrorString(1) == "invalid value"
    # Arguments are checked first.
    with pytest.raises(TypeError, match=r"hipApiName\(\): parameter 'id'"):
        hip.hipApiName("x")


@own_interpreter(PYGPU_CUDA_LIBRARY=NOWHERE)
def test_wrong_arguments_are_still_errors():
    with pytest.raises(TypeError, match="cudaSetDevice"):
        PyGPU.cudaSetDevice("x")


def test_the_doctor_is_useful(python):
    code = "import runpy, sys; sys.argv[1:] = []; runpy.run_module('PyGPU', run_name='__main__')"
    result = python(code, check=False, PYGPU_CUDA_LIBRARY=NOWHERE)
    assert "Traceback" not in result.stderr
    assert NOWHERE in result.stdout
