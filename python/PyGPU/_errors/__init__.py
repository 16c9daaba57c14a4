"""GPUError, and check() for results in hand."""

from __future__ import annotations

from PyGPU import _core
from PyGPU._apis import APIS
from PyGPU._base import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from PyGPU._errors import advice as _advice
    from PyGPU._errors import driver_log as _driver_log
else:  # not under the modules' own names: their imports would replace these
    _advice = late.Late("PyGPU._errors.advice")
    _driver_log = late.Late("PyGPU._errors.driver_log")


class GPUError(RuntimeError):
    """A GPU call failed. `error` is the status, `values` what the call returned beside it.

    `call` names the function. `hint` says what to do if PyGPU knows it, such as which library is
    missing. If memory is exhausted, the error is a MemoryError, too.
    `driver_log` is what NVIDIA's driver logged since the last GPUError of any thread; the newest
    line is the last. It is empty if the driver keeps no log (CUDA before 12.9, other vendors).
    From Python 3.11 on, a traceback shows its last lines.
    """

    driver_log = ""

    def __init__(
        self, error: Any, values: tuple[Any, ...] = (), call: str = "", hint: str = ""
    ) -> None:
        super().__init__(error, values, call)
        self.error = error
        self.values = values
        self.call = call
        self.hint = hint

    def __str__(self) -> str:
        text = str(self.error)
        if hasattr(self.error, "__index__"):  # not what users' own code gave instead of a status
            text += f" (code {int(self.error)})"
        text = f"{self.call}: {text}" if self.call else text
        return f"{text}: {self.hint}" if self.hint else text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"  # with the name: a code says nothing


class GPUMemoryError(GPUError, MemoryError):
    """A GPU call failed because memory ran out."""


# Tracebacks and pickles use the names that users import.
GPUError.__module__ = GPUMemoryError.__module__ = "PyGPU"


# Chooses the class by the status. None stands for GPUError; PyGPU.driver sets PyCUDA's choice.
kind_of: Callable[[Any], type[GPUError]] | None = None


def gpu_error(error: Any, values: tuple[Any, ...] = (), call: str = "", api: str = "") -> GPUError:
    """The exception for a failed status; `api` is that of the call, where it is known."""
    codes = APIS[type(error)._api].codes
    kind = kind_of(error) if kind_of else GPUError
    if error == codes.get("out_of_memory"):
        kind = GPUMemoryError
    if api and APIS[api].vendor != APIS[type(error)._api].vendor:
        hint = f"{APIS[type(error)._api].label} has no counterpart of it"
    else:
        lacking = error in (codes["no_symbol"], codes["no_library"])
        hint = _missing(api) if api and lacking else _advice.advice(error.name)
        if cause := _core.blamed(int(error)):
            hint = f"{hint}; caused by {cause}" if hint else f"caused by {cause}"
    exception = kind(error, values, call, hint)
    _add_log(exception)
    return exception


def _add_log(exception: GPUError) -> None:
    """Give an error what the driver's log says, if its API's calls reach a driver."""
    of = APIS[type(exception.error)._api]
    drivers = [one.driver for one in APIS.values() if one.driver]
    own = [of.driver] if of.driver else []
    reached = own or [one for one in drivers if one.library.startswith(f"{of.library.stem}.")]
    loaded = of.extension().installed(of.namespace)
    forbidden = exception.error == of.codes.get("not_permitted")  # in a callback, as are all calls
    if not reached or not loaded or loaded["host"] or forbidden:
        return
    try:
        exception.driver_log = _driver_log.news(reached[0])
    except ImportError:  # a Python without ctypes
        return
    if exception.driver_log and hasattr(exception, "add_note"):  # Python 3.11
        lines = exception.driver_log.splitlines()[-4:]
        exception.add_note("\n".join(["the driver's log ends with:", *lines]))


def _missing(api: str) -> str:
    """What is missing for a call, in words."""
    known = APIS[api]
    facts = known.extension().installed(api)
    if facts:
        return f"{facts['path']} has no such function"
    library = known.library
    if "portable" in known.capabilities:
        return f"no {library.stem} was found; python -m PyGPU lists the places searched"
    wheel = library.wheels[max(library.wheels)] if library.wheels else ""
    install = f"pip install {wheel}, or " if wheel else ""
    hosted = ", PYGPU_BACKEND=host runs on the CPU" if "host" in known.capabilities else ""
    return f"no {library.stem} was found; {install}let {library.variable} name it{hosted}"


def check(result: Any) -> Any:
    """The values of `(value, …, error)` without the error: None, the only value, or a tuple.

    Raises GPUError if the error is not success, and TypeError for anything but a result of PyGPU,
    also for other packages' `(error, value)`. Raising clears the runtime's last error, as in CuPy:
    otherwise PyTorch, say, would raise the same error again after a call of its own.
    """
    parts = result if isinstance(result, tuple) else (result,)
    if not parts or not _core.is_error(parts[-1]):
        if parts and (_core.is_error(parts[0]) or type(parts[0]).__name__.endswith("Error_t")):
            raise TypeError(
                "check() takes (value, ..., error); this is (error, value), the other order"
            )
        raise TypeError(
            f"check() takes what a PyGPU function returned, not {type(result).__name__}"
        )
    *values, error = parts
    if error:
        _core.forget_error(error)
        raise gpu_error(error, tuple(values))
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)
