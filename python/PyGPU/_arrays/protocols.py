"""numpy's functions of GPUArrays: `numpy.add(a, b)` runs on the device."""

from __future__ import annotations

from PyGPU._arrays import refuse
from PyGPU._arrays.arithmetic import function
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU._codegen import operations
else:
    operations = Late("PyGPU._codegen.operations")

_functions: dict[str, Any] = {}

# What runs for numpy's function of the same name, with its parameters; PyGPU.gpuarray fills it.
FUNCTIONS: dict[str, Any] = {}


def elementwise(name: str) -> Any:
    """numpy's elementwise function of this name for arrays on a device. KeyError."""
    if name not in _functions:
        operation = operations.OPERATIONS[name]
        results = len(operation.of_kind("f"))
        _functions[name] = function(name, operation.inputs, "function", results)
    return _functions[name]


class NumpyProtocols:
    """What numpy asks an array that is not its own."""

    __slots__ = ()

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        """A function of numpy's with a GPUArray. TypeError for one that PyGPU lacks."""
        name = ufunc.__name__
        called = f"numpy.{name}" + ("()" if method == "__call__" else f".{method}()")
        if method == "__call__" and name in operations.OPERATIONS:
            if options:
                raise TypeError(f"{called} of a GPUArray has no parameter {min(options)!r}")
            if out is not None:
                out = out[0] if len(out) == 1 else out
            return elementwise(name)(*inputs, out=out)
        raise TypeError(f"{called} of a GPUArray {refuse.needs_kernel()}")

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The function of PyGPU with the name of one of numpy's. TypeError if there is none."""
        name = func.__name__
        if func.__module__ == "numpy" and name in FUNCTIONS:
            return FUNCTIONS[name](*args, **kwargs)
        return refuse.numpy_function(func, args, kwargs)
