"""The host runtime's own controls: kernels, failing calls, pausing streams, reports, leaks.

For tests: they act on the CPU runtime of PYGPU_BACKEND=host alone, never on a card. Raises OSError
on import where this installation has no host runtime.
"""

from __future__ import annotations

from PyGPU._host.faults import Fault as Fault
from PyGPU._host.faults import fail as fail
from PyGPU._host.kernels import Kernel as Kernel
from PyGPU._host.kernels import kernel as kernel
from PyGPU._host.leaks import leaks as leaks
from PyGPU._host.library import functions as functions
from PyGPU._host.reports import reports as reports
from PyGPU._host.reports import strict as strict
from PyGPU._host.streams import Paused as Paused
from PyGPU._host.streams import pause as pause

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

for _name in __all__:  # the names that users import
    globals()[_name].__module__ = __name__
del _name
