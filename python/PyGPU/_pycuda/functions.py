"""PyCUDA's Function and its argument handlers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU._kernels import driver
from PyGPU._kernels.kernel import Kernel
from PyGPU._pycuda.constants import function_attribute
from PyGPU._pycuda.host_memory import ManagedAllocation
from PyGPU._pycuda.memory import flat as _flat
from PyGPU._pycuda.memory import (
    mem_alloc,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
)
from PyGPU._pycuda.streams import Event
from PyGPU._pycuda.textures import TextureReference
from PyGPU.gpuarray import DeviceMemory, GPUArray, Stream


class ArgumentHandler:
    """An argument that needs work around a launch: pre_call() before it, post_call() after."""

    def __init__(self, ary: Any) -> None:
        self.array = ary
        self.dev_alloc: DeviceMemory | None = None

    def get_device_alloc(self) -> DeviceMemory:
        """Its memory on the device, made when it is first asked for."""
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc(_flat(f"{type(self).__name__}()", self.array).nbytes)
        return self.dev_alloc

    def pre_call(self, stream: Any) -> None:
        """Called before the launch."""


class In(ArgumentHandler):
    """An array that is copied to the device before the launch."""

    def pre_call(self, stream: Any) -> None:
        if stream is None:
            memcpy_htod(self.get_device_alloc(), self.array)
        else:
            memcpy_htod_async(self.get_device_alloc(), self.array, stream)
            _wait(stream)  # the array may be changed once the call returns


class Out(ArgumentHandler):
    """An array that is copied from the device after the launch."""

    def post_call(self, stream: Any) -> None:
        """Copy the array back, and wait for the copy."""
        if stream is None:
            memcpy_dtoh(self.array, self.get_device_alloc())
        else:
            memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)
            _wait(stream)


class InOut(In, Out):
    """An array that is copied to the device before the launch, and back after it."""


def _wait(stream: Any) -> None:
    Stream.of(stream).synchronize()


_OLD = dict.fromkeys(
    (
        "launch",
        "launch_grid",
        "launch_grid_async",
        "param_set",
        "param_set_size",
        "param_setf",
        "param_seti",
        "param_setv",
        "set_block_shape",
        "set_shared_size",
    ),
    "PyCUDA deprecated it in 2011; call function(*arguments, grid=..., block=..., shared=...)",
) | {"param_set_texref": "texture references belong to the module; give them in texrefs=[...]"}


class Function(Kernel):
    """A kernel as PyCUDA's are: what module.get_function() gives.

    function(*arguments, block=(x, y, z), grid=(1, 1), stream=None, shared=0, texrefs=(),
             time_kernel=False)

    It takes what PyGPU.Kernel takes, and In, Out and InOut. Their copies run on the stream of the
    launch. Of a managed numpy array the kernel gets the address. With time_kernel=True the call
    waits and returns seconds. Events measure them, where PyCUDA reads the host's clock.
    """

    __slots__ = ()

    def __call__(  # type: ignore[override]
        self,
        *args: Any,
        block: Any = None,
        grid: Any = (1, 1),
        stream: Any = None,
        shared: int = 0,
        texrefs: Sequence[Any] = (),
        time_kernel: bool = False,
        cooperative: bool = False,
        cluster: Any = None,
    ) -> float | None:
        if block is None:
            raise ValueError(
                f"{self.name}(): must specify block size: kernel(*arguments, grid=(x, y), "
                "block=(x, y, z))"
            )
        plain = not (texrefs or time_kernel or cooperative or cluster)
        for one in args:
            if isinstance(one, _OF_PYCUDA):
                plain = False
        if plain:
            Kernel.__call__(self, *args, grid=grid, block=block, stream=stream, shared=shared)
            return None
        _check_texrefs(texrefs)
        handlers = [one for one in args if isinstance(one, ArgumentHandler)]
        arguments = [_argument(one) for one in args]
        for one in handlers:
            one.pre_call(stream)
        start = Event().record(stream) if time_kernel else None
        super().__call__(
            *arguments, grid=grid, block=block, stream=stream, shared=shared,
            cooperative=cooperative, cluster=cluster,
        )  # fmt: skip
        end = Event().record(stream) if time_kernel else None
        for one in handlers:
            if hasattr(one, "post_call"):
                one.post_call(stream)
        if start is None or end is None:
            return None
        return end.synchronize().time_since(start) * 1e-3

    def prepare(self, arg_types: Any, texrefs: Sequence[Any] = ()) -> Function:
        """Declare the parameters: by letters of the struct module, or numpy's or ctypes' types."""
        _check_texrefs(texrefs)
        super().prepare(arg_types)
        return self

    def get_attribute(self, attr: Any) -> int:
        """The value of an attribute, named by a member of function_attribute."""
        value: int = driver.call("cuFuncGetAttribute")(attr, self.handle)
        return value

    def set_attribute(self, attr: Any, value: int) -> None:
        """Set an attribute: a member of function_attribute, or its name."""
        if isinstance(attr, str):
            attr = getattr(function_attribute, attr)
        driver.call("cuFuncSetAttribute")(self.handle, attr, value)

    def set_cache_config(self, fc: Any) -> None:
        """Prefer shared memory or cache, by func_cache."""
        driver.call("cuFuncSetCacheConfig")(self.handle, fc)

    def set_shared_config(self, sc: Any) -> None:
        """Set the width of shared memory's banks, by shared_config."""
        driver.call("cuFuncSetSharedMemConfig")(self.handle, sc)

    def __getattr__(self, name: str) -> int:
        if name in _OLD:
            raise AttributeError(f"Function has no attribute {name!r}: {_OLD[name]}")
        if name.startswith("_") or not name.islower():
            raise AttributeError(f"Function has no attribute {name!r}")
        return self.get_attribute(getattr(function_attribute, name.upper()))


Function.__module__ = "PyGPU.driver"


def _check_texrefs(texrefs: Sequence[Any]) -> None:
    """Texture references belong to the module: a launch has nothing to do for them."""
    for one in texrefs:
        if not isinstance(one, TextureReference):
            raise TypeError(
                f"texrefs must hold what module.get_texref() returns, not {type(one).__name__}"
            )


_OF_PYCUDA = (ArgumentHandler, np.ndarray)


def _argument(argument: Any) -> Any:
    """What a launch takes for an argument of PyCUDA's: managed arrays go by their address."""
    if isinstance(argument, ArgumentHandler):
        memory, array = argument.get_device_alloc(), argument.array
        if not isinstance(array, np.ndarray) or not array.size or array.dtype.hasobject:
            return memory
        return GPUArray(array.size, array.dtype, gpudata=memory)  # the launch checks the dtype
    if isinstance(argument, np.ndarray):
        base: Any = argument.base
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, ManagedAllocation) or getattr(base, "managed", False):
            return np.uintp(argument.ctypes.data)
    return argument
