"""Host generators against values that are known without cuRAND."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.conftest import unavailable
from tests.own_interpreter import own_interpreter

# Random123's known answer for Philox4x32-10: counter 0, key 0.
PHILOX = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def philox(counter: int, seed: int) -> list[int]:
    """Four numbers of Philox4x32-10, from its definition."""
    x = [counter >> 32 * at & 0xFFFFFFFF for at in range(4)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * x[0], 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * x[2], 1 << 32)
        x = [high1 ^ x[1] ^ key[0], low1, high0 ^ x[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


def test_bits_are_those_of_the_definition(curand, generator):
    """The seed goes in as 64 bits, and the results come into the caller's array."""
    assert philox(0, 0) == PHILOX
    one = generator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    bits = np.zeros(4, "u4")
    for seed in (0, 1, 0x0123456789ABCDEF, (1 << 64) - 1):
        assert not curand.curandSetPseudoRandomGeneratorSeed(one, seed)
        assert not curand.curandSetGeneratorOffset(one, 0)
        assert not curand.curandGenerate(one, bits, 4)
        assert bits.tolist() == philox(0, seed), hex(seed)
    with pytest.raises(OverflowError, match="seed"):
        curand.curandSetPseudoRandomGeneratorSeed(one, 1 << 64)


def test_an_offset_skips_numbers(curand, generator):
    one = generator(curand.CURAND_RNG_PSEUDO_XORWOW)
    all_of_them, rest = np.zeros(64, "u4"), np.zeros(32, "u4")
    assert not curand.curandGenerate(one, all_of_them, 64)
    assert not curand.curandSetGeneratorOffset(one, 32)
    assert not curand.curandGenerate(one, rest, 32)
    assert rest.tolist() == all_of_them[32:].tolist()


def test_uniform_numbers_are_the_bits_scaled(curand, generator):
    """cuRAND's interval is (0, 1]; a `float *` takes arrays of float32 alone."""
    one = generator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    numbers = np.zeros(4, "f4")
    assert not curand.curandGenerateUniform(one, numbers, 4)
    assert numbers == pytest.approx([(bits + 0.5) / (1 << 32) for bits in PHILOX], rel=1e-6)
    with pytest.raises(TypeError, match="'outputPtr' holds double"):
        curand.curandGenerateUniform(one, np.zeros(4), 4)


@pytest.mark.parametrize("name", ["Normal", "LogNormal"])
@pytest.mark.parametrize(("suffix", "dtype"), [("", "f4"), ("Double", "f8")])
def test_mean_and_deviation_are_the_callers(curand, generator, name, suffix, dtype):
    one = generator(curand.CURAND_RNG_PSEUDO_MRG32K3A)
    numbers = np.zeros(1 << 16, dtype)
    function = getattr(curand, f"curandGenerate{name}{suffix}")
    assert not function(one, numbers, numbers.size, 3.0, 0.25)
    if name == "LogNormal":
        numbers = np.log(numbers)
    assert (numbers.mean(), numbers.std()) == pytest.approx((3.0, 0.25), abs=0.01)
    odd = function(one, numbers, 3, 0.0, 1.0)
    assert odd is curand.CURAND_STATUS_LENGTH_NOT_MULTIPLE


def test_counts_have_their_distributions(curand, generator):
    one = generator(curand.CURAND_RNG_PSEUDO_XORWOW)
    counts = np.zeros(1 << 16, "u4")
    assert not curand.curandGeneratePoisson(one, counts, counts.size, 7.5)
    assert (counts.mean(), counts.var()) == pytest.approx((7.5, 7.5), abs=0.2)


def test_sobol_follows_its_direction_vectors(curand, generator):
    """Each point differs from the one before it by the vector of the lowest 0 of its number."""
    vectors, err = curand.curandGetDirectionVectors32(curand.CURAND_DIRECTION_VECTORS_32_JOEKUO6)
    assert not err
    second = np.ctypeslib.as_array((ctypes.c_uint32 * 64).from_address(vectors))[32:]
    one = generator(curand.CURAND_RNG_QUASI_SOBOL32)
    assert not curand.curandSetQuasiRandomGeneratorDimensions(one, 2)
    points = np.zeros((2, 8), "u4")
    assert not curand.curandGenerate(one, points, 16)
    expected = [0]
    for at in range(7):
        expected.append(expected[-1] ^ int(second[(~at & at + 1).bit_length() - 1]))
    assert points[1].tolist() == expected
    assert curand.curandGenerate(one, points, 15) is curand.CURAND_STATUS_LENGTH_NOT_MULTIPLE


def test_64_bits(curand, generator):
    constants, err = curand.curandGetScrambleConstants64()
    assert not err
    one = generator(curand.CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
    bits = np.zeros(4, "u8")
    assert not curand.curandGenerateLongLong(one, bits, 4)
    assert int(bits[0]) == ctypes.c_uint64.from_address(constants).value
    assert curand.curandGenerate(one, np.zeros(4, "u4"), 4) is curand.CURAND_STATUS_TYPE_ERROR


CALLS = [
    ("curandGenerate", "u4", ()),
    ("curandGenerateLongLong", "u8", ()),
    ("curandGenerateUniform", "f4", ()),
    ("curandGenerateUniformDouble", "f8", ()),
    ("curandGenerateNormal", "f4", (0.0, 1.0)),
    ("curandGenerateNormalDouble", "f8", (0.0, 1.0)),
    ("curandGenerateLogNormal", "f4", (0.0, 1.0)),
    ("curandGenerateLogNormalDouble", "f8", (0.0, 1.0)),
    ("curandGeneratePoisson", "u4", (1.0,)),
    ("curandGeneratePoissonMethod", "u4", (1.0, 0)),
]


@pytest.mark.parametrize(("name", "dtype", "rest"), CALLS)
def test_a_short_or_read_only_array_is_refused_before_the_call(curand, name, dtype, rest):
    needed = 10 * np.dtype(dtype).itemsize
    with pytest.raises(ValueError, match=rf"'outputPtr' is too short: {needed} needed"):
        getattr(curand, name)(None, np.zeros(9, dtype), 10, *rest)
    read_only = np.zeros(10, dtype)
    read_only.flags.writeable = False
    with pytest.raises(TypeError, match="must be writable memory"):
        getattr(curand, name)(None, read_only, 10, *rest)
    assert getattr(curand, name)(None, np.zeros(10, dtype), 10, *rest)  # there is no generator


def test_wrong_handles_and_types_are_told(curand, generator):
    one = generator(curand.CURAND_RNG_PSEUDO_MT19937)
    with pytest.raises(TypeError, match="stream"):
        curand.curandSetStream(one, one)
    assert not curand.curandSetStream(one, cuda.cudaStream_t(1))
    with pytest.raises(PyGPU.GPUError, match="CURAND_STATUS_TYPE_ERROR") as told:
        curand.checked.curandCreateGeneratorHost(77)
    assert told.value.error is curand.CURAND_STATUS_TYPE_ERROR
    with pytest.raises(TypeError, match="rng_type"):
        curand.curandGenerator_t()


def test_the_version_is_that_of_the_library(curand):
    number, err = curand.curandGetVersion()
    assert not err
    parts = [curand.checked.curandGetProperty(part) for part in range(3)]
    assert parts[0] * 1000 + parts[1] * 100 + parts[2] == number
    assert curand.curandGetProperty(3) == (None, curand.CURAND_STATUS_OUT_OF_RANGE)


@own_interpreter(PYGPU_BACKEND="host")
def test_arrays_of_the_host_runtime_are_filled():
    """A GPUArray is memory like any other; its type and its length count."""
    curand = PyGPU.curand
    if curand.curandGetVersion()[-1]:
        unavailable("no libcurand (pip install nvidia-curand)")
    one = curand.checked.curandCreateGeneratorHost(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    bits = PyGPU.zeros(4, "uint32")
    assert not curand.curandGenerate(one, bits, 4)
    assert bits.get().tolist() == PHILOX
    for wrong, error in ((PyGPU.zeros(3, "uint32"), ValueError), (PyGPU.zeros(4), TypeError)):
        with pytest.raises(error, match="outputPtr"):
            curand.curandGenerate(one, wrong, 4)
    assert not curand.curandDestroyGenerator(one)


@own_interpreter(PYGPU_CURAND_LIBRARY="/nowhere/libcurand.so.10")
def test_without_a_library_every_call_says_so():
    curand = PyGPU.curand
    with pytest.warns(RuntimeWarning, match="PYGPU_CURAND_LIBRARY"):
        version, err = curand.curandGetVersion()
    assert version is None
    assert err is curand.curandStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcurand was found; pip install nvidia-curand"):
        curand.checked.curandGenerateSeeds(None)
