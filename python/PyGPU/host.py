"""The host runtime's own controls: kernels, failing calls, pausing streams, reports, leaks.

For tests: they act on the CPU runtime of PYGPU_BACKEND=host alone, never on a card. Raises OSError
on import where this installation has no host runtime.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from PyGPU import _backend, _caller, _kernel_arguments, _search

__all__ = [
    "Fault",
    "Kernel",
    "Paused",
    "fail",
    "functions",
    "kernel",
    "leaks",
    "pause",
    "reports",
    "strict",
]

_library = ctypes.CDLL(_backend.HOST_RUNTIME)
_LOCATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
_LISTENER = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_RELEASED = ctypes.CFUNCTYPE(None, ctypes.c_long)
_DIMENSIONS, _POINTERS = ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_void_p)
_KERNEL = ctypes.CFUNCTYPE(None, _DIMENSIONS, _DIMENSIONS, _POINTERS)


def _declare(name: str, result: object, *arguments: object) -> Callable[..., Any]:
    function = getattr(_library, f"pygpu_host_{name}")
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


_fail = _declare(
    "fail", ctypes.c_long, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_ulonglong, ctypes.c_int
)
_unfail = _declare("unfail", ctypes.c_longlong, ctypes.c_long)
_pause = _declare("pause", ctypes.c_int, ctypes.c_void_p)
_resume = _declare("resume", ctypes.c_int, ctypes.c_void_p)
_devices = _declare("devices", ctypes.c_int)
_work = _declare("work", ctypes.c_int)
_finish = _declare("finish", ctypes.c_int)
_leaks = _declare("leaks", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
_set_strict = _declare("set_strict", ctypes.c_int, ctypes.c_int)
_set_locator = _declare("set_locator", None, ctypes.c_void_p)
_set_listener = _declare("set_listener", None, ctypes.c_void_p)
_SIZES = ctypes.POINTER(ctypes.c_size_t)
_add_kernel = _declare(
    "add_kernel",
    ctypes.c_long,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_int,
    _SIZES,
    _SIZES,
    ctypes.c_int,
)
_remove_kernel = _declare("remove_kernel", ctypes.c_int, ctypes.c_long)
_end_kernels = _declare("end_kernels", None)
_set_released = _declare("set_released", None, ctypes.c_void_p)
_types_of_arguments = _declare("types_of_arguments", ctypes.c_char_p)
_function = _declare(
    "function", ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)


_P = ParamSpec("_P")
_R = TypeVar("_R")


class Kernel(Generic[_P, _R]):
    """A function that is registered for a kernel, until remove() or the end of the with-block.

    Calling it calls the function.
    """

    def __init__(self, name: str, function: Any, parameters: Iterable[Any] | None) -> None:
        self.name, self.function = name, function
        address = _kernel_arguments.address_of(function)
        if address is None and not callable(function):
            raise TypeError(
                f"kernel(): a function is a callable, a C function or its address, "
                f"not {type(function).__name__}"
            )
        given = None if parameters is None else [*map(_kernel_arguments.parameter, parameters)]
        begins = _kernel_arguments.offsets(given or ())
        count = len(begins)
        called = address or _KERNEL(partial(_run, function, given))
        self._number = _add_kernel(
            name.encode(),
            address or ctypes.cast(called, ctypes.c_void_p),
            address is None,
            (ctypes.c_size_t * count)(*begins),
            (ctypes.c_size_t * count)(*(one.size for one in given or ())),
            -1 if given is None else count,
        )
        if self._number < 0:
            raise MemoryError("kernel(): the host runtime has no memory for it")
        _kernels[self._number] = (function, called)

    def __call__(self, *arguments: _P.args, **named: _P.kwargs) -> _R:
        result: _R = self.function(*arguments, **named)
        return result

    def remove(self) -> None:
        """Later launches don't run it; queued launches still do. A second call does nothing."""
        _remove_kernel(self._number)

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
        parameters = _kernel_arguments.of_ptx(_types_of_arguments().decode())
    function(tuple(grid[:3]), tuple(block[:3]), *_kernel_arguments.read(parameters, arguments))


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
    if not isinstance(name, str):
        raise TypeError(f"kernel(): a kernel's name is a str, not {type(name).__name__}")
    if function is None:
        return partial(Kernel, name, parameters=parameters)
    return Kernel(name, function, parameters)


class Fault:
    """A fault while it is armed; afterwards `struck` says how many calls it made fail."""

    def __init__(self) -> None:
        self.struck: int | None = None


_UNSAID: Any = object()
_GROUPS = {"*": (999, 1), "allocate": (2, None)}  # each with its default error and times


@contextmanager
def fail(
    function: str, call: int = 1, error: object = _UNSAID, times: int | None = _UNSAID
) -> Iterator[Fault]:
    """Make the `call`-th call of a function from now on (1 is the next) return `error`.

    `function` is a CUDA or HIP name ("cudaMalloc"). "*" is any function. "allocate" is every
    allocation of device, managed, pinned or array memory, by any function. `error` is a status
    object or its number; the default is 999, for "allocate" 2 (out of memory). `times` is the
    number of failures in a row; None is no limit. The default is 1, for "allocate" None, because
    PyGPU's arrays try again. A function that fails so does nothing else.

    PyGPU's arrays reuse memory of earlier ones without a call. "allocate" first gives that memory
    back to the runtime (not while a stream is paused), so the next array needs an allocation.
    PyGPU's internal allocations count, too.

    Codes that are fatal on a card (700, 719, …) make every later call fail with the same code until
    the device is reset. Raises ValueError for a name that the host runtime hasn't got.
    """
    usual_error, usual_times = _GROUPS.get(function, (999, 1))
    error = usual_error if error is _UNSAID else error
    times = usual_times if times is _UNSAID else times
    if call < 1 or (times is not None and times < 1):
        raise ValueError("fail(): call and times count from 1")
    if function not in _GROUPS and not any(function in functions(api) for api in _backend.HOSTED):
        raise ValueError(f"fail(): the host runtime has no function {function!r}")
    code = int(error)  # type: ignore[call-overload]
    fault = Fault()
    if function == "allocate":
        _give_back()
    number = _fail(function.encode(), call, times or 0, code)
    try:
        yield fault
    finally:
        fault.struck = _unfail(number)


class Paused:
    """A stream that starts no work until resume() or the end of the with-block."""

    def __init__(self, stream: object) -> None:
        self._address: int | None = _address(stream)
        if code := _pause(self._address):
            raise ValueError(f"pause(): {stream!r} is no stream of the host runtime (code {code})")

    def resume(self) -> None:
        """Let the stream go on; doing so twice is fine."""
        address, self._address = self._address, None
        if address is not None:
            _resume(address)

    def __enter__(self) -> Paused:
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()


def pause(stream: object = None) -> Paused:
    """Keep a stream (a handle, its number, None for the default stream) from starting queued work.

    So a test sees unfinished work without sleeping. A call that waits for the stream on the same
    thread (synchronising, freeing memory, copying to ordinary memory) waits for ever, as for a
    kernel that doesn't end: resume first. Raises ValueError if it isn't a stream.
    """
    return Paused(stream)


def strict(on: bool = True) -> bool:
    """Report misuse on stderr: the call, the pointer, where it came from. Returns what was set.

    The same as PYGPU_HOST_STRICT=1. In strict mode all queued work runs in its turn on the stream's
    own thread. All fresh and freed memory is filled with patterns, and writes to freed memory are
    found.
    """
    return bool(_set_strict(int(on)))


@contextmanager
def reports(strict: bool = True) -> Iterator[list[str]]:
    """Collect reports in a list instead of writing them to stderr.

    These are the reports of strict mode, those of PYGPU_HOST_CHECK, and failures of kernels. Strict
    mode is on meanwhile; with `strict=False` it stays as it is. A report of queued work comes when
    that work runs: wait for it before the end of the with-block.
    """
    global _listener
    collected: list[str] = []
    before = _listener
    was_strict = _set_strict(1) if strict else None
    _listener = _LISTENER(lambda text: collected.append(text.decode(errors="replace")))
    _set_listener(ctypes.cast(_listener, ctypes.c_void_p))
    try:
        yield collected
    finally:
        _set_listener(ctypes.cast(before, ctypes.c_void_p) if before else None)
        _listener = before
        if was_strict is not None:
            _set_strict(was_strict)


def leaks() -> str:
    """Memory that was allocated and not freed yet, one piece a line; empty if there is none.

    Memory that PyGPU keeps of freed arrays is no leak. So leaks() first collects garbage, waits for
    the devices and gives that memory back to the runtime. `assert not leaks()` holds when all
    arrays are gone and all memory allocated by calls is freed. While a stream is paused, leaks()
    waits for nothing, and lists PyGPU's memory, too.
    """
    gc.collect()
    _give_back()
    size = _leaks(None, 0)
    buffer = ctypes.create_string_buffer(size + 4096)
    _leaks(buffer, len(buffer))
    return buffer.value.decode(errors="replace")


def functions(api: str = "cuda") -> dict[str, bool]:
    """All symbols that the host runtime exports for an API: whether each is implemented.

    The others return ErrorNotSupported (801). Raises ValueError for another name.
    """
    if api not in _backend.HOSTED:
        known = " and ".join(map(repr, _backend.HOSTED))
        raise ValueError(f"functions(): no API is called {api!r}; there are {known}")
    found: dict[str, bool] = {}
    implemented = ctypes.c_int()
    while name := _function(api.encode(), len(found), ctypes.byref(implemented)):
        found[name.decode()] = bool(implemented.value)
    return found


def _trims() -> list[Callable[[], object]]:
    """One function for each device: it gives the memory of freed arrays back to the runtime."""
    arrays = sys.modules.get("PyGPU.gpuarray")
    in_use = [library for api in _backend.HOSTED if (library := _search.installed(api))]
    if arrays is None or not all(library["host"] for library in in_use) or not _leaks(None, 0):
        return []
    return [partial(arrays.trim_memory, device=device) for device in range(_devices())]


def _give_back() -> None:
    for trim in _trims():
        if _work() < 2:  # no stream is paused
            with suppress(Exception):  # after a fatal error nothing can be given back
                trim()


def _address(stream: object) -> int:
    if stream is None:
        return 0
    try:
        return int(stream)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        raise TypeError(f"pause(): a stream is wanted, not {type(stream).__name__}") from None


_listener: Any = None  # ctypes has no name for the type of its functions


def _where(text: int, size: int) -> None:
    """Writes the file and line of the first frame outside this package."""
    try:
        frame = _caller.line(sys._getframe(1))
    except (AttributeError, ValueError):  # a thread that runs no Python
        return
    if frame is None or size < 2:
        return
    place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
    encoded = place.encode(errors="replace")[: size - 1] + b"\0"
    ctypes.memmove(text, encoded, len(encoded))


_locator = _LOCATOR(_where)
_set_locator(ctypes.cast(_locator, ctypes.c_void_p))
_released = _RELEASED(lambda number: _kernels.pop(number, None) and None)
_set_released(ctypes.cast(_released, ctypes.c_void_p))


class _AfterAll:
    """Gives the memory of freed arrays back when it dies, unless that would have to wait."""

    def __init__(self) -> None:
        self.trims, self.work = _trims(), _work

    def __del__(self) -> None:  # most names are gone by then
        for trim in self.trims:
            if not self.work():
                try:  # noqa: SIM105
                    trim()
                except Exception:
                    pass


@atexit.register
def _leave() -> None:
    """From now on the runtime calls no Python. Its report of leaks comes after all arrays."""
    _set_locator(None)
    _set_listener(None)
    _end_kernels()
    if os.environ.get("PYGPU_HOST_LEAKS") == "1":
        sys.__dict__["_pygpu_after_all"] = _AfterAll()  # sys is cleared last
