"""PyGPU.Module: loaded device code, with PyCUDA's calls, and the functions that load it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PyGPU._errors import GPUError
from PyGPU._kernels import base, driver
from PyGPU._kernels.module import KernelModule

if TYPE_CHECKING:
    from PyGPU._pycuda.functions import Function
    from PyGPU._pycuda.textures import SurfaceReference, TextureReference

_NO_REFERENCES = (
    "compilers since CUDA 12 have no texture and surface references: create an object with "
    "PyGPU.cudaCreateTextureObject or cudaCreateSurfaceObject, and pass it to the kernel"
)


class Module(KernelModule):
    """Device code, loaded on the current device.

    source: a path, or bytes: a cubin, a fatbin, PTX, a hsaco, what `compiler.compile` gives, or a
        program or shared object of nvcc's or hipcc's, whose fatbin is taken

    `module["name"]` is the kernel of that name: the plain C++ name if only one kernel has it, else
    the mangled name or the name expression that was compiled. Kernels keep their module loaded. It
    is unloaded with the last of them, after all launches. A graph keeps the modules of the launches
    that it captured.

    Raises GPUError with the driver's log when the code can't be loaded, OSError, TypeError and
    ValueError for a source that is none.
    """

    def __init__(self, source: bytes | str | os.PathLike[str]) -> None:
        super().__init__(source)
        self._functions: dict[str, Function] = {}
        self._references: dict[tuple[str, str], Any] = {}  # with what is bound to them

    def __enter__(self) -> Module:
        return self

    def unload(self) -> None:
        """Wait for the launches of its kernels, and unload the code; kernels then raise.

        The code stays for graphs that captured launches of it, until the last of them is gone.
        """
        self._functions.clear()
        self._references.clear()
        super().unload()

    def get_function(self, name: str) -> Function:
        """The kernel of that name with PyCUDA's calls: In, Out, InOut, time_kernel.

        Raises PyGPU.driver.LogicError, which is a KeyError too, without it.
        """
        from PyGPU._pycuda.errors import missing_symbol
        from PyGPU._pycuda.functions import Function

        if name not in self._functions:
            try:
                self._functions[name] = self._kernel(name, Function)
            except KeyError as error:
                raise missing_symbol("get_function()", str(error.args[0])) from None
        return self._functions[name]

    def get_texref(self, name: str) -> TextureReference:
        """A texture reference of the code. Only compilers before CUDA 12 made them.

        Raises PyGPU.driver.LogicError, which is a KeyError too, without it, and
        NotImplementedError where the driver has no references.
        """
        from PyGPU._pycuda.textures import TextureReference

        reference: TextureReference = self._reference(
            "get_texref()", "cuModuleGetTexRef", name, TextureReference
        )
        return reference

    def get_surfref(self, name: str) -> SurfaceReference:
        """A surface reference of the code, as get_texref()."""
        from PyGPU._pycuda.textures import SurfaceReference

        reference: SurfaceReference = self._reference(
            "get_surfref()", "cuModuleGetSurfRef", name, SurfaceReference
        )
        return reference

    def _reference(self, call: str, getter: str, name: str, kind: Any) -> Any:
        if (getter, name) not in self._references:
            try:
                answer = self._asked(f"Module.{call}", driver.call(getter), name)
            except (GPUError, AttributeError) as error:
                if not _lacks(error):
                    raise
                text = f"{call}: the driver has none. {_NO_REFERENCES}"
                raise NotImplementedError(text) from None
            if answer is None:
                from PyGPU._pycuda.errors import missing_symbol

                text = f"the module has no reference {name!r}. {_NO_REFERENCES}"
                raise missing_symbol(call, text)
            code, handle = answer
            reference = self._references[getter, name] = kind(handle)
            reference.code = code  # stays loaded as long as the reference is used
        return self._references[getter, name]

    def get_global(self, name: str) -> tuple[int, int]:
        """Address and bytes of a global variable or of constant memory.

        Raises PyGPU.driver.LogicError, which is a KeyError too, without it.
        """
        _, address, size = self._variable("Module.get_global()", name)
        return address, size

    def _variable(self, called: str, name: str) -> tuple[base.Code, int, int]:
        variable = self._global(called, name)
        if variable is None:
            from PyGPU._pycuda.errors import missing_symbol

            raise missing_symbol("get_global()", f"the module has no global variable {name!r}")
        return variable

    def array(self, name: str, dtype: Any, shape: Any = None) -> Any:
        """A global variable as a GPUArray, which keeps the module loaded; unload() ends it.

        shape: by default the whole variable, in one dimension. ValueError if it is larger than the
            variable.
        """
        import math

        import numpy as np

        from PyGPU._arrays.sequence import numbers
        from PyGPU.gpuarray import GPUArray

        code, address, size = self._variable("Module.array()", name)
        kind = np.dtype(dtype)
        if not kind.itemsize:
            raise ValueError(f"array(): parameter 'dtype': {kind!r} has no size")
        if shape is None:
            shape = (size // kind.itemsize,)
        shape = numbers(shape, "array(): parameter 'shape'")
        wanted = math.prod(shape) * kind.itemsize
        if wanted > size:
            raise ValueError(f"array(): {name!r} has {size} bytes, the shape needs {wanted}")
        return GPUArray(shape, kind, gpudata=code.memory(address, size), base=self)


Module.__module__ = "PyGPU"


def _lacks(error: Exception) -> bool:
    """Whether the driver has no such function."""
    lacking = ("CUDA_ERROR_NOT_SUPPORTED", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND")
    codes = [int(driver.constant(name)) for name in lacking]
    if isinstance(error, GPUError):
        return int(error.error) in codes
    return isinstance(error, AttributeError)


def module_from_file(filename: str) -> Module:
    """Load the code of a file."""
    return Module(filename)


def module_from_buffer(
    buffer: Any,
    options: Sequence[tuple[Any, Any]] = (),
    message_handler: Callable[[bool, str, str], object] | None = None,
) -> Module:
    """Load code from a buffer. `options` must be empty.

    `message_handler` is called with (True, "", ""). After a failure it is called with
    (False, "", log), before the error is raised.
    """
    if options:
        raise NotImplementedError(
            "module_from_buffer(): only PyGPU.cu.cuModuleLoadDataEx takes options"
        )
    try:
        module = Module(buffer.encode() if isinstance(buffer, str) else buffer)
    except GPUError as error:
        if message_handler:
            message_handler(False, "", error.hint)
        raise
    if message_handler:
        message_handler(True, "", "")
    return module
