"""Random numbers on the device; takes the place of `pycuda.curandom`.

rand() needs a compiler alone. The generators need the vendor's device headers too:
`pip install nvidia-curand`, for CUDA 12 and before nvidia-curand-cu12 or -cu11. A generator gives
the same numbers again on a device with as many multiprocessors, from the same seeds.
"""

from __future__ import annotations

from PyGPU._random import library as _library
from PyGPU._random.generators import MRG32k3aRandomNumberGenerator as MRG32k3aRandomNumberGenerator
from PyGPU._random.generators import PhiloxRandomNumberGenerator as PhiloxRandomNumberGenerator
from PyGPU._random.generators import (
    ScrambledSobol32RandomNumberGenerator as ScrambledSobol32RandomNumberGenerator,
)
from PyGPU._random.generators import (
    ScrambledSobol64RandomNumberGenerator as ScrambledSobol64RandomNumberGenerator,
)
from PyGPU._random.generators import Sobol32RandomNumberGenerator as Sobol32RandomNumberGenerator
from PyGPU._random.generators import Sobol64RandomNumberGenerator as Sobol64RandomNumberGenerator
from PyGPU._random.generators import XORWOWRandomNumberGenerator as XORWOWRandomNumberGenerator
from PyGPU._random.generators import seed_getter_uniform as seed_getter_uniform
from PyGPU._random.generators import seed_getter_unique as seed_getter_unique
from PyGPU._random.rand import rand as rand
from PyGPU._random.tables import direction_vector_set as direction_vector_set
from PyGPU._random.tables import generate_direction_vectors as generate_direction_vectors
from PyGPU._random.tables import generate_scramble_constants32 as generate_scramble_constants32
from PyGPU._random.tables import generate_scramble_constants64 as generate_scramble_constants64

__all__ = [name for name in dir() if not name.startswith("_") and name != "annotations"]
__all__ += ["get_curand_version"]


def get_curand_version() -> tuple[int, int, int] | None:
    """The release of the vendor's library of random numbers; None without one."""
    return _library.release()


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
