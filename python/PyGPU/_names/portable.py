"""What the portable names stand for: those of the runtime, of the driver and of the compiler."""

from __future__ import annotations

from PyGPU import _backend
from PyGPU._apis import APIS
from PyGPU._base import late
from PyGPU._names import api_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU._apis.api import Api
    from PyGPU._names import formulas, missing
else:
    formulas = late.Late("PyGPU._names.formulas")
    missing = late.Late("PyGPU._names.missing")


def find(name: str, *, raising: bool) -> Any:
    """What a name stands for on the backend in force; `raising` asks for PyGPU.checked's form.

    The modules of other APIs than the runtime are imported when one of their names is asked for.
    """
    try:
        return getattr(_backend.runtime(raising), name)
    except AttributeError as error:
        if not _is_missing(error):
            raise
    api = api_of(name)
    try:
        if api:
            return getattr(_module(api, raising=raising), name)
    except AttributeError as error:
        if not _is_missing(error):
            raise
    except ModuleNotFoundError as error:  # it comes by an extra
        raise AttributeError(str(error)) from error
    # The error names the module that the user asked, not the module behind it.
    raise missing.MissingNameError("PyGPU.checked" if raising else "PyGPU", name)


def _is_missing(error: AttributeError) -> bool:
    """Whether the error says that the name is unknown."""
    return isinstance(error, missing.MissingNameError)


def _module(api: Api, *, raising: bool) -> Any:
    """The module with the functions of an API, as the backend in force serves them."""
    backend = _backend.current()
    if backend == "host":
        if "host" in api.capabilities:
            return api.extension().host_module(api.namespace, raising)
    elif (vendor := APIS[backend].vendor) != api.vendor:
        for serving in APIS.values():
            if serving.vendor == vendor and api.namespace in serving.stands_for:
                if not serving.is_installed:
                    late.imported(f"PyGPU.{serving.namespace}")  # says what to install
                if api.namespace in serving.formulas:
                    return formulas.module(serving, api, raising=raising)
                extension = serving.extension()
                return extension.portable_module(serving.namespace, api.namespace, raising)
    module = late.imported(f"PyGPU.{api.namespace}")
    return module.checked if raising else module
