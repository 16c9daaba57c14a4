"""Formulas of portable.toml: their names are checked, and become a module and portable names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import emit
from generator.errors import GeneratorError
from generator.plan import portable

NAME = "nvmlDeviceGetName"


@pytest.fixture(scope="module")
def plans():
    return [emit._plan(name, emit.SPECS) for name in ("nvml", "amd_smi")]


@pytest.fixture(scope="module")
def exceptions():
    return portable.load(emit.SPECS, "amd_smi", "nvml")


@pytest.mark.parametrize(
    ("formula", "wrong"),
    [
        ("amdsmi_get_gpu_asic_inf(device)", "no 'amdsmi_get_gpu_asic_inf'"),
        ("amdsmi_get_gpu_asic_info(gpu).market_name", "no 'gpu'"),
        ("amdsmi_get_gpu_asic_info(device).marketname", "no 'marketname'"),
        ("known(amdsmi_get_gpu_activity(device), 'gfx_load')", "no 'gfx_load'"),
        ("amdsmi_get_gpu_device_uuid(device, NVML_NONE)", "no 'NVML_NONE'"),
        ("amdsmi_get_gpu_device_bdf(device).domain_number", "no 'domain_number', or not in all"),
        ("amdsmi_get_clock_info(device, AMDSMI_CLK_TYPE_GFX)", "no 'AMDSMI_CLK_TYPE_GFX', or"),
        ("open(device)", "no 'open'"),
        ("text(", "is no expression"),
        ({"asic": "amdsmi_get_gpu_asic_info(device)"}, "'gives' is missing"),
        ({"name": "text(asic)", "asic": "device", "gives": "name"}, "name: there is no 'asic'"),
    ],
)
def test_a_wrong_name_is_told(formula, wrong, plans, exceptions):
    """With the file, the function, and the step; names of some releases are wrong, too."""
    changed = replace(exceptions, formulas={NAME: formula}, lacking={})
    with pytest.raises(GeneratorError, match=f"amd_smi/portable.toml: nvml: {NAME}: .*{wrong}"):
        changed.formulas_of(*plans)


@pytest.mark.parametrize(
    ("formulas", "lacking", "wrong"),
    [
        ({"nvmlDeviceGetNam": "device"}, {}, "nvmlDeviceGetNam is no function of nvml"),
        ({}, {"nvmlDeviceGetNam": "why"}, "nvmlDeviceGetNam is no function of nvml"),
        ({NAME: "device"}, {NAME: "why"}, "has a formula"),
        ({"nvmlDeviceGetMemoryInfo_v2": "memory"}, {}, "no formula can take 'memory'"),
    ],
)
def test_a_function_that_cant_have_one_is_told(formulas, lacking, wrong, plans, exceptions):
    with pytest.raises(GeneratorError, match=wrong):
        replace(exceptions, formulas=formulas, lacking=lacking).formulas_of(*plans)


def test_values_and_structs_in_formulas_are_portable(plans, exceptions):
    """And no status: those are AMD SMI's, by NVML's names."""
    rows = {one.cuda: one.hip for one in portable.names(*plans, exceptions)}
    for name in ("nvmlMemory_t", "nvmlDevice_t", "NVML_CLOCK_SM", "NVML_TEMPERATURE_GPU"):
        assert rows[name] == name
    assert rows["NVML_ERROR_NOT_FOUND"] == "AMDSMI_STATUS_NOT_FOUND"
    assert "NVML_CLOCK_COUNT" not in rows
    assert not rows.keys() & exceptions.formulas.keys()
