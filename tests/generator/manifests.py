"""A manifest for invented headers, whose codes have names of their own."""

from __future__ import annotations

from dataclasses import replace

from generator import manifest
from generator.emit import SPECS

_CUDA = manifest.load("cuda_runtime", SPECS)
_CODES = dict.fromkeys((*manifest.CODES, *manifest.OF_DEVICES), 1)
INVENTED = replace(_CUDA, status=replace(_CUDA.status, codes=_CODES))
