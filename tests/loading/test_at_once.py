"""Threads that import and use PyGPU at the same moment, and forks between the import and a call."""

from __future__ import annotations

import pytest

THREADS = """
    import sys, threading
    sys.setswitchinterval(1e-6)
    count = 16
    begin, found, failed = threading.Barrier(count), [], []

    def use():
        begin.wait()
        try:
            import PyGPU
            from PyGPU import checked
            names = ("cudaMalloc", "cudaMemcpyKind", "cudaStream_t", "cudaError_t", "GPUArray",
                     "cudaDeviceProp", "cudaMemcpyHostToDevice", "DeviceArray_float32", "host")
            objects = [getattr(PyGPU, name) for name in names] + [checked, PyGPU.checked]
            assert not hasattr(PyGPU, "cudaMemCpy")
            found.append((*map(id, objects), PyGPU.cudaGetDeviceCount()))
        except BaseException as error:
            failed.append(repr(error))

    threads = [threading.Thread(target=use, daemon=True) for _ in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    print(len(found), len(set(found)), failed)
"""


@pytest.mark.parametrize("backend", ["host", "hip", "cuda"])
def test_many_threads_see_the_same_objects(python, host_library, backend):
    libraries = {"PYGPU_HIP_LIBRARY": str(host_library), "PYGPU_CUDA_LIBRARY": str(host_library)}
    printed = python(THREADS, PYGPU_BACKEND=backend, **libraries).stdout
    assert printed == "16 1 []\n"


def test_forked_between_the_import_and_the_first_call(python):
    """Each child finds its own library, also while another thread of the parent is searching."""
    code = """
        import os, signal, threading, warnings
        import PyGPU
        from PyGPU import _search
        warnings.simplefilter("ignore")
        ended = threading.Event()

        def search():
            while not ended.is_set():
                _search.survey("cuda")

        searching = threading.Thread(target=search, daemon=True)
        searching.start()
        for _ in range(10):
            child = os.fork()
            if not child:
                signal.alarm(30)  # a hang ends the child, and so fails
                code = 1
                try:
                    code = 1 - (PyGPU.checked.cudaGetDeviceCount() == len(PyGPU.zeros(1).get()))
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        ended.set()
        searching.join()
        assert PyGPU.checked.cudaGetDeviceCount() == 1
    """
    python(code, PYGPU_BACKEND="host")
