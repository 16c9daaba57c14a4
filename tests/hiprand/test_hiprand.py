"""hipRAND's real library, as far as it goes without a card; skipped without the library."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import GPUError, _libraries, hip


@pytest.fixture(scope="module")
def hiprand():
    """PyGPU.hiprand with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("hiprand")):
        pytest.skip("no libhiprand (Debian's libhiprand1)")
    return PyGPU.hiprand


def test_the_release_is_the_librarys_own(hiprand) -> None:
    version = hiprand.checked.hiprandGetVersion()
    found = _libraries.installed("hiprand")
    assert found["release"] == f"{version // 100000}.{version % 100000 // 100}"


@pytest.fixture
def generator(hiprand):
    try:
        return hiprand.hiprandGenerator_t(rng_type=hiprand.HIPRAND_RNG_PSEUDO_PHILOX4_32_10)
    except GPUError as error:
        pytest.skip(f"no generator without a card: {error}")


def test_a_short_array_is_refused(hiprand, generator) -> None:
    for name, kind in (
        ("hiprandGenerate", np.uint32),
        ("hiprandGenerateShort", np.uint16),
        ("hiprandGenerateUniformDouble", np.float64),
        ("hiprandGenerateUniformHalf", np.float16),
    ):
        with pytest.raises(ValueError, match="output_data"):
            getattr(hiprand, name)(generator, np.empty(9, kind), 10)
    with pytest.raises(ValueError, match="output_data"):
        hiprand.hiprandGenerateNormal(generator, np.empty(9, np.float32), 10, 0, 1)


def test_a_generator_takes_a_stream_and_a_seed(hiprand, generator) -> None:
    assert not hiprand.hiprandSetPseudoRandomGeneratorSeed(generator, 2**64 - 1)
    assert not hiprand.hiprandSetStream(generator, hip.hipStream_t(0))
    assert not hiprand.hiprandDestroyGenerator(generator)


def test_errors_have_their_names(hiprand) -> None:
    got, err = hiprand.hiprandCreateGenerator(99)
    assert (got, err.name) == (None, "HIPRAND_STATUS_TYPE_ERROR")
    with pytest.raises(GPUError, match="hiprandCreatePoissonDistribution: HIPRAND_STATUS_"):
        hiprand.checked.hiprandCreatePoissonDistribution(-1.0)
