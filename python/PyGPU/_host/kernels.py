"""Kernels of the host runtime: functions that run in the place of device code."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from PyGPU._host import kernel_arguments, library

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Kernel(Generic[_P, _R]):
    """A function that is registered for a kernel, until remove() or the end of the with-block.

    Calling it calls the function.
    """

    def __init__(self, name: str, function: Any, parameters: Iterable[Any] | None) -> None:
        self.name, self.function = name, function
        address = kernel_arguments.address_of(function)
        if address is None and not callable(function):
            raise TypeError(
                f"kernel(): parameter 'function' must be a callable, a C function or its address, "
                f"not {type(function).__name__}"
            )
        types = None if parameters is None else [*map(kernel_arguments.parameter, parameters)]
        starts = kernel_arguments.offsets(types or ())
        count = len(starts)
        called = address or library.KERNEL(partial(_run, function, types))
        self._number = library.add_kernel(
            library.text(name, "kernel(): parameter 'name'"),
            address or ctypes.cast(called, ctypes.c_void_p),
            address is None,
            (ctypes.c_size_t * count)(*starts),
            (ctypes.c_size_t * count)(*(one.size for one in types or ())),
            -1 if types is None else count,
        )
        if self._number < 0:
            raise MemoryError("kernel(): the host runtime is out of memory")
        _kernels[self._number] = (function, called)

    def __call__(self, *arguments: _P.args, **named: _P.kwargs) -> _R:
        result: _R = self.function(*arguments, **named)
        return result

    def remove(self) -> None:
        """Later launches don't run it; queued launches still do. A second call does nothing."""
        library.remove_kernel(self._number)

    def __enter__(self) -> Kernel[_P, _R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<PyGPU.host.Kernel {self.name!r}: {self.function!r}>"


# Keeps the functions alive that C may call, until C reports that it won't call them any more.
_kernels: dict[int, tuple[object, object]] = {}


def _run(function: Any, parameters: Any, grid: Any, block: Any, arguments: Any) -> None:
    """A launch, on its stream's thread; ctypes hands an exception to sys.unraisablehook."""
    if parameters is None:
        parameters = kernel_arguments.of_ptx(library.types_of_arguments().decode())
    function(tuple(grid[:3]), tuple(block[:3]), *kernel_arguments.read(parameters, arguments))


class _Registers(Protocol):
    """The decorator: it keeps the types of the function's arguments and result."""

    def __call__(self, function: Callable[_P, _R], /) -> Kernel[_P, _R]: ...


@overload
def kernel(
    name: str, function: None = None, parameters: Iterable[Any] | None = None
) -> _Registers: ...
@overload
def kernel(
    name: str, function: Callable[_P, _R], parameters: Iterable[Any] | None = None
) -> Kernel[_P, _R]: ...
@overload
def kernel(
    name: str, function: int, parameters: Iterable[Any] | None = None
) -> Kernel[..., Any]: ...
def kernel(name: str, function: Any = None, parameters: Iterable[Any] | None = None) -> Any:
    """Register a function that runs on launches of the kernel `name`, once for each launch.

    It runs in the stream's order, on the stream's thread. It must not call the runtime. `name` is
    the kernel's mangled name ("_Z5scalePfi"), or its C++ name without parameters ("scale",
    "add<float>"). If several functions have the name, the latest counts.

    A Python callable is called as `function(grid, block, *arguments)`. `grid` and `block` are
    3-tuples. Its exceptions go to sys.unraisablehook. `parameters` lists the types of the
    arguments: ctypes' (c_float, POINTER(c_int), structures) or numpy's. Without it, the types come
    from the kernel's PTX: int for integers and pointers, float, bytes for structs. PTX has .u32 for
    C's int, too, so -1 arrives as 4294967295.

    A C function, of ctypes or by its address, is called as
    `void f(const unsigned grid[3], const unsigned block[3], void *const *arguments)`;
    `parameters` gives the arguments' sizes if the device code doesn't.

    Returns a `Kernel`: its remove(), or its with-block, removes the function. Without `function` it
    returns a decorator.
    """
    library.text(name, "kernel(): parameter 'name'")
    if parameters is not None and not hasattr(parameters, "__iter__"):
        kind = type(parameters).__name__
        raise TypeError(f"kernel(): parameter 'parameters' must be a sequence of types, not {kind}")
    if function is None:
        return partial(Kernel, name, parameters=parameters)
    return Kernel(name, function, parameters)


# No function in Python: it would take the interrupt that waits for the main thread, and lose it.
_released = library.RELEASED(_kernels.__delitem__)
library.set_released(ctypes.cast(_released, ctypes.c_void_p))
atexit.register(library.end_kernels)  # from then on the runtime calls no Python
