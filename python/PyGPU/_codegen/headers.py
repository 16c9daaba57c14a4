"""Device headers that generated sources include: complex numbers and floats of 16 bits.

They lie among compile()'s own headers, so that users' sources find them, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from PyGPU._kernels.headers import OWN as FOLDER

__all__ = ["FOLDER", "includes_for"]


def includes_for(dtypes: Iterable[Any]) -> str:
    """The lines that include what the C names of some dtypes need; "" for C's own types."""
    kinds = {np.dtype(one) for one in dtypes}
    lines = []
    if any(one.kind == "c" for one in kinds):
        lines.append("#include <pygpu/complex.hpp>\n")
    if any((one.kind == "f" and one.itemsize == 2) or one.name == "bfloat16" for one in kinds):
        lines.append("#include <pygpu/half.hpp>\n")
    return "".join(lines)
