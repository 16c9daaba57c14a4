"""What a GPUArray refuses: operators and numpy's functions, each with the way out."""

from __future__ import annotations

from PyGPU._arrays import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul")
_BITWISE = ("and", "or", "xor", "lshift", "rshift")


def _refuse(what: str) -> Any:
    def refusing(self: Any, *_: Any) -> NoReturn:
        raise TypeError(f"GPUArray: {what} {refuse.needs_kernel()}")

    return refusing


class NeedsKernel:
    """Operators that would need a kernel. Each raises a TypeError that names who has it."""

    __slots__ = ()

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(refuse.numpy_array())

    def __array_ufunc__(self, ufunc: Any, method: str, *_: Any, **__: Any) -> NoReturn:
        called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise TypeError(f"numpy.{called}() of a GPUArray {refuse.needs_kernel()}")

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return refuse.numpy_function(func, args, kwargs)

    for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
        locals()[f"__{_name}__"] = _refuse(f"comparing ({_name})")
    for _name in ("neg", "pos", "abs", "invert"):
        locals()[f"__{_name}__"] = _refuse(f"the operator {_name}")
    for _name in (*_BINARY, *_BITWISE):
        for _side in ("", "r", "i"):
            if (_side, _name) != ("i", "divmod"):
                locals()[f"__{_side}{_name}__"] = _refuse(f"arithmetic ({_name})")
    del _name, _side
