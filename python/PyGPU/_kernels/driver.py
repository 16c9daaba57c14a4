"""The driver's functions that load and launch code, on the backend in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from PyGPU import _backend
from PyGPU._apis.api import Kernels
from PyGPU._kernels import base
from PyGPU._names import portable


class Launchers(NamedTuple):
    """Addresses of C functions; None is one that the driver lacks."""

    plain: int
    cooperative: int | None
    clusters: int | None
    get_device: int
    get_capturing: int


class Driver(NamedTuple):
    """What loading needs: the addresses of the functions that launch, and of those to unload."""

    launchers: Launchers
    unload: int
    unload_library: int | None
    takes_libraries: bool


_driver: Driver | None = None


def driver() -> Driver:
    """The functions, found on first use. OSError without a driver."""
    global _driver
    _driver = _driver or _find()
    return _driver


def functions() -> Kernels:
    """The names of the functions that load and launch; NotImplementedError if there are none."""
    names = _backend.kernels()
    if not names.api:
        raise NotImplementedError(f"PyGPU can't launch kernels on {_backend.api().label}")
    return names


def _find() -> Driver:
    names = functions()
    call("cuInit")(0)  # the portable name, so that the host runtime may stand in
    module = import_module(f"PyGPU.{names.api}")
    launchers = Launchers(
        module.address(names.launch),
        _address(module, names.launch_cooperative),
        _address(module, names.launch_clusters),
        module.address(names.current_device),
        module.address(names.is_capturing),
    )
    library = _address(module, names.unload_library)
    takes_libraries = library is not None and _loads_here()
    return Driver(launchers, module.address(names.unload), library, takes_libraries)


def _loads_here() -> bool:
    """Whether a library is loaded into the current context alone.

    By CUDA_MODULE_LOADING=EAGER, and by default until CUDA 12.1, cuLibraryLoadData loads into each
    context that there is, and later into each new one: on several devices that takes time and
    memory, and fails for a cubin that isn't for all of them.
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LIBRARY.html
    """
    mode, err = portable.find("cuModuleGetLoadingMode", raising=False)()
    lazy = not err and int(mode) == int(constant("CU_MODULE_LAZY_LOADING"))
    return lazy or call("cudaGetDeviceCount")() == 1


def _address(module: Any, name: str) -> Any:
    """The address of a C function; None for one that the driver lacks."""
    try:
        return module.address(name) if name else None
    except OSError:
        return None


def call(name: str) -> Callable[..., Any]:
    """A portable function of the driver, in the form that raises."""
    function: Callable[..., Any] = portable.find(name, raising=True)
    return function


def constant(name: str) -> Any:
    """An enumerator of the driver's, by its portable name: HIP's enums have names of their own."""
    return portable.find(name, raising=False)


@contextmanager
def context(device: int | None = None) -> Iterator[int]:
    """Run the block in the primary context of a device, by default the current one; yields it.

    The block may make a context or load code: the relaxed mode keeps that from breaking a capture.
    """
    set_mode = call("cudaThreadExchangeStreamCaptureMode")
    mode = set_mode(constant("cudaStreamCaptureModeRelaxed"))
    try:
        current: int = call("cudaGetDevice")()
        inside = current if device is None else device
        if inside != current:
            call("cudaSetDevice")(inside)
        try:
            call("cudaFree")(None)  # until CUDA 12, cudaSetDevice alone makes no context
            yield inside
        finally:
            if inside != current:
                call("cudaSetDevice")(current)
    finally:
        set_mode(mode)


def wait_for_device() -> None:
    """Wait for all work of the current device. Inside context() this breaks no capture of others.

    cudaDeviceSynchronize would, in any mode; cudaFree waits as well. Raises GPUError.
    """
    byte, err = portable.find("cudaMalloc", raising=False)(1)
    if err:  # without a byte of memory left
        call("cudaDeviceSynchronize")()
    else:
        call("cudaFree")(byte)


def enter_context() -> None:
    """Make the current device's primary context the thread's."""
    with context():
        pass


@contextmanager
def using(code: base.Code, called: str) -> Iterator[None]:
    """Run the block in the context of the code's device, and keep the code loaded meanwhile.

    Raises if the code is unloaded already; `called` is for the message.
    """
    code.begin_use(called)
    try:
        with context(code.device):
            yield
    finally:
        code.end_use()
