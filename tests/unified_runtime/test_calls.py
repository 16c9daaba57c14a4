"""What C gets and gives in both releases, on the stand-in."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

import pytest

import PyGPU
from tests.own_interpreter import Interpreter, own_interpreter


@pytest.fixture
def on_newer(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, as in 26.2."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_UR_LIBRARY=compile_library("libur_loader.so.0", text, "-DNEWER"))


@pytest.fixture
def on_older(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, as in 25.3."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_UR_LIBRARY=compile_library("libur_loader.so.0", text))


def standin(name: str = "standin_noted") -> int:
    """What the stand-in has noted."""
    function = getattr(ctypes.CDLL(os.environ["PYGPU_UR_LIBRARY"]), name)
    function.restype = ctypes.c_uint64
    return function()


@own_interpreter("on_newer")
def test_lists_come_back_whole():
    ur = PyGPU.ur
    adapters = ur.checked.urAdapterGet()
    assert [type(one) for one in adapters] == [ur.ur_adapter_handle_t] * 2
    assert int(adapters[1]) == int(adapters[0]) + 1
    assert ur.checked.urAdapterGet(NumEntries=1) == adapters[:1]


@own_interpreter("on_newer")
def test_a_context_is_owned():
    ur = PyGPU.ur
    context = ur.ur_context_handle_t(DeviceCount=2, phDevices=[5, 7])
    assert standin() == 207
    del context
    gc.collect()
    assert standin("standin_gone") == 1


@own_interpreter("on_newer")
def test_binaries_are_as_long_as_they_say():
    """The array of pointers isn't const in C, which only reads it."""
    create = PyGPU.ur.urProgramCreateWithBinary
    program, err = create(None, 2, [1, 2], [2, 1], [b"\x01\x02", bytearray(b"\x03")], None)
    assert (bool(program), bool(err)) == (True, False)
    assert standin() == 0x010203
    with pytest.raises(ValueError, match=r"'ppBinaries\[1\]' is too short: 2 needed, 1 given"):
        create(None, 2, [1, 2], [2, 2], [b"\x01\x02", b"\x03"], None)


@own_interpreter("on_newer")
def test_an_event_comes_only_if_it_is_wanted():
    ur = PyGPU.ur
    value = bytearray(b"\x07")
    argument = ur.ur_exp_kernel_arg_properties_t(index=0, size=1)
    argument.value.value = value
    launch = (None, None, 1, None, [3], None, 1, [argument], None, 0, None)
    assert ur.urEnqueueKernelLaunchWithArgsExp(*launch, None) == (None, ur.UR_RESULT_SUCCESS)
    assert standin() == 307
    event, err = ur.urEnqueueKernelLaunchWithArgsExp(*launch, ur.ur_event_handle_t(0))
    assert (bool(event), bool(err)) == (True, False)
    assert ur.urKernelSetArgPointer(None, 0, None, value).name == "PYGPU_ERROR_SYMBOL_NOT_FOUND"


@own_interpreter("on_newer")
def test_a_property_without_a_size_has_room():
    ur = PyGPU.ur
    threshold = ur.UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP
    assert ur.checked.urUSMPoolGetInfoExp(None, threshold, None) == 8
    room = bytearray(16)
    assert ur.checked.urUSMPoolGetInfoExp(None, threshold, room) == 8
    assert int.from_bytes(room, "little") == 4096
    with pytest.raises(ValueError, match="'pPropValue' is too short"):
        ur.urUSMPoolGetInfoExp(None, threshold, bytearray(4))


@own_interpreter("on_newer")
def test_today_s_form_has_flags():
    assert not PyGPU.ur.urProgramBuildExp(None, 1, [1], 3, "-g")
    assert standin() == 1302


@own_interpreter("on_older")
def test_the_older_form_has_none():
    ur = PyGPU.ur
    assert not ur.urProgramBuildExp(None, 1, [1], 0, "-g")
    assert standin() == 1002
    assert ur.urProgramBuildExp(None, 1, [1], 3, "-g") is ur.UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    memory = bytearray(4)
    assert not ur.urKernelSetArgPointer(None, 0, None, memory)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert standin() == address
    assert ur.urDeviceWaitExp(None).name == "PYGPU_ERROR_SYMBOL_NOT_FOUND"


@own_interpreter(PYGPU_UR_LIBRARY="/nowhere/libur_loader.so.0")
def test_without_a_library_every_call_says_so():
    ur = PyGPU.ur
    with pytest.warns(RuntimeWarning, match="PYGPU_UR_LIBRARY"):
        adapters, err = ur.urAdapterGet()
    assert adapters is None
    assert err is ur.ur_result_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libur_loader was found"):
        ur.ur_loader_config_handle_t()
