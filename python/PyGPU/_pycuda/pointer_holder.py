"""PyCUDA's base class of objects that hold device memory in a way of their own."""

from __future__ import annotations

import ctypes

from PyGPU._kernels import driver


class PointerHolderBase:
    """A base class: the user's class has get_pointer(), and its objects stand for that memory.

    They can be arguments of kernels, the ends of copies, and the `gpudata` of a GPUArray, which
    keeps the object alive.
    """

    def get_pointer(self) -> int:
        """The address. A class of the user's overrides this."""
        raise NotImplementedError(f"{type(self).__name__} must have a method get_pointer()")

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """Memory that the host can read and write, such as managed memory, as a buffer.

        Raises ValueError for other memory.
        """
        address = int(self.get_pointer()) + offset
        kind = driver.call("cudaPointerGetAttributes")(address).type
        readable = ("cudaMemoryTypeHost", "cudaMemoryTypeManaged")
        if kind not in [driver.constant(name) for name in readable]:
            raise ValueError(f"as_buffer(): the host can't read the memory at {address:#x}")
        return memoryview((ctypes.c_char * size).from_address(address)).cast("B")

    def __int__(self) -> int:
        return int(self.get_pointer())

    __index__ = __int__
