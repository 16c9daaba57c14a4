"""What a GPUArray refuses: operators, methods and numpy's functions. Each names a way out."""

from __future__ import annotations

from PyGPU._arrays import refuse
from PyGPU._names.elsewhere import Elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


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


class _Elsewhere(Elsewhere):
    """A name from other packages' arrays; the message names the class that users know."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = "GPUArray", name


_TO_HOST = "a.get() copies it to the host"
_CASTS = "a.astype(dtype) converts; a.view(dtype) reads the same bytes"
_ADDRESS = "a.ptr is the address of its first element"
_AXES = "a.transpose(axes) is the view with other axes"
_NEW_AXIS = "a[None] and a[:, None] are views with one more axis"
_SLICES = "slices are views: a[::-1], a[:n], a[n:]"
_SET = "a.set(x) copies x to it"
_GRADIENTS = "PyGPU records no gradients; torch.from_dlpack(a) is a tensor on the same memory"


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
    argsort = _Lacking()
    nonzero = _Lacking()
    ptp = _Lacking()
    repeat = _Lacking()
    sort = _Lacking()
    trace = _Lacking()

    # Of numpy's, CuPy's, PyTorch's and Numba's arrays, and of DeviceArray_*.
    address = _Elsewhere(_ADDRESS)
    asnumpy = _Elsewhere(_TO_HOST)
    backward = _Elsewhere(_GRADIENTS)
    bool = _Elsewhere(_CASTS)
    clone = _Elsewhere("a.copy() copies it")
    contiguous = _Elsewhere("a.copy('C') is contiguous, a.flags says whether a is")
    copy_ = _Elsewhere(_SET)
    copy_to_device = _Elsewhere(_SET)
    copy_to_host = _Elsewhere(_TO_HOST)
    cpu = _Elsewhere(_TO_HOST)
    ctypes = _Elsewhere("ctypes takes the array itself; a.ptr is its address")
    cuda = _Elsewhere("it is on a device, a.device; PyGPU.asarray(a, device=n) is on another")
    data = _Elsewhere("a.gpudata is its memory, a.ptr the address")
    data_ptr = _Elsewhere(_ADDRESS)
    detach = _Elsewhere(_GRADIENTS)
    dim = _Elsewhere("a.ndim is the number of its axes")
    double = _Elsewhere(_CASTS)
    element_size = _Elsewhere("a.itemsize is the size of an element")
    expand_dims = _Elsewhere(_NEW_AXIS)
    fill_ = _Elsewhere("a.fill(value) fills it")
    flat = _Elsewhere("a.ravel() has its elements on one axis")
    flatten = _Elsewhere("a.ravel() has its elements on one axis, a.ravel().copy() in new memory")
    flip = _Elsewhere(_SLICES)
    float = _Elsewhere(_CASTS)
    get_device = _Elsewhere("a.device is the number of its device")
    grad = _Elsewhere(_GRADIENTS)
    half = _Elsewhere(_CASTS)
    int = _Elsewhere(_CASTS)
    is_contiguous = _Elsewhere("a.flags.c_contiguous says so")
    is_cuda = _Elsewhere("a.device is the number of its device")
    long = _Elsewhere(_CASTS)
    moveaxis = _Elsewhere(_AXES)
    numel = _Elsewhere("a.size is the number of its elements")
    numpy = _Elsewhere(_TO_HOST)
    permute = _Elsewhere(_AXES)
    put = _Elsewhere("PyGPU.put(a, indices, out=b) writes elements of a into b")
    requires_grad = _Elsewhere(_GRADIENTS)
    round = _Elsewhere("numpy.rint(a) rounds to whole numbers, on the device")
    resize = _Elsewhere("its size is fixed; a.reshape(shape) is a view with as many elements")
    split = _Elsewhere(_SLICES)
    storage = _Elsewhere("a.gpudata is its memory")
    stride = _Elsewhere("a.strides are its strides in bytes")
    swapaxes = _Elsewhere(_AXES)
    take = _Elsewhere("PyGPU.take(a, indices) takes them from all of a, as if it had one axis")
    to = _Elsewhere("PyGPU.asarray(a, device=n) is on another device, a.get() on the host")
    to_device = _Elsewhere(_SET)
    to_host = _Elsewhere(_TO_HOST)
    tobytes = _Elsewhere("a.get().tobytes() has the bytes")
    tofile = _Elsewhere("a.get().tofile(file) writes it")
    unsqueeze = _Elsewhere(_NEW_AXIS)
    zero_ = _Elsewhere("a.fill(0) clears it")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(refuse.numpy_array())

    def __bytes__(self) -> NoReturn:
        raise TypeError(
            "bytes(): a GPUArray is not copied to the host implicitly: a.get().tobytes()"
        )

    __matmul__ = __rmatmul__ = __imatmul__ = _refuse("the operator @")
