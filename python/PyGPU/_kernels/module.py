"""PyGPU.Module: loaded device code, its kernels and its global variables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from PyGPU._errors import GPUError
from PyGPU._kernels import base, driver, images, loading
from PyGPU._kernels.kernel import Kernel
from PyGPU._kernels.parameters import Parameter, plain_names

if TYPE_CHECKING:
    from PyGPU._pycuda.functions import Function
    from PyGPU._pycuda.textures import SurfaceReference, TextureReference

_NO_REFERENCES = (
    "CUDA 12's compilers make no texture and surface references: make an object by "
    "PyGPU.cudaCreateTextureObject or cudaCreateSurfaceObject, and pass it to the kernel"
)


class Module:
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
        parts = images.read(source)
        with driver.context() as device:
            self._codes = [loading.loaded(one, device) for one in parts]
        self._parameters: dict[str, tuple[Parameter, ...]] = {}
        for one in parts:
            self._parameters.update(images.parameters(one))
        self._names: Mapping[str, str] = getattr(parts[0], "names", {})
        self._kernels: dict[str, Kernel] = {}
        self._functions: dict[str, Function] = {}
        self._references: dict[tuple[str, str], Any] = {}  # with what is bound to them
        self._listed: list[str] | None = None

    @property
    def handle(self) -> int:
        """The driver's module (CUmodule, hipModule_t), as an int; of a program, the first."""
        return self._codes[0].handle

    @property
    def device(self) -> int:
        """The device that has the code."""
        return self._codes[0].device

    def __repr__(self) -> str:
        state = "unloaded" if self._codes[0].unloaded else f"on device {self.device}"
        return f"<PyGPU.Module {state}>"

    def __getitem__(self, name: str) -> Kernel:
        if not isinstance(name, str):
            raise TypeError(f"module[name]: a kernel's name is a str, not {type(name).__name__}")
        if name not in self._kernels:
            self._kernels[name] = self._kernel(name, Kernel)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Any:
        said = f"{type(self).__name__} has no attribute {name!r}"
        if not name.startswith("_") and name in self:
            said += f": module[{name!r}] is the kernel"
        raise AttributeError(said)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self[name]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The names of all kernels, as the code has them."""
        return iter(self._all_names())

    def __len__(self) -> int:
        return len(self._all_names())

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *exception: object) -> None:
        self.unload()

    def unload(self) -> None:
        """Wait for the launches of its kernels, and unload the code; kernels then raise.

        The code stays for graphs that captured launches of it, until the last of them is gone.
        """
        self._kernels.clear()
        self._functions.clear()
        self._references.clear()
        for code in self._codes:
            code.unload()

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

        found: TextureReference = self._reference(
            "get_texref()", "cuModuleGetTexRef", name, TextureReference
        )
        return found

    def get_surfref(self, name: str) -> SurfaceReference:
        """A surface reference of the code, as get_texref()."""
        from PyGPU._pycuda.textures import SurfaceReference

        found: SurfaceReference = self._reference(
            "get_surfref()", "cuModuleGetSurfRef", name, SurfaceReference
        )
        return found

    def _reference(self, call: str, getter: str, name: str, kind: Any) -> Any:
        if (getter, name) not in self._references:
            try:
                found = self._asked(f"Module.{call}", driver.call(getter), name)
            except (GPUError, AttributeError) as error:
                if not _lacks(error):
                    raise
                said = f"{call}: the driver has none. {_NO_REFERENCES}"
                raise NotImplementedError(said) from None
            if found is None:
                from PyGPU._pycuda.errors import missing_symbol

                said = f"the module has no reference {name!r}. {_NO_REFERENCES}"
                raise missing_symbol(call, said)
            code, handle = found
            reference = self._references[getter, name] = kind(handle)
            reference.code = code  # stays loaded as long as the reference is used
        return self._references[getter, name]

    def get_global(self, name: str) -> tuple[int, int]:
        """Address and bytes of a global variable or of constant memory.

        Raises PyGPU.driver.LogicError, which is a KeyError too, without it.
        """
        _, address, size = self._global("Module.get_global()", name)
        return address, size

    def _global(self, called: str, name: str) -> tuple[base.Code, int, int]:
        """The part of the code that has a variable, the variable's address and size."""
        lowered = self._names.get(f"&{name}", self._names.get(name, name))
        found = self._asked(called, driver.call("cuModuleGetGlobal"), lowered)
        if found is None:
            from PyGPU._pycuda.errors import missing_symbol

            raise missing_symbol("get_global()", f"the module has no global variable {name!r}")
        code, (address, size) = found
        return code, int(address), int(size)

    def array(self, name: str, dtype: Any, shape: Any = None) -> Any:
        """A global variable as a GPUArray, which keeps the module loaded; unload() ends it.

        shape: by default the whole variable, in one dimension. ValueError if it is larger than the
            variable.
        """
        import math

        import numpy as np

        from PyGPU._arrays.sequence import numbers
        from PyGPU.gpuarray import GPUArray

        code, address, size = self._global("Module.array()", name)
        kind = np.dtype(dtype)
        if not kind.itemsize:
            raise ValueError(f"array(): parameter 'dtype': {kind!r} has no size")
        if shape is None:
            shape = (size // kind.itemsize,)
        shape = numbers(shape, "array(): parameter 'shape'")
        wanted = math.prod(shape) * kind.itemsize
        if wanted > size:
            raise ValueError(f"array(): {name!r} has {size} bytes, {wanted} are asked for")
        return GPUArray(shape, kind, gpudata=code.memory(address, size), base=self)

    def _asked(
        self, called: str, get: Callable[..., Any], name: str
    ) -> tuple[base.Code, Any] | None:
        """The part of the code that has a name, and what it answers; None where none has it."""
        if not name:  # an invalid value to the driver
            return None
        for code in self._codes:
            with driver.using(code, called):
                try:
                    return code, get(code.handle, name)
                except (GPUError, ValueError) as error:
                    _raise_but_for_a_missing_name(error)
        return None

    def _kernel(self, name: str, kind: type[Kernel]) -> Any:
        """A kernel as an object of a class. If it is missing, the KeyError lists all kernels."""
        called, get = f"module[{name!r}]", driver.call("cuModuleGetFunction")
        lowered = self._names.get(name, name)
        found = self._asked(called, get, lowered)
        if found is None:
            lowered = self._plain_names().get(name, "")
            found = self._asked(called, get, lowered) if lowered else None
        if found is None:
            names = sorted({*self._plain_names(), *self._all_names()})
            listed = ", ".join(names) or "none that are known"
            raise KeyError(f"the module has no kernel {name!r}; there are: {listed}")
        code, function = found
        with driver.using(code, called):
            most = _attribute("MAX_THREADS_PER_BLOCK", int(function))
            parameters: Any = self._parameters.get(lowered)
            if parameters is None:
                parameters = _described(lowered, function)
            of_all_contexts = None
            if code.library:
                of_all_contexts = driver.call("cuLibraryGetKernel")(code.library, lowered)
        launchers = driver.driver().launchers
        return kind(code, name, int(function), launchers, most, parameters, of_all_contexts)

    def _plain_names(self) -> Mapping[str, str]:
        known: dict[str, tuple[Parameter, ...]] = dict.fromkeys(self._all_names(), ())
        return plain_names(known)

    def _all_names(self) -> list[str]:
        if self._listed is None:
            names: list[str] = []
            for code in self._codes:
                with driver.using(code, "list(module)"):
                    names += _enumerated(code.handle)
            self._listed = sorted(names) or sorted(self._parameters)
        return self._listed


Module.__module__ = "PyGPU"


def _lacks(error: Exception) -> bool:
    """Whether the driver has no such function."""
    lacking = ("CUDA_ERROR_NOT_SUPPORTED", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND")
    codes = [int(driver.constant(name)) for name in lacking]
    if isinstance(error, GPUError):
        return int(error.error) in codes
    return isinstance(error, AttributeError)


def _raise_but_for_a_missing_name(error: Exception) -> None:
    """Raise the error, unless the driver found no such name or the text can't be a name."""
    missing = driver.constant("CUDA_ERROR_NOT_FOUND")
    if isinstance(error, GPUError) and int(error.error) != int(missing):
        raise error


def _attribute(name: str, function: int) -> int:
    wanted = driver.constant(f"CU_FUNC_ATTRIBUTE_{name}")
    value: int = driver.call("cuFuncGetAttribute")(wanted, function)
    return value


def _described(name: str, function: Any) -> tuple[Parameter, ...] | None:
    """The sizes of a kernel's parameters by the driver; None where it can't tell them."""
    from PyGPU import _portable

    try:
        ask = _portable.find("cuFuncGetParamInfo", raising=False)
    except AttributeError:
        return None
    sizes: list[int] = []
    while True:
        _, size, err = ask(function, len(sizes))
        if err:
            # Behind the last parameter the driver finds the index invalid.
            return images.named(name, sizes) if int(err) == 1 else None
        sizes.append(int(size))


def _enumerated(handle: int) -> list[str]:
    """The names of a module's kernels by the driver; empty where it can't tell them."""
    try:
        functions = driver.call("cuModuleEnumerateFunctions")(handle)
        name_of = driver.call("cuFuncGetName")
        return [name_of(one) for one in functions]
    except (AttributeError, GPUError):
        return []
