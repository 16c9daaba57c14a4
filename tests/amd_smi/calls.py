"""Calls of the stand-in; test_amd_smi.py runs this file."""

from __future__ import annotations

import pytest

from PyGPU import GPUError, _libraries, amdsmi

run = amdsmi.checked


def processors_are_found() -> list[int]:
    """By two calls each: the first one counts."""
    assert not amdsmi.amdsmi_init(amdsmi.AMDSMI_INIT_AMD_GPUS)
    (socket,) = run.amdsmi_get_socket_handles()
    found = run.amdsmi_get_processor_handles(socket)
    assert len(found) == 2
    assert run.amdsmi_get_processor_handles(socket, processor_count=1) == found[:1]
    return found


def texts_and_structs_come_out(first: int, second: int) -> None:
    assert run.amdsmi_get_gpu_device_uuid(second).count("-") == 4
    assert amdsmi.amdsmi_get_gpu_device_uuid(second, uuid_length=9)[1] == amdsmi.AMDSMI_STATUS_INVAL
    assert run.amdsmi_get_gpu_vendor_name(first) == "a vendor"
    short = amdsmi.amdsmi_get_gpu_vendor_name(first, len=4)
    assert short == ("a v", amdsmi.AMDSMI_STATUS_INSUFFICIENT_SIZE)
    usage = run.amdsmi_get_gpu_vram_usage(first)
    assert (usage.vram_total, usage.vram_used) == (64, 2)
    pages = run.amdsmi_get_gpu_bad_page_info(first)
    assert [one.page_address for one in pages] == [0, 4096, 8192]


def errors_have_their_names(second: int) -> None:
    with pytest.raises(GPUError, match="amdsmi_get_gpu_vram_usage: AMDSMI_STATUS_INVAL"):
        run.amdsmi_get_gpu_vram_usage(second)
    assert run.amdsmi_status_code_to_string(amdsmi.AMDSMI_STATUS_UNKNOWN_ERROR) == "unknown"
    lacking, err = amdsmi.amdsmi_get_gpu_id(second)
    assert (lacking, err.name) == (None, "AMDSMI_STATUS_FAIL_LOAD_SYMBOL")


if __name__ == "__main__":
    both = processors_are_found()
    assert _libraries.installed("amdsmi")["release"] == "27.1"
    texts_and_structs_come_out(*both)
    errors_have_their_names(both[1])
