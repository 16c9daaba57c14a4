"""Python callables that C calls: their arguments, how long they live, when they may not run."""

from __future__ import annotations

import ctypes
import gc
import os
import pathlib
import sys

import pytest

import PyGPU
from PyGPU import cuda
from tests.calls.kept import Kept, kept, seen
from tests.own_interpreter import IN_CHILD, own_interpreter

STAND_IN = pathlib.Path(__file__).with_name("callbacks.cpp")

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    c.queued_data.restype = ctypes.c_void_p

stream, capturing = cuda.cudaStream_t(0x5000), cuda.cudaStream_t(0x6000)


@own_interpreter("run")
def test_a_host_function_gets_its_object():
    data = object()
    assert int(cuda.cudaLaunchHostFunc(stream, lambda given: seen.append(given), data)) == 0
    assert seen == []
    c.drain()
    assert seen == [data]
    cuda.cudaLaunchHostFunc(stream, fn=seen.append)
    cuda.cudaLaunchHostFunc(stream=stream, fn=seen.append, userData="text")
    c.drain()
    assert seen[1:] == [None, "text"]


@own_interpreter("run")
def test_a_stream_callback_gets_cs_arguments_converted():
    assert int(cuda.cudaStreamAddCallback(stream, Kept(), [1], 0)) == 0
    c.drain()
    ((given, status, data),) = seen
    assert type(given) is cuda.cudaStream_t and given == stream
    assert status is cuda.cudaErrorIllegalAddress and data == [1]


@own_interpreter("run")
def test_a_callable_is_freed_once_it_was_called():
    fn, fn_gone = kept()
    data, data_gone = kept()
    cuda.cudaLaunchHostFunc(stream, fn, data)
    del fn, data
    gc.collect()
    assert fn_gone() and data_gone()
    c.drain()
    seen.clear()
    assert not fn_gone() and not data_gone()


@own_interpreter("run")
def test_a_library_that_calls_once_too_often_is_not_heard():
    fn, gone = kept()
    cuda.cudaLaunchHostFunc(stream, fn)
    del fn
    c.drain_twice()
    assert seen == [(None,)] and not gone()


@own_interpreter("run")
def test_a_callable_may_run_before_the_call_returns():
    c.call_at_once(1)
    fn, gone = kept()
    assert int(cuda.cudaLaunchHostFunc(stream, fn, 3)) == 0
    del fn
    assert seen == [(3,)] and not gone()


@pytest.mark.parametrize("call", range(5))
@own_interpreter("run")
def test_a_failed_call_lets_go_at_once(call):
    calls = [
        lambda fn, data: cuda.cudaLaunchHostFunc(stream, fn, data),
        lambda fn, data: cuda.cudaLaunchHostFunc(capturing, fn, data),
        lambda fn, data: cuda.cudaStreamAddCallback(stream, fn, data, 0),
        lambda fn, data: cuda.cudaUserObjectCreate(data, fn, 1, 1)[-1],
        lambda fn, data: cuda.cudaLogsRegisterCallback(fn, data)[-1],
    ]
    c.refuse(1)
    fn, fn_gone = kept()
    data, data_gone = kept()
    assert int(calls[call](fn, data)) == 1
    del fn, data
    assert not fn_gone() and not data_gone()


@own_interpreter("run")
def test_what_goes_into_a_graph_lives_as_long_as_the_graph():
    fn, gone = kept()
    assert int(cuda.cudaLaunchHostFunc(capturing, fn, 7)) == 0
    del fn
    assert seen == []
    c.launch()
    c.launch()
    assert seen == [(7,), (7,)]
    gc.collect()
    assert gone()
    assert int(cuda.cudaGraphDestroy(0x9000)) == 0
    cuda.cudaStreamQuery(0)  # the next call frees what a graph released
    assert not gone()


@own_interpreter("run")
def test_a_graph_that_cannot_keep_it_keeps_it_for_ever():
    c.refuse_to_retain(1)
    fn, gone = kept()
    assert int(cuda.cudaLaunchHostFunc(capturing, fn, 7)) == 0
    del fn
    c.launch()
    c.launch()
    assert gone() and len(seen) == 2


@own_interpreter("run")
def test_a_user_object_is_destroyed_by_its_callable():
    fn, gone = kept()
    handle, err = cuda.cudaUserObjectCreate("data", fn, 1, 1)
    assert not err
    del fn
    assert gone()
    assert int(cuda.cudaUserObjectRelease(handle)) == 0
    assert seen == [("data",)] and not gone()


@own_interpreter("run")
def test_a_registered_callable_lives_until_it_is_unregistered():
    fn, gone = kept()
    handle, err = cuda.cudaLogsRegisterCallback(fn, userData=5)
    del fn
    c.log_line()
    c.log_line()
    assert seen == [(5, cuda.cudaLogLevelWarning, "out of luck", 11)] * 2, seen
    c.refuse(1)
    assert int(cuda.cudaLogsUnregisterCallback(handle)) == 1
    assert gone()
    c.refuse(0)
    assert int(cuda.cudaLogsUnregisterCallback(handle)) == 0
    assert not gone()
    c.log_line()
    assert len(seen) == 2


@own_interpreter("run")
def test_an_asynchronous_notification():
    fn, gone = kept()
    handle, err = cuda.cudaDeviceRegisterAsyncNotification(0, fn, "mine")
    del fn
    c.notify()
    ((info, data, given),) = seen
    assert type(given) is cuda.cudaAsyncCallbackHandle_t and given == handle
    assert data == "mine"
    assert info.type is cuda.cudaAsyncNotificationTypeOverBudget
    assert info.info.overBudget.bytesOverBudget == 4096
    seen.clear()
    del info, data, given
    assert int(cuda.cudaDeviceUnregisterAsyncNotification(0, handle)) == 0
    assert not gone()


@own_interpreter("run")
def test_registering_again_under_the_same_handle_lets_go_of_the_first():
    first, first_gone = kept()
    second, second_gone = kept()
    cuda.cudaLogsRegisterCallback(first)
    cuda.cudaLogsRegisterCallback(second)
    del first, second
    assert not first_gone() and second_gone()


@own_interpreter("run")
def test_c_functions_get_a_pointer_as_in_c():
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    fn = prototype(seen.append)
    room = ctypes.c_int(5)
    assert int(cuda.cudaLaunchHostFunc(stream, fn, 0x4321)) == 0
    assert c.queued_data() == 0x4321
    address = ctypes.cast(fn, ctypes.c_void_p).value
    cuda.cudaLaunchHostFunc(stream, address, room)
    cuda.cudaLaunchHostFunc(stream, address)
    c.drain()
    assert seen == [0x4321, ctypes.addressof(room), None]
    with pytest.raises(TypeError) as raised:
        cuda.cudaLaunchHostFunc(stream, fn, object())
    assert "cudaLaunchHostFunc" in str(raised.value) and "userData" in str(raised.value)


@own_interpreter("run")
def test_what_is_no_function():
    for wrong in ("name", 1.5, [print], object()):
        with pytest.raises(TypeError) as raised:
            cuda.cudaLaunchHostFunc(stream, wrong)
        assert str(raised.value).startswith(
            "cudaLaunchHostFunc(): parameter 'fn' must be a callable, an address (int), "
            "a ctypes function or None, not "
        ), raised.value


@own_interpreter("run")
def test_an_exception_goes_to_the_unraisable_hook():
    def fails(data):
        raise KeyError(data)

    caught = []
    sys.unraisablehook = lambda unraisable: caught.append(
        (unraisable.exc_type, unraisable.exc_value.args, unraisable.object)
    )
    cuda.cudaLaunchHostFunc(stream, fails, 1)
    cuda.cudaLaunchHostFunc(stream, seen.append, 2)
    c.drain()
    assert caught == [(KeyError, (1,), fails)] and seen == [2]
    cuda.cudaLaunchHostFunc(stream, lambda: None)
    c.drain()
    assert caught[1][0] is TypeError


@own_interpreter("run")
def test_an_exception_of_the_caller_stays():
    """An exception in a callback on the caller's thread doesn't change the call's result."""
    c.call_at_once(1)
    sys.unraisablehook = seen.append

    def fails(data):
        raise KeyError(data)

    assert int(cuda.cudaLaunchHostFunc(stream, fails)) == 0
    assert len(seen) == 1


@own_interpreter("run")
def test_a_handle_that_ends_inside_a_callback_waits_for_the_next_call():
    owner = [cuda.cudaStream_t(flags=1)]
    cuda.cudaLaunchHostFunc(stream, lambda held: held.clear(), owner)
    c.drain()
    assert owner == [] and c.destroyed_handles() == 0
    cuda.cudaStreamQuery(0)
    assert c.destroyed_handles() == 1
    cuda.cudaStreamQuery(0)
    assert c.destroyed_handles() == 1


@own_interpreter("run")
def test_a_handle_that_waits_is_not_the_childs():
    owner = [cuda.cudaStream_t(flags=1)]
    cuda.cudaLaunchHostFunc(stream, lambda held: held.clear(), owner)
    c.drain()
    child = os.fork()
    if not child:
        cuda.cudaStreamQuery(0)
        os._exit(c.destroyed_handles())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@own_interpreter("run")
def test_the_raising_form_takes_callables_too():
    assert PyGPU.checked.cudaLaunchHostFunc(stream, seen.append, 1) is None
    c.drain()
    assert seen == [1]
    fn, gone = kept()
    c.refuse(1)
    with pytest.raises(PyGPU.GPUError) as raised:
        PyGPU.checked.cudaLaunchHostFunc(stream, fn)
    assert raised.value.error == 1
    del fn
    assert not gone()


@own_interpreter("run", prints="leaving\n")
def test_the_interpreter_ends_with_a_callback_still_to_come():
    cuda.cudaLaunchHostFunc(stream, print, "never")
    print("leaving")


@own_interpreter("run", prints="leaving\n")
def test_a_callback_that_comes_while_the_interpreter_ends():
    """The last global to be freed makes the library call, on its own thread, and waits for that."""
    told, done = os.pipe(), os.pipe()
    cuda.cudaLaunchHostFunc(stream, print, "never")
    c.run_when_told(told[0], done[1])

    class Last:
        def __del__(self, write=os.write, read=os.read, told=told[1], done=done[0]):
            write(told, b"x")
            read(done, 1)

    sys.last = Last()  # freed late, while the interpreter is finalising
    print("leaving", flush=True)


@own_interpreter("run", prints="leaving\n")
def test_a_callback_after_the_interpreter_has_ended():
    """An exit handler of C runs after the interpreter has ended."""
    cuda.cudaLaunchHostFunc(stream, print, "never")
    c.drain_at_exit()
    print("leaving", flush=True)


@own_interpreter("run", prints="leaving\n")
def test_a_callback_that_is_overtaken_by_the_end():
    """The callable waits in Python for a lock that the main thread holds.

    The process still ends.
    """
    told, done = os.pipe(), os.pipe()
    entered = os.pipe()

    def waits(fd):
        os.write(entered[1], b"x")
        os.read(fd, 1)  # releases the GIL; taking it back fails, as the interpreter has ended
        print("never")

    blocked = os.pipe()
    cuda.cudaLaunchHostFunc(stream, waits, blocked[0])
    c.run_when_told(told[0], done[1])
    os.write(told[1], b"x")
    os.read(entered[0], 1)

    class Last:
        def __del__(self, write=os.write, fd=blocked[1]):
            write(fd, b"x")

    sys.last = Last()
    print("leaving", flush=True)


def test_the_docstring_says_what_a_callable_gets():
    text = cuda.cudaStreamAddCallback.__doc__
    assert "called as f(stream, status, userData)" in text
    assert "sys.unraisablehook" in text
    registering = " ".join(cuda.cudaLogsRegisterCallback.__doc__.split())
    assert "until cudaLogsUnregisterCallback" in registering
    assert "keep the memory alive" in cuda.cudaMemcpyAsync.__doc__
    assert "keep the memory alive" not in cuda.cudaMemcpy.__doc__
