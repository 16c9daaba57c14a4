"""PyGPU: the CUDA and HIP APIs in Python, arrays on the device, and kernels.

Each function returns its outputs in C's order, then the status:

    import PyGPU as gpu
    device, err = gpu.cudaGetDevice()
    err = gpu.cudaSetDevice(0)
    device = gpu.checked.cudaGetDevice()     # the value alone; raises GPUError

    a = gpu.to_gpu(numpy_array)              # a GPUArray
    numpy_array = a.get()

Where things are; each has help() of its own:

    cuda, hip     the runtimes, under the vendors' names. PyGPU.cudaMalloc and the like are
                  portable: they call the backend in use. `PyGPU.backend` names it, use() chooses it
    cu            the CUDA driver API
    nvrtc, hiprtc the compilers
    cublas, nvml, opencl and others
                  libraries, which come by extras: docs/libraries.md lists them
    checked       the portable names, raising GPUError
    gpuarray      GPUArray, to_gpu, empty, zeros, Stream, Event and so on; PyGPU has them, too
    Module, Kernel, SourceModule, compiler
                  code for the device: loaded, compiled, launched
    asarray, from_dlpack, ipc
                  exchange with numpy, CuPy, PyTorch, JAX, and with other processes
    driver, tools, autoinit, cumath, curandom
                  PyCUDA's names
    host          the host runtime, for machines without a GPU
    trace         records calls with their arguments, times and lines

`python -m PyGPU` says which libraries were found, and what is missing.
"""

from __future__ import annotations

import os as _os
import sys

from PyGPU._base import interpreter as _interpreter  # first: it says why PyGPU can't be imported

from PyGPU import _backend, _core, _exit  # isort: skip
from PyGPU._apis import APIS as _APIS
from PyGPU._base import late as _late
from PyGPU._core import __version__ as __version__
from PyGPU._errors import GPUError as GPUError
from PyGPU._errors import GPUMemoryError as GPUMemoryError
from PyGPU._errors import check as check

globals().update({name: getattr(_core, name) for name in _backend.RUNTIMES})

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU import _names as _public
    from PyGPU._names import portable as _portable
else:
    _public = _late.Late("PyGPU._names")  # not as _names: the import would replace it
    _portable = _late.Late("PyGPU._names.portable")


def use(name: str) -> None:
    """Choose the backend "cuda", "hip" or "host", whatever PYGPU_BACKEND or the machine chose.

    Call it before the first GPU call: afterwards another backend is a RuntimeError. ValueError for
    another name.
    """
    if _backend.use(name):
        _forget_portable_names()


def _forget_portable_names() -> None:
    of_apis = [one for one in list(globals()) if one not in _APIS and _public.api_of(one)]
    for name in (*_core.names(_backend.PORTABLE[0]), *of_apis):
        globals().pop(name, None)
    for name in ("checked", "backend"):
        globals().pop(name, None)
    sys.modules.pop("PyGPU.checked", None)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [*_public.OWN, *_public.ARRAYS, *_portable_names()]
    if name.startswith("_"):  # tools ask for such names; the answer must not choose a backend
        raise AttributeError(f"module 'PyGPU' has no attribute {name!r}")
    if name == "backend":
        return _backend.current()
    if name in _public.MODULES:
        try:
            # PyGPU.cu and others replace themselves during the import: another thread that imports
            # them at the same time may get the first form from the import itself.
            value = _late.imported(f"PyGPU.{name}")
        except OSError as error:
            raise AttributeError(f"PyGPU.{name} can't be imported: {error}") from error
        except ImportError as error:
            if name not in _APIS or not _APIS[name].extra:
                raise
            raise AttributeError(str(error)) from error
    elif name in _public.ARRAYS:
        value = _late.attribute("PyGPU.gpuarray", name)
    elif name in _public.LATE:
        value = _late.attribute(_public.LATE[name], name)
    else:
        value = _portable.find(name, raising=False)
    globals()[name] = value
    return value


def _portable_names() -> list[str]:
    """The portable names for a star import. It fetches each, so none may be missing."""
    portable = _core.portable(_backend.current(), False)
    if _backend.api().stands_for:
        return [name for name in _core.names(_backend.PORTABLE[0]) if hasattr(portable, name)]
    return list(portable.__all__)


def __dir__() -> list[str]:
    if _late.attribute("PyGPU._base.help", "asks_for_names")():
        return []  # help() shows the docstring above, instead of thousands of names
    return sorted({*globals(), *_public.MODULES, *_public.all_names()})


class _LastFinder:
    """The last finder: its ImportError says what to use instead of a missing module of PyGPU."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.startswith("PyGPU.") and not name.startswith("PyGPU._"):
            from PyGPU._names.missing import refuse_import

            refuse_import(name)


if "PyGPU" not in [getattr(finder, "__module__", "") for finder in sys.meta_path]:
    sys.meta_path.append(_LastFinder)

if _os.environ.get("PYGPU_LOCATE", "0") != "0":
    _core.locate_faults(True, _os.path.dirname(__file__) + "/")
if _os.environ.get("PYGPU_TRACE"):
    _late.attribute("PyGPU._trace.session", "start_by_variable")()

del TYPE_CHECKING
