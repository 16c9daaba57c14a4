"""A machine with no vendor library at all: the import works, every call says 303."""

from __future__ import annotations

import pytest

EVERY_FUNCTION = """
    import inspect, sys
    import PyGPU
    api = getattr(PyGPU, sys.argv[1])
    codes, refused, raised = {}, [], []
    for name in dir(api):
        function = getattr(api, name)
        if not name.startswith(sys.argv[2]) or inspect.isclass(function) or not callable(function):
            continue
        needed = [
            p.name for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        try:
            result = function(*[0] * len(needed))
        except (TypeError, ValueError) as error:  # a struct, a callback: 0 is no such thing
            refused.append(name)
            continue
        except PyGPU.GPUError as error:  # C gives no status to return
            assert (error.error, error.call) == (303, name), error
            assert sys.argv[3] in str(error), error
            raised.append(name)
            continue
        if isinstance(result, (str, api.dim3, getattr(api, sys.argv[2] + "ChannelFormatDesc"))):
            continue  # from a table of PyGPU's, and made without C
        status = result[-1] if isinstance(result, tuple) else result
        assert hasattr(status, "code"), (name, result)
        if isinstance(result, tuple):
            assert all(value is None for value in result[:-1]), (name, result)
        codes.setdefault(status.code, []).append(name)
    assert set(codes) == {303}, {code: names[:5] for code, names in codes.items()}
    print(len(codes[303]), len(refused), *raised)
"""


# The functions to which C gives no status, but those for names and texts of errors.
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


@pytest.mark.parametrize(
    ("api", "prefix", "functions"), [("cuda", "cuda", 312), ("hip", "hip", 446)]
)
def test_every_call_says_303(python, api, prefix, functions):
    variable = f"PYGPU_{api.upper()}_LIBRARY"
    soname = {"cuda": "libcudart", "hip": "libamdhip64"}[api]
    result = python(EVERY_FUNCTION, api, prefix, soname, **{variable: "/nowhere/library.so"})
    answered, refused, *raised = result.stdout.split()
    answered, refused = int(answered), int(refused)
    assert answered + refused + len(raised) >= functions
    assert set(raised) == WITHOUT_STATUS[api]
    # A zero is refused for structs, texts and the like only; the rest must have been called.
    assert answered > 0.6 * functions, result.stdout


def test_the_portable_names_say_so_too(python):
    code = """
        import PyGPU
        print(PyGPU.cudaGetDevice(), repr(PyGPU.cudaSetDevice(0)))
        print(PyGPU.cudaError(303).name)
        try:
            PyGPU.checked.cudaGetDevice()
        except PyGPU.GPUError as error:
            print(error.error.code, "cudaGetDevice" in str(error))
    """
    lines = python(code, PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so").stdout.splitlines()
    assert lines == [
        "(None, <cudaError: code=303>) <cudaError: code=303>",
        "cudaErrorSharedObjectInitFailed",
        "303 True",
    ]


def test_names_and_texts_need_no_library(python):
    code = """
        import PyGPU
        print(PyGPU.cudaGetErrorName(2), PyGPU.cudaGetErrorString(2))
        print(PyGPU.cuda.cudaMemcpyHostToDevice, PyGPU.cudaMemcpyHostToDevice == 1)
    """
    lines = python(code, PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so").stdout.splitlines()
    assert lines[0].startswith("cudaErrorMemoryAllocation ")
    assert lines[0] != "cudaErrorMemoryAllocation "
    assert lines[1].endswith("True")


@pytest.mark.parametrize("backend", ["cuda", "hip"])
def test_portable_names_and_texts_are_cudas(python, backend):
    code = """
        import PyGPU
        for code in (0, 2, 100, 700):
            error = PyGPU.cudaError_t(code)
            assert PyGPU.cudaGetErrorName(code) == PyGPU.cudaGetErrorName(error) == error.name
            assert error.name.startswith("cuda"), error.name
            assert PyGPU.cudaGetErrorString(code) == error.message
            assert PyGPU.hip.hipGetErrorName(code).startswith("hip")
            assert PyGPU.hip.hipGetErrorString(code)
        assert PyGPU.hip.hipGetErrorName(100) == "hipErrorNoDevice"
        assert PyGPU.hip.hipGetErrorString(100) == "no device"
    """
    nowhere = "/nowhere/library.so"
    python(code, PYGPU_BACKEND=backend, PYGPU_CUDA_LIBRARY=nowhere, PYGPU_HIP_LIBRARY=nowhere)


def test_a_function_that_the_library_lacks_raises_where_it_has_no_status(python, compile_library):
    """Neither None nor 0.0 nor a struct of zeros; in both forms, and by a portable name."""
    versions = """
        extern "C" int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
        extern "C" int hipRuntimeGetVersion(int *version) { *version = 60241134; return 0; }
    """
    library = compile_library("libcudart.so.13", versions)
    code = """
        import PyGPU
        from PyGPU import cuda, hip
        calls = [
            lambda it: it.hip.hipApiName(1),
            lambda it: it.hip.hipGetStreamDeviceId(0),
            lambda it: it.hip.hipKernelNameRef(0x1000),
            lambda it: it.hip.hipKernelNameRefByPtr(0x1000, 0),
            lambda it: it.hip.hipCreateChannelDesc(8, 0, 0, 0, 0),
            lambda it: it.cuda.cudaCreateChannelDesc(8, 0, 0, 0, 0),
            lambda it: it.cudaCreateChannelDesc(8, 0, 0, 0, 0),
        ]
        class Checked:
            cuda, hip = cuda.checked, hip.checked
            cudaCreateChannelDesc = PyGPU.checked.cudaCreateChannelDesc
        for form in (PyGPU, Checked):
            for call in calls:
                try:
                    print(call(form))
                except PyGPU.GPUError as error:
                    assert error.error == 302 and error.values == (), error
                    assert "has no such function" in str(error) and "libcudart" in str(error)
                    assert error.call and error.call in str(error)
                else:
                    raise AssertionError
        assert hip.hipGetErrorName(1) == "hipErrorInvalidValue"
        assert hip.hipGetErrorString(1) == "invalid value"
        try:  # wrong arguments come first
            hip.hipApiName("x")
        except TypeError as error:
            assert "hipApiName(): parameter 'id'" in str(error)
    """
    python(code, PYGPU_CUDA_LIBRARY=library, PYGPU_HIP_LIBRARY=library, PYGPU_BACKEND="cuda")


def test_wrong_arguments_are_still_errors(python):
    code = """
        import PyGPU
        try:
            PyGPU.cudaSetDevice("x")
        except TypeError as error:
            print(error)
    """
    assert "cudaSetDevice" in python(code, PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so").stdout


def test_the_doctor_is_useful(python):
    code = "import runpy, sys; sys.argv[1:] = []; runpy.run_module('PyGPU', run_name='__main__')"
    result = python(code, check=False, PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so")
    assert "Traceback" not in result.stderr
    assert "/nowhere/libcudart.so" in result.stdout
