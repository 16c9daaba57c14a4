"""The names of modules: what dir() and a star import list, and the message for a missing name."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import re
import sys

import numpy as np
import pytest

import PyGPU
from PyGPU._names import missing
from PyGPU._names.other_packages import OF_CUMATH, OF_NUMPY
from PyGPU._names.signposts import SIGNPOSTS
from tests.conftest import ROOT
from tests.own_interpreter import own_interpreter


def test_dir_lists_what_is_made_when_asked_for():
    """So that a prompt can complete them."""
    names = set(dir(PyGPU.cuda))
    assert {"cudaMalloc", "cudaMemcpyKind", "cudaMemcpyHostToDevice", "cudaStream_t"} <= names
    assert {"cudaError", "cudaError_t", "dim3", "checked", "address", "__name__"} <= names
    assert {"hipMalloc", "hipMemcpyKind", "hipError_t"} <= set(dir(PyGPU.hip))


@own_interpreter(PYGPU_CUDA_LIBRARY="/nowhere")
def test_a_star_takes_types_and_values():
    names = {}
    exec("from PyGPU.cuda import *", names)
    assert names["cudaMemcpyHostToDevice"] is names["cudaMemcpyKind"](1)
    assert {"cudaMalloc", "cudaStream_t", "cudaDeviceProp", "cudaError"} <= set(names)


@pytest.mark.cuda_library
@own_interpreter("on_real_cuda")
def test_a_star_takes_the_loaded_release_s_names():
    """Some values load the library. After that, names of newer releases must not fail."""
    everything = set(PyGPU._core.names("cuda"))
    names = {}
    exec("from PyGPU.cuda import *", names)
    assert PyGPU._core.installed("cuda")
    missing = everything - set(names)
    assert missing and "cudaMemcpyKind" not in missing, missing


def a_star_on_hip():
    names = {}
    exec("from PyGPU import *", names)
    assert PyGPU.backend == "hip"
    assert {"cudaMalloc", "cudaStream_t", "cudaMemcpyHostToDevice", "GPUArray"} <= set(names)
    assert "CUDART_VERSION" not in names and "CUDART_VERSION" in dir(PyGPU)
    with pytest.raises(AttributeError, match="no counterpart"):
        _ = PyGPU.CUDART_VERSION


def test_a_star_on_hip_leaves_out_what_has_no_counterpart(on_hip):
    on_hip(a_star_on_hip)
    on_hip(a_star_on_hip, PYGPU_HIP_LIBRARY="/nowhere")


def said_of(expression: str) -> str:
    """The text of the AttributeError that an expression raises."""
    with pytest.raises(AttributeError) as raised:
        eval(expression)
    # The message is made when it is read: the second time it is the same.
    assert str(raised.value) == str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("expression", "meant"),
    [
        ("PyGPU.cudaMemCpy", "cudaMemcpy"),
        ("PyGPU.cudaMaloc", "cudaMalloc"),
        ("PyGPU.cudaMallco", "cudaMalloc"),
        ("PyGPU.CUDAMALLOC", "cudaMalloc"),
        ("PyGPU.malloc", "cudaMalloc"),
        ("PyGPU.cudaMemcpyHostToDevise", "cudaMemcpyHostToDevice"),
        ("PyGPU.cudaError_T", "cudaError_t"),
        ("PyGPU.to_gpus", "to_gpu"),
        ("PyGPU.DeviceArray_flaot32", "DeviceArray_float32"),
        ("PyGPU.hipMalloc", "PyGPU.hip.hipMalloc"),
        ("PyGPU.hipMaloc", "PyGPU.hip.hipMalloc"),
        ("PyGPU.hipMemcpyHostToDevice", "PyGPU.hip.hipMemcpyHostToDevice"),
        ("PyGPU.cuMemAloc", "cuMemAlloc"),
        ("PyGPU.cuda.cudaMemCpy", "cudaMemcpy"),
        ("PyGPU.cuda.hipMalloc", "PyGPU.hip.hipMalloc"),
        ("PyGPU.cuda.to_gpu", "PyGPU.to_gpu"),
        ("PyGPU.cuda.cuMemAlloc", "PyGPU.cu.cuMemAlloc"),
        ("PyGPU.hip.hipMemCpy", "hipMemcpy"),
        ("PyGPU.hip.Memcpy", "hipMemcpy"),
        ("PyGPU.hip.cudaMalloc", "PyGPU.cudaMalloc"),
        ("PyGPU.checked.cudaMaloc", "cudaMalloc"),
        ("PyGPU.checked.cudaSuccess", "PyGPU.cudaSuccess"),
        ("PyGPU.cuda.checked.cudaMaloc", "cudaMalloc"),
        ("PyGPU.hip.checked.hipSuccess", "PyGPU.hip.hipSuccess"),
        ("PyGPU.gpuarray.to_gp", "to_gpu"),
        ("PyGPU.gpuarray.cudaMalloc", "PyGPU.cudaMalloc"),
    ],
)
def test_a_name_that_is_misspelt_or_elsewhere(expression, meant):
    module, _, name = expression.rpartition(".")
    said = said_of(expression)
    assert said.endswith(f" has no attribute '{name}'. Did you mean '{meant}'?")
    eval(meant if "." in meant else f"{module}.{meant}")


@pytest.mark.parametrize("name", ["xyzzy", "x", "quite_another_name", "ärger", "x" * 10**6, "a\0b"])
@pytest.mark.parametrize("module", [PyGPU, PyGPU.cuda, PyGPU.hip.checked, PyGPU.gpuarray])
def test_a_name_that_is_like_none(module, name):
    with pytest.raises(AttributeError) as raised:
        getattr(module, name)
    assert "mean" not in str(raised.value)


def test_asking_costs_no_search(monkeypatch):
    """Asking with hasattr() or getattr() doesn't search for similar names."""
    for search in ("_meant", "_names"):
        monkeypatch.setattr(missing, search, lambda *_: pytest.fail("a search for hasattr()"))
    for module in (PyGPU, PyGPU.cuda, PyGPU.hip, PyGPU.cuda.checked, PyGPU.gpuarray):
        assert not hasattr(module, "cudaMemCpy")
        assert getattr(module, "cudaMemCpy", 3) == 3
        assert not hasattr(module, "__wrapped__")
        assert not hasattr(module, "_repr_html_")


def test_the_import_doesn_t_load_what_only_errors_need(python):
    code = "import sys, PyGPU; hasattr(PyGPU, '_ipython_display_'), PyGPU.cudaMalloc; "
    loaded = python(code + "print(*sys.modules)", PYGPU_BACKEND="cuda").stdout.split()
    assert not {"PyGPU._names.missing", "PyGPU._names.signposts", "PyGPU.host"} & set(loaded)


def test_the_error_is_an_attribute_error(python):
    with pytest.raises(AttributeError) as raised:
        PyGPU.cuda.cudaMemCpy  # noqa: B018
    error = raised.value
    assert (error.name, error.args) == (
        "cudaMemCpy",
        ("module 'PyGPU.cuda' has no attribute 'cudaMemCpy'",),
    )
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(other), str(other)) == (AttributeError, str(error))
    for name in ("cudaMemCpy", "gpuarray.to_gp"):
        result = python(f"import PyGPU\nPyGPU.{name}", check=False, PYGPU_BACKEND="cuda")
        last = result.stderr.splitlines()[-1]
        assert last.startswith("AttributeError: module 'PyGPU")
        assert last.count("Did you mean") == 1


@pytest.mark.parametrize(
    "expression", ["cudaMemcpyKind.cudaMemcpyHostToDevise", "cudaError_t.cudaSucess"]
)
def test_an_enumerator_that_is_misspelt(python, expression):
    """Python's own tracebacks search the attributes of a class."""
    result = python(f"import PyGPU\nPyGPU.cuda.{expression}", check=False)
    assert "Did you mean: 'cuda" in result.stderr


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: PyGPU.cuda.cudaMemset(devPtr=0, valeu=0, count=0), "value"),
        (lambda: PyGPU.cuda.checked.cudaMemset(devptr=0), "devPtr"),
        (lambda: PyGPU.cuda.cudaMemcpy3DParms(srcPt=0), "srcPtr"),
        (lambda: PyGPU.cuda.cudaMemcpy3D({"Kind": 0}), "kind"),
        (lambda: PyGPU.to_gpu(3, allocater=None), "allocator"),
    ],
)
def test_a_keyword_that_is_misspelt(call, meant):
    with pytest.raises(TypeError, match=rf"\. Did you mean '{meant}'\?$"):
        call()


@pytest.mark.parametrize(
    ("call", "unlike"),
    [
        (lambda: PyGPU.cuda.cudaMemset(elephant=0), "elephant"),
        (lambda: PyGPU.cuda.dim3(w=0), "w"),
        (lambda: PyGPU.to_gpu(3, elephant=0), "elephant"),
    ],
)
def test_a_keyword_that_is_like_none(call, unlike):
    with pytest.raises(TypeError, match=rf"'{unlike}'$"):
        call()


VIEWS = {"real", "imag"}  # numpy's functions of these names ask the array for its attributes
ROWS = [(module, name) for module, rows in SIGNPOSTS.items() for name in rows]


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_a_signpost_stands_only_where_the_name_is_missing(module, name):
    """A row must be removed when PyGPU gets the name."""
    text = SIGNPOSTS[module][name]
    assert said_of(f"{module}.{name}") == f"module '{module}' has no attribute '{name}': {text}"


def test_signposts_to_numpy_and_cumath_lead_somewhere():
    """A text that sends the reader to numpy or to PyGPU.cumath is true for each of its names."""
    from PyGPU._arrays.protocols import FUNCTIONS
    from PyGPU._codegen.operations import OPERATIONS

    rows = SIGNPOSTS["PyGPU"].items()
    on_device = [name for name, text in rows if text in (OF_NUMPY, OF_CUMATH)]
    assert len(on_device) > 60
    for name in on_device:
        function = getattr(np, name)
        assert function.__name__ in OPERATIONS or name in FUNCTIONS or name in VIEWS, name
    assert all(hasattr(PyGPU.cumath, name) for name, text in rows if text == OF_CUMATH)
    others = [name for name, text in rows if "no kernel for it" in text]
    assert others and not {*others} & {*OPERATIONS, *FUNCTIONS, *dir(PyGPU.cumath)}


def test_each_name_of_cuda_core_has_a_signpost():
    """Of those in the module itself, which somebody who ports an import meets first."""
    listed = (ROOT / "tools" / "cuda_core" / "names.txt").read_text().splitlines()[1:]
    lacking = [one for one in listed if "." not in one and not hasattr(PyGPU, one)]
    assert len(lacking) > 20
    assert not set(lacking) - set(SIGNPOSTS["PyGPU"])


@pytest.mark.parametrize("name", ["alloc_pinned_memory", "runtime", "get_elapsed_time"])
def test_signposts_stand_in_the_module_of_the_runtime_too(name):
    """`cupy.cuda.alloc_pinned_memory` becomes `PyGPU.cuda.alloc_pinned_memory` first."""
    assert said_of(f"PyGPU.cuda.{name}").endswith(f"'{name}': {SIGNPOSTS['PyGPU'][name]}")


def test_what_a_signpost_names_exists():
    texts = {text for rows in SIGNPOSTS.values() for text in rows.values()}
    named = set(re.findall(r"\b(PyGPU(?:\.\w+)+)", " ".join(texts)))
    assert len(named) > 20
    for name in named:
        eval(name)
    bare = set(re.findall(r"(?<![\w.])((?:cuda|hip)[A-Z]\w+)", " ".join(texts)))
    for name in bare:
        eval(f"PyGPU.{'hip' if name.startswith('hip') else 'cuda'}.{name}")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("import PyGPU.sparse", "cannot import name 'sparse' from 'PyGPU': PyGPU has no kernels"),
        ("from PyGPU.compiler import CudaModule", "'CudaModule' from 'PyGPU.compiler'"),
        ("from PyGPU import Context", "name 'Context' from 'PyGPU': it is PyGPU.driver.Context"),
        ("from PyGPU import cudaMemCpy", ". Did you mean 'cudaMemcpy'?"),
        ("import PyGPU.xyzzy", "No module named 'PyGPU.xyzzy'"),
        ("from PyGPU import xyzzy", "cannot import name 'xyzzy' from 'PyGPU' ("),
        ("import PyGPU._xyzzy", "No module named 'PyGPU._xyzzy'"),
        ("import PyGPU.gpuarray.xyzzy", "'PyGPU.gpuarray' is not a package"),
    ],
)
def test_an_import_of_what_is_not_there(statement, said):
    with pytest.raises(ImportError) as raised:
        exec(statement)
    assert said in str(raised.value)


@own_interpreter(PYGPU_BACKEND="cuda")
def test_looking_for_a_module():
    assert importlib.util.find_spec("PyGPU.xyzzy") is None
    assert importlib.util.find_spec("PyGPU.doctor") is not None
    finders = len(sys.meta_path)
    importlib.reload(PyGPU)
    assert len(sys.meta_path) == finders


@own_interpreter(PYGPU_BACKEND="host")
def test_the_host_runtime_s_controls_need_no_import_of_their_own():
    assert "host" in dir(PyGPU) and "host" not in PyGPU.__all__
    assert PyGPU.host.leaks() == ""


@own_interpreter(PYGPU_BACKEND="cuda")
def test_there_may_be_no_host_runtime():
    PyGPU._backend.HOST_RUNTIME = "/nowhere/libpygpu_host.so"
    assert not hasattr(PyGPU, "host")
    said = r"^PyGPU\.host can't be imported: /nowhere/libpygpu_host\.so"
    with pytest.raises(AttributeError, match=said):
        _ = PyGPU.host


@pytest.mark.cuda_library
@own_interpreter("on_real_cuda", PYGPU_BACKEND="cuda")
def test_a_star_of_the_package_has_what_the_release_has():
    """No name of the star import is looked up as a module, and none is refused."""
    assert all(hasattr(PyGPU, name) for name in PyGPU.__all__)
    names = {}
    exec("from PyGPU import *", names)
    assert set(PyGPU.__all__) <= set(names)
    said = "from 'PyGPU': 'cudaCooperativeLaunchMultiDeviceNoPostSync' is no name of cuda 13"
    with pytest.raises(ImportError, match=said):
        exec("from PyGPU import cudaCooperativeLaunchMultiDeviceNoPostSync")


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nowhere")
def test_an_import_of_what_hip_has_not():
    with pytest.raises(ImportError, match="HIP has no counterpart of it"):
        exec("from PyGPU import cudaNvSciSyncAttrSignal")
