"""A machine with no vendor library at all: the import works, every call says 303."""

from __future__ import annotations

import pytest

EVERY_FUNCTION = """
    import inspect, sys
    import PyGPU
    api = getattr(PyGPU, sys.argv[1])
    codes, refused, other = {}, [], []
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
        status = result[-1] if isinstance(result, tuple) else result
        if not hasattr(status, "code"):
            other.append(name)
            continue
        if isinstance(result, tuple):
            assert all(value is None for value in result[:-1]), (name, result)
        codes.setdefault(status.code, []).append(name)
    assert set(codes) == {303}, {code: names[:5] for code, names in codes.items()}
    print(len(codes[303]), len(refused), len(other))
"""


@pytest.mark.parametrize(
    ("api", "prefix", "functions"), [("cuda", "cuda", 312), ("hip", "hip", 446)]
)
def test_every_call_says_303(python, api, prefix, functions):
    variable = f"PYGPU_{api.upper()}_LIBRARY"
    result = python(EVERY_FUNCTION, api, prefix, **{variable: "/nowhere/library.so"})
    answered, refused, other = map(int, result.stdout.split())
    assert answered + refused + other >= functions
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
