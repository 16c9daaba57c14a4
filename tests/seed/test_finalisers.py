"""What a finaliser uses for the first time while the interpreter ends, or a child after a fork."""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import AT_EXIT, own_interpreter


class Last:
    """Uses PyGPU when it is finalised."""

    def __init__(self, use):
        self.use = use

    def __del__(self):
        self.use()
        print("used", flush=True)


def refused(action, wanted, text=""):  # pytest.raises() imports
    said = None
    try:
        action()
    except wanted as error:
        said = str(error)
    if said is None or text not in said:
        raise AssertionError(f"it isn't refused with {text!r}, but {said!r}")


def failing():
    action = lambda: PyGPU.checked.cudaSetDevice(99)  # noqa: E731
    refused(action, PyGPU.GPUError, "cudaErrorInvalidDevice")


def with_device():
    with PyGPU.device(0):
        assert PyGPU.cudaGetDevice()[0] == 0


NAMES = {
    "a function": lambda: PyGPU.cudaFree(None),
    "a function of a runtime": lambda: PyGPU.cuda.cudaGetErrorName(1),
    "a raising function": lambda: PyGPU.checked.cudaMalloc(8),
    "an enumerator": lambda: PyGPU.cudaMemcpyDefault.name,
    "an enum": lambda: PyGPU.cudaMemcpyKind(1).name,
    "a status": lambda: PyGPU.cudaError_t(1).name,
    "a text of a status": lambda: str(PyGPU.cudaError_t(1)),
    "GPUError": failing,
    "a name that is missing": lambda: refused(
        lambda: PyGPU.memory_inf, AttributeError, "memory_info"
    ),
    "a struct": lambda: PyGPU.cudaExtent(1, 2, 3),
    "a handle": lambda: PyGPU.cudaEvent_t(flags=0),
    "check": lambda: PyGPU.check(PyGPU.cudaGetDeviceCount()),
    "backend": lambda: PyGPU.backend,
    "memory_info": lambda: PyGPU.memory_info(),
    "trim_memory": lambda: PyGPU.trim_memory(),
    "device": with_device,
    "a stream": lambda: PyGPU.Stream().synchronize(),
    "memory": lambda: PyGPU.DeviceMemory(8).free(),
}


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("name", NAMES)
@own_interpreter("on_host", prints="used\n")
def test_a_name_is_first_used_at_exit(name, loaded):
    """Nothing can be imported by then. The library may be opened at that moment."""
    if loaded:
        PyGPU.cuda.checked.cudaFree(None)
    AT_EXIT.append(Last(NAMES[name]))


METHODS = {
    "view": lambda a: a.view("u1"),
    "real": lambda a: a.real,
    "get": lambda a: a.get(),
    "set": lambda a: a.set(np.zeros(4)),
    "wait": lambda a: PyGPU.wait(a),
    "ready": lambda a: PyGPU.ready(a),
    "fill": lambda a: a.fill(3),
    "assignment": lambda a: a.__setitem__(slice(2), [1, 2]),
    "index": lambda a: a[1:].ravel("K"),
    "refused index": lambda a: refused(lambda: a[[1, 2]], IndexError),
    "refused operator": lambda a: refused(lambda: a @ a, TypeError),
    "copy": lambda a: a.copy("F"),
    "copies": lambda a: PyGPU.copy(a, np.zeros(4)),
    "zeros_like": lambda a: PyGPU.zeros_like(a),
    "concatenate": lambda a: PyGPU.concatenate([a, a]),
    "asarray": lambda a: PyGPU.asarray(np.zeros(3)),
    "pagelocked_empty": lambda a: PyGPU.pagelocked_empty(3),
    "ctypes": lambda a: ctypes.c_void_p.from_param(a),
    "free": lambda a: (a.free(), refused(a.get, ValueError)),
}


@pytest.mark.parametrize("name", METHODS)
@own_interpreter("on_host", prints="used\n")
def test_an_array_is_used_at_exit(name):
    """By a method that was never called before."""
    array, method = PyGPU.empty(4), METHODS[name]
    AT_EXIT.append(Last(lambda: method(array)))


@own_interpreter("on_host")
def test_a_child_of_a_fork_beside_a_first_use():
    """In the child, a module that another thread was importing stays locked; so a fork waits."""
    for name in list(PyGPU.__dict__):
        assert not name.startswith("cuda") or name == "cuda"
    importing, found = threading.Event(), []

    class Slow:
        """The first use's own import, held until the fork has begun."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "PyGPU._libraries":
                importing.set()
                forking.wait(0.2)

    forking = threading.Event()
    sys_meta_path = __import__("sys").meta_path
    sys_meta_path.insert(0, Slow)
    thread = threading.Thread(target=lambda: found.append(PyGPU.cudaGetDeviceCount()))
    thread.start()
    assert importing.wait(10)
    child = os.fork()
    if not child:
        os._exit(0 if PyGPU.cuda.cudaGetErrorName(0) and PyGPU.cudaGetDeviceCount() else 1)
    forking.set()
    thread.join()
    deadline = threading.Timer(20, os.kill, (child, 9))
    deadline.start()
    assert os.waitpid(child, 0)[1] == 0
    deadline.cancel()
    assert not found[0][1]


@own_interpreter("on_host", prints="used\n")
def test_another_api_that_was_never_imported_is_refused_at_exit():
    """With an error that says what to do: the exit doesn't import all that there is."""
    said = "can't be imported while the interpreter ends"
    AT_EXIT.append(Last(lambda: refused(lambda: PyGPU.cu.cuGetErrorName, ImportError, said)))
