"""Loaded device code and its kernels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from PyGPU._errors import GPUError
from PyGPU._kernels import base, driver, images, loading
from PyGPU._kernels.kernel import Kernel
from PyGPU._kernels.parameters import Parameter, plain_names
from PyGPU._names import portable


class KernelModule:
    """Device code, loaded on the current device, and its kernels; the base of PyGPU.Module."""

    def __init__(self, source: bytes | str | os.PathLike[str]) -> None:
        driver.functions()
        parts = images.read(source)
        with driver.context() as device:
            self._codes = [loading.loaded(one, device) for one in parts]
        self._parameters: dict[str, tuple[Parameter, ...]] = {}
        for one in parts:
            self._parameters.update(images.parameters(one))
        self._names: Mapping[str, str] = getattr(parts[0], "names", {})
        self._kernels: dict[str, Kernel] = {}
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
            raise TypeError(f"module[name]: the name must be a str, not {type(name).__name__}")
        if name not in self._kernels:
            self._kernels[name] = self._kernel(name, Kernel)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Any:
        text = f"{type(self).__name__} has no attribute {name!r}"
        if not name.startswith("_") and name in self:
            text += f": module[{name!r}] is the kernel"
        raise AttributeError(text)

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

    def __enter__(self) -> KernelModule:
        return self

    def __exit__(self, *exception: object) -> None:
        self.unload()

    def unload(self) -> None:
        """Wait for the launches of its kernels, and unload the code; kernels then raise.

        The code stays for graphs that captured launches of it, until the last of them is gone.
        """
        self._kernels.clear()
        for code in self._codes:
            code.unload()

    def _global(self, called: str, name: str) -> tuple[base.Code, int, int] | None:
        """The part of the code that has a variable, the variable's address and size."""
        lowered = self._names.get(f"&{name}", self._names.get(name, name))
        answer = self._asked(called, driver.call("cuModuleGetGlobal"), lowered)
        if answer is None:
            return None
        code, (address, size) = answer
        return code, int(address), int(size)

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
        answer = self._asked(called, get, lowered)
        if answer is None:
            lowered = self._plain_names().get(name, "")
            answer = self._asked(called, get, lowered) if lowered else None
        if answer is None:
            names = sorted({*self._plain_names(), *self._all_names()})
            listed = ", ".join(names) or "none (name_expressions= makes kernels of a template)"
            raise KeyError(f"the module has no kernel {name!r}; there are: {listed}")
        code, function = answer
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
    try:
        ask = portable.find("cuFuncGetParamInfo", raising=False)
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
