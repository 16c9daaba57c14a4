"""`gpuarray.vec`: dtypes of CUDA's vector types, and scalars of them."""

from __future__ import annotations

from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")

_ELEMENTS = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "long": "i8", "ulong": "u8", "longlong": "i8", "ulonglong": "u8", "float": "f4", "double": "f8",
}  # fmt: skip
_LONGEST = dict.fromkeys(("longlong", "ulonglong", "double"), 2)
_FIELDS = "xyzw"


class Vectors:
    """CUDA's vector types: `vec.float2` is a dtype, `vec.make_float2(x, y)` a scalar of it.

    char, short, int, long and float with up to four elements, longlong and double with up to two;
    the integers also unsigned: uchar and so on.
    """

    names = tuple(f"{one}{n}" for one in _ELEMENTS for n in range(1, _LONGEST.get(one, 4) + 1))

    def __getattr__(self, name: str) -> Any:
        vector = name.removeprefix("make_")
        if vector not in self.names:
            raise AttributeError(f"vec has no {name!r}; it has {', '.join(self.names)}")
        element = _ELEMENTS[vector[:-1]]
        dtype = np.dtype([(field, element) for field in _FIELDS[: int(vector[-1])]])
        value = dtype if vector == name else _maker(name, dtype)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return [*self.names, *(f"make_{name}" for name in self.names)]


def _maker(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    def make(*elements: Any) -> Any:
        if len(elements) != len(dtype.names or ()):
            raise TypeError(
                f"{name}() takes {len(dtype.names or ())} elements, not {len(elements)}"
            )
        return np.array(elements, dtype)

    make.__name__ = name
    return make


vec = Vectors()
