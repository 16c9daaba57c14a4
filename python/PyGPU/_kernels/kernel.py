"""PyGPU.Kernel: what a kernel can be asked, and PyCUDA's prepared calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from PyGPU._core import arrays
from PyGPU._kernels import base, driver
from PyGPU._kernels.occupancy import Occupancy
from PyGPU._kernels.parameters import Parameter


class Kernel(base.Kernel):
    """A kernel of a module, called as PyCUDA's or as Numba's are.

    kernel(a, b, n, grid=(8, 1), block=(256, 1, 1), stream=None, shared=0)
    kernel[grid, block, stream, shared](a, b, n)

    grid, block: one to three ints; block must be given
    stream: as for arrays; None is the current one (`with PyGPU.Stream():`)
    shared: bytes of dynamic shared memory
    cooperative: True for a launch whose blocks may wait for each other
    cluster: blocks of a cluster, one to three ints (compute capability 9.0 and later)

    Arguments are arrays of PyGPU, CuPy, PyTorch and all with __cuda_array_interface__, numpy and
    ctypes scalars, structs and handles. An int or a float is converted to the parameter's type, if
    the code gives it; else TypeError. Number and sizes are checked before the launch. The memory of
    PyGPU's arrays is freed after the launches that use it.

    Raises GPUError when the launch fails, TypeError and ValueError for wrong arguments.
    """

    __slots__ = ()

    def _using(self) -> AbstractContextManager[None]:
        return driver.using(self.code, f"{self.name}()")

    def attribute(self, name: str) -> int:
        """An attribute of cuFuncGetAttribute, such as "NUM_REGS" or "num_regs"."""
        wanted = driver.constant(f"CU_FUNC_ATTRIBUTE_{name.upper()}")
        with self._using():
            value: int = driver.call("cuFuncGetAttribute")(wanted, self.handle)
        return value

    def set_attribute(self, name: str, value: int) -> None:
        """Set an attribute that may be set, such as "MAX_DYNAMIC_SHARED_SIZE_BYTES"."""
        wanted = driver.constant(f"CU_FUNC_ATTRIBUTE_{name.upper()}")
        with self._using():
            driver.call("cuFuncSetAttribute")(self.handle, wanted, value)

    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
        return self.attribute("NUM_REGS")

    @property
    def shared_size_bytes(self) -> int:
        """Bytes of static shared memory of a block."""
        return self.attribute("SHARED_SIZE_BYTES")

    @property
    def local_size_bytes(self) -> int:
        """Bytes of local memory of a thread."""
        return self.attribute("LOCAL_SIZE_BYTES")

    @property
    def const_size_bytes(self) -> int:
        """Bytes of constant memory of the user's."""
        return self.attribute("CONST_SIZE_BYTES")

    @property
    def binary_version(self) -> int:
        """The architecture that the code was made for: 90 is 9.0."""
        return self.attribute("BINARY_VERSION")

    @property
    def ptx_version(self) -> int:
        """The PTX architecture that the code was made from: 90 is 9.0."""
        return self.attribute("PTX_VERSION")

    def active_blocks(self, block: int, shared: int = 0) -> int:
        """How many blocks of so many threads a multiprocessor runs at once."""
        ask = driver.call("cuOccupancyMaxActiveBlocksPerMultiprocessor")
        with self._using():
            blocks: int = ask(self.handle, block, shared)
        return blocks

    @property
    def occupancy(self) -> Occupancy:
        """Advice on a launch's shape: the best block, the largest cooperative grid, clusters."""
        return Occupancy(self)

    def prepare(self, arg_types: str | Iterable[Any]) -> Kernel:
        """Set the types of the parameters, as PyCUDA does: "PPif", or numpy's and ctypes' types.

        Later launches convert ints and floats to these types. ValueError if they differ from what
        the code says: another size, or a float for an integer.
        """
        if not hasattr(arg_types, "__iter__"):
            kind = type(arg_types).__name__
            raise TypeError(f"prepare(): parameter 'arg_types' must be a sequence, not {kind}")
        self.declare([_described(one) for one in arg_types])
        return self

    def prepared_call(self, grid: Any, block: Any, *args: Any, shared_size: int = 0) -> None:
        """kernel(*args, grid=grid, block=block, shared=shared_size)."""
        self(*args, grid=grid, block=block, shared=shared_size)

    def prepared_async_call(
        self, grid: Any, block: Any, stream: Any, *args: Any, shared_size: int = 0
    ) -> None:
        """The same on a stream."""
        self(*args, grid=grid, block=block, stream=stream, shared=shared_size)

    def prepared_timed_call(
        self, grid: Any, block: Any, *args: Any, shared_size: int = 0
    ) -> Callable[[], float]:
        """The same between two events. Returns a function that waits and gives the seconds."""
        start, end = arrays.Event(), arrays.Event()
        start.record()
        self(*args, grid=grid, block=block, shared=shared_size)
        end.record()

        def seconds() -> float:
            end.synchronize()
            milliseconds: float = start.time_till(end)
            return milliseconds * 1e-3

        return seconds


Kernel.__module__ = "PyGPU"

# The letters of the struct module.
_LETTERS = {
    "P": Parameter(8, "pointer"), "f": Parameter(4, "float"), "d": Parameter(8, "float"),
    "e": Parameter(2, "float"), "?": Parameter(1, "integer", False, type="bool"),
    "c": Parameter(1, "integer"),
    **{
        letter: Parameter(size, "integer", letter.islower())
        for letters, size in (("bB", 1), ("hH", 2), ("iI", 4), ("lLqQ", 8))
        for letter in letters
    },
}  # fmt: skip


def _described(one: Any) -> Parameter:
    """A parameter of a letter's type, or of a type of numpy's or ctypes'."""
    if isinstance(one, str) and one in _LETTERS:
        return _LETTERS[one]
    import ctypes

    import numpy as np

    if isinstance(one, type) and hasattr(one, "contents"):
        return Parameter(8, "pointer")
    if one is ctypes.c_void_p or one is np.intp:
        return Parameter(8, "word")
    if isinstance(one, type) and issubclass(one, (ctypes.Structure, ctypes.Union)):
        return Parameter(ctypes.sizeof(one), "bytes")
    try:
        if one is None:
            raise TypeError  # numpy would take it for float64
        dtype = np.dtype(one)
    except (TypeError, NotImplementedError):
        raise TypeError(
            f"prepare(): {one!r} is not a type: give letters of the struct module, or types of "
            "numpy or ctypes"
        ) from None
    kind = {"f": "float", "i": "integer", "u": "integer", "b": "integer"}.get(dtype.kind, "bytes")
    signed = {"i": True, "u": False, "b": False}.get(dtype.kind)
    return Parameter(dtype.itemsize, kind, signed, type="bool" if dtype.kind == "b" else "")
