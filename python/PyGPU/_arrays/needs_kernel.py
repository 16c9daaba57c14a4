"""What a GPUArray refuses: operators, methods and numpy's functions. Each names a way out."""

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


class _Lacking:
    """A method that GPUArray lacks: its AttributeError says why.

    A `__getattr__` could say so, too, but every attribute would take half as long again.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, array: Any, kind: Any = None) -> NoReturn:
        raise AttributeError(f"GPUArray has no {self._name}(): it {refuse.needs_kernel()}")


class _Elsewhere:
    """A name from other packages' arrays: its AttributeError gives GPUArray's own name for it."""

    def __init__(self, way: str) -> None:
        self._way = way

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, array: Any, kind: Any = None) -> NoReturn:
        raise AttributeError(f"GPUArray has no {self._name}: {self._way}")


_TO_HOST = "a.get() copies it to the host"


class NeedsKernel:
    """Operators and methods that would need a kernel. Each raises, and names a package with it."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        lacking = {
            name
            for name, value in vars(NeedsKernel).items()
            if isinstance(value, (_Lacking, _Elsewhere))
        }
        return [name for name in super().__dir__() if name not in lacking]

    # Methods that PyCUDA's or numpy's arrays have.
    all = _Lacking()
    any = _Lacking()
    argmax = _Lacking()
    argmin = _Lacking()
    astype = _Lacking()
    clip = _Lacking()
    conj = _Lacking()
    conjugate = _Lacking()
    cumsum = _Lacking()
    dot = _Lacking()
    max = _Lacking()
    mean = _Lacking()
    min = _Lacking()
    mul_add = _Lacking()
    prod = _Lacking()
    reverse = _Lacking()
    round = _Lacking()
    sort = _Lacking()
    std = _Lacking()
    sum = _Lacking()
    take = _Lacking()
    trace = _Lacking()
    var = _Lacking()

    # Of CuPy's, PyTorch's and Numba's arrays, and of DeviceArray_*.
    asnumpy = _Elsewhere(_TO_HOST)
    copy_to_host = _Elsewhere(_TO_HOST)
    cpu = _Elsewhere(_TO_HOST)
    numpy = _Elsewhere(_TO_HOST)
    to_host = _Elsewhere(_TO_HOST)
    data = _Elsewhere("a.gpudata is its memory, a.ptr the address")

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
