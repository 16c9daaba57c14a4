"""nvrtcSetFlowCallback: a callable with a result, kept alive by its program."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref

import pytest

SOURCE = "__global__ void kernel(int *out) { *out = 1; }"


@pytest.fixture
def made(nvrtc, since):
    """A program that isn't compiled yet."""
    since(12, 8)
    one = nvrtc.checked.nvrtcCreateProgram(SOURCE, None, 0, None, None)
    yield one
    nvrtc.nvrtcDestroyProgram(one)


def test_it_gets_its_payload_and_lets_the_compiler_go_on(nvrtc, made):
    seen = []
    payload = object()
    err = nvrtc.nvrtcSetFlowCallback(made, lambda *given: seen.append(given), payload)
    assert not err
    assert not nvrtc.nvrtcCompileProgram(made, 0, None)
    assert seen
    assert {(one is payload, other) for one, other in seen} == {(True, 0)}


@pytest.mark.parametrize("answer", [1, True])
def test_it_cancels(nvrtc, made, answer):
    assert not nvrtc.nvrtcSetFlowCallback(made, lambda payload, reserved: answer, None)
    assert nvrtc.nvrtcCompileProgram(made, 0, None) is nvrtc.NVRTC_ERROR_CANCELLED


@pytest.mark.parametrize(
    ("answer", "error"),
    [("no", TypeError), (1 << 40, OverflowError), (-(1 << 31) - 1, OverflowError)],
)
def test_what_is_no_answer_cancels_and_is_told(nvrtc, made, monkeypatch, answer, error):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_type))
    assert not nvrtc.nvrtcSetFlowCallback(made, lambda payload, reserved: answer, None)
    assert nvrtc.nvrtcCompileProgram(made, 0, None) is nvrtc.NVRTC_ERROR_CANCELLED
    assert set(told) == {error}


def test_an_exception_cancels_and_is_told(nvrtc, made, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_type))

    def fail(payload, reserved):
        raise KeyError(payload)

    assert not nvrtc.nvrtcSetFlowCallback(made, fail, "payload")
    assert nvrtc.nvrtcCompileProgram(made, 0, None) is nvrtc.NVRTC_ERROR_CANCELLED
    assert set(told) == {KeyError}


class Callback:
    def __call__(self, payload, reserved):
        return 0


def test_it_is_kept_until_the_program_is_destroyed(nvrtc, made):
    one = Callback()
    kept = weakref.ref(one)
    assert not nvrtc.nvrtcSetFlowCallback(made, one, None)
    del one
    gc.collect()
    assert kept()
    assert not nvrtc.nvrtcCompileProgram(made, 0, None)
    assert not nvrtc.nvrtcDestroyProgram(made)
    gc.collect()
    assert kept() is None


def test_another_one_takes_its_place(nvrtc, made):
    one = Callback()
    kept = weakref.ref(one)
    assert not nvrtc.nvrtcSetFlowCallback(made, one, None)
    del one
    assert nvrtc.nvrtcSetFlowCallback(made, None, None) is nvrtc.NVRTC_ERROR_INVALID_INPUT
    assert kept()  # C has kept it
    assert not nvrtc.nvrtcSetFlowCallback(made, Callback(), None)
    gc.collect()
    assert kept() is None
    assert not nvrtc.nvrtcCompileProgram(made, 0, None)


def test_the_end_of_an_owner_lets_it_go(nvrtc, since):
    since(12, 8)
    owner = nvrtc.nvrtcProgram(src=SOURCE)
    one = Callback()
    kept = weakref.ref(one)
    assert not nvrtc.nvrtcSetFlowCallback(owner, one, None)
    del one
    assert kept()
    del owner
    gc.collect()
    assert kept() is None


def test_what_c_refuses_is_not_kept(nvrtc, since):
    since(12, 8)
    one = Callback()
    kept = weakref.ref(one)
    assert nvrtc.nvrtcSetFlowCallback(None, one, None) is nvrtc.NVRTC_ERROR_INVALID_PROGRAM
    del one
    gc.collect()
    assert kept() is None


def test_a_c_function_is_called_as_it_is(nvrtc, made):
    seen = []
    signature = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    function = signature(lambda payload, reserved: seen.append(payload) or 0)
    assert not nvrtc.nvrtcSetFlowCallback(made, function, 4096)
    assert not nvrtc.nvrtcCompileProgram(made, 0, None)
    assert set(seen) == {4096}


def test_wrong_callbacks_are_refused(nvrtc, made):
    with pytest.raises(TypeError, match="'callback' must be a callable, an address"):
        nvrtc.nvrtcSetFlowCallback(made, "callable", None)
