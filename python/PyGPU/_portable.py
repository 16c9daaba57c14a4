"""What the portable names stand for: those of the runtime, of the driver and of the compiler."""

from __future__ import annotations

from PyGPU import _backend, _core, _late
from PyGPU._apis import APIS

TYPE_CHECKING = False  # typing's own constant would cost an import of typing
if TYPE_CHECKING:
    from typing import Any

    from PyGPU import _missing
    from PyGPU._api import Api
else:
    _missing = _late.Late("PyGPU._missing")


def api_of(name: str) -> Api | None:
    """The API that a name belongs to by its prefix; None for the runtime. Imports nothing."""
    for api in APIS.values():
        if api.portable_names and name.startswith(tuple(api.portable_names)):
            return api
    return None


def find(name: str, *, raising: bool) -> Any:
    """What a name stands for on the backend in force; `raising` asks for PyGPU.checked's form.

    The modules of other APIs than the runtime are imported when one of their names is asked for.
    """
    try:
        return getattr(_core.portable(_backend.current(), raising), name)
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
    # The error names the module that the user asked, not the module behind it.
    raise _missing.MissingNameError("PyGPU.checked" if raising else "PyGPU", name)


def _is_missing(error: AttributeError) -> bool:
    """Whether the error says that the name is unknown."""
    return isinstance(error, _missing.MissingNameError)


def _module(api: Api, *, raising: bool) -> Any:
    """The module with the functions of an API, as the backend in force serves them."""
    backend = _backend.current()
    if backend == "host":
        if "host" in api.capabilities:
            return api.extension().host_module(api.namespace, raising)
    elif (vendor := APIS[backend].vendor) != api.vendor:
        for serving in APIS.values():
            if serving.vendor == vendor and api.namespace in serving.stands_for:
                extension = serving.extension()
                return extension.portable_module(serving.namespace, api.namespace, raising)
    module = _late.imported(f"PyGPU.{api.namespace}")
    return module.checked if raising else module
