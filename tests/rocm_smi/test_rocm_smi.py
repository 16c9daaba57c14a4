"""ROCm SMI's real library, as far as it goes without a card; skipped without the library."""

from __future__ import annotations

import warnings

import pytest

import PyGPU
from PyGPU import GPUError, _libraries


@pytest.fixture(scope="module")
def rsmi():
    """PyGPU.rsmi with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("rsmi")):
        pytest.skip("no librocm_smi64 (Debian's librocm-smi64-1)")
    with warnings.catch_warnings():
        # Debian's file is called librocm_smi64.so.1.0 in each release.
        warnings.filterwarnings("ignore", "PyGPU: .* is ROCm SMI 1, older")
        PyGPU.rsmi.rsmi_init(0)
    return PyGPU.rsmi


def test_every_code_has_its_text(rsmi) -> None:
    text, err = rsmi.rsmi_status_string(rsmi.RSMI_STATUS_NOT_SUPPORTED)
    assert not err
    assert "not supported" in text
    assert "unknown" in rsmi.checked.rsmi_status_string(rsmi.RSMI_STATUS_UNKNOWN_ERROR).lower()
    assert rsmi.RSMI_STATUS_UNKNOWN_ERROR == -1  # 0xffffffff, as an int holds it


def test_texts_have_the_length_that_the_caller_wants(rsmi) -> None:
    driver = rsmi.checked.rsmi_version_str_get(rsmi.RSMI_SW_COMP_DRIVER)
    assert driver
    short, err = rsmi.rsmi_version_str_get(rsmi.RSMI_SW_COMP_DRIVER, len=4)
    assert (short, err) == (driver[:3], rsmi.RSMI_STATUS_INSUFFICIENT_SIZE)


def test_structs_come_out(rsmi) -> None:
    assert rsmi.checked.rsmi_version_get().major >= 1


def test_a_device_that_is_not_there(rsmi) -> None:
    beyond, err = rsmi.rsmi_num_monitor_devices()
    if err:
        pytest.skip("the library wasn't initialised")
    assert rsmi.rsmi_dev_id_get(beyond) == (None, rsmi.RSMI_STATUS_INVALID_ARGS)
    assert rsmi.rsmi_dev_name_get(beyond) == (None, rsmi.RSMI_STATUS_INVALID_ARGS)
    with pytest.raises(GPUError, match="rsmi_dev_busy_percent_get: RSMI_STATUS_INVALID_ARGS"):
        rsmi.checked.rsmi_dev_busy_percent_get(beyond)
    with pytest.raises(GPUError, match="rsmi_dev_supported_func_iterator_open"):
        rsmi.rsmi_func_id_iter_handle_t(dv_ind=beyond)
