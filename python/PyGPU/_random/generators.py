"""Generators of random numbers by the vendor's device headers, under PyCUDA's names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from PyGPU import gpuarray
from PyGPU._codegen import loading, operands
from PyGPU._core import arrays
from PyGPU._kernels import driver
from PyGPU._kernels.compile import compile
from PyGPU._kernels.module import KernelModule
from PyGPU._random import library, tables

_THREADS = 256  # of a block; each has a state
_BLOCKS = 8  # for each multiprocessor
_SOURCE = os.path.join(os.path.dirname(__file__), "generators.cu")
_FLOATS = {"f4": "float", "f8": "double"}


class _Kind(NamedTuple):
    """The vendor's name of a generator's states, and what generators.cu has to know of it."""

    state: str
    family: str = "PSEUDO"
    bits: int = 32
    subsequences: bool = False


class Generator:
    """States of a generator on the current device, one a thread, and the numbers that they give.

    There are `block_count` * `generators_per_block`. The methods queue their work on `stream`. They
    raise TypeError for arrays of other dtypes than they name, ValueError for arrays of another
    device, GPUError.
    """

    _kind: _Kind

    def __init__(self, offset: int, *named: tuple[str, Any, str, tuple[int, ...]]) -> None:
        self._module = _loaded(self._kind)
        self.block_count, self.generators_per_block = _grid()
        for name, table, dtype, columns in named:
            _check(f"parameter {name!r}", table, (dtype,), (self._count, *columns))
        size = gpuarray.empty(1, np.uint64)
        self._module["size_of_state"](size, grid=1, block=1)
        self._states = gpuarray.empty(self._count * int(size.get()[0]), np.uint8)
        self._launch("prepare", None, offset, *(table for _, table, _, _ in named))

    @property
    def _count(self) -> int:
        return self.block_count * self.generators_per_block

    @property
    def state(self) -> gpuarray.DeviceMemory:
        """The memory of all states."""
        return self._states.gpudata

    def fill_uniform(self, data: Any, stream: Any = None) -> None:
        """Fill floats with numbers in (0, 1], integers with random bits.

        float32, float64, int32, uint32; int64 and uint64 by all generators but those of Sobol32.
        """
        kinds = {**_FLOATS, "i4": "4", "u4": "4"}
        if self._kind.family == "PSEUDO" or self._kind.bits == 64:
            kinds |= {"i8": "8", "u8": "8"}
        self._fill("uniform", kinds, data, stream)

    def gen_uniform(self, shape: Any, dtype: Any, stream: Any = None) -> gpuarray.GPUArray:
        """A new array, filled by fill_uniform()."""
        return self._generated(self.fill_uniform, shape, dtype, stream)

    def fill_normal(self, data: Any, stream: Any = None) -> None:
        """Fill float32 or float64 with numbers of the mean 0 and the standard deviation 1."""
        self._fill("normal", _FLOATS, data, stream)

    def gen_normal(self, shape: Any, dtype: Any, stream: Any = None) -> gpuarray.GPUArray:
        """A new array, filled by fill_normal()."""
        return self._generated(self.fill_normal, shape, dtype, stream)

    def fill_log_normal(self, data: Any, mean: float, stddev: float, stream: Any = None) -> None:
        """Fill float32 or float64; `mean` and `stddev` are those of the numbers' logarithms."""
        self._fill("log_normal", _FLOATS, data, stream, mean, stddev)

    def gen_log_normal(
        self, shape: Any, dtype: Any, mean: float, stddev: float, stream: Any = None
    ) -> gpuarray.GPUArray:
        """A new array, filled by fill_log_normal()."""
        return self._generated(self.fill_log_normal, shape, dtype, stream, mean, stddev)

    def fill_poisson(
        self, data: Any, lambda_value: float | None = None, stream: Any = None
    ) -> None:
        """Fill with counts of events whose mean is given; without one, each element is its own.

        uint32, int32, float32 or float64.
        """
        name = "poisson_of" if lambda_value is None else "poisson"
        self._fill(name, {**_FLOATS, "i4": "4", "u4": "4"}, data, stream, lambda_value or 0)

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: float, stream: Any = None
    ) -> gpuarray.GPUArray:
        """A new array, filled by fill_poisson()."""
        if lambda_value is None:
            raise TypeError("gen_poisson(): parameter 'lambda_value' must be a number, not None")
        return self._generated(self.fill_poisson, shape, dtype, stream, lambda_value)

    def call_skip_ahead(self, i: int, stream: Any = None) -> None:
        """Move each state on by so many of its numbers."""
        if i < 0:
            raise ValueError(f"call_skip_ahead(): parameter 'i' must not be negative: {i}")
        self._launch("skip_ahead", stream, i)

    def call_skip_ahead_array(self, i: Any, stream: Any = None) -> None:
        """The same by an array with a count for each state, of uint64, for Sobol32 of uint32."""
        self._skip("skip_ahead", i, stream)

    def _skip(self, name: str, counts: Any, stream: Any) -> None:
        """Move each state by its own count."""
        size = 4 if self._kind.bits == 32 and self._kind.family != "PSEUDO" else 8
        _check(
            f"call_{name}_array(): parameter 'i'", counts, (f"u{size}", f"i{size}"), (self._count,)
        )
        if counts.device != self._states.device:
            raise ValueError(
                f"call_{name}_array(): parameter 'i' is on device {counts.device}, the generator "
                f"on {self._states.device}"
            )
        self._launch(f"{name}_array", stream, counts)

    def _fill(
        self, name: str, kinds: Mapping[str, str], data: Any, stream: Any, *parameters: float
    ) -> None:
        """Run the kernel of a distribution for an array's dtype."""
        where = f"fill_{name.removesuffix('_of')}(): parameter 'data'"
        _check(where, data, kinds)
        operands.check_output(data, "data", where.partition(":")[0], self._states.device)
        if not data.size:
            return
        target = data if data.flags.forc else data.copy("C", stream)
        a, b = (*parameters, 0.0, 0.0)[:2]
        blocks = min(self.block_count, -(-data.size // self.generators_per_block))
        kernel = f"{name}_{kinds[data.dtype.str[1:]]}"
        self._launch(kernel, stream, target, target.size, float(a), float(b), blocks=blocks)
        if target is not data:
            gpuarray.copy(data, target, stream)

    def _generated(
        self, fill: Callable[..., None], shape: Any, dtype: Any, stream: Any, *parameters: float
    ) -> gpuarray.GPUArray:
        with loading.on_device(self._states.device):
            array = gpuarray.empty(shape, dtype, stream=stream)
        fill(array, *parameters, stream=stream)
        return array

    def _launch(self, name: str, stream: Any, *arguments: Any, blocks: int = 0) -> None:
        self._module[name](
            self._states, *arguments,
            grid=blocks or self.block_count, block=self.generators_per_block, stream=stream,
        )  # fmt: skip


class PseudoGenerator(Generator):
    """Independent sequences, from a seed for each state.

    seed_getter: called with the number of states, returns an array of int32; by default they are
        numpy.random's
    offset: how many numbers of each sequence are left out
    """

    def __init__(
        self, seed_getter: Callable[[int], gpuarray.GPUArray] | None = None, offset: int = 0
    ) -> None:
        blocks, threads = _grid()
        seeds = (seed_getter or seed_getter_unique)(blocks * threads)
        super().__init__(offset, ("seed_getter", seeds, "i4", ()))

    def call_skip_ahead_sequence(self, i: int, stream: Any = None) -> None:
        """Move each state on by so many sequences."""
        self._launch("skip_ahead_sequence", stream, i)

    def call_skip_ahead_sequence_array(self, i: Any, stream: Any = None) -> None:
        """The same by an array of uint64 with a count for each state."""
        self._skip("skip_ahead_sequence", i, stream)


class XORWOWRandomNumberGenerator(PseudoGenerator):
    __doc__ = f"XORWOW. {PseudoGenerator.__doc__}"
    _kind = _Kind("XORWOW")


class MRG32k3aRandomNumberGenerator(PseudoGenerator):
    __doc__ = f"MRG32k3a. {PseudoGenerator.__doc__}"
    _kind = _Kind("MRG32k3a", subsequences=True)

    def call_skip_ahead_subsequence(self, i: int, stream: Any = None) -> None:
        """Move each state on by so many subsequences."""
        self._launch("skip_ahead_subsequence", stream, i)

    def call_skip_ahead_subsequence_array(self, i: Any, stream: Any = None) -> None:
        """The same by an array of uint64 with a count for each state."""
        self._skip("skip_ahead_subsequence", i, stream)


class PhiloxRandomNumberGenerator(PseudoGenerator):
    __doc__ = f"Philox4x32-10, whose states are quick to make. {PseudoGenerator.__doc__}"
    _kind = _Kind("Philox4_32_10")


class SobolGenerator(Generator):
    """Quasi-random numbers: each state is a dimension of its own.

    dir_vector: a row for each state, as generate_direction_vectors() makes them
    offset: how many numbers of each dimension are left out
    """

    _set: tables.direction_vector_set

    def __init__(self, dir_vector: Any = None, offset: int = 0) -> None:
        super().__init__(offset, self._vectors(dir_vector))

    def _vectors(self, given: Any) -> tuple[str, Any, str, tuple[int, ...]]:
        if given is None:
            blocks, threads = _grid()
            given = tables.generate_direction_vectors(blocks * threads, self._set)
        return "dir_vector", given, f"u{self._kind.bits // 8}", (self._kind.bits,)


class Sobol32RandomNumberGenerator(SobolGenerator):
    __doc__ = SobolGenerator.__doc__
    _kind = _Kind("Sobol32", "SOBOL")
    _set = tables.direction_vector_set.VECTOR_32


class Sobol64RandomNumberGenerator(SobolGenerator):
    __doc__ = SobolGenerator.__doc__
    _kind = _Kind("Sobol64", "SOBOL", 64)
    _set = tables.direction_vector_set.VECTOR_64


class ScrambledSobolGenerator(SobolGenerator):
    """Scrambled quasi-random numbers: each state is a dimension of its own.

    dir_vector: a row for each state, as generate_direction_vectors() makes them
    scramble_vector: a constant for each state, as generate_scramble_constants32() makes them
    offset: how many numbers of each dimension are left out
    """

    def __init__(
        self, dir_vector: Any = None, scramble_vector: Any = None, offset: int = 0
    ) -> None:
        bits = self._kind.bits
        if scramble_vector is None:
            blocks, threads = _grid()
            make = getattr(tables, f"generate_scramble_constants{bits}")
            scramble_vector = make(blocks * threads)
        constants = ("scramble_vector", scramble_vector, f"u{bits // 8}", ())
        Generator.__init__(self, offset, self._vectors(dir_vector), constants)


class ScrambledSobol32RandomNumberGenerator(ScrambledSobolGenerator):
    __doc__ = ScrambledSobolGenerator.__doc__
    _kind = _Kind("ScrambledSobol32", "SCRAMBLED")
    _set = tables.direction_vector_set.SCRAMBLED_VECTOR_32


class ScrambledSobol64RandomNumberGenerator(ScrambledSobolGenerator):
    __doc__ = ScrambledSobolGenerator.__doc__
    _kind = _Kind("ScrambledSobol64", "SCRAMBLED", 64)
    _set = tables.direction_vector_set.SCRAMBLED_VECTOR_64


def seed_getter_uniform(n: int) -> gpuarray.GPUArray:
    """Seeds that are all the same number of numpy.random's: the sequences differ nevertheless."""
    return gpuarray.full(n, np.random.randint(0, 2**31 - 1), np.int32)


def seed_getter_unique(n: int) -> gpuarray.GPUArray:
    """Seeds that are numbers of numpy.random's."""
    return gpuarray.to_gpu(np.random.randint(0, 2**31 - 1, n, np.int32))


def _grid() -> tuple[int, int]:
    """The blocks and threads of a generator on the current device."""
    count = driver.constant("cudaDevAttrMultiProcessorCount")
    device = driver.call("cudaGetDevice")()
    return driver.call("cudaDeviceGetAttribute")(count, device) * _BLOCKS, _THREADS


def _loaded(kind: _Kind) -> KernelModule:
    """The kernels of a generator, on the current device."""
    vendor = library.vendor()
    with open(_SOURCE, encoding="utf-8") as file:
        text = file.read()
    source = (
        f"#include <{vendor.header}>\n"
        f"typedef {vendor.prefix}State{kind.state}_t State;\n"
        f"#define RANDOM(name) {vendor.prefix}##name\n"
        f"#define {kind.family} 1\n"
        f"#define WIDE {int(kind.bits == 64)}\n"
        f"#define SUBSEQUENCES {int(kind.subsequences)}\n{text}"
    )
    return KernelModule(compile(source, name="generators.cu"))


def _check(
    where: str, array: Any, dtypes: Sequence[str] | Mapping[str, str],
    shape: tuple[int, ...] | None = None,
) -> None:  # fmt: skip
    """TypeError for anything but an array of one of the dtypes and, if given, of the shape."""
    named = " or ".join(str(np.dtype(one)) for one in dtypes)
    if not isinstance(array, arrays.Array):
        raise TypeError(f"{where} must be a GPUArray of {named}, not {type(array).__name__}")
    if not array.dtype.isnative or array.dtype.str[1:] not in dtypes:
        raise TypeError(f"{where} must be an array of {named}, not of {array.dtype}")
    if shape is not None and (array.shape != shape or not array.flags.c_contiguous):
        raise TypeError(f"{where} must be contiguous and have the shape {shape}, not {array.shape}")
