"""Bytes between a file and a GPU's memory."""

from __future__ import annotations

import os
import tempfile

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@own_interpreter("real_on_card")
def test_a_file_is_written_and_read():
    cufile = PyGPU.cufile
    PyGPU.empty(1, "u1")  # there is a context now
    if err := cufile.cuFileDriverOpen():
        pytest.skip(f"cuFile's driver: {err.name}")
    values = np.arange(1 << 20, dtype="f4")
    source, target = PyGPU.to_gpu(values), PyGPU.zeros(1 << 20, "f4")
    # cuFile refuses the flags with which tempfile opens files.
    with tempfile.TemporaryDirectory(dir=".") as folder, open(f"{folder}/data", "w+b") as file:
        descr = {
            "type": cufile.CU_FILE_HANDLE_TYPE_OPAQUE_FD,
            "handle": {"fd": file.fileno()},
        }
        found, err = cufile.cuFileHandleRegister(descr)
        if err is cufile.CU_FILE_HANDLE_NOT_REGISTERED:
            pytest.skip("cuFile doesn't know the volume: in a container it lacks udev's data")
        assert not err and not cufile.cuFileHandleDeregister(found)
        with cufile.CUfileHandle_t(descr=descr) as handle:
            assert cufile.checked.cuFileWrite(handle, source, source.nbytes, 0, 0) == source.nbytes
            assert os.fstat(file.fileno()).st_size == source.nbytes
            assert np.array_equal(np.fromfile(file.name, "f4"), values)
            size = source.nbytes // 2
            assert cufile.checked.cuFileRead(handle, target, size, size, 4096) == size
        half = target.get()[1024:][: size // 4]
        assert np.array_equal(half, values[len(values) // 2 :])
        assert not target.get()[:1024].any()
    cufile.cuFileDriverClose()
