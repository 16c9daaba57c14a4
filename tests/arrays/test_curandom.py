"""PyGPU.curandom: the vendor's numbers from the vendor's generators, and rand() without them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.conftest import unavailable
from tests.own_interpreter import own_interpreter

# By name: the number of NVIDIA's generator, and the dtype of its integers.
GENERATORS = {
    "XORWOW": (101, "u4"), "MRG32k3a": (121, "u4"), "Philox": (161, "u4"), "Sobol32": (201, "u4"),
    "ScrambledSobol32": (202, "u4"), "Sobol64": (203, "u8"), "ScrambledSobol64": (204, "u8"),
}  # fmt: skip
PSEUDO = [name for name, (number, _) in GENERATORS.items() if number < 200]
DIMENSIONS = 4096
SEQUENCES = {"XORWOW": 4096, "MRG32k3a": 4096, "Philox": 65536}  # that the library takes turns with


@pytest.fixture(scope="module")
def curandom(tmp_path_factory):
    """The module, with a cache of its own; skips tests of generators without the headers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYGPU_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from PyGPU import curandom

        yield curandom


@pytest.fixture
def generator(device, curandom):
    """`generator(name, *arguments)`, which starts from the seed 1234."""
    if curandom.get_curand_version() is None:
        unavailable("no library of random numbers (pip install nvidia-curand)")

    def new(name, *arguments):
        if name in PSEUDO and not arguments:
            arguments = (lambda n: device.full(n, 1234, np.int32),)
        return getattr(curandom, f"{name}RandomNumberGenerator")(*arguments)

    return new


def of_the_vendor(name, count):
    """What NVIDIA's library computes on the host: for each of its sequences, a row of numbers."""
    from PyGPU._random import library

    if library.vendor().prefix != "curand":
        pytest.skip("known for NVIDIA's library")
    curand, number, dtype = library._opened(), *GENERATORS[name]
    rows = SEQUENCES.get(name, DIMENSIONS)
    handle, numbers = ctypes.c_void_p(), np.empty(rows * count, dtype)
    assert curand.curandCreateGeneratorHost(ctypes.byref(handle), number) == 0
    if number < 200:
        assert curand.curandSetPseudoRandomGeneratorSeed(handle, ctypes.c_ulonglong(1234)) == 0
        assert curand.curandSetGeneratorOrdering(handle, 103) == 0  # CURAND_ORDERING_PSEUDO_LEGACY
    else:
        assert curand.curandSetQuasiRandomGeneratorDimensions(handle, rows) == 0
    generate = curand.curandGenerate if dtype == "u4" else curand.curandGenerateLongLong
    assert (
        generate(handle, ctypes.c_void_p(numbers.ctypes.data), ctypes.c_size_t(numbers.size)) == 0
    )
    assert curand.curandDestroyGenerator(handle) == 0
    if number > 200:
        return numbers.reshape(rows, count)
    at_once = 4 if name == "Philox" else 1
    return numbers.reshape(-1, rows, at_once).transpose(1, 0, 2).reshape(rows, count)


@pytest.mark.parametrize("name", GENERATORS)
def test_the_numbers_are_those_of_the_vendors_library(generator, name):
    made, dtype = generator(name), GENERATORS[name][1]
    states = made.block_count * made.generators_per_block
    expected = of_the_vendor(name, 8)
    first = made.gen_uniform(states, dtype).get()
    made.call_skip_ahead(3)
    fifth = made.gen_uniform((4, states // 4), dtype).get().ravel()
    for numbers, column in ((first, 0), (fifth, 4)):
        shared = min(states, len(expected))
        np.testing.assert_array_equal(numbers[:shared], expected[:shared, column])


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_distributions(generator, name, dtype):
    """An odd size too, where the last number has no partner."""
    made, size = generator(name), 20001
    if name in ("Sobol32", "Sobol64"):  # nearby dimensions start alike: take one dimension's
        size = 40 * made.block_count * made.generators_per_block
        made.call_skip_ahead(1)
    for numbers, mean, deviation in (
        (made.gen_uniform(size, dtype), 0.5, 12**-0.5),
        (made.gen_normal(size, dtype), 0, 1),
        (made.gen_log_normal(size, dtype, 10.0, 3.0), 10, 3),
        (made.gen_poisson(size, dtype, 13.0), 13, 13**0.5),
    ):
        found = numbers.get().astype("f8")
        assert numbers.dtype == dtype and np.isfinite(found).all()
        if mean == 0.5:
            assert found.min() > 0 and found.max() <= 1
        if mean == 10:
            found = np.log(found)
        assert abs(found.mean() - mean) < 0.05 * deviation + 0.02 * (name[0] == "S")
        assert abs(found.std() / deviation - 1) < 0.1


@pytest.mark.parametrize("dtype", ["u4", "i4", "f4", "f8"])
def test_poisson_with_a_mean_for_each_element(device, generator, dtype):
    means = np.repeat([0, 4, 1000], 3000).astype(dtype)
    array = device.to_gpu(means)
    generator("Philox").fill_poisson(array)
    zero, four, thousand = array.get().reshape(3, -1).astype("f8")
    assert not zero.any()
    assert abs(four.mean() - 4) < 0.2 and abs(four.var() - 4) < 0.5
    assert abs(thousand.mean() - 1000) < 3 and abs(thousand.std() - 1000**0.5) < 2


def test_the_same_seeds_give_the_same_numbers(generator, curandom):
    for name in PSEUDO:
        np.random.seed(7)
        one = generator(name, curandom.seed_getter_unique).gen_normal(1000, np.float32).get()
        np.random.seed(7)
        two = generator(name, None).gen_normal(1000, np.float32).get()
        three = generator(name, curandom.seed_getter_uniform).gen_normal(1000, np.float32).get()
        np.testing.assert_array_equal(one, two)
        assert (one != three).mean() > 0.9


@pytest.mark.parametrize("name", GENERATORS)
def test_skips(device, generator, name):
    """Each state by its own count, and by sequences, which are the neighbours' numbers."""
    one, other = generator(name), generator(name)
    states = one.block_count * one.generators_per_block
    dtype = GENERATORS[name][1]
    rows = np.stack([one.gen_uniform(states, dtype).get() for _ in range(4)])
    counts = np.arange(states) % 4
    kind = np.uint32 if name in ("Sobol32", "ScrambledSobol32") else np.uint64
    other.call_skip_ahead_array(device.to_gpu(counts.astype(kind)))
    np.testing.assert_array_equal(
        other.gen_uniform(states, dtype).get(), rows[counts, np.arange(states)]
    )
    if name in PSEUDO:
        third, fourth = generator(name), generator(name)
        third.call_skip_ahead_sequence(2)
        fourth.call_skip_ahead_sequence_array(device.full(states, 2, np.uint64))
        numbers = third.gen_uniform(states, dtype).get()
        np.testing.assert_array_equal(fourth.gen_uniform(states, dtype).get(), numbers)
        if name != "MRG32k3a":  # its neighbours are subsequences
            np.testing.assert_array_equal(numbers[:-2], rows[0, 2:])
        else:
            fifth, sixth = generator(name), generator(name)
            fifth.call_skip_ahead_subsequence(2)
            sixth.call_skip_ahead_subsequence_array(device.full(states, 2, np.uint64))
            numbers = fifth.gen_uniform(states, dtype).get()
            np.testing.assert_array_equal(numbers[:-2], rows[0, 2:])
            np.testing.assert_array_equal(sixth.gen_uniform(states, dtype).get(), numbers)


def test_arrays_of_any_layout_on_a_stream(device, generator):
    made, again = generator("Philox"), generator("Philox")
    numbers = made.gen_uniform((6, 5), np.float32).get()
    stream = device.Stream(True)
    with stream:
        wide = device.zeros((6, 10), np.float32)
        again.fill_uniform(wide[::-1, ::2], stream=stream)
    np.testing.assert_array_equal(wide.get(), np.kron(numbers[::-1], [1, 0]).astype("f4"))
    again.fill_uniform(device.empty((0, 3), np.float32))
    assert again.gen_normal((), np.float64).get().shape == ()


def test_what_is_refused(device, generator):
    made = generator("Philox")
    with pytest.raises(TypeError, match=r"fill_normal\(\): parameter 'data' must be a GPUArray"):
        made.fill_normal(np.zeros(3))
    with pytest.raises(TypeError, match="array of float32 or float64, not of int32"):
        made.fill_normal(device.zeros(3, np.int32))
    with pytest.raises(TypeError, match="not of >f4"):
        made.fill_uniform(device.zeros(3, ">f4"))
    with pytest.raises(TypeError, match="not of uint64"):
        generator("Sobol32").fill_uniform(device.zeros(3, np.uint64))
    with pytest.raises(TypeError, match=r"parameter 'seed_getter' must be an array of int32"):
        generator("Philox", lambda n: device.zeros(n, np.float32))
    with pytest.raises(TypeError, match=r"must be contiguous and have the shape"):
        generator("Philox", lambda n: device.zeros(n - 1, np.int32))
    with pytest.raises(TypeError, match=r"call_skip_ahead_array\(\): parameter 'i' must be"):
        made.call_skip_ahead_array(device.zeros(3, np.int32))


def test_tables_start_anew_after_the_last_dimension(generator, curandom):
    generator("Philox")
    vectors = curandom.generate_direction_vectors(20002).get()
    assert vectors.shape == (20002, 32) and vectors.dtype == np.uint32
    np.testing.assert_array_equal(vectors[0], 2 ** np.arange(31, -1, -1, dtype="u8"))
    np.testing.assert_array_equal(vectors[20000:], vectors[:2])
    assert curandom.generate_direction_vectors(3, 103).shape == (3, 64)
    assert curandom.generate_scramble_constants32(5).dtype == np.uint32
    assert curandom.generate_scramble_constants64(5).dtype == np.uint64


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u4", "i8", "u8"])
def test_rand(device, curandom, dtype):
    np.random.seed(3)
    numbers = curandom.rand((7, 1001), dtype)
    np.random.seed(3)
    again = curandom.rand((7, 1001), dtype)
    np.testing.assert_array_equal(numbers.get(), again.get())
    assert (curandom.rand((7, 1001), dtype).get() != numbers.get()).mean() > 0.9
    found = numbers.get()
    assert found.shape == (7, 1001) and found.dtype == dtype
    if dtype[0] == "f":
        assert found.min() >= 0 and found.max() < 1
        assert abs(found.mean() - 0.5) < 0.02 and abs(found.std() - 12**-0.5) < 0.01
    else:
        bits = np.unpackbits(found.view("u1").reshape(-1, found.itemsize), axis=1)
        assert (abs(bits.mean(axis=0) - 0.5) < 0.05).all()
    assert curandom.rand(0, dtype).size == 0


def test_rand_is_philox(device, curandom):
    """The first block for the counter and the key 0, as Random123 publishes it."""
    from PyGPU._codegen import loading
    from PyGPU._random import rand

    out = device.zeros(4, np.uint32)
    loading.kernel(rand.SOURCE, "rand_4")(out, 4, 0, grid=1, block=1)
    assert [f"{one:08x}" for one in out.get()] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def test_rand_refuses_other_dtypes(device, curandom):
    with pytest.raises(TypeError, match=r"rand\(\): parameter 'dtype' must be one of int32"):
        curandom.rand(3, np.complex64)


@own_interpreter("on_host", PYGPU_CACHE_DISABLE="1")
def test_without_the_headers_the_package_is_named():
    import PyGPU
    from PyGPU import curandom
    from PyGPU._kernels import headers
    from PyGPU._random import library

    PyGPU.zeros(1)  # opens the host runtime, by ctypes, too
    headers.folders = lambda *_: []
    library.ctypes.CDLL = missing
    with pytest.raises(PyGPU.CompileError, match="pip install nvidia-curand"):
        curandom.PhiloxRandomNumberGenerator()
    with pytest.raises(OSError, match=r"libcurand\.so.*pip install nvidia-curand"):
        curandom.generate_direction_vectors(3)
    assert curandom.get_curand_version() is None


def missing(name):
    raise OSError(name)
